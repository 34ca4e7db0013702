/** Our client and servers that were made without the official SDKs, or are used by many. */
import { assert, describe, it } from "@effect/vitest"
import { ZodJsonSchemaAdapter } from "@tmcp/adapter-zod"
import { HttpTransport } from "@tmcp/transport-http"
import { Effect, Schema } from "effect"
import { McpServer as LiteServer, StreamableHttpTransport } from "mcp-lite"
import { fileURLToPath } from "node:url"
import { McpServer as TmcpServer } from "tmcp"
import { z } from "zod"
import { serveWeb } from "../support/webHost.ts"
import * as places from "./support/places.ts"

const identity = { name: "other", version: "1.2.3" }

const input = z.object({ a: z.number(), b: z.number() })
const output = z.object({ sum: z.number() })

const add = ({ a, b }: z.infer<typeof input>) => ({
  content: [{ type: "text" as const, text: String(a + b) }],
  structuredContent: { sum: a + b }
})

const lite = Effect.suspend(() => {
  const server = new LiteServer({ ...identity, schemaAdapter: (given) => z.toJSONSchema(given as z.ZodType) })
  server.tool("add", { description: "Adds", inputSchema: input, outputSchema: output, handler: add })
  server.tool("fail", {
    inputSchema: z.object({}),
    handler: () => ({ content: [{ type: "text", text: "no disk" }], isError: true })
  })
  server.resource(
    "note://one",
    { name: "one" },
    async (uri) => ({ contents: [{ uri: uri.href, type: "text", text: "1" }] })
  )
  server.prompt("greet", {
    handler: () => ({ messages: [{ role: "user", content: { type: "text", text: "hello" } }] })
  })
  return serveWeb(new StreamableHttpTransport().bind(server))
})

const tmcp = Effect.suspend(() => {
  const server = new TmcpServer(identity, {
    adapter: new ZodJsonSchemaAdapter(),
    capabilities: { tools: {}, resources: {}, prompts: {} }
  })
  server.tool({ name: "add", description: "Adds", schema: input, outputSchema: output }, add)
  server.tool({ name: "fail", description: "Fails" }, () => ({
    content: [{ type: "text", text: "no disk" }],
    isError: true
  }))
  server.resource({ name: "one", description: "One", uri: "note://one" }, (uri) => ({ contents: [{ uri, text: "1" }] }))
  server.prompt({ name: "greet", description: "Greets" }, () => ({
    messages: [{ role: "user", content: { type: "text", text: "hello" } }]
  }))
  const transport = new HttpTransport(server, { path: "/mcp" })
  return serveWeb((request) => transport.respond(request))
})

for (const [name, served] of Object.entries({ "mcp-lite": lite, tmcp })) {
  describe(`our client and a server of ${name}:`, () => {
    it.live("it finds what is there, calls tools, reads a resource and gets a prompt", () =>
      Effect.gen(function*() {
        const client = yield* places.overHttp(yield* served)
        assert.deepInclude(client.serverInfo, identity)
        const tools = yield* client.listTools()
        assert.deepStrictEqual(tools.map(({ name }) => name).toSorted(), ["add", "fail"])
        const Sum = Schema.Struct({ sum: Schema.Finite })
        assert.deepStrictEqual(yield* client.callTool("add", { a: 1, b: 2 }, { result: Sum }), { sum: 3 })
        const failed = yield* Effect.flip(client.callTool("fail", {}))
        assert.strictEqual(failed.message, "the tool fail failed: no disk")
        const misfit = yield* Effect.flip(client.callTool("add", { a: "one" }))
        assert.oneOf(misfit._tag, ["ToolError", "ProtocolError"])
        assert.oneOf((yield* Effect.flip(client.callTool("absent")))._tag, ["ToolError", "ProtocolError"])
        const { contents } = yield* client.readResource("note://one")
        assert.deepInclude(contents[0], { uri: "note://one", text: "1" })
        const { messages } = yield* client.getPrompt("greet")
        assert.deepInclude(messages[0], { role: "user", content: { type: "text", text: "hello" } })
      }))
  })
}

describe("our client and the server of Playwright:", () => {
  it.live("it lists its tools, and hears of a browser that is not there", () =>
    Effect.gen(function*() {
      // Its exports say nothing of the program.
      const program = fileURLToPath(new URL("../../node_modules/@playwright/mcp/cli.js", import.meta.url))
      const args = ["--headless", "--isolated", "--executable-path", "/no/such/browser"]
      const client = yield* places.overStdio(program, {}, args)
      assert.strictEqual(client.serverInfo?.name, "Playwright")
      const names = (yield* client.listTools()).map(({ name }) => name)
      assert.includeMembers(names, ["browser_navigate", "browser_snapshot", "browser_click"])
      const failed = yield* Effect.flip(client.callTool("browser_navigate", { url: "about:blank" }))
      assert.strictEqual(failed._tag, "ToolError")
      assert.include(failed.message, "/no/such/browser")
    }))
})
