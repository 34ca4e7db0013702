/**
 * What one unit costs by how many there are, as lines, drawn from the results that the page of costs under load is
 * written from. Both axes are logarithmic: a flat cost is a level line.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type Drawing, width, word } from "./Drawing.ts"

/** A part of `packages/bench/results/loaded.json`. */
interface Results {
  readonly before: string
  readonly rows: ReadonlyArray<{ readonly name: string; readonly title: string; readonly unit: string }>
  readonly points: ReadonlyArray<
    { readonly row: string; readonly column: string; readonly count: number; readonly cpu?: number }
  >
}

/** A cost of a column, in microseconds. */
export interface Cost {
  readonly column: string
  readonly count: number
  readonly cpu: number
}

export interface Chart {
  readonly name: string
  readonly title: string
  readonly unit: string
  readonly costs: ReadonlyArray<Cost>
}

/** The classes of the columns. */
const kinds: { readonly [column: string]: string } = {
  now: "line accent",
  before: "line lost",
  "json-rpc-2.0": "soft",
  floor: "line"
}

const resultsOf = (root: string): Results =>
  // What `pnpm bench` writes.
  JSON.parse(readFileSync(join(root, "packages/bench/results/loaded.json"), "utf8")) as Results

export const chartsOf = (root: string): ReadonlyArray<Chart> => {
  const { points, rows } = resultsOf(root)
  return rows.map(({ name, title, unit }) => ({
    name,
    title,
    unit,
    costs: points.flatMap(({ column, count, cpu, row }) =>
      row === name && cpu !== undefined ? [{ column, count, cpu }] : []
    )
  })).filter(({ costs }) => costs.length > 0)
}

const top = 92
const height = 168
const area = { left: 64, right: width - 16, top: 34, bottom: 128 }

/** With two digits at least. */
const number = (value: number): string =>
  value.toLocaleString("en-US", { maximumFractionDigits: value < 1 ? 3 : value < 10 ? 1 : 0 })

/** The powers of ten between which all values are. */
const decades = (values: ReadonlyArray<number>): readonly [number, number] => {
  const exponents = values.map(Math.log10)
  const least = Math.floor(Math.min(...exponents))
  return [least, Math.max(least + 1, Math.ceil(Math.max(...exponents)))]
}

const partsOf = ({ costs, title, unit }: Chart, index: number): ReadonlyArray<string> => {
  const y = top + index * height
  const [least, most] = decades(costs.map(({ cpu }) => cpu))
  const counts = costs.map(({ count }) => count)
  const [fewest, greatest] = [Math.log10(Math.min(...counts)), Math.log10(Math.max(...counts))]
  const xOf = (count: number) =>
    area.left + (area.right - area.left) * (Math.log10(count) - fewest) / Math.max(1e-9, greatest - fewest)
  const yOf = (cpu: number) => y + area.bottom - (area.bottom - area.top) * (Math.log10(cpu) - least) / (most - least)
  const levels = Array.from({ length: most - least + 1 }, (_, at) => 10 ** (least + at))
  const shown = levels.length > 4 ? [levels[0]!, levels.at(-1)!] : levels
  const lines = Object.entries(kinds).flatMap(([column, kind]) => {
    const points = costs.filter((cost) => cost.column === column)
      .map(({ count, cpu }) => `${xOf(count).toFixed(1)} ${yOf(cpu).toFixed(1)}`)
    return points.length === 0 ? [] : [`<path class="${kind}" fill="none" d="M${points.join("L")}"/>`]
  })
  return [
    word([16, y + 18], title, { anchor: "start", kind: "strong" }),
    ...shown.map((level) =>
      `<g class="rule"><line x1="${area.left}" x2="${area.right}" y1="${yOf(level).toFixed(1)}" y2="${
        yOf(level).toFixed(1)
      }" opacity="0.4"/></g>`
    ),
    ...shown.map((level) => word([area.left - 6, yOf(level) + 5], number(level), { anchor: "end", kind: "quiet" })),
    ...lines,
    word([area.left, y + area.bottom + 18], number(Math.min(...counts)), { anchor: "start", kind: "quiet" }),
    word([(area.left + area.right) / 2, y + area.bottom + 18], `µs per ${unit}`, { kind: "quiet" }),
    word([area.right, y + area.bottom + 18], number(Math.max(...counts)), { anchor: "end", kind: "quiet" })
  ]
}

/** The last cost of each column, in words. */
const wordsOf = ({ costs, title, unit }: Chart): string => {
  const columns = [...new Set(costs.map(({ column }) => column))]
  const last = columns.map((column) => {
    const own = costs.filter((cost) => cost.column === column)
    const [first, end] = [own[0]!, own.at(-1)!]
    return `${column} ${number(first.cpu)} with ${number(first.count)}, ${number(end.cpu)} with ${number(end.count)}`
  })
  return `${title}, in µs per ${unit}: ${last.join("; ")}.`
}

export const costs = (root: string): Drawing => {
  const charts = chartsOf(root)
  const { before } = resultsOf(root)
  const legend = [["now", 16], ["before", 90], ["json-rpc-2.0", 186], ["floor", 330]] as const
  return {
    name: "costs-under-load",
    title: "Processor time per unit, by how many there are",
    description: `Both axes are logarithmic. ${charts.map(wordsOf).join(" ")} Before is the commit ${before}.`,
    height: top + charts.length * height,
    parts: [
      word([16, 30], "Processor time, by how many there are", { anchor: "start", kind: "strong" }),
      ...legend.flatMap(([column, x]) => [
        `<path class="${kinds[column]}" d="M${x} 62H${x + 20}"/>`,
        word([x + 26, 67], column, { anchor: "start", kind: "quiet" })
      ]),
      ...charts.flatMap(partsOf)
    ]
  }
}
