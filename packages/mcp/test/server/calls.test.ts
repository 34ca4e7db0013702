import { assert, describe, it } from "@effect/vitest"
import type * as McpContext from "@parley/mcp/McpContext"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as Revision from "@parley/mcp/wire/Revision"
import { ErrorResponse } from "@parley/peer"
import type { Middleware } from "@parley/peer/Handler"
import { Context, Deferred, Effect, Exit, Schema } from "effect"
import { TestClock } from "effect/testing"
import { traced } from "../telemetry/support/spans.ts"
import { agreedOn, callOf } from "./support/call.ts"
import { greet, modern, open, spoken } from "./support/line.ts"

type Json = Schema.JsonObject

const serverOf = (handler: (call: McpContext.McpContext) => Effect.Effect<McpTool.Value<undefined>, unknown>) =>
  McpServer.make({ name: "s", version: "1", features: [McpTool.make("t", {}, (_, call) => handler(call))] })

const text = (value: string) => [{ type: "text", text: value }]

const methods = (messages: ReadonlyArray<{ readonly method?: string }>) => messages.map(({ method }) => method)

describe("what a handler knows of its call", () => {
  it.effect("is who calls, how, and with what", () =>
    Effect.gen(function*() {
      const seen: Array<McpContext.McpContext> = []
      const server = yield* serverOf((call) => Effect.sync(() => void seen.push(call)))
      const caller = { principal: "ann", header: (name: string) => name === "host" ? "example.org" : undefined }
      const line = yield* open(server, { caller })
      yield* greet(line, "2025-06-18", { roots: {} })
      yield* line.result("tools/call", { name: "t", _meta: { "a.b/c": 1 } })
      yield* line.result("tools/call", modern({ name: "t" }))
      const [legacy, modernOne] = seen
      const known = ({ client, header, id, method, principal, protocolVersion: revision }: McpContext.McpContext) => ({
        client,
        host: header("host"),
        id,
        method,
        principal,
        revision
      })
      const common = { host: "example.org", method: "tools/call", principal: "ann" }
      assert.deepStrictEqual(legacy === undefined ? undefined : known(legacy), {
        ...common,
        client: { info: { name: "test", version: "1" }, capabilities: { roots: {} } },
        id: 2,
        revision: "2025-06-18"
      })
      assert.deepStrictEqual(legacy?.meta, { "a.b/c": 1 })
      assert.deepStrictEqual(modernOne === undefined ? undefined : known(modernOne), {
        ...common,
        client: { info: { name: "test", version: "1" }, capabilities: {} },
        id: 3,
        revision: "2026-07-28"
      })
      const bare = yield* spoken(server, "2025-06-18")
      yield* bare.line.result("tools/call", { name: "t" })
      assert.deepStrictEqual([seen.at(-1)?.principal, seen.at(-1)?.header("host"), seen.at(-1)?.meta], [
        undefined,
        undefined,
        {}
      ])
    }))
})

