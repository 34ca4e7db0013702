/** docs/reference/errors.md as data: its tables, by the headings above them. */

export interface Row {
  /** What is named: a class, or a line of the log. */
  readonly name: string
  /** The other cells. */
  readonly cells: ReadonlyArray<string>
}

/** Heading → the rows of the table below it. */
export const tablesOf = (page: string): ReadonlyMap<string, ReadonlyArray<Row>> => {
  const tables = new Map<string, ReadonlyArray<Row>>()
  for (const section of page.split(/^#+ /m)) {
    const [heading = "", ...lines] = section.split("\n")
    // The first two lines of a table are its head.
    const rows = lines.filter((line) => line.startsWith("|")).slice(2).map(cellsOf)
    tables.set(heading, rows.map(([name = "", ...cells]) => ({ name: textOf(name), cells })))
  }
  return tables
}

const cellsOf = (line: string): ReadonlyArray<string> =>
  line.slice(1, -1).split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"))

/** The text of a code span: blanks beside its marks are there only for backticks next to them. */
export const textOf = (cell: string): string => {
  const [, marks = "", text = cell] = /^(`+)(.*)\1$/.exec(cell) ?? []
  return marks.length > 1 && /^ .*`.* $/.test(text) ? text.slice(1, -1) : text
}
