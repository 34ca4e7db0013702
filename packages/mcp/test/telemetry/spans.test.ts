import { assert, describe, it } from "@effect/vitest"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpPrompt from "@parley/mcp/McpPrompt"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as Network from "@parley/mcp/wire/Network"
import type { Revision } from "@parley/mcp/wire/Revision"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { Effect, Schema } from "effect"
import { agreedOn, callOf } from "../server/support/call.ts"
import { attributesOf, isFailed, parentOf, traced } from "./support/spans.ts"

const inside = (name: string) => Effect.withSpan(Effect.void, name)

const features = [
  McpTool.make("echo", { params: { text: Schema.String } }, ({ text }) => Effect.as(inside("in the tool"), text)),
  McpTool.make("fails", {}, () => Effect.fail("no")),
  McpTool.make("refuses", {}, () => Effect.fail(ErrorResponse.make(1001, "Insufficient funds"))),
  McpTool.make("dies", {}, () => Effect.die("oh")),
  McpTool.make(
    "asks",
    {},
    (_, call) =>
      Effect.map(call.elicit("name", { message: "who?", fields: { name: Schema.String } }), ({ _tag }) => _tag)
  ),
  McpTool.make("meta", {}, (_, { meta }) => Effect.succeed(Object.keys(meta).toSorted().join(" "))),
  McpResource.make("file:///a", { name: "a" }, () => Effect.succeed("a")),
  McpPrompt.make("greet", {}, () => Effect.succeed("hello"))
]

const makeServer = McpServer.make({ name: "s", version: "1", features })

const connect = (revision: Revision) =>
  Effect.flatMap(makeServer, (server) =>
    Effect.provideService(
      McpMemoryClient.make({
        name: "c",
        version: "1",
        protocolVersion: revision,
        handlers: {
          elicit: () => Effect.as(inside("in the client"), { action: "accept", content: { name: "ada" } } as const)
        }
      }),
      McpServer.McpServer,
      server
    ))

const eras = ["2025-06-18", "2026-07-28"] as const

describe("a call of a tool", () => {
  for (const revision of eras) {
    it.effect(`of ${revision} is one trace, from the client through the server into the tool`, () =>
      traced((spans) =>
        Effect.gen(function*() {
          const client = yield* connect(revision)
          yield* Effect.withSpan(client.callTool("echo", { text: "hi" }), "agent")
          const agent = spans.one("internal", "agent")
          const near = spans.one("client", "tools/call echo")
          const far = spans.one("server", "tools/call echo")
          const tool = spans.one("internal", "in the tool")
          assert.deepStrictEqual([near, far, tool].map(parentOf), [agent, near, far].map(({ spanId }) => spanId))
          assert.deepStrictEqual(new Set([near, far, tool].map(({ traceId }) => traceId)), new Set([agent.traceId]))
          const id = attributesOf(near)["jsonrpc.request.id"]
          assert.isString(id)
          const expected = {
            "mcp.method.name": "tools/call",
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "echo",
            "mcp.protocol.version": revision,
            "jsonrpc.request.id": id
          }
          assert.deepStrictEqual([attributesOf(near), attributesOf(far)], [expected, expected])
          assert.deepStrictEqual([near, far].map(isFailed), [false, false])
        })
      ))

    it.effect(`of ${revision} that ends in a result with isError is an error on both sides`, () =>
      traced((spans) =>
        Effect.gen(function*() {
          const client = yield* connect(revision)
          yield* Effect.flip(client.callTool("fails"))
          for (const kind of ["client", "server"] as const) {
            const span = spans.one(kind, "tools/call fails")
            assert.strictEqual(attributesOf(span)["error.type"], "tool_error")
            assert.isUndefined(attributesOf(span)["rpc.response.status_code"])
            assert.isTrue(isFailed(span))
          }
        })
      ))

    it.effect(`of ${revision} that is refused, or dies, has the code of its answer on both sides`, () =>
      traced((spans) =>
        Effect.gen(function*() {
          const client = yield* connect(revision)
          yield* Effect.flip(client.callTool("refuses"))
          yield* Effect.flip(client.callTool("dies"))
          for (const [name, code] of [["refuses", "1001"], ["dies", "-32603"]] as const) {
            for (const kind of ["client", "server"] as const) {
              const span = spans.one(kind, `tools/call ${name}`)
              assert.deepInclude(attributesOf(span), { "error.type": code, "rpc.response.status_code": code })
              assert.isTrue(isFailed(span))
            }
          }
        })
      ))
  }

  it.effect("that the server does not have names no span of the server", () =>
    traced((spans) =>
      Effect.gen(function*() {
        const client = yield* connect("2026-07-28")
        yield* Effect.flip(client.callTool("made up"))
        assert.deepInclude(attributesOf(spans.one("server", "tools/call")), {
          "gen_ai.tool.name": "made up",
          "error.type": "-32602"
        })
        spans.one("client", "tools/call made up")
      })
    ))

  it.effect("that is interrupted says so", () =>
    traced((spans) =>
      Effect.gen(function*() {
        const client = yield* connect("2026-07-28")
        const never = Effect.timeoutOption(client.request("tools/call", { name: "echo" }), 0)
        yield* never
        assert.strictEqual(attributesOf(spans.one("client", "tools/call echo"))["error.type"], "interrupted")
      })
    ))
})

