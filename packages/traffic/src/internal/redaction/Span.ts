/**
 * The parts of a text that are replaced.
 */

/** The text that stands for a secret. */
export const mark = "[redacted]"

/** Part of a text, from `start` up to `end`, and the text that replaces it. */
export interface Span {
  readonly start: number
  readonly end: number
  readonly by: string
}

/** The spans in their order. Those that overlap or touch become one. */
export const merged = (spans: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  if (spans.length < 2) return spans
  const all: Array<Span> = []
  for (const span of spans.toSorted((one, other) => one.start - other.start)) {
    const last = all.at(-1)
    if (last === undefined || span.start > last.end) all.push(span)
    else if (span.end > last.end) all[all.length - 1] = { ...last, end: span.end }
  }
  return all
}
