/**
 * The contents of a report, whatever tool made it: the one shape that the writers of tables, pages and files for CI read.
 */

/** How much an entry matters, in the words of SARIF (2.1.0, section 3.27.10): `none` is for what holds. */
export type Weight = "error" | "warning" | "note" | "none"

/** One rule or one change, and what became of it. */
export interface Entry {
  /** A stable name, such as `jsonrpc/parse-error`. */
  readonly id: string
  readonly title: string
  /** The title of the rule, where the title is about one of several entries of the rule. */
  readonly rule?: string | undefined
  /** The verdict in one word of the tool. */
  readonly state: string
  readonly weight: Weight
  /** Whether nothing was decided: it counts neither as passed nor as failed. */
  readonly isSkipped: boolean
  /** Whether a table only counts it, because nobody has to do anything. */
  readonly isQuiet: boolean
  /** Why there is this verdict, where the details do not say it. */
  readonly reason?: string | undefined
  /** One for each finding: names and texts. A text may have several lines. */
  readonly details: ReadonlyArray<ReadonlyArray<readonly [name: string, text: string]>>
  /** The section that decides. */
  readonly section?: string | undefined
}

/** Entries that belong together, such as those of a suite. */
export interface Group {
  readonly name: string
  readonly entries: ReadonlyArray<Entry>
}

/** The whole report. */
export interface Sheet {
  /** The tool and what it looked at. */
  readonly title: string
  readonly facts: ReadonlyArray<readonly [name: string, text: string]>
  readonly groups: ReadonlyArray<Group>
  /** The counts in one line. */
  readonly summary: string
  /** The file that the findings are about, as a path from the root of a repository: CI annotates it. */
  readonly artifact?: string | undefined
}

/** The entries of all groups. */
export const entriesOf = ({ groups }: Sheet): ReadonlyArray<Entry> => groups.flatMap(({ entries }) => entries)

/** The details of an entry as lines. */
export const linesOf = ({ details, reason }: Entry): ReadonlyArray<string> => [
  ...reason === undefined ? [] : [reason],
  ...details.flatMap((finding) => finding.map(([name, text]) => `${name}: ${text}`))
]
