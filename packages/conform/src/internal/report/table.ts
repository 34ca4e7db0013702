/** A report as lines for a terminal: what failed stands last, where whoever ran it looks. */
import { Excerpt } from "@parley/protocol/shared"
import { entriesOf, type Entry, type Group, type Sheet } from "./Sheet.ts"

/** How words are coloured; by default they are not. */
export type Paint = (weight: Entry["weight"] | "skipped", word: string) => string

/** How a table is written. */
export interface TableOptions {
  readonly paint?: Paint | undefined
  /** Whether what holds and what is not applicable has a row of its own, and is not only counted. */
  readonly isWhole?: boolean | undefined
}

/** Writes the table. A strange text drives no terminal: all of them are escaped, line by line. */
export const table = (sheet: Sheet, { isWhole = false, paint = (_, word) => word }: TableOptions = {}): string => {
  const isShown = (entry: Entry) => isWhole || !entry.isQuiet
  const shown = entriesOf(sheet).filter(isShown)
  const width = Math.max(4, ...shown.map(({ state }) => state.length))
  const row = (entry: Entry): string => {
    const word = paint(entry.isSkipped ? "skipped" : entry.weight, entry.state.padEnd(width))
    const reason = entry.reason === undefined ? "" : `  (${line(entry.reason)})`
    return `  ${word}  ${entry.id}  ${line(entry.title)}${reason}`
  }
  const group = ({ entries, name }: Group) => [`${line(name)}: ${counts(entries)}`, ...entries.filter(isShown).map(row)]
  const open = shown.filter(({ weight }) => weight === "error" || weight === "warning")
  return [
    sheet.title,
    ...sheet.facts.map(([name, text]) => `${name}: ${line(text)}`),
    "",
    ...sheet.groups.flatMap(group),
    "",
    ...open.flatMap((entry) => [
      `${paint(entry.weight, entry.state)}  ${entry.id}  ${line(entry.title)}`,
      ...entry.section === undefined ? [] : [`  ${entry.section}`],
      ...entry.reason === undefined ? [] : [`  ${line(entry.reason)}`],
      ...entry.details.flatMap((finding, at) => [
        ...at === 0 ? [] : ["  "],
        // A command is there to be run, so it stands whole.
        ...finding.map(([name, text]) => `  ${name}: ${name === "again" ? Excerpt.line(text, Infinity) : lines(text)}`)
      ]),
      ""
    ]),
    sheet.summary
  ].join("\n")
}

const counts = (entries: ReadonlyArray<Entry>): string =>
  Array.from(Map.groupBy(entries, ({ state }) => state), ([state, all]) => `${all.length} ${state}`).join(", ")

const line = (text: string): string => Excerpt.line(text, longest)

const lines = (text: string): string => text.split("\n").map(line).join("\n    ")

/** Nobody reads more of a message in a terminal; files have all of it. */
const longest = 400
