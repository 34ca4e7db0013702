/**
 * All MCP servers and clients that are measured.
 */
import type { OverPort, Subject } from "../Subject.ts"
import * as echo from "./echo.ts"

/** In the order in which they have their turns. */
export const mcpWires = [
  "mcp-mem",
  "mcp-stdio",
  "mcp-stdio-raw",
  "mcp-http",
  "mcp-http-50",
  "mcp-http-list",
  "mcp-client"
] as const satisfies ReadonlyArray<Subject["wire"]>

/** The numbers of calls at once are 1 and 64: more than that no client of a model has. */
const most = 64

const inMemory = async (): Promise<ReadonlyArray<Subject>> => {
  const parley = await import("./parley.ts")
  const sdkV1 = await import("./sdkV1.ts")
  const sdkV2 = await import("./sdkV2.ts")
  const effectAi = await import("./effectAi.ts")
  const wire = "mcp-mem"
  return [
    { name: "mcp-mem/parley", wire, most, open: () => parley.openPair(echo.modern) },
    { name: "mcp-mem/parley-legacy", wire, most, open: () => parley.openPair(echo.legacy) },
    { name: "mcp-mem/parley-raw", wire, most, open: parley.openRaw },
    { name: "mcp-mem/sdk-v1", wire, most, open: sdkV1.openPair },
    { name: "mcp-mem/sdk-v2", wire, most, open: () => sdkV2.openPair(echo.legacy) },
    { name: "mcp-mem/sdk-v2-modern", wire, most, open: () => sdkV2.openPair(echo.modern) },
    { name: "mcp-mem/effect", wire, most, open: effectAi.openPair }
  ]
}

const overStdio = async (): Promise<ReadonlyArray<Subject>> => {
  const parley = await import("./parley.ts")
  const sdkV1 = await import("./sdkV1.ts")
  const sdkV2 = await import("./sdkV2.ts")
  const effectAi = await import("./effectAi.ts")
  const { talk } = await import("./raw.ts")
  const wire = "mcp-stdio"
  const { serveStdio: serve } = parley
  const { serveStdio: serveV2 } = sdkV2
  const servers = { parley: serve, "sdk-v1": sdkV1.serveStdio, "sdk-v2": serveV2, effect: effectAi.serveStdio }
  return [
    { name: "mcp-stdio/parley", wire, most, serve, connect: (command) => parley.connectStdio(command, echo.modern) },
    {
      name: "mcp-stdio/parley-legacy",
      wire,
      most,
      serve,
      connect: (command) => parley.connectStdio(command, echo.legacy)
    },
    { name: "mcp-stdio/sdk-v1", wire, most, serve: sdkV1.serveStdio, connect: sdkV1.connectStdio },
    {
      name: "mcp-stdio/sdk-v2",
      wire,
      most,
      serve: serveV2,
      connect: (command) => sdkV2.connectStdio(command, echo.legacy)
    },
    {
      name: "mcp-stdio/sdk-v2-modern",
      wire,
      most,
      serve: serveV2,
      connect: (command) => sdkV2.connectStdio(command, echo.modern)
    },
    { name: "mcp-stdio/effect", wire, most, serve: effectAi.serveStdio, connect: effectAi.connectStdio },
    ...Object.entries(servers).map(([name, serve]): Subject => ({
      name: `mcp-stdio-raw/${name}`,
      wire: "mcp-stdio-raw",
      most,
      serve,
      connect: talk
    }))
  ]
}

interface HttpServer {
  readonly name: string
  readonly revision: echo.Revision
  /** What is asked for, where all that a client takes would not give JSON. */
  readonly accept?: string
  /** With so many tools. */
  readonly serve: (tools: number) => Promise<number>
}

/** Each loads only itself. */
const httpServers: ReadonlyArray<HttpServer> = [
  {
    name: "parley",
    revision: echo.modern,
    serve: async (tools) => (await import("./parleyHttp.ts")).serveHttp(tools)
  },
  {
    name: "parley-legacy",
    revision: echo.legacy,
    serve: async (tools) => (await import("./parleyHttp.ts")).serveHttp(tools, { sessions: false })
  },
  {
    name: "parley-web",
    revision: echo.modern,
    serve: async (tools) => (await import("./parleyHttp.ts")).serveHandler(tools)
  },
  { name: "sdk-v1", revision: echo.legacy, serve: async (tools) => (await import("./sdkV1.ts")).serveHttp(tools) },
  { name: "sdk-v2", revision: echo.modern, serve: async (tools) => (await import("./sdkV2.ts")).serveHttp(tools) },
  {
    name: "mcp-lite",
    revision: "2025-06-18",
    accept: "application/json",
    serve: async (tools) => (await import("./rivals.ts")).serveLite(tools)
  },
  { name: "tmcp", revision: echo.modern, serve: async (tools) => (await import("./rivals.ts")).serveTmcp(tools) },
  { name: "effect", revision: echo.modern, serve: async (tools) => (await import("./effectAi.ts")).serveHttp(tools) }
]

/** One raw client for all. */
const overHttp = (
  wire: "mcp-http" | "mcp-http-50" | "mcp-http-list",
  tools: number,
  method: echo.Method
): ReadonlyArray<Subject> =>
  httpServers.map(({ accept, name, revision, serve }) => ({
    name: `${wire}/${name}`,
    wire,
    most,
    serve: () => serve(tools),
    connect: async (port) => (await import("./raw.ts")).post(port, echo.request(revision, method, accept))
  }))

const floor: Subject = {
  name: "mcp-http/floor",
  wire: "mcp-http",
  most,
  serve: async () => (await import("./rivals.ts")).serveFloor(),
  connect: async (port) => (await import("./raw.ts")).post(port, echo.request(echo.legacy, "tools/call"))
}

/** Clients over HTTP, of one server: ours, without sessions. */
const clients = (): ReadonlyArray<Subject> => {
  const subject = (name: string, connect: OverPort["connect"]): Subject => ({
    name: `mcp-client/${name}`,
    wire: "mcp-client",
    most,
    serve: async () => (await import("./parleyHttp.ts")).serveHttp(1, { sessions: false }),
    connect
  })
  return [
    subject("parley", async (port) => (await import("./parleyHttp.ts")).connectHttp(port, echo.modern)),
    subject("parley-legacy", async (port) => (await import("./parleyHttp.ts")).connectHttp(port, echo.legacy)),
    subject("sdk-v1", async (port) => (await import("./sdkV1.ts")).connectHttp(port)),
    subject("sdk-v2", async (port) => (await import("./sdkV2.ts")).connectHttp(port, echo.modern)),
    subject("effect", async (port) => (await import("./effectAi.ts")).connectHttp(port)),
    subject("raw", async (port) => (await import("./raw.ts")).post(port, echo.request(echo.modern, "tools/call")))
  ]
}

export const mcpSources: { readonly [wire in (typeof mcpWires)[number]]: () => Promise<ReadonlyArray<Subject>> } = {
  "mcp-mem": inMemory,
  "mcp-stdio": overStdio,
  "mcp-stdio-raw": overStdio,
  "mcp-http": async () => [...overHttp("mcp-http", 1, "tools/call"), floor],
  "mcp-http-50": async () => overHttp("mcp-http-50", 50, "tools/call"),
  "mcp-http-list": async () => overHttp("mcp-http-list", 50, "tools/list"),
  "mcp-client": async () => clients()
}
