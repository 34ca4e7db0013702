/** The ratios of the benchmarks as bars, drawn from the results that the page of the benchmarks is written from. */
import * as Plot from "@observablehq/plot"
import { parseHTML } from "linkedom"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type Drawing, width } from "./Drawing.ts"

/** A row of `packages/bench/results/latest.json`. */
interface Row {
  readonly table: string
  readonly subject: string
  readonly inFlight: number
  readonly ratio: number
}

interface Chart {
  readonly name: string
  readonly title: string
  readonly table: string
  readonly groups: ReadonlyArray<readonly [wire: string, title: string]>
  /** Whether a subject is drawn: variants and floors of the page are not. */
  readonly isDrawn: (name: string) => boolean
}

/** How many calls at once the bars are for. */
export const inFlight = 64

export const charts: ReadonlyArray<Chart> = [
  {
    name: "benchmark-calls",
    title: "Calls, beside a hand-written floor",
    table: "calls",
    groups: [
      ["mem", "in memory"],
      ["tcp", "over TCP"],
      ["unix", "over a Unix socket"],
      ["stdio", "over stdio"],
      ["ws", "over a WebSocket"],
      ["http", "over HTTP"],
      ["worker", "with a worker"]
    ],
    isDrawn: (name) => !/^parley-|^effect-rpc-|floor/.test(name)
  },
  {
    name: "benchmark-mcp",
    title: "MCP calls, beside the official SDK 2",
    table: "mcp",
    groups: [
      ["mcp-stdio", "over stdio, with its own client"],
      ["mcp-http", "over HTTP, one tool"],
      ["mcp-http-50", "over HTTP, fifty tools"],
      ["mcp-client", "clients over HTTP"]
    ],
    isDrawn: (name) => !/^parley-|^raw$|floor|-modern$/.test(name)
  }
]

export interface Bar {
  readonly subject: string
  readonly name: string
  readonly ratio: number
}

/** The bars of a chart, by the title of their group. */
export const barsOf = (
  root: string,
  chart: Chart
): ReadonlyArray<readonly [title: string, bars: ReadonlyArray<Bar>]> => {
  // What `pnpm bench` writes.
  const { rows } = JSON.parse(readFileSync(join(root, "packages/bench/results/latest.json"), "utf8")) as {
    readonly rows: ReadonlyArray<Row>
  }
  return chart.groups.map(([wire, title]) => [
    title,
    rows.filter((row) => row.table === chart.table && row.inFlight === inFlight)
      .map(({ ratio, subject }) => ({ subject, name: subject.slice(wire.length + 1), ratio }))
      .filter(({ name, subject }) => subject === `${wire}/${name}` && chart.isDrawn(name))
      .toSorted((a, b) => b.ratio - a.ratio)
  ])
}

export const drawingOf = (root: string, chart: Chart): Drawing => {
  const groups = barsOf(root, chart)
  const bars = groups.flatMap(([, bars]) => bars)
  const lines = groups.flatMap(([title, bars]) => [title, ...bars.map(({ subject }) => subject)])
  const height = 64 + 26 * lines.length
  const { document } = parseHTML("<html><body></body></html>")
  const bar = (of: (bar: Bar) => boolean, className: string) =>
    Plot.barX(bars.filter(of), { x: "ratio", y: "subject", insetTop: 3, insetBottom: 3, className })
  const label = { textAnchor: "start", fill: null } as const
  const plot = Plot.plot({
    // It draws with the parts of the DOM that linkedom has.
    document: document as unknown as Document,
    width,
    height,
    marginLeft: 146,
    marginRight: 56,
    marginTop: 48,
    marginBottom: 16,
    x: { axis: null, domain: [0, Math.max(1, ...bars.map(({ ratio }) => ratio))] },
    y: { axis: null, domain: lines, padding: 0 },
    marks: [
      Plot.ruleX([1], { className: "rule" }),
      bar(({ name }) => name === "parley", "bar ours"),
      bar(({ name }) => name !== "parley", "bar"),
      Plot.text(groups, {
        ...label,
        frameAnchor: "left",
        dx: -130,
        y: ([title]) => title,
        text: ([title]) => title,
        className: "strong"
      }),
      Plot.text(bars, { ...label, frameAnchor: "left", dx: -130, y: "subject", text: "name" }),
      Plot.text(bars, {
        ...label,
        x: "ratio",
        y: "subject",
        dx: 5,
        text: ({ ratio }: Bar) => ratio.toFixed(2),
        className: "quiet"
      })
    ]
  })
  for (const style of plot.querySelectorAll("style")) style.remove()
  return {
    name: chart.name,
    title: chart.title,
    description: `Calls per second with ${inFlight} in flight; the dashed line is 1. `
      + groups.map(([title, bars]) =>
        `${title}: ${bars.map(({ name, ratio }) => `${name} ${ratio.toFixed(2)}`).join(", ")}.`
      )
        .join(" "),
    height,
    parts: [`<text x="16" y="30" class="strong">${chart.title}</text>`, plot.innerHTML]
  }
}