describe("progress", () => {
  it.effect("comes some time before the result, and only its own result waits for that", () =>
    Effect.gen(function*() {
      const server = yield* McpServer.make({
        name: "s",
        version: "1",
        features: [
          McpTool.make("once", {}, (_, call) => Effect.as(call.progress({ progress: 1 }), "done")),
          McpTool.make("fail", {}, (_, call) => Effect.andThen(call.progress({ progress: 1 }), Effect.fail("broken"))),
          McpTool.make("slow", {}, (_, call) =>
            Effect.andThen(call.progress({ progress: 1 }), Effect.delay(Effect.succeed("done"), "1 minute")))
        ]
      })
      const line = yield* open(server, { revision: "2025-11-25", progressGap: "10 millis" })
      yield* greet(line, "2025-11-25")
      const start = (name: string, _meta: Json = { progressToken: name }) =>
        line.write({ jsonrpc: "2.0", id: name, method: "tools/call", params: { name, _meta } })
      for (const name of ["once", "fail"]) {
        yield* start(name)
        assert.strictEqual((yield* line.next).method, "notifications/progress")
        yield* TestClock.adjust("9 millis")
        yield* line.result("ping")
        assert.deepStrictEqual(line.aside, [])
        yield* TestClock.adjust("1 millis")
        assert.strictEqual((yield* line.next).id, name)
      }
      // The client hears of no progress, or read it long ago.
      yield* start("once", {})
      assert.strictEqual((yield* line.next).id, "once")
      yield* start("slow")
      assert.strictEqual((yield* line.next).method, "notifications/progress")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* line.next).id, "slow")
    }))

  it.effect("goes to who asked for it, only grows, and has a message where the revision knows one", () =>
    Effect.gen(function*() {
      const server = yield* serverOf((call) =>
        Effect.gen(function*() {
          yield* call.progress({ progress: 0, total: 100 })
          yield* call.progress({ progress: 50, total: 100, message: "half" })
          yield* call.progress({ progress: 50, total: 100, message: "still" })
          yield* call.progress({ progress: 20 })
          yield* call.progress({ progress: Number.NaN })
          yield* call.progress({ progress: Number.POSITIVE_INFINITY })
          yield* call.progress({ progress: 60, total: Number.NaN })
          yield* call.progress({ progress: 100 })
        })
      )
      for (const revision of Revision.all) {
        for (const progressToken of ["abc", 0]) {
          const { line, params } = yield* spoken(server, revision)
          const { _meta } = params()
          yield* line.result("tools/call", { name: "t", _meta: { ...(_meta as Json), progressToken } })
          const message = revision === "2024-11-05" ? {} : { message: "half" }
          assert.deepStrictEqual(line.aside.map(({ params }) => params), [
            { progress: 0, total: 100, progressToken },
            { progress: 50, total: 100, ...message, progressToken },
            { progress: 60, progressToken },
            { progress: 100, progressToken }
          ])
        }
        const { line, params } = yield* spoken(server, revision)
        yield* line.result("tools/call", params({ name: "t" }))
        assert.deepStrictEqual(line.aside, [])
      }
    }))
})

describe("log messages", () => {
  const made = serverOf((call) =>
    Effect.gen(function*() {
      yield* call.log("debug", "fine")
      yield* call.log("info", { steps: 3 }, "worker")
      yield* call.log("error", null)
    })
  )

  const levels = (messages: ReadonlyArray<{ readonly params?: Json }>) =>
    messages.map(({ params }) => params?.["level"])

  it.effect("come as the session asks for them in the legacy era", () =>
    Effect.gen(function*() {
      const server = yield* made
      for (const revision of Revision.ofEra("legacy")) {
        const { line } = yield* spoken(server, revision)
        yield* line.result("tools/call", { name: "t" })
        assert.deepStrictEqual(line.aside.splice(0).map(({ params }) => params), [
          { level: "debug", data: "fine" },
          { level: "info", logger: "worker", data: { steps: 3 } },
          { level: "error", data: null }
        ])
        assert.deepStrictEqual(yield* line.result("logging/setLevel", { level: "notice" }), {})
        yield* line.result("tools/call", { name: "t" })
        assert.deepStrictEqual(levels(line.aside.splice(0)), ["error"])
        assert.strictEqual((yield* line.refusal("logging/setLevel", { level: "loud" })).code, -32602)
        // Another client has its own level.
        const other = yield* spoken(server, revision)
        yield* other.line.result("tools/call", { name: "t" })
        assert.deepStrictEqual(levels(other.line.aside), ["debug", "info", "error"])
      }
    }))

  it.effect("come as the request asks for them in the modern era, and else not at all", () =>
    Effect.gen(function*() {
      const line = yield* open(yield* made, { revision: "2026-07-28" })
      yield* line.result("tools/call", modern({ name: "t" }))
      assert.deepStrictEqual(line.aside, [])
      yield* line.result("tools/call", modern({ name: "t" }, { "io.modelcontextprotocol/logLevel": "info" }))
      assert.deepStrictEqual(levels(line.aside.splice(0)), ["info", "error"])
      yield* line.result("tools/call", modern({ name: "t" }))
      assert.deepStrictEqual(line.aside, [])
    }))
})

