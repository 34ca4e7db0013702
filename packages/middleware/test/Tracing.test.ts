import { assert, describe, it } from "@effect/vitest"
import { type Caller, ErrorResponse, type Handler } from "@parley/peer"
import * as Dialect from "@parley/protocol/Dialect"
import { Effect, Exit, Fiber, Option, References, Result, type Scope, Tracer } from "effect"
import { TestClock } from "effect/testing"
import { pair, settle } from "../../peer/test/wire.ts"
import { Tracing } from "../src/index.ts"
import { callOf } from "./callers.ts"
import { idsOf, keeping, parentOf, traced } from "./tracers.ts"

const attributesOf = (span: Tracer.Span | undefined) => Object.fromEntries(span?.attributes ?? [])

/** A peer that calls, and one that serves, both traced. */
const tracedPair = (
  dialect: Dialect.Dialect,
  handlers: Readonly<Record<string, Handler.Handler>>
): Effect.Effect<Caller.Caller, never, Scope.Scope> => {
  const middleware = Tracing.handler(dialect)
  const all = Object.fromEntries(Object.entries(handlers).map(([method, handler]) => [method, middleware(handler)]))
  return Effect.map(pair(all, { dialect }), ([peer]) => Tracing.caller(dialect)(peer))
}

const inMeta = Dialect.make({ name: "meta", traceContext: { in: "params", path: ["_meta"] } })

describe("a traced call", () => {
  it.effect("has a span on both sides, the handler's a child of the caller's", () =>
    traced((spans) =>
      Effect.gen(function*() {
        const caller = yield* tracedPair(Dialect.jsonRpc, { add: () => Effect.void })
        yield* Effect.withSpan(caller.request("add", [1, 2]), "program")
        const [program, client, server] = spans
        assert.deepStrictEqual(spans.map(({ kind, name }) => [name, kind]), [
          ["program", "internal"],
          ["add", "client"],
          ["add", "server"]
        ])
        assert.strictEqual(parentOf(client), program)
        assert.deepStrictEqual(idsOf(parentOf(server)), idsOf(client))
        assert.strictEqual(server?.traceId, program?.traceId)
        assert.deepStrictEqual(attributesOf(client), {
          "rpc.system.name": "jsonrpc",
          "rpc.method": "add",
          "jsonrpc.protocol.version": "2.0"
        })
        assert.deepStrictEqual(attributesOf(server), {
          "rpc.system.name": "jsonrpc",
          "rpc.method": "add",
          "jsonrpc.protocol.version": "2.0",
          "jsonrpc.request.id": "1"
        })
        assert.isTrue(spans.every(({ status }) => status._tag === "Ended" && Exit.isSuccess(status.exit)))
      })
    ))

  it.effect("is the parent of the spans within its handler", () =>
    traced((spans) =>
      Effect.gen(function*() {
        const caller = yield* tracedPair(inMeta, { m: () => Effect.withSpan(Effect.void, "inside") })
        yield* caller.request("m", {})
        const [client, server, inside] = spans
        assert.deepStrictEqual([parentOf(inside), idsOf(parentOf(server))], [server, idsOf(client)])
      })
    ))

  it.effect("takes as long as it takes", () =>
    traced((spans) =>
      Effect.gen(function*() {
        const caller = yield* tracedPair(Dialect.jsonRpc, { slow: () => Effect.sleep("2 seconds") })
        const call = yield* Effect.forkChild(caller.request("slow"), { startImmediately: true })
        yield* TestClock.adjust("2 seconds")
        yield* Fiber.join(call)
        assert.deepStrictEqual(
          spans.map(({ status }) => status._tag === "Ended" && status.endTime - status.startTime),
          [2_000_000_000n, 2_000_000_000n]
        )
      })
    ))

  it.effect("says how it failed", () =>
    traced((spans) =>
      Effect.gen(function*() {
        const caller = yield* tracedPair(Dialect.jsonRpc, {
          refused: () => Effect.fail(ErrorResponse.make(1001, "Insufficient funds")),
          broken: () => Effect.die("broken"),
          hanging: () => Effect.never
        })
        yield* Effect.exit(caller.request("refused"))
        yield* Effect.exit(caller.request("broken"))
        const call = yield* Effect.forkChild(caller.request("hanging"), { startImmediately: true })
        yield* Fiber.interrupt(call)
        yield* settle
        const late = yield* Effect.forkChild(Effect.exit(caller.request("hanging", [], { timeout: 5 })), {
          startImmediately: true
        })
        yield* TestClock.adjust(5)
        yield* Fiber.join(late)
        yield* settle
        assert.deepStrictEqual(
          spans.map((span) => [
            span.kind,
            span.attributes.get("error.type"),
            span.attributes.get("rpc.response.status_code"),
            span.status._tag
          ]),
          [
            ["client", "1001", "1001", "Ended"],
            ["server", "1001", "1001", "Ended"],
            ["client", "-32603", "-32603", "Ended"],
            ["server", "defect", undefined, "Ended"],
            ["client", "interrupted", undefined, "Ended"],
            ["server", "interrupted", undefined, "Ended"],
            ["client", "RequestTimeout", undefined, "Ended"],
            ["server", "interrupted", undefined, "Ended"]
          ]
        )
      })
    ))

  it.effect("that throws instead of giving an effect ends its span", () =>
    traced((spans) =>
      Effect.gen(function*() {
        const caller = yield* tracedPair(Dialect.jsonRpc, {
          m: () => {
            throw new Error("broken")
          }
        })
        yield* Effect.flip(caller.request("m"))
        assert.deepStrictEqual([spans[1]?.status._tag, spans[1]?.attributes.get("error.type")], ["Ended", "defect"])
      })
    ))

  it.effect("in a batch has the batch for its parent", () =>
    traced((spans) =>
      Effect.gen(function*() {
        const caller = yield* tracedPair(Dialect.jsonRpc, { a: () => Effect.succeed(1), b: () => Effect.void })
        assert.deepStrictEqual(
          yield* caller.batch([{ method: "a" }, { method: "b", notification: true, extra: { more: 1 } }]),
          [Result.succeed(1), undefined]
        )
        yield* settle
        const [batch, a, b] = spans
        assert.deepStrictEqual(spans.map(({ kind, name }) => [name, kind]), [
          ["batch", "client"],
          ["a", "server"],
          ["b", "server"]
        ])
        assert.deepStrictEqual([idsOf(parentOf(a)), idsOf(parentOf(b))], [idsOf(batch), idsOf(batch)])
        assert.isFalse(batch?.attributes.has("rpc.method"))
      })
    ))

  it.effect("that is a notification has a span, and no id", () =>
    traced((spans) =>
      Effect.gen(function*() {
        const caller = yield* tracedPair(inMeta, { told: () => Effect.void })
        yield* caller.notify("told", { a: 1 })
        yield* settle
        const [client, server] = spans
        assert.deepStrictEqual(idsOf(parentOf(server)), idsOf(client))
        assert.isFalse(server?.attributes.has("jsonrpc.request.id"))
      })
    ))
})

