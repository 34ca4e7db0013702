/**
 * The results as a page of the documentation.
 */
import { isMet, type Results, type Row, type Target } from "./results.ts"

export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

/** Calls per second, as the pages write them. */
export const rate = (value: number): string =>
  value >= 100_000
    ? `${(value / 1000).toFixed(0)}k`
    : value >= 1000
    ? `${(value / 1000).toFixed(1)}k`
    : value.toFixed(0)

const ratio = (value: number): string => Number.isNaN(value) ? "" : value.toFixed(2)

const counts = (rows: ReadonlyArray<Row>): ReadonlyArray<number> =>
  [...new Set(rows.map(({ inFlight }) => inFlight))].toSorted((a, b) => a - b)

/** What is said of a row as soon as it is measured. */
export const lineOf = ({ cpu, inFlight, ratio: toFloor, rate: perSecond, serving, subject, table }: Row): string => {
  const ofFloor = Number.isNaN(toFloor) ? "" : `${ratio(toFloor)} of the floor, `
  return `${table === "large" ? "1mb-" : ""}${subject}, ${inFlight} in flight: ${rate(perSecond)}/s, ${ofFloor}`
    + `${cpu.toFixed(1)} µs${serving === undefined ? "" : `, serving ${serving.toFixed(1)} µs`}`
}

/** One line per subject: rate, ratio and processor time at each number of calls at once. */
const rates = (rows: ReadonlyArray<Row>): string => {
  const columns = counts(rows)
  const subjects = [...new Set(rows.map(({ subject }) => subject))]
  const later = [...new Set(rows.flatMap(({ date }) => date ?? []))]
  const day = later.length === 0 ? "" : `\n\nMeasured on ${later.join(" and ")}.`
  return table(
    ["", ...columns.map((count) => `${count} in flight`)],
    subjects.map((subject) => [
      `\`${subject}\``,
      ...columns.map((count) => {
        const row = rows.find((one) => one.subject === subject && one.inFlight === count)
        if (row === undefined) return ""
        const serving = row.table === "mcp" && row.serving !== undefined ? `, ${row.serving.toFixed(0)} µs` : ""
        return `${rate(row.rate)} (${ratio(row.ratio)}, ${row.cpu.toFixed(1)} µs${serving})`
      })
    ])
  ) + day
}

const value = ({ unit }: Target, number: number): string =>
  unit === "bytes" ? `${number.toFixed(0)} bytes` : unit === "×" ? number.toFixed(2) : `${number.toFixed(2)} ${unit}`

export const targetsTable = (targets: ReadonlyArray<Target>): string =>
  table(
    ["target", "needed", "measured", ""],
    targets.map((target) => [
      target.name,
      `${target.atMost ? "≤" : "≥"} ${value(target, target.needed)}`,
      value(target, target.measured),
      isMet(target) ? "ok" : "**short**"
    ])
  )

const wires: ReadonlyArray<readonly [wire: string, title: string]> = [
  ["mem", "In memory"],
  ["tcp", "Over TCP, the server in a child process"],
  ["unix", "Over a Unix socket, the server in a child process"],
  ["stdio", "Over stdio of a child process"],
  ["ws", "Over a WebSocket, the server in a child process"],
  ["http", "Over HTTP, the server in a child process"],
  ["nats", "Over NATS, the service and its server in processes of their own"],
  ["worker", "With a worker thread"],
  ["redis", "From one node to another over Redis"]
]

const mcpWires: ReadonlyArray<readonly [wire: string, title: string]> = [
  ["mcp-mem", "MCP in memory"],
  ["mcp-stdio", "MCP over stdio, each server with a client of its own library"],
  ["mcp-stdio-raw", "MCP over stdio, one raw client"],
  ["mcp-http", "MCP over HTTP without sessions, one raw client, one tool"],
  ["mcp-http-50", "The same with fifty tools"],
  ["mcp-http-list", "The same, where the fifty tools are listed"],
  ["mcp-client", "MCP clients over HTTP, of one server"]
]

const mcpPicture = "![MCP calls with 64 in flight, beside the official SDK 2](../images/benchmark-mcp.svg)"

/** The introduction of the tables of MCP. */
const mcpWords =
  "The calls go to a tool with a schema, which returns a text of 64 bytes. A ratio is to `sdk-v2`, the official SDK, "
  + "version 2. Over HTTP, a cell ends with the processor time of the serving process per call. `parley`, `sdk-v2-modern` "
  + "and, over HTTP, `sdk-v2` use the revision 2026-07-28; `parley-legacy`, `sdk-v1` and, over other wires, `sdk-v2` use "
  + "2025-11-25. `parley-raw` is a peer that sends the messages of a client. In memory, the official SDKs pass objects, not "
  + "texts. Over HTTP there are no sessions here, and the raw client has a socket for each call in flight, and writes a "
  + "fixed request; `mcp-lite` is asked for JSON instead of a stream, and `parley-web` runs on the same host. All are used as "
  + "documented: the official SDKs make a server for each request. A turn lasts half a second at least."

