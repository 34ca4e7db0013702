/** A mutant that no test noticed, and the list of those that none needs to notice. */

export interface Survivor {
  readonly file: string
  readonly mutator: string
  /** The line of the source on which the mutated code begins, with its blanks made one. */
  readonly line: string
  /** What stands in the place of the code, with its blanks made one, and no longer than 100 characters. */
  readonly to: string
  /** Number of the line when it was found. */
  readonly at: number
}

/** A survivor that changes nothing that anyone could notice. It is found again by what it mutates, not by its place. */
export interface Accepted {
  readonly line: string
  readonly mutators: ReadonlyArray<string>
  /** Where only this replacement is accepted, and not any by these mutators. */
  readonly to?: string
  readonly reason: string
}

/** File, from the root → its accepted survivors. */
export type AcceptedSurvivors = Readonly<Record<string, ReadonlyArray<Accepted>>>

export const normalized = (text: string): string => text.replaceAll(/\s+/g, " ").trim().slice(0, 100)

export const isAccepted = (list: AcceptedSurvivors, { file, line, mutator, to }: Survivor): boolean =>
  (list[file] ?? []).some((accepted) =>
    accepted.mutators.includes(mutator) && accepted.line === line && (accepted.to ?? to) === to
  )

/** Entries of the list whose line is gone from its file. */
export const stale = (list: AcceptedSurvivors, read: (file: string) => string): ReadonlyArray<string> =>
  Object.entries(list).flatMap(([file, entries]) => {
    const lines = new Set(read(file).split("\n").map(normalized))
    return entries.filter(({ line }) => !lines.has(line)).map(({ line }) => `${file} has no line "${line}" any more`)
  })

export const show = ({ at, file, line, mutator, to }: Survivor): string =>
  `${file}:${at}  ${mutator}\n    ${line}\n    → ${to}`
