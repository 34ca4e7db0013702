/** Promises 9, 11 and 12: what comes to us beside responses, and how its taker holds it back. */
import { assert, describe, it } from "@effect/vitest"
import * as Dialect from "@parley/protocol/Dialect"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { type Caller, type Peer, Router } from "../src/index.ts"
import { connect, notification, pair, request, settle, success } from "./wire.ts"

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

const partial = (value: unknown, token: unknown = "partial-1") => notification("$/progress", { token, value })

/** A call that keeps its partial results, and at last its result. */
const reading = (peer: Peer.Peer, seen: Array<unknown>, options: Caller.CallOptions = {}) =>
  started(Effect.tap(
    peer.request("m", { a: 1 }, { ...options, onPartialResult: (value) => seen.push(value) }),
    (result) => Effect.sync(() => seen.push(result))
  ))

/** A listener that takes what `takes` says, and keeps it and its end. */
const listener = (
  seen: Array<unknown>,
  takes: (params: unknown) => boolean = () => true
): Caller.NotificationListener => ({
  take: (params) => takes(params) && seen.push(params) > 0,
  end: (error) => void seen.push(error)
})

describe("partial results", () => {
  it.effect("promise 11: what belongs to a call reaches it before its response: partial results, behind a slow handler", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const { peer, wire } = yield* connect({ slow: () => Effect.never })
      const call = yield* reading(peer, seen)
      assert.deepStrictEqual(yield* wire.take(1), [
        { jsonrpc: "2.0", id: 1, method: "m", params: { a: 1, partialResultToken: "partial-1" } }
      ])
      yield* wire.send(notification("slow"), partial([1]), partial([2]), success(1, "done"), partial([3]))
      yield* Fiber.join(call)
      yield* settle
      assert.deepStrictEqual(seen, [[1], [2], "done"])
    }))

  it.effect("promise 11: what belongs to a call reaches it before its response: progress and partial results by one method", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const { peer, wire } = yield* connect()
      const call = yield* reading(peer, seen, { onProgress: (params) => seen.push(params) })
      const [sent] = yield* wire.take(1)
      assert.deepStrictEqual(Object(sent).params, {
        a: 1,
        workDoneToken: "progress-1",
        partialResultToken: "partial-1"
      })
      yield* wire.send(
        partial("p"),
        partial("w", "progress-1"),
        partial("?", "partial-01"),
        partial("?", "partial-2"),
        success(1, "done")
      )
      yield* Fiber.join(call)
      assert.deepStrictEqual(seen, ["p", { token: "progress-1", value: "w" }, "done"])
    }))

  it.effect("promise 11: what belongs to a call reaches it before its response: partial results from one peer to the other", () =>
    Effect.gen(function*() {
      const asked: Array<boolean> = []
      const [left] = yield* pair({
        m: (call) => {
          asked.push(call.partialResult !== undefined)
          const { partialResult = () => Effect.void } = call
          return Effect.as(Effect.orDie(Effect.forEach([1, null, { a: [] }], (value) => partialResult(value))), "done")
        }
      })
      const seen: Array<unknown> = []
      yield* Fiber.join(yield* reading(left, seen))
      assert.strictEqual(yield* left.request("m"), "done")
      yield* left.notify("m", { partialResultToken: "nobody's" })
      yield* settle
      assert.deepStrictEqual(seen, [1, null, { a: [] }, "done"])
      assert.deepStrictEqual(asked, [true, false, false])
    }))

  it.effect("are asked for with a string or a number: others write null where they ask for nothing", () =>
    Effect.gen(function*() {
      const { wire } = yield* connect({
        m: (call) => Effect.as(Effect.orDie(call.progress({ at: 1 })), call.partialResult !== undefined)
      })
      for (const [id, token] of [null, true, [1], { a: 1 }].entries()) {
        yield* wire.send(request(id, "m", { partialResultToken: token, workDoneToken: token }))
      }
      yield* wire.send(request(4, "m", { partialResultToken: 0 }), request(5, "m", { partialResultToken: "" }))
      assert.deepStrictEqual(
        yield* wire.take(6),
        [false, false, false, false, true, true].map((result, id) => ({ jsonrpc: "2.0", id, result }))
      )
    }))

  it.effect("are not asked for where something else stands on the way to the token", () =>
    Effect.gen(function*() {
      const request = ["_meta", "token"] as const
      const partialResults = { method: "p", member: "token", value: "value", request }
      const { peer, wire } = yield* connect({}, { dialect: Dialect.make({ name: "test", partialResults }) })
      for (const params of [{ _meta: 5 }, { _meta: { a: 1 } }, undefined]) {
        yield* started(Effect.ignore(peer.request("m", params, { onPartialResult: () => {} })))
      }
      assert.deepStrictEqual((yield* wire.take(3)).map((sent) => Object(sent).params), [
        { _meta: 5 },
        { _meta: { a: 1, token: "partial-2" } },
        { _meta: { token: "partial-3" } }
      ])
    }))

  it.effect("are not asked for where params have no place for a token, or the dialect has none", () =>
    Effect.gen(function*() {
      const onPartialResult = () => {}
      const { peer, wire } = yield* connect()
      yield* started(Effect.ignore(peer.request("m", [1], { onPartialResult })))
      const none = yield* connect({}, { dialect: Dialect.make({ name: "test", partialResults: undefined }) })
      yield* started(Effect.ignore(none.peer.request("m", { a: 1 }, { onPartialResult })))
      assert.deepStrictEqual((yield* wire.take(1)).map((sent) => Object(sent).params), [[1]])
      assert.deepStrictEqual((yield* none.wire.take(1)).map((sent) => Object(sent).params), [{ a: 1 }])
    }))
})

