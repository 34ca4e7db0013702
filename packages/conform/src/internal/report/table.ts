/** A report as lines for a terminal: what failed stands last, where whoever ran it looks. */
import { Excerpt } from "@parley/protocol/shared"
import { entriesOf, type Entry, type Group, type Sheet } from "./Sheet.ts"

/** How words are coloured; by default they are not. */
export type Paint = (weight: Entry["weight"] | "skipped", word: string) => string

/** Writes the table. A strange text drives no terminal: all of them are escaped, line by line. */
export const table = (sheet: Sheet, paint: Paint = (_, word) => word): string => {
  const width = Math.max(4, ...entriesOf(sheet).map(({ state }) => state.length))
  const row = (entry: Entry): string => {
    const word = paint(entry.isSkipped ? "skipped" : entry.weight, entry.state.padEnd(width))
    const reason = entry.reason === undefined ? "" : `  (${line(entry.reason)})`
    return `  ${word}  ${entry.id}  ${line(entry.title)}${reason}`
  }
  const group = ({ entries, name }: Group) => [name, ...entries.map(row), ""]
  const open = entriesOf(sheet).filter(({ weight }) => weight === "error" || weight === "warning")
  return [
    sheet.title,
    ...sheet.facts.map(([name, text]) => `${name}: ${line(text)}`),
    "",
    ...sheet.groups.flatMap(group),
    ...open.flatMap((entry) => [
      `${paint(entry.weight, entry.state)}  ${entry.id}  ${line(entry.title)}`,
      ...entry.section === undefined ? [] : [`  ${entry.section}`],
      ...entry.reason === undefined ? [] : [`  ${line(entry.reason)}`],
      ...entry.details.flatMap((finding, at) => [
        ...at === 0 ? [] : ["  "],
        ...finding.map(([name, text]) => `  ${name}: ${lines(text)}`)
      ]),
      ""
    ]),
    sheet.summary
  ].join("\n")
}

const line = (text: string): string => Excerpt.line(text, longest)

const lines = (text: string): string => text.split("\n").map(line).join("\n    ")

/** Nobody reads more of a message in a terminal; files have all of it. */
const longest = 400