describe("a call that is cancelled", () => {
  it.effect("is interrupted, with its finalizers, and not answered", () =>
    Effect.gen(function*() {
      for (const revision of Revision.all) {
        const started = yield* Deferred.make<void>()
        const released = yield* Deferred.make<void>()
        const server = yield* serverOf(() =>
          Effect.andThen(Deferred.succeed(started, undefined), Effect.never).pipe(
            Effect.onInterrupt(() => Deferred.succeed(released, undefined))
          )
        )
        const { line, params } = yield* spoken(server, revision)
        yield* line.write({ jsonrpc: "2.0", id: "slow", method: "tools/call", params: params({ name: "t" }) })
        yield* Deferred.await(started)
        yield* line.write({
          jsonrpc: "2.0",
          method: "notifications/cancelled",
          params: { requestId: "slow", reason: "bored" }
        })
        yield* Deferred.await(released)
        yield* line.result("tools/list", params())
        assert.deepStrictEqual(line.aside, [])
      }
    }))

  it.effect("is interrupted when its client goes away", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<void>()
      const released = yield* Deferred.make<void>()
      const server = yield* serverOf(() =>
        Effect.andThen(Deferred.succeed(started, undefined), Effect.never).pipe(
          Effect.onInterrupt(() => Deferred.succeed(released, undefined))
        )
      )
      const scoped = Effect.scoped(Effect.gen(function*() {
        const { line } = yield* spoken(server, "2025-06-18")
        yield* line.write({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t" } })
        yield* Deferred.await(started)
      }))
      yield* scoped
      yield* Deferred.await(released)
    }))
})

describe("around the handling of messages", () => {
  class Tenant extends Context.Service<Tenant, { readonly name: string }>()("test/Tenant") {}

  it.effect("middleware sees every message, may refuse it, and is made once", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      let made = 0
      const middleware: Middleware<ErrorResponse.ErrorResponse, Tenant> = (handler) => {
        made++
        return (call) =>
          Effect.gen(function*() {
            const { name } = yield* Tenant
            seen.push(`${name} ${call.method}`)
            if (call.method === "prompts/list") return yield* ErrorResponse.make(403, "no")
            return yield* handler({ ...call })
          })
      }
      const server = yield* McpServer.make({
        name: "s",
        version: "1",
        features: [McpTool.make("t", {}, () => Effect.succeed("done"))],
        middleware
      }).pipe(Effect.provideService(Tenant, { name: "acme" }))
      const one = yield* spoken(server, "2025-06-18")
      const two = yield* spoken(server, "2026-07-28")
      assert.deepStrictEqual((yield* one.line.result("tools/call", { name: "t" }))["content"], text("done"))
      assert.deepInclude(yield* two.line.refusal("prompts/list", two.params()), { code: 403 })
      assert.deepStrictEqual(seen, [
        "acme initialize",
        "acme notifications/initialized",
        "acme tools/call",
        "acme prompts/list"
      ])
      assert.strictEqual(made, 1)
    }))

  it.effect("a span stands for each request where a tracer listens, a child of the client's", () =>
    Effect.gen(function*() {
      const calling = Effect.gen(function*() {
        const server = yield* McpServer.make({
          name: "s",
          version: "1",
          features: [McpTool.make("t", {}, () => Effect.as(Effect.withSpan(Effect.void, "inner"), "done"))]
        }).pipe(Effect.withSpan("making"))
        const { line } = yield* spoken(server, "2025-06-18")
        const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`
        yield* line.result("tools/call", { name: "t", _meta: { traceparent } })
      })
      const spans = yield* traced(({ all }) => Effect.as(Effect.scoped(calling), all))
      const call = spans.find(({ name }) => name === "tools/call t")
      const inner = spans.find(({ name }) => name === "inner")
      assert.strictEqual(call?.traceId, "a".repeat(32))
      assert.strictEqual(call?.kind, "server")
      assert.strictEqual(inner?.traceId, "a".repeat(32))
      const none = yield* serverOf(() => Effect.void)
      assert.isTrue(
        Exit.isExit(
          none.connect({ record: agreedOn("2025-06-18") }).router.handlerOf("tools/call")?.(
            callOf("tools/call", { name: "t" })
          )
        ),
        "without one a call that is done at once has no fiber"
      )
    }))
})

describe("what came aside", () => {
  it.effect("comes before the response, in its order", () =>
    Effect.gen(function*() {
      const server = yield* serverOf((call) =>
        Effect.gen(function*() {
          yield* call.log("info", 1)
          yield* call.progress({ progress: 1 })
          yield* call.log("info", 2)
        })
      )
      const { line } = yield* spoken(server, "2025-11-25")
      yield* line.result("tools/call", { name: "t", _meta: { progressToken: 1 } })
      assert.deepStrictEqual(methods(line.aside), [
        "notifications/message",
        "notifications/progress",
        "notifications/message"
      ])
    }))
})
