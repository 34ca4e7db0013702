/**
 * The tables of docs/explanation/comparison.md, from stored results and from the programs of docs/migration.
 */
import { type Scores, totalOf } from "../corpus/results.ts"
import { rate } from "../report.ts"
import type { Results } from "../results.ts"

export type Table = ReadonlyArray<ReadonlyArray<string>>

/** The file `results/corpus.json`. */
export interface Corpus {
  readonly date: string
  readonly libraries: Readonly<Record<string, Scores>>
}

const code = (text: string): string => `\`${text}\``

export const conformance = ({ libraries }: Corpus): Table => [
  ["Library", "Examples", "JSON", "Messages", "Batches", "All"],
  ...Object.entries(libraries).map(([library, scores]) => [
    code(library),
    ...[scores.examples, scores.json, scores.messages, scores.batches, totalOf(scores)].map(({ of, right }) =>
      `${right} of ${of}`
    )
  ])
]

const rates = (
  { rows }: Pick<Results, "rows">,
  wires: Readonly<Record<string, string>>,
  subjects: Readonly<Record<string, string>>,
  inFlight: number
): Table => [
  [`${inFlight} in flight`, ...Object.values(subjects)],
  ...Object.entries(wires).map(([wire, title]) => [
    title,
    ...Object.keys(subjects).map((subject) => {
      const row = rows.find((row) =>
        row.table !== "large" && row.subject === `${wire}/${subject}` && row.inFlight === inFlight
      )
      return row === undefined ? "" : rate(row.rate)
    })
  ])
]

export const speed = (results: Results, inFlight: number): Table =>
  rates(
    results,
    { mem: "memory", tcp: "TCP", unix: "Unix socket", stdio: "stdio", ws: "WebSocket", http: "HTTP", worker: "worker" },
    {
      parley: "Parley",
      "parley-schema": "with Schemas",
      "vscode-jsonrpc": "vscode-jsonrpc",
      "json-rpc-2.0": "json-rpc-2.0",
      jayson: "jayson",
      "rpc-websockets": "rpc-websockets",
      "effect-rpc": "Effect RPC"
    },
    inFlight
  )

export const mcpSpeed = (results: Results): Table =>
  rates(
    results,
    {
      "mcp-mem": "memory",
      "mcp-stdio": "stdio",
      "mcp-http": "HTTP, one tool",
      "mcp-http-50": "HTTP, fifty tools",
      "mcp-http-list": "the list of fifty tools",
      "mcp-client": "clients of one server"
    },
    {
      parley: "Parley",
      "sdk-v1": "SDK, version 1",
      "sdk-v2": "SDK, version 2",
      "mcp-lite": "mcp-lite",
      tmcp: "tmcp",
      effect: "Effect"
    },
    64
  )

/** Kilobytes of live heap that an open session of MCP keeps. */
export const sessions = ({ sessions }: Results): Table => [
  ["kB of live heap for each session", "1 tool", "50 tools"],
  ...[["parley", "Parley"], ["sdk-v1", "SDK, version 1"]].map(([library, title]) => [
    title ?? "",
    ...[1, 50].map((tools) =>
      ((sessions[`${library}, ${tools} tool${tools === 1 ? "" : "s"}`]?.heap ?? NaN) / 1000).toFixed(1)
    )
  ])
]

/** The first program below a heading. */
const programBelow = (page: string, heading: string): string =>
  /```ts run\n([\s\S]*?)\n```/.exec(page.slice(page.indexOf(`\n## ${heading}\n`)))?.[1] ?? ""

const lines = (program: string): string =>
  String(program.split("\n").filter((line) => line.trim() !== "" && !/^\s*(\/\/|\/\*\*)/.test(line)).length)

/** By the title of its library, the page that says how to move. */
export const sizes = (pages: Readonly<Record<string, string>>): Table => [
  ["The program of", "With it", "With Parley"],
  ...Object.entries(pages).map(([library, page]) => [
    library,
    lines(programBelow(page, "Before")),
    lines(programBelow(page, "After"))
  ])
]

export const pages = {
  "vscode-jsonrpc": "from-vscode-jsonrpc",
  "json-rpc-2.0": "from-json-rpc-2.0",
  jayson: "from-jayson",
  "Effect RPC": "from-effect-rpc",
  "official MCP SDK": "from-the-mcp-sdk",
  "Effect's MCP": "from-effect-mcp"
}