describe("without a tracer", () => {
  it.effect("calls pass as they are", () =>
    Effect.gen(function*() {
      const { inner, seen } = keeping()
      const caller = Tracing.caller(Dialect.jsonRpc)(inner)
      const options = { timeout: 5 }
      yield* Effect.withSpan(caller.request("m", [1], options), "program")
      yield* caller.notify("n")
      yield* caller.batch([{ method: "a" }])
      assert.deepStrictEqual(seen, [["m", [1], options], ["n", undefined], [[{ method: "a" }], undefined]])
      assert.strictEqual(seen[0]?.[2], options)
      const extra = { traceparent: `00-${"1".repeat(32)}-${"2".repeat(16)}-01` }
      const span = yield* Tracing.handler(Dialect.jsonRpc)(() =>
        Effect.map(Effect.option(Effect.currentSpan), Option.isSome)
      )(callOf({ extra }))
      assert.isFalse(span)
    }))

  it.effect("calls have spans of Effect's own where that is provided", () =>
    Effect.gen(function*() {
      const inside = Effect.map(Effect.currentSpan, ({ kind, name }) => [name, kind])
      const handler = Tracing.handler(Dialect.jsonRpc)(() => Effect.orDie(inside))
      assert.deepStrictEqual(yield* Effect.withTracer(handler(callOf()), Tracer.nativeTracer), ["m", "server"])
    }))

  it.effect("that is not switched off, calls pass as they are", () =>
    traced((spans) =>
      Effect.gen(function*() {
        const { inner, seen } = keeping()
        yield* Tracing.caller(Dialect.jsonRpc)(inner).request("m").pipe(
          Effect.provideService(References.TracerEnabled, false)
        )
        assert.deepStrictEqual([seen, spans.length], [[["m", undefined, undefined]], 0])
      })
    ))
})
