/** A caller over exchanges whose other side asks, too, and streams that belong to no call. */
import { assert, describe, it } from "@effect/vitest"
import { Dialect } from "@parley/protocol"
import { Context, Deferred, Effect, Exit, Fiber, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import type * as Router from "../../src/Router.ts"
import * as Exchange from "../../src/shared/Exchange.ts"
import { ask, echo, result } from "../lanes.ts"
import { failure, notification, request, routerOf, settle, success } from "../wire.ts"
import { makeExchange } from "./exchanges.ts"

const connect = (handlers: Router.Handlers, options: Omit<Exchange.CallerOptions, "router"> = {}) =>
  Effect.gen(function*() {
    const wire = makeExchange()
    const router = yield* routerOf(handlers)
    const { caller, take } = yield* Exchange.make(wire.exchange, { router, ...options })
    return { ...wire, caller, take: (text: string) => Effect.suspend(() => take(text) ?? Effect.void) }
  })

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

const asks = (id: number, method: string, params?: unknown) => JSON.parse(request(id, method, params))

describe("a caller over exchanges that serves", () => {
  it.effect("answers what is asked in an exchange by a post of its own, and asks back", () =>
    Effect.gen(function*() {
      const { caller, end, give, posted } = yield* connect({ ask, echo })
      const call = yield* started(caller.request("work"))
      yield* give(0, request(1, "echo", [1]))
      yield* give(0, `[${request("a", "echo", [2])},${success(7, "nobody's")},${request("b", "none")}]`)
      yield* give(0, request(2, "ask"))
      assert.deepStrictEqual(posted, [
        asks(1, "work"),
        result(1, [1]),
        [{ jsonrpc: "2.0", id: "a", result: [2] }, failure("b", -32601, "Method not found", "none")],
        asks(2, "question")
      ])
      yield* give(3, success(2, "an answer"))
      yield* settle
      assert.deepStrictEqual(posted[4], result(2, "an answer"))
      yield* give(0, success(1, "done"))
      yield* end(0)
      assert.strictEqual(yield* Fiber.join(call), "done")
    }))

  it.effect("a request goes on when the exchange that brought it has ended", () =>
    Effect.gen(function*() {
      const go = yield* Deferred.make<string>()
      const { caller, end, give, posted } = yield* connect({ wait: () => Deferred.await(go) })
      const call = yield* started(caller.request("work"))
      yield* give(0, `[${request(9, "wait")},${success(1, "done")}]`)
      yield* end(0)
      assert.strictEqual(yield* Fiber.join(call), "done")
      yield* TestClock.adjust("5 seconds")
      yield* Deferred.succeed(go, "late")
      yield* settle
      assert.deepStrictEqual(posted.slice(1), [result(9, "late")].map((reply) => [reply]))
    }))

  it.effect("promise 8: the other side may cancel what it asked, by whichever way, but not what the dialect excepts", () =>
    Effect.gen(function*() {
      const dialect = Dialect.make({ name: "x", cancellation: Dialect.cancelledNotification(["initialize"]) })
      const ended: Array<unknown> = []
      const hang = (name: string) => () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => ended.push(name)))
      const { caller, give, posted, take } = yield* connect(
        { initialize: hang("initialize"), hang: hang("hang") },
        { dialect }
      )
      yield* started(caller.request("work"))
      yield* give(0, request(1, "hang"))
      yield* give(0, request(2, "initialize"))
      yield* take(notification("notifications/cancelled", { requestId: 1 }))
      yield* take(notification("notifications/cancelled", { requestId: 2 }))
      yield* settle
      assert.deepStrictEqual(ended, ["hang"])
      assert.strictEqual(posted.length, 1)
    }))

  it.effect("promise 13: a request sees the notifications before it, and listeners come first", () =>
    Effect.gen(function*() {
      const seen: Array<Schema.Json> = []
      const { caller, posted, take } = yield* connect({
        note: (call) => Effect.andThen(Effect.yieldNow, Effect.sync(() => void seen.push(call.params ?? null))),
        see: () => Effect.sync(() => [...seen])
      })
      yield* caller.listen("note", { take: (params) => Array.isArray(params) && params[0] === 2, end: () => {} })
      for (const text of [1, 2, 3].map((at) => notification("note", [at]))) yield* take(text)
      yield* take(request(1, "see"))
      yield* settle
      assert.deepStrictEqual(posted, [result(1, [[1], [3]])])
    }))

  it.effect("promise 17: calls beyond the in-flight limit wait in a bounded inbox, and beyond that outside of it", () =>
    Effect.gen(function*() {
      const go = yield* Deferred.make<void>()
      let running = 0
      const { posted, take } = yield* connect({
        wait: () => Effect.andThen(Effect.sync(() => running++), Effect.as(Deferred.await(go), "ok"))
      }, { limits: { inFlight: 2, inbox: 2, batch: 2 } })
      for (let id = 1; id <= 4; id++) yield* take(request(id, "wait"))
      assert.strictEqual(running, 2)
      const fifth = yield* started(take(request(5, "wait")))
      yield* settle
      assert.isUndefined(fifth.pollUnsafe())
      assert.deepStrictEqual(posted, [])
      yield* take(notification("$/cancelRequest", { id: 4 }))
      yield* Fiber.join(fifth)
      yield* Deferred.succeed(go, undefined)
      yield* settle
      assert.deepStrictEqual(posted[0], failure(4, -32800, "Request cancelled"))
      // Replies that nobody has taken hold back what comes next.
      assert.deepStrictEqual(posted.slice(1), [result(1, "ok"), result(2, "ok")])
    }))

  it.effect("gives up a post of a reply that is not taken, so that others have their turn", () =>
    Effect.gen(function*() {
      const { givenUp, posted, take } = yield* connect({ echo }, { limits: { inFlight: 1, writeStall: 1_000 } })
      yield* take(request(1, "echo"))
      yield* take(request(2, "echo"))
      assert.strictEqual(posted.length, 1)
      yield* TestClock.adjust(1_010)
      yield* settle
      assert.deepStrictEqual([posted, givenUp], [[result(1, null), result(2, null)], [0]])
    }))

  it.effect("promise 17: nothing is dropped in silence: a text that waits for room outlasts the call of its post", () =>
    Effect.gen(function*() {
      const go = yield* Deferred.make<void>()
      const posted: Array<unknown> = []
      let isGivenUp = false
      const exchange: Exchange.Exchange = {
        post: (text, take) =>
          Effect.suspend(() => {
            if (posted.push(JSON.parse(text)) > 1) return Effect.succeed("answer")
            return Effect.forEach([1, 2, 3], (id) => take(request(id, "wait")) ?? Effect.void).pipe(
              Effect.andThen(Effect.never),
              Effect.onInterrupt(() => Effect.sync(() => void (isGivenUp = true)))
            )
          })
      }
      const router = yield* routerOf({ wait: () => Effect.as(Deferred.await(go), "ok") })
      const limits = { inFlight: 1, inbox: 1, batch: 1 }
      const { caller, take } = yield* Exchange.make(exchange, { router, limits, dialect: Dialect.lsp })
      const call = yield* started(caller.request("work", {}, { onPartialResult: () => {} }))
      yield* settle
      yield* take(success(1, "done")) ?? Effect.void
      assert.strictEqual(yield* Fiber.join(call), "done")
      yield* settle
      yield* TestClock.adjust("5 seconds")
      yield* settle
      assert.isFalse(isGivenUp)
      yield* Deferred.succeed(go, undefined)
      yield* settle
      assert.deepStrictEqual(posted.slice(1), [1, 2, 3].map((id) => result(id, "ok")))
      // Then the rest of the post has its second.
      yield* TestClock.adjust(900)
      assert.isFalse(isGivenUp)
      yield* TestClock.adjust(200)
      assert.isTrue(isGivenUp)
    }))

  it.effect("promise 12: the receive loop waits for nothing but the transport: its exchange knows what must not wait behind calls", () =>
    Effect.gen(function*() {
      const shares: Array<string> = []
      const exchange: Exchange.Exchange = {
        post: (text) =>
          Effect.andThen(
            Effect.map(Effect.service(Exchange.Share), (share) => {
              const [{ method = "response" }] = [JSON.parse(text)].flat()
              shares.push(`${share} ${method}`)
            }),
            Effect.never
          )
      }
      const router = yield* routerOf({
        echo,
        inner: ({ peer }) =>
          Effect.all([peer.request("b"), peer.batch([{ method: "c" }]), peer.notify("d")], {
            concurrency: "unbounded"
          }).pipe(Effect.as(null), Effect.orDie)
      })
      const { caller, take } = yield* Exchange.make(exchange, { router, cancel: "notify" })
      yield* take(request(1, "inner")) ?? Effect.void
      yield* take(request(2, "echo")) ?? Effect.void
      // One who posts may call by another caller: that is a call of its own.
      const call = yield* started(Effect.provideService(caller.request("a"), Exchange.Share, "reply"))
      yield* settle
      yield* Fiber.interrupt(call)
      assert.deepStrictEqual(shares, [
        "nested b",
        "nested c",
        "nested d",
        "reply response",
        "call a",
        "reply $/cancelRequest"
      ])
    }))

  it.effect("promise 9: closing interrupts handlers and waits for them, and posts nothing any more", () =>
    Effect.gen(function*() {
      const go = yield* Deferred.make<void>()
      const scope = yield* Scope.make()
      const { posted, take } = yield* Scope.provide(
        connect({ wait: () => Effect.onInterrupt(Effect.never, () => Deferred.await(go)) }),
        scope
      )
      yield* take(request(1, "wait"))
      const closing = yield* started(Scope.close(scope, Exit.void))
      yield* settle
      assert.isUndefined(closing.pollUnsafe())
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(closing)
      yield* take(request(2, "wait"))
      assert.deepStrictEqual(posted, [])
    }))
})

