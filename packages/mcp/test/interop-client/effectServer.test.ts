import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it, layer } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Fiber, Layer, Logger, Schema } from "effect"
import { McpProtocol, McpServer } from "effect/ai"
import { HttpRouter, HttpServer } from "effect/http"
import * as http from "node:http"
import * as effects from "./support/effects.ts"
import * as foreign from "./support/foreign.ts"
import * as occasions from "./support/occasions.ts"
import * as places from "./support/places.ts"

const live = { excludeTestServices: true }

const listening = Effect.fnUntraced(function*<A, E>(endpoint: Layer.Layer<A, E, HttpRouter.HttpRouter>) {
  const served = HttpRouter.serve(endpoint, { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provideMerge(NodeHttpServer.layer(() => http.createServer(), { port: 0, host: "127.0.0.1" })),
    Layer.provide(Logger.layer([]))
  )
  const { address } = Context.get(yield* Layer.build(served), HttpServer.HttpServer)
  // It listens at an address of the internet.
  return `http://127.0.0.1:${(address as { readonly port: number }).port}/mcp`
})

const url = Effect.suspend(() =>
  listening(McpServer.layerHttp({
    ...effects.options,
    path: "/mcp",
    registrations: effects.registrations(occasions.make())
  }))
)

/** Only the legacy era of it can ask within a call. */
const asking = listening(McpServer.layerHttp({
  ...effects.options,
  path: "/mcp",
  protocols: [McpProtocol.v2025_11_25],
  registrations: effects.asking
}))

const stdio = places.script("effectsStdio.ts")

const ways = [
  ["over stdio, left to themselves", "2026-07-28", places.overStdio(stdio)],
  ["over stdio, in the legacy era", "2025-11-25", places.overStdio(stdio, { protocolVersion: "2025-11-25" })],
  ["over HTTP, left to themselves", "2026-07-28", Effect.flatMap(url, (url) => places.overHttp(url))],
  [
    "over HTTP, in the legacy era",
    "2025-11-25",
    Effect.flatMap(url, (url) => places.overHttp(url, { protocolVersion: "2025-11-25" }))
  ]
] as const

const said = (result: { readonly content: unknown }): string =>
  // These tools answer with one text.
  (result.content as ReadonlyArray<{ readonly text: string }>)[0]?.text ?? ""

for (const [way, revision, client] of ways) {
  layer(places.of(client), live)(`our client and Effect's server ${way}:`, (it) => {
    it.effect("it comes to the newest revision that both have, and knows the server", () =>
      Effect.gen(function*() {
        const { client } = yield* places.Reached
        assert.strictEqual(client.protocolVersion, revision)
        assert.deepInclude(client.serverInfo, { name: "effect", version: "4" })
        assert.strictEqual(client.instructions, foreign.instructions)
      }))

    it.effect("it lists everything", () =>
      Effect.gen(function*() {
        const { client } = yield* places.Reached
        assert.deepStrictEqual((yield* client.listTools()).map(({ name }) => name), effects.toolNames)
        const resources = (yield* client.listResources()).map(({ uri }) => uri)
        assert.deepStrictEqual(resources, ["text://greeting", "data://bytes"])
        const templates = yield* client.listResourceTemplates()
        assert.deepStrictEqual(templates.map(({ uriTemplate }) => uriTemplate), ["note://{author}"])
        assert.deepStrictEqual((yield* client.listPrompts()).map(({ name }) => name), ["greet"])
      }))

    it.effect("it calls tools, and their failures are typed", () =>
      Effect.gen(function*() {
        const { client } = yield* places.Reached
        assert.include(said(yield* client.callTool("echo", { text: "größer" })), "größer")
        const result = Schema.Struct({ sum: Schema.Finite })
        assert.deepStrictEqual(yield* client.callTool("add", { a: 1, b: 2 }, { result }), { sum: 3 })
        const refused = yield* Effect.flip(client.callTool("refuse"))
        assert.strictEqual(refused._tag, "ToolError")
        assert.include(refused.message, "not today")
        const misfit = yield* Effect.flip(client.callTool("echo", { text: 1 }))
        assert.strictEqual(misfit._tag, "ToolError")
        const nothing = yield* Effect.flip(client.callTool("nothing"))
        assert.deepInclude(nothing, { _tag: "ProtocolError", code: -32602 })
      }))

    it.effect("a call that is interrupted is interrupted there", () =>
      Effect.gen(function*() {
        const { client } = yield* places.Reached
        const call = yield* Effect.forkChild(client.callTool("wait", { name: "one" }))
        yield* client.callTool("until", { happens: "one began" })
        yield* Fiber.interrupt(call)
        const exit = yield* Fiber.await(call)
        assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
        yield* client.callTool("until", { happens: "one was interrupted" })
      }))

    it.effect("it reads resources, gets prompts, and completes what is typed", () =>
      Effect.gen(function*() {
        const { client } = yield* places.Reached
        const read = (uri: string) => Effect.map(client.readResource(uri), ({ contents }) => contents[0])
        assert.deepInclude(yield* read("text://greeting"), { text: "hello" })
        assert.deepInclude(yield* read("data://bytes"), { blob: "AP8KDQ==" })
        assert.deepInclude(yield* read("note://ada"), { text: "by ada" })
        const { messages } = yield* client.getPrompt("greet", { name: "ada" })
        assert.deepInclude(messages[0], { content: { type: "text", text: "Greet ada." } })
        const { completion } = yield* client.complete({ _tag: "Prompt", name: "greet" }, { name: "name", value: "a" })
        assert.deepStrictEqual(completion.values, ["ada", "alan"])
      }))
  })
}

describe("our client and Effect's server over HTTP, in the legacy era:", () => {
  it.live("it answers what the server asks within a call", () =>
    Effect.gen(function*() {
      const client = yield* places.overHttp(yield* asking)
      assert.strictEqual(client.protocolVersion, "2025-11-25")
      assert.include(said(yield* client.callTool("ask", { message: "who?" })), "Ada")
      const declined = yield* Effect.flip(client.callTool("ask", { message: "a dull one" }))
      assert.strictEqual(declined._tag, "ToolError")
    }))
})