/** The introduction of the table of starts. */
const startupWords =
  "Each is a whole process, from its spawn to its exit, that imports what its name says from packed packages in a project "
  + "of their own, with the compile cache of Node.js only where a command turns it on. `mcp-server` is a server over stdio with "
  + "one tool, whose stdin is at its end; `parley-modules` imports modules by their paths instead of the indexes. Each process "
  + "runs in turn with one that imports `effect/Schema`: a ratio is the median of those of 21 pairs."

const section = (title: string, body: string): ReadonlyArray<string> => body === "" ? [] : [`## ${title}`, body]

export const toMarkdown = (results: Results): string => {
  const { heap, node, processors, rows, sessions, startup, targets } = results
  const of = (name: Row["table"], wire: string) =>
    rows.filter((row) => row.table === name && row.subject.startsWith(`${wire}/`))
  const rated = (found: ReadonlyArray<Row>) => found.length === 0 ? "" : rates(found)
  return [
    "# Benchmarks",
    "`pnpm bench` writes this page; do not edit it.",
    `Node ${node}, ${processors} shared processors, ${results.rounds} rounds of turns of ${results.milliseconds} ms. `
    + "Each subject has a process of its own and a turn in each round, so compare ratios, not absolute numbers. "
    + "A cell is: calls per second (median; ratio to the floor, as the median of the rounds' ratios; processor time of the "
    + "calling process per call).",
    "Floors are hand-written: `JSON.parse`, `JSON.stringify`, a Map of promises, one write per turn, and no deadlines, "
    + "limits, errors or cancellation. `-ndjson` separates by newlines, `-cl` by `Content-Length`; `parley-cl` is compared "
    + "with `floor-cl`. Parley runs with its defaults: a deadline of 30 seconds on each call, interruption, all limits. Its "
    + "callers are fibers, and its handler is already an exit. `-fiber` has a handler that needs a fiber, `-promise` has "
    + "callers through `Effect.runPromise`, and `-schema` has a Schema for params and result on both sides. Effect RPC also "
    + "has fibers as callers; the other libraries have promises.",
    "The floors of a WebSocket (the `ws` package, uncompressed) and of a worker (strings by `postMessage`) write each "
    + "message separately. The floor of HTTP is undici with 64 connections and `node:http`; Parley opens connections on "
    + "demand. `http/parley` is `NodeHttp`; `http/parley-route` is `HttpRoute` on Effect's server with `HttpCaller` on its "
    + "client, and `http/route-floor` is that server and client alone. `-web` has a handler of Web requests on a minimal "
    + "host, with the client of the floor; its floor is `http/web-floor`. To a worker, `vscode-jsonrpc` and Effect RPC post "
    + "objects instead of texts.",
    "Over Redis, the floor publishes a text to a channel of each side, with plain `node-redis`. `redis/parley` is a call of "
    + "a `Mesh` to a node, which also takes two texts; `redis/parley-key` is a call to the owner of a key, which Redis looks "
    + "up. Each subject has a server of its own, and only one of them is busy at a time.",
    // `pnpm site --draw` draws both from the same results.
    "![Calls with 64 in flight, beside a hand-written floor](../images/benchmark-calls.svg)",
    ...wires.flatMap(([wire, title]) => section(title, rated(of("calls", wire)))),
    ...section("MCP", rows.some((row) => row.table === "mcp") ? `${mcpPicture}\n\n${mcpWords}` : ""),
    ...mcpWires.flatMap(([wire, title]) => section(title, rated(of("mcp", wire)))),
    ...section(
      "Memory of a session of MCP",
      Object.keys(sessions).length === 0
        ? ""
        : table(
          ["2,000 open sessions", "live heap, bytes each", "resident, bytes each"],
          Object.entries(sessions).map(([what, { heap, resident }]) => [what, heap.toFixed(0), resident.toFixed(0)])
        )
    ),
    ...section(
      "An echo of 1 MB",
      rated(wires.flatMap(([wire]) => of("large", wire)))
    ),
    ...section(
      "Heap",
      Object.keys(heap).length === 0
        ? ""
        : table(
          ["100,000 of them", "bytes each"],
          Object.entries(heap).map(([what, bytes]) => [what, bytes.toFixed(0)])
        )
    ),
    ...section(
      "Start of a process",
      Object.keys(startup).length === 0 ? "" : `${startupWords}\n\n${
        table(
          ["", "milliseconds (ratio)", "of processor time (ratio)"],
          Object.entries(startup).map(([name, { cpu, cpuRatio, wall, wallRatio }]) => [
            `\`${name}\``,
            `${wall.toFixed(0)} (${ratio(wallRatio)})`,
            `${cpu.toFixed(0)} (${ratio(cpuRatio)})`
          ])
        )
      }`
    ),
    ...section("Targets", targetsTable(targets))
  ].join("\n\n") + "\n"
}