describe("what a server asks in a call", () => {
  it.effect("is in the trace of the call, as a request of the server", () =>
    traced((spans) =>
      Effect.gen(function*() {
        const client = yield* Effect.withSpan(connect("2025-06-18"), "connecting")
        yield* client.callTool("asks")
        const call = spans.one("server", "tools/call asks")
        const near = spans.one("client", "elicitation/create")
        const far = spans.one("server", "elicitation/create")
        const handler = spans.one("internal", "in the client")
        assert.deepStrictEqual([near, far, handler].map(parentOf), [call, near, far].map(({ spanId }) => spanId))
        const expected = {
          "mcp.method.name": "elicitation/create",
          "mcp.protocol.version": "2025-06-18",
          "jsonrpc.request.id": "1"
        }
        assert.deepStrictEqual([attributesOf(near), attributesOf(far)], [expected, expected])
      })
    ))

  it.effect("inside a result is answered below the caller's span", () =>
    traced((spans) =>
      Effect.gen(function*() {
        const client = yield* Effect.withSpan(connect("2026-07-28"), "connecting")
        yield* Effect.withSpan(client.callTool("asks"), "agent")
        assert.strictEqual(parentOf(spans.one("internal", "in the client")), spans.one("internal", "agent").spanId)
        const rounds = spans.all.filter(({ name }) => name === "tools/call asks")
        assert.deepStrictEqual(rounds.map(({ kind }) => kind), ["client", "server", "client", "server"])
      })
    ))
})

describe("other messages", () => {
  it.effect("are named by their method, and by their prompt", () =>
    traced((spans) =>
      Effect.gen(function*() {
        const client = yield* connect("2025-11-25")
        yield* client.getPrompt("greet")
        yield* client.readResource("file:///a")
        yield* client.listTools()
        for (const side of ["client", "server"]) {
          assert.deepStrictEqual(spans.all.filter(({ kind }) => kind === side).map(({ name }) => name), [
            "initialize",
            "notifications/initialized",
            "prompts/get greet",
            "resources/read",
            "tools/list"
          ])
        }
        for (const kind of ["client", "server"] as const) {
          assert.strictEqual(attributesOf(spans.one(kind, "initialize"))["mcp.protocol.version"], "2025-11-25")
          assert.strictEqual(attributesOf(spans.one(kind, "prompts/get greet"))["gen_ai.prompt.name"], "greet")
          assert.strictEqual(attributesOf(spans.one(kind, "resources/read"))["mcp.resource.uri"], "file:///a")
        }
        assert.deepStrictEqual(attributesOf(spans.one("client", "notifications/initialized")), {
          "mcp.method.name": "notifications/initialized",
          "mcp.protocol.version": "2025-11-25"
        })
      })
    ))
})

describe("the place of an operation", () => {
  it.effect("is told by the host: the network and the session", () =>
    traced((spans) =>
      Effect.gen(function*() {
        const server = yield* makeServer
        const { router } = server.connect({ record: agreedOn("2025-06-18"), network: Network.http, session: "s-1" })
        yield* router.handlerOf("tools/list")?.(callOf("tools/list", {})) ?? Effect.void
        assert.deepInclude(attributesOf(spans.one("server", "tools/list")), {
          "network.transport": "tcp",
          "network.protocol.name": "http",
          "mcp.session.id": "s-1"
        })
      })
    ))

  it.effect("is linked, where another span is open than the client's", () =>
    traced((spans) =>
      Effect.gen(function*() {
        const server = yield* makeServer
        const { router } = server.connect({ record: agreedOn("2025-06-18") })
        const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`
        const served = (params: Schema.JsonObject) =>
          router.handlerOf("tools/list")?.(callOf("tools/list", params)) ?? Effect.void
        yield* Effect.withSpan(served({ _meta: { traceparent } }), "POST")
        const [post] = spans.all
        const span = spans.one("server", "tools/list")
        assert.deepStrictEqual([parentOf(span), span.links.map(({ span }) => span)], ["b".repeat(16), [post]])
      })
    ))

  it.effect("is the span that is open, where the client names none", () =>
    traced((spans) =>
      Effect.gen(function*() {
        const server = yield* makeServer
        const { router } = server.connect({ record: agreedOn("2025-06-18") })
        const served = router.handlerOf("tools/list")?.(callOf("tools/list", {})) ?? Effect.void
        yield* Effect.withSpan(served, "POST")
        const span = spans.one("server", "tools/list")
        assert.deepStrictEqual([parentOf(span), span.links.length], [spans.all[0]?.spanId, 0])
      })
    ))
})

describe("the trace context", () => {
  const keys = Effect.flatMap(connect("2025-06-18"), (client) => client.callTool("meta")).pipe(
    Effect.map(({ content }) => content)
  )

  it.effect("is in `_meta`, with the baggage that its caller has written", () =>
    traced(() =>
      Effect.gen(function*() {
        const client = yield* connect("2025-06-18")
        const { content } = yield* client.callTool("meta", {}, { meta: { baggage: "user=ada" } })
        assert.deepStrictEqual(content, [{ type: "text", text: "baggage progressToken traceparent" }])
      })
    ))

  it.effect("is not there without a tracer", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* keys, [{ type: "text", text: "progressToken" }])
    }))
})