describe("a listener", () => {
  it.effect("promise 11: what belongs to a call reaches it before its response: what is listened to, behind a slow handler", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const handled: Array<unknown> = []
      const { peer, wire } = yield* connect({
        slow: () => Effect.never,
        item: (call) => Effect.sync(() => void handled.push(call.params))
      })
      yield* peer.listen("item", listener(seen, (params) => Object(params).of === "ours"))
      const call = yield* started(Effect.tap(peer.request("m"), (result) => Effect.sync(() => seen.push(result))))
      yield* wire.take(1)
      const item = (of: string) => notification("item", { of })
      yield* wire.send(item("nobody"), notification("slow"), item("ours"), item("others"), success(1, "done"))
      yield* Fiber.join(call)
      assert.deepStrictEqual(seen, [{ of: "ours" }, "done"])
      // What nobody takes is like any other notification.
      assert.deepStrictEqual(handled, [{ of: "nobody" }])
      yield* TestClock.adjust("30010 millis")
      assert.deepStrictEqual(handled, [{ of: "nobody" }, { of: "others" }])
    }))

  it.effect("hears nothing after its Scope, and shares what it does not take", () =>
    Effect.gen(function*() {
      const [first, second]: [Array<unknown>, Array<unknown>] = [[], []]
      const { peer, wire } = yield* connect()
      const scope = yield* Scope.make()
      const even = listener(first, (params) => Object(params)[0] % 2 === 0)
      yield* Scope.provide(peer.listen("item", even), scope)
      yield* peer.listen("item", listener(second))
      yield* wire.send(notification("item", [1]), notification("item", [2]))
      yield* settle
      yield* Scope.close(scope, Exit.void)
      yield* wire.send(notification("item", [4]), notification("other", [6]))
      yield* wire.transport.close
      yield* settle
      assert.deepStrictEqual(first, [[2]])
      assert.deepStrictEqual(second.slice(0, 2), [[1], [4]])
      assert.strictEqual(second.length, 3)
    }))

  it.effect("promise 9: closing ends every call with Disconnected, and every listener, once", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect()
      const [first, second]: [Array<unknown>, Array<unknown>] = [[], []]
      yield* peer.listen("a", listener(first))
      yield* peer.listen("b", listener(second))
      yield* wire.transport.close
      yield* peer.closed
      const ended = { _tag: "Disconnected", reason: { _tag: "EndOfInput" }, sent: false } as const
      for (const seen of [first, second]) {
        assert.strictEqual(seen.length, 1)
        assert.deepInclude(seen[0], ended)
      }
      assert.deepInclude(yield* Effect.flip(peer.listen("a", listener(first))), ended)
      yield* peer.shutdown
      assert.strictEqual(first.length, 1)
    }))

  it.effect("promise 9: closing ends every call with Disconnected, and listeners of a peer that is shut down", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const { peer } = yield* connect()
      yield* peer.listen("a", listener(seen))
      yield* peer.shutdown
      assert.strictEqual(seen.length, 1)
      assert.deepInclude(seen[0], { _tag: "Disconnected", reason: { _tag: "Closed" } })
    }))

  it.effect("listens for a handler, too, and to nobody where there is no other side", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const router = yield* Router.make()
      yield* router.add("hear", (call) =>
        Effect.scoped(Effect.match(Effect.andThen(call.peer.listen("item", listener(seen)), Effect.sleep(10)), {
          onSuccess: () =>
            "heard",
          onFailure: ({ reason }) => reason._tag
        })))
      const alone = yield* router.answer(request(1, "hear"))
      assert.deepStrictEqual(alone.valueOrUndefined, success(1, "NoPeer"))
      const { wire } = yield* connect({}, { router })
      yield* wire.send(request(1, "hear"), notification("item", [1]))
      yield* settle
      yield* TestClock.adjust(10)
      yield* wire.send(notification("item", [2]))
      assert.deepStrictEqual(yield* wire.take(1), [{ jsonrpc: "2.0", id: 1, result: "heard" }])
      assert.deepStrictEqual(seen, [[1]])
    }))
})

