/**
 * The page of the documentation about costs under load, from what is stored.
 * `node packages/bench/src/loaded/page.ts` writes it anew.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { table, targetsTable } from "../report.ts"
import { type Column, type Found, least, merge, type Point, type Run, type Stored, targets } from "./results.ts"
import type { Row } from "./Row.ts"
import { rows } from "./rows.ts"

const root = join(import.meta.dirname, "../../../..")

export const path = "docs/reference/costs-under-load.md"
export const resultsPath = "packages/bench/results/loaded.json"

/** What this package has written. */
export const stored = (): Stored => JSON.parse(readFileSync(join(root, resultsPath), "utf8")) as Stored

/** With so many digits that differences of a tenth show. */
const rounded = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)

const bytes = (value: number): string =>
  value >= 100_000
    ? `${(value / 1024).toFixed(0)} KB`
    : value >= 10_000
    ? `${(value / 1024).toFixed(1)} KB`
    : `${value.toFixed(0)} B`

/** Processor time, and memory where a share of it means something. */
export const cell = (row: Row, point: Point | undefined): string => {
  if (point === undefined) return ""
  const { count, cpu, over } = point
  if (over !== undefined || cpu === undefined) return `more than ${over} s`
  const memory = row.memory === "held" ? point.held : point.peak
  const counts = row.memory === "held" ? count >= least : count === row.counts.at(-1)
  return `${rounded(cpu)} µs${counts && memory !== undefined ? `, ${bytes(memory)}` : ""}`
}

/** The columns of a row, in their order. */
export const columnsOf = (row: Row, points: ReadonlyArray<Point>): ReadonlyArray<Column> =>
  ["now", "before", ...row.subjects.filter((subject) => subject !== "parley")].filter((column) =>
    points.some((point) => point.row === row.name && point.column === column)
  )

const number = (value: number): string => value.toLocaleString("en-US")

export const toMarkdown = ({ before, dates, node, points, processors }: Stored): string => {
  const section = (row: Row): ReadonlyArray<string> => {
    const columns = columnsOf(row, points)
    if (columns.length === 0) return []
    const at = (column: Column, count: number) =>
      points.find((point) => point.row === row.name && point.column === column && point.count === count)
    return [
      `## ${row.title}`,
      `\`loaded/${row.name}\`, per ${row.unit}. ${row.words} Measured on ${dates[row.name]}.`,
      table(
        ["", ...columns.map((column) => column === "before" ? `before (${before})` : column)],
        row.counts.map((count) => [number(count), ...columns.map((column) => cell(row, at(column, count)))])
      ),
      ...row.why === undefined ? [] : [row.why]
    ]
  }
  return [
    "# Costs under load",
    "`pnpm bench --update '^loaded'` writes this page; do not edit it.",
    `Node ${node}, ${processors} shared processors. Each load runs in a process of its own. A cell has the processor time `
    + `per unit, as the median of slices of 50 ms, after two seconds that are not measured. From ${least} on, some cells have memory: the heap that one of so many `
    + "holds after a collection, or, at the largest number, the growth of the resident memory at its peak, divided by the "
    + "number. `now` is this version of Parley with its default limits, unless a sentence says otherwise; `before` is an "
    + "earlier commit. Floors are hand-written and know no limits, errors, timeouts or cancellation.",
    "The cost of a unit should not depend on how many others there are: a target below compares the highest cost with the "
    + `lowest, from ${least} on. With fewer, what comes once for all of them counts, such as a timer or a write. For each `
    + "row, a test counts without a clock what is looked at.",
    "![Processor time per unit, by how many there are](../images/costs-under-load.svg)",
    ...rows.flatMap(section),
    "## Targets",
    targetsTable(targets(points))
  ].join("\n\n") + "\n"
}

/** Puts what a run has found in the place of what is stored, and writes the page. */
export const store = (found: Found, run: Run): void => {
  const results = merge(existsSync(join(root, resultsPath)) ? stored() : undefined, found, run)
  writeFileSync(join(root, resultsPath), `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(join(root, path), toMarkdown(results))
}

if (import.meta.main) writeFileSync(join(root, path), toMarkdown(stored()))