describe("a stream that belongs to no call", () => {
  it.effect("promise 7: a call ends exactly once, by a response that comes beside its exchange", () =>
    Effect.gen(function*() {
      const { caller, give, givenUp, take } = yield* connect({})
      const calls = yield* Effect.forEach(["a", "b", "c"], (method) => started(Effect.exit(caller.request(method))))
      yield* take(success(2, "beside"))
      yield* give(0, success(2, "again"))
      yield* take(`{"jsonrpc":"2.0","id":3,"error":1}`)
      yield* take(JSON.stringify(failure(null, 1, "about nothing")))
      yield* take("{")
      yield* give(0, success(1, "its own"))
      yield* take(success(1, "again"))
      const [first, second, third] = yield* Effect.forEach(calls, Fiber.join)
      assert.deepStrictEqual([first, second], [Exit.succeed("its own"), Exit.succeed("beside")])
      assert.deepInclude(String(third), "InvalidResponse")
      assert.notInclude(givenUp, 0)
    }))

  it.effect("promise 11: what belongs to a call reaches it before its response", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const { caller, take } = yield* connect({})
      const call = yield* started(caller.request("a", {}, { onProgress: (params) => void seen.push(params) }))
      yield* take(`[${success(1, "done")},${notification("$/progress", { token: "progress-1", at: 1 })}]`)
      assert.strictEqual(yield* Fiber.join(call), "done")
      assert.deepStrictEqual(seen, [{ token: "progress-1", at: 1 }])
    }))

  it.effect("drops what is asked where nothing serves", () =>
    Effect.gen(function*() {
      const { exchange, posted } = makeExchange()
      const { take } = yield* Exchange.make(exchange)
      assert.isUndefined(take(request(1, "echo")))
      assert.isUndefined(take(notification("n")))
      yield* settle
      assert.deepStrictEqual(posted, [])
    }))

  it.effect.prop(
    "promise 7: a call ends exactly once, whichever ways its responses take in any order",
    {
      ways: Schema.Array(Schema.Literals(["own", "beside", "both", "another's"])).check(
        Schema.isMinLength(1),
        Schema.isMaxLength(20)
      ),
      isReversed: Schema.Boolean
    },
    ({ isReversed, ways }) =>
      Effect.gen(function*() {
        const { caller, give, take } = yield* connect({})
        const ended: Array<unknown> = []
        yield* Effect.forEach(ways, (_, at) =>
          started(Effect.tap(caller.request("m", [at]), (value) => Effect.sync(() => void ended.push(value)))))
        const all = ways.map((way, at) => ({ at, way, text: success(at + 1, at) }))
        for (const { at, text, way } of isReversed ? all.toReversed() : all) {
          // A response in the exchange of another call settles nothing.
          if (way === "another's" && ways.length > 1) {
            yield* give((at + 1) % ways.length, text)
          }
          if (way === "own" || way === "both") {
            yield* give(at, text)
          }
          if (way !== "own") {
            yield* take(text)
          }
        }
        yield* settle
        assert.sameMembers(
          ended,
          ways.map((_, at) =>
            at
          )
        )
      })
  )
})

