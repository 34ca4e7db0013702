/** The programs whose start is measured: each is a module of a project that has the packed packages. */

export interface Startup {
  readonly name: string
  /** The text of the module that the process runs, and what it finds in `process.argv`. */
  readonly program: string
  readonly args?: ReadonlyArray<string>
  /** The most processor time, as a multiple of that of `effect/Schema`. */
  readonly most?: number
}

/** The subject that the others are compared with: what a program with a Schema pays without Parley. */
export const yardstick: Startup = { name: "effect/Schema", program: `import "effect/Schema"\n` }

const imports = (...modules: ReadonlyArray<string>): string =>
  modules.map((module) => `import ${JSON.stringify(module)}\n`).join("")

const ofIndex = (name: string, most?: number): Startup => ({
  name: `@parley/${name}`,
  program: imports(`@parley/${name}`),
  ...(most === undefined ? {} : { most })
})

/** Servers over stdio with one tool, as they are documented. Each ends with its stdin, which is at its end. */
const servers: ReadonlyArray<Startup> = [
  {
    name: "mcp-server/sdk-v1",
    program: `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
const server = new McpServer({ name: "clock", version: "1.0.0" })
server.registerTool("now", { description: "What time it is." }, () => ({
  content: [{ type: "text", text: new Date().toString() }]
}))
await server.connect(new StdioServerTransport())
`
  },
  {
    name: "mcp-server/parley",
    program: `import { McpServer, McpTool } from "@parley/mcp"
import { NodeStdio } from "@parley/node"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
const server = McpServer.layer({
  name: "clock",
  version: "1.0.0",
  features: [McpTool.make("now", { description: "What time it is." }, () => Effect.sync(() => new Date().toString()))]
})
await McpServer.serve.pipe(
  Effect.provide(Layer.merge(server, NodeStdio.layerTransport())),
  Effect.runPromise
)
`
  },
  {
    name: "mcp-server/parley-modules",
    program: `import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as NodeStdio from "@parley/node/NodeStdio"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
const server = McpServer.layer({
  name: "clock",
  version: "1.0.0",
  features: [McpTool.make("now", { description: "What time it is." }, () => Effect.sync(() => new Date().toString()))]
})
await McpServer.serve.pipe(
  Effect.provide(Layer.merge(server, NodeStdio.layerTransport())),
  Effect.runPromise
)
`
  }
]

const command = `import "./node_modules/@parley/cli/dist/bin.js"\n`

export const startups: ReadonlyArray<Startup> = [
  { name: "node", program: "" },
  yardstick,
  {
    name: "@modelcontextprotocol/sdk",
    program: imports("@modelcontextprotocol/sdk/server/mcp.js", "@modelcontextprotocol/sdk/server/stdio.js")
  },
  ofIndex("protocol"),
  ofIndex("peer"),
  ofIndex("contract", 1.25),
  { name: "@parley/node/NodeTcp", program: imports("@parley/node/NodeTcp"), most: 1.2 },
  ofIndex("node", 1.5),
  ofIndex("http"),
  ofIndex("mcp"),
  ...servers,
  { name: "parley --version", program: command, args: ["--version"] },
  { name: "parley --help", program: command, args: ["--help"] }
]