describe("a pause", () => {
  it.effect("promise 12: the receive loop waits for nothing but the transport, and for who can take no more", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const { peer, wire } = yield* connect()
      const call = yield* reading(peer, seen)
      yield* wire.send(partial(1))
      yield* settle
      const resume = peer.pause()
      yield* wire.send(partial(2), partial(3), success(1, "done"))
      yield* settle
      assert.deepStrictEqual(seen, [1])
      resume()
      yield* Fiber.join(call)
      assert.deepStrictEqual(seen, [1, 2, 3, "done"])
    }))

  it.effect("promise 12: the receive loop waits for nothing but the transport, and for no pause when a call waits", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const { peer, wire } = yield* connect({ echo: (call) => Effect.succeed(call.params ?? null) })
      yield* reading(peer, seen)
      const resume = peer.pause()
      yield* wire.send(partial(1), request(7, "echo", []))
      yield* settle
      assert.deepStrictEqual(seen, [])
      const other = yield* started(peer.request("n"))
      yield* settle
      assert.deepStrictEqual(seen, [1])
      yield* wire.send(partial(2), success(2, "other"), partial(3))
      assert.strictEqual(yield* Fiber.join(other), "other")
      yield* settle
      // Nobody waits any more.
      assert.deepStrictEqual(seen, [1, 2])
      resume()
      yield* settle
      assert.deepStrictEqual(seen, [1, 2, 3])
    }))

  it.effect("lasts until all who paused go on, and going on twice counts once", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const { peer, wire } = yield* connect({ note: (call) => Effect.sync(() => void seen.push(call.params)) })
      const [one, other] = [peer.pause(), peer.pause()]
      yield* wire.send(notification("note", [1]))
      one()
      one()
      yield* settle
      assert.deepStrictEqual(seen, [])
      other()
      yield* settle
      assert.deepStrictEqual(seen, [[1]])
      one()
      const again = peer.pause()
      yield* wire.send(notification("note", [2]))
      yield* settle
      assert.deepStrictEqual(seen, [[1]])
      again()
      yield* settle
      assert.deepStrictEqual(seen, [[1], [2]])
    }))
})

describe("extra members", () => {
  it.effect("travel beside those of the specification, in requests and batches", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect()
      const extra = { traceparent: "00-ab", nested: { a: [1] } }
      yield* started(Effect.ignore(peer.request("m", { a: 1 }, { extra })))
      yield* started(Effect.ignore(peer.request("m", undefined, { extra: {} })))
      yield* started(Effect.ignore(peer.batch([{ method: "b", extra }, { method: "n", notification: true, extra }])))
      assert.deepStrictEqual(yield* wire.take(3), [
        { jsonrpc: "2.0", id: 1, method: "m", params: { a: 1 }, ...extra },
        { jsonrpc: "2.0", id: 2, method: "m" },
        [{ jsonrpc: "2.0", id: 3, method: "b", ...extra }, { jsonrpc: "2.0", method: "n", ...extra }]
      ])
    }))

  it.effect("reach the handler, also where batches are not spoken", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const [left] = yield* pair({ m: (call) => Effect.sync(() => void seen.push(call.extra)) }, {
        dialect: Dialect.make({ name: "test", batches: "refuse" })
      })
      yield* left.batch([{ method: "m", extra: { a: 1 } }, { method: "m", notification: true, extra: { a: 2 } }])
      yield* left.request("m", undefined, { extra: { a: 3 } })
      assert.deepStrictEqual(seen, [{ a: 1 }, { a: 2 }, { a: 3 }])
    }))

  it.effect("cannot pass for those of the specification", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect()
      for (const extra of [{ id: 9 }, { params: [] }, { jsonrpc: "1" }, { a: 1, method: "x" }]) {
        const refused = yield* Effect.flip(peer.request("m", undefined, { extra }))
        assert.deepInclude(refused, { _tag: "InvalidArguments", method: "m" })
        assert.strictEqual((yield* Effect.flip(peer.batch([{ method: "b", extra }])))._tag, "InvalidArguments")
      }
      yield* settle
      assert.deepStrictEqual(wire.received, [])
    }))
})
