/** Servers whose results differ from their revision, and lines on their stdout that are no messages. */
import { assert, describe, it } from "@effect/vitest"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Effect, Logger, References, type Schema } from "effect"
import * as McpClientTransport from "../../src/client/McpClientTransport.ts"
import * as McpClient from "../../src/McpClient.ts"
import * as McpPrompt from "../../src/McpPrompt.ts"
import * as McpServer from "../../src/McpServer.ts"
import * as McpTool from "../../src/McpTool.ts"
import * as Scripted from "../client/scripted.ts"
import { greet, open } from "../server/support/line.ts"

const schema = { type: "object" }

const answers: { readonly [method: string]: Schema.Json } = {
  initialize: { ...Scripted.initialized("2025-06-18"), capabilities: { tools: {}, prompts: null, logging: null } },
  "tools/list": {
    tools: [
      { name: "nulls", title: null, description: null, inputSchema: schema, annotations: { title: null } },
      { name: "bad", inputSchema: {} },
      { inputSchema: schema },
      { name: "good", inputSchema: schema }
    ],
    nextCursor: null,
    _meta: null
  },
  nulls: { content: [{ type: "text", text: "x", annotations: null }], structuredContent: { a: null }, isError: null },
  none: { structuredContent: { a: 1 } },
  nothing: { content: null },
  video: { content: [{ type: "video", url: "x" }, { type: "text", text: "y" }] }
}

const handlers = {
  initialize: Scripted.always(answers["initialize"] ?? null),
  "tools/list": Scripted.always(answers["tools/list"] ?? null),
  "tools/call": ({ params }: { readonly params: unknown }) =>
    Effect.succeed(answers[(params as { readonly name: string }).name] ?? null)
}

const logging = Effect.gen(function*() {
  const lines: Array<unknown> = []
  const logger = Logger.make(({ logLevel, message }) => void lines.push([logLevel, ...[message].flat()].join(" ")))
  return { lines, logger: Logger.layer([logger]) }
})

describe("a server that differs from its revision", () => {
  it.effect("is read for what is good of it, and the log has the rest", () =>
    Effect.gen(function*() {
      const { lines, logger } = yield* logging
      const { client } = yield* Effect.provide(Scripted.connect(Scripted.legacy(handlers)), logger)
      assert.deepStrictEqual(client.capabilities as unknown, { tools: {} })
      const tools = yield* client.listTools()
      assert.deepStrictEqual(tools as unknown, [
        { name: "nulls", inputSchema: schema, annotations: {} },
        { name: "good", inputSchema: schema }
      ])
      const called = (name: string) => Effect.map(client.callTool(name), (result): unknown => result)
      const content = [{ type: "text", text: "x" }]
      // A null in structured content means what its tool means by it.
      assert.deepStrictEqual(yield* called("nulls"), { content, structuredContent: { a: null } })
      assert.deepStrictEqual(yield* called("none"), { content: [], structuredContent: { a: 1 } })
      assert.deepStrictEqual(yield* called("nothing"), { content: [] })
      assert.deepStrictEqual(yield* called("video"), { content: [{ type: "text", text: "y" }] })
      yield* Scripted.settle
      assert.lengthOf(lines, 2)
      assert.match(
        String(lines[0]),
        /^Warn dropped 2 of `tools` in the result of tools\/list, which do not fit: tools\.1\.inputSchema\.type: /
      )
      assert.match(String(lines[1]), /^Warn dropped 1 of `content` in the result of tools\/call, /)
    }))

  it.effect("is refused where its client is strict", () =>
    Effect.gen(function*() {
      const capabilities = { tools: {} }
      const strict = { ...handlers, initialize: Scripted.always(Scripted.initialized("2025-06-18", capabilities)) }
      const { client } = yield* Scripted.connect(Scripted.legacy(strict), { strict: true })
      const path = <R>(effect: Effect.Effect<unknown, { readonly _tag: string }, R>) =>
        Effect.map(Effect.flip(effect), (error) => "path" in error ? error.path : error)
      assert.deepStrictEqual(yield* path(client.listTools()), ["tools", 0, "title"])
      assert.deepStrictEqual(yield* path(client.callTool("none")), ["content"])
      const refused = yield* Scripted.server(Scripted.legacy(handlers), { strict: true })
      assert.deepStrictEqual(yield* path(refused.connect), ["capabilities", "prompts"])
    }))

  it.effect("that is beyond mending is still an invalid result", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.connect(Scripted.legacy({
        "tools/list": Scripted.always({ tools: "none" }),
        "tools/call": Scripted.always("done")
      }))
      assert.deepInclude(yield* Effect.flip(client.listTools()), { _tag: "InvalidResult", path: ["tools"] })
      assert.deepInclude(yield* Effect.flip(client.callTool("any")), { _tag: "InvalidResult", path: [] })
    }))

  it.effect("may write lines that are no messages, which are logged for who debugs and not answered", () =>
    Effect.gen(function*() {
      const { lines, logger } = yield* logging
      for (const strict of [false, true]) {
        const [ours, theirs] = yield* MemoryTransport.makePair()
        yield* McpClient.make(McpClientTransport.fromTransport(ours), {
          name: "test",
          version: "1",
          protocolVersion: "2026-07-28",
          limits: { drain: 0 },
          strict
        }).pipe(Effect.provide(logger), Effect.provideService(References.MinimumLogLevel, "Debug"))
        yield* theirs.send([`Starting \u001b[32mserver\u001b[0m ${"x".repeat(10_000)}`])
        yield* theirs.send([`{"level":30,"msg":"ready"}`])
        yield* Scripted.settle
        if (strict) {
          assert.match(String((yield* theirs.receive).join()), /-32700.*-32600/)
        } else {
          assert.lengthOf(lines, 2)
          assert.match(String(lines[0]), /^Debug dropped a text that is no message: .*it began Starting /)
          assert.notInclude(String(lines[0]), "\u001b")
          assert.isAtMost(String(lines[0]).length, 1_100)
          assert.include(String(lines[1]), `it began {"level":30,"msg":"ready"}`)
        }
      }
    }))
})

describe("a client that writes null for what is absent", () => {
  it.effect("is served", () =>
    Effect.gen(function*() {
      const server = yield* McpServer.make({
        name: "server",
        version: "1",
        features: [
          McpTool.make("hi", {}, (_, call) => Effect.succeed(Object.keys(call.client.capabilities).join())),
          McpPrompt.make("greet", {}, () => Effect.succeed("hello"))
        ]
      })
      const line = yield* open(server)
      yield* greet(line, "2025-06-18", { sampling: null, roots: { listChanged: null } })
      const called = yield* line.result("tools/call", { name: "hi", arguments: null })
      assert.deepStrictEqual(called["content"], [{ type: "text", text: "roots" }])
      assert.property(yield* line.result("prompts/get", { name: "greet", arguments: null }), "messages")
    }))
})