describe("a caller over exchanges that notifies of what it cancels", () => {
  const cancelled = (id: number) => ({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id } })

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, and tells the other side", () =>
    Effect.gen(function*() {
      const { caller, givenUp, posted } = yield* connect({}, { cancel: "notify", timeout: 100 })
      const call = yield* started(caller.request("a"))
      yield* Fiber.interrupt(call)
      assert.deepStrictEqual(posted, [asks(1, "a"), cancelled(1)])
      assert.deepStrictEqual(givenUp, [0])
      const late = yield* started(Effect.flip(caller.request("b")))
      yield* TestClock.adjust(110)
      assert.deepInclude(yield* Fiber.join(late), { _tag: "RequestTimeout", id: 2 })
      assert.deepStrictEqual(posted.slice(2), [asks(2, "b"), cancelled(2)])
      const both = yield* started(caller.batch([{ method: "c" }, { method: "d" }]))
      yield* Fiber.interrupt(both)
      assert.deepStrictEqual(posted.slice(4), [[asks(3, "c"), asks(4, "d")], cancelled(3), cancelled(4)])
      yield* TestClock.adjust("1 minute")
      yield* settle
      assert.sameMembers(givenUp, [0, 1, 2, 3, 4, 5, 6])
    }))

  it.effect("promise 8: nothing is sent for what has ended, what the dialect excepts, nor when it is not asked for", () =>
    Effect.gen(function*() {
      const dialect = Dialect.make({ name: "x", cancellation: Dialect.cancelledNotification(["initialize"]) })
      const one = yield* connect({}, { cancel: "notify", dialect })
      const first = yield* started(one.caller.request("initialize"))
      yield* Fiber.interrupt(first)
      const second = yield* started(one.caller.request("b"))
      yield* one.give(1, success(2, "ok"))
      yield* Fiber.join(second)
      yield* settle
      assert.deepStrictEqual(one.posted, [asks(1, "initialize"), asks(2, "b")])
      const other = yield* connect({})
      const third = yield* started(other.caller.request("c"))
      yield* Fiber.interrupt(third)
      assert.deepStrictEqual(other.posted, [asks(1, "c")])
    }))

  it.effect("posts a cancellation with the services of its call, and a response with those of the caller's maker", () =>
    Effect.gen(function*() {
      const Who = Context.Reference("test/Who", { defaultValue: () => "nobody" })
      const seen: Array<string> = []
      const exchange: Exchange.Exchange = {
        post: (text) =>
          Effect.andThen(
            Effect.map(Effect.service(Who), (who) => seen.push(`${who} ${JSON.parse(text).method ?? "response"}`)),
            Effect.never
          )
      }
      const { caller, take } = yield* Effect.provideService(
        Exchange.make(exchange, { router: yield* routerOf({ echo }), cancel: "notify" }),
        Who,
        "maker"
      )
      const call = yield* started(Effect.provideService(caller.request("a"), Who, "call"))
      yield* Fiber.interrupt(call)
      yield* take(request(1, "echo")) ?? Effect.void
      assert.deepStrictEqual(seen, ["call a", "call $/cancelRequest", "maker response"])
    }))
})
