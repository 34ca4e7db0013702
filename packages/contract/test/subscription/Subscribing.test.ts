/** Promise 11: subscriptions as streams, when a test is the other side. */
import { assert, describe, it } from "@effect/vitest"
import { Router } from "@parley/peer"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { calling, failure, notification, parsed, request, settle, started, success } from "../wire.ts"
import {
  consuming,
  Feed,
  Gone,
  item,
  later,
  numbers,
  partial,
  reading,
  subscribed,
  tagsOf,
  unwatch,
  watching
} from "./feed.ts"

describe("a subscription by notifications", () => {
  it.effect("promise 11: what belongs to a call reaches it before its response: items that come before it", () =>
    Effect.gen(function*() {
      const { seen, wire } = yield* watching()
      assert.deepStrictEqual(wire.received, [parsed(request(1, "watch", { of: "a" }))])
      yield* wire.send(item("x", 1), item("y", -1), item("x", 2), success(1, "x"), item("x", 3))
      yield* settle
      assert.deepStrictEqual(seen, [1, 2, 3])
      yield* wire.send(item("y", -1), item("x", 4), notification("watched", { subscription: "x", end: true }))
      yield* wire.send(item("x", 5))
      yield* settle
      assert.deepStrictEqual(seen, [1, 2, 3, 4, "end"])
      assert.deepStrictEqual(yield* later(wire), [])
    }))

  it.effect("promise 11: what belongs to a call reaches it before its response: items, end and all, before it", () =>
    Effect.gen(function*() {
      const { fiber, seen, wire } = yield* watching()
      yield* wire.send(item("x", 1), notification("watched", { subscription: "x", end: true }), item("x", 2))
      yield* settle
      assert.deepStrictEqual(seen, [])
      yield* wire.send(success(1, "x"))
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(seen, [1, "end"])
      assert.deepStrictEqual(yield* later(wire), [])
    }))

  it.effect("promise 11: what belongs to a call reaches it before its response: items, behind a slow handler", () =>
    Effect.gen(function*() {
      const router = yield* Router.make()
      yield* router.add("slow", () => Effect.never)
      const { seen, wire } = yield* subscribed((feed) => feed.watch({ of: "a" }), undefined, { router })
      yield* wire.send(item("x", 1), notification("slow"), success(1, "x"), item("x", 2))
      yield* settle
      assert.deepStrictEqual(seen, [1, 2])
    }))

  it.effect("keeps a bounded number of items that come before the response, and fails after them", () =>
    Effect.gen(function*() {
      for (const strategy of ["suspend", "fail"] as const) {
        const { seen, wire } = yield* watching({ strategy, capacity: 5000 })
        const [first = "", ...rest] = numbers(1100).map((value) => item("x", value))
        yield* wire.send(first, ...rest, success(1, "x"), item("x", -1))
        yield* settle
        assert.deepStrictEqual(seen.slice(0, 1024), numbers(1024))
        assert.deepStrictEqual(tagsOf(seen.slice(1024)), ["Lagged"])
        assert.deepInclude(seen[1024], { method: "watch", missed: 76 })
        assert.deepStrictEqual(yield* later(wire), [unwatch(2, "x")])
      }
    }))

  it.effect("goes on without them where the consumer may miss some", () =>
    Effect.gen(function*() {
      for (const strategy of ["sliding", "dropping"] as const) {
        const { seen, wire } = yield* watching({ strategy, capacity: 5000 })
        const [first = "", ...rest] = numbers(1100).map((value) => item("x", value))
        yield* wire.send(first, ...rest, success(1, "x"), item("x", -1))
        yield* settle
        assert.deepStrictEqual(seen, [...numbers(1024), -1])
      }
    }))

  it.effect("has not missed what came after its end", () =>
    Effect.gen(function*() {
      const { seen, wire } = yield* watching({}, () => Effect.sleep(10))
      yield* wire.send(item("x", 1), notification("watched", { subscription: "x", end: true }))
      const [first = "", ...rest] = numbers(1100).map((value) => item("y", value))
      yield* wire.send(first, ...rest, success(1, "x"))
      yield* settle
      yield* TestClock.adjust(10)
      assert.deepStrictEqual(seen, [1, "end"])
    }))

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind: who leaves closes it, once", () =>
    Effect.gen(function*() {
      const { fiber, peer, seen, wire } = yield* watching()
      yield* wire.send(success(1, "x"), item("x", 1))
      yield* settle
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* later(wire), [unwatch(2, "x")])
      yield* wire.send(item("x", 2), success(2, true))
      yield* settle
      assert.deepStrictEqual(seen, [1])
      // Items by a number, and a stream that takes what it needs.
      const some = yield* consuming(Stream.take(Feed.client(peer).watch({ of: "b" }), 2))
      yield* wire.take(3)
      yield* wire.send(success(3, 7), item("7", 0), item(7, 1), item(7, 2), item(7, 3))
      yield* Fiber.join(some.fiber)
      assert.deepStrictEqual(some.seen, [1, 2, "end"])
      assert.deepStrictEqual((yield* later(wire)).slice(2), [unwatch(4, 7)])
    }))

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind: what opens when its consumer has left is closed", () =>
    Effect.gen(function*() {
      const { fiber, peer, seen, wire } = yield* watching()
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* later(wire), [])
      yield* wire.send(item("x", 1), success(1, "x"), item("x", 2))
      assert.deepStrictEqual(yield* later(wire), [unwatch(2, "x")])
      assert.deepStrictEqual(seen, [])
      // One that does not open needs no closing.
      const other = yield* consuming(Feed.client(peer).watch({ of: "b" }))
      yield* wire.take(3)
      yield* Fiber.interrupt(other.fiber)
      yield* wire.send(failure(3, 1, "no"))
      assert.strictEqual((yield* later(wire)).length, 2)
    }))

  it.effect("may end with its last item, and an error that is null is none", () =>
    Effect.gen(function*() {
      const { seen, wire } = yield* watching()
      yield* wire.send(success(1, "x"), notification("watched", { subscription: "x", result: 1, error: null }))
      yield* wire.send(notification("watched", { subscription: "x", result: 2, end: true }))
      yield* settle
      assert.deepStrictEqual(seen, [1, 2, "end"])
    }))

  it.effect("fails as its contract says, or with what came, after its items", () =>
    Effect.gen(function*() {
      const cases = [
        [{ code: 410, message: "Gone", data: { since: 3 } }, new Gone({ since: 3 })],
        [{ code: 410, message: "gone", data: { since: "3" } }, {
          _tag: "RemoteError",
          code: 410,
          data: { since: "3" }
        }],
        [{ code: 5, message: "other" }, { _tag: "RemoteError", code: 5 }],
        [{ code: 1.5 }, { _tag: "RemoteError", code: -32603 }],
        ["broken", { _tag: "RemoteError", code: -32603 }]
      ] as const
      for (const [error, expected] of cases) {
        const { seen, wire } = yield* watching()
        yield* wire.send(success(1, "x"), item("x", 1), notification("watched", { subscription: "x", error }))
        yield* settle
        assert.strictEqual(seen[0], 1)
        assert.deepInclude(seen[1], { ...expected })
        assert.strictEqual(seen.length, 2)
        assert.deepStrictEqual(yield* later(wire), [])
      }
    }))

  it.effect("that is refused fails so", () =>
    Effect.gen(function*() {
      const typed = yield* watching()
      yield* typed.wire.send(failure(1, 410, "Gone", { since: 1 }))
      const remote = yield* watching()
      yield* remote.wire.send(failure(1, 5, "no", [1]))
      const nonsense = yield* watching()
      yield* nonsense.wire.send(success(1, { id: "x" }))
      yield* settle
      assert.deepStrictEqual(typed.seen, [new Gone({ since: 1 })])
      assert.deepInclude(remote.seen[0], { _tag: "RemoteError", code: 5, data: [1] })
      assert.deepInclude(nonsense.seen[0], { _tag: "InvalidResult", method: "watch" })
      for (const { wire } of [typed, remote, nonsense]) assert.deepStrictEqual(yield* later(wire), [])
      const silent = yield* watching()
      yield* TestClock.adjust("30010 millis")
      assert.deepStrictEqual(tagsOf(silent.seen), ["RequestTimeout"])
    }))

  it.effect("fails with InvalidResult at an item that does not fit, after those before it", () =>
    Effect.gen(function*() {
      const { seen, wire } = yield* watching()
      yield* wire.send(item("x", 1), item("x", "2"), item("x", 3), success(1, "x"))
      yield* settle
      assert.deepStrictEqual(tagsOf(seen), [1, "InvalidResult"])
      assert.deepStrictEqual(yield* later(wire), [unwatch(2, "x")])
    }))

  it.effect("promise 9: closing ends every call with Disconnected, a subscription that opens, and one that is open", () =>
    Effect.gen(function*() {
      const opening = yield* watching()
      yield* opening.wire.send(item("x", 1))
      yield* opening.wire.transport.close
      yield* Fiber.join(opening.fiber)
      assert.deepStrictEqual(tagsOf(opening.seen), ["Disconnected"])
      assert.deepInclude(opening.seen[0], { sent: true })
      const open = yield* watching()
      yield* open.wire.send(success(1, "x"), item("x", 1), item("x", 2))
      yield* open.wire.transport.close
      yield* Fiber.join(open.fiber)
      assert.deepStrictEqual(tagsOf(open.seen), [1, 2, "Disconnected"])
      const never = yield* consuming(Feed.client(open.peer).watch({ of: "a" }))
      yield* Fiber.join(never.fiber)
      assert.deepStrictEqual(tagsOf(never.seen), ["Disconnected"])
    }))

  it.effect("opens anew each time its stream is run", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling()
      const stream = Feed.client(peer).watch({ of: "a" })
      const [one, other] = [yield* consuming(stream), yield* consuming(stream)]
      yield* wire.take(2)
      yield* wire.send(item("y", 20), item("x", 10), success(2, "y"), success(1, "x"), item("y", 21), item("x", 11))
      yield* settle
      assert.deepStrictEqual([one.seen, other.seen], [[10, 11], [20, 21]])
      yield* Fiber.interrupt(one.fiber)
      yield* wire.send(item("x", 12), item("y", 22))
      yield* settle
      assert.deepStrictEqual([one.seen, other.seen], [[10, 11], [20, 21, 22]])
      const third = yield* consuming(stream)
      yield* settle
      yield* wire.send(success(4, "z"), item("z", 30))
      yield* settle
      assert.deepStrictEqual(third.seen, [30])
    }))

  it.effect("hears only of what its members say", () =>
    Effect.gen(function*() {
      const { fiber, seen, wire } = yield* subscribed((feed) => feed.logs())
      const event = (params: unknown) => notification("eth_subscription", params)
      yield* wire.send(success(1, "x"), event([1]), event(undefined), event({ result: 0 }))
      yield* wire.send(event({ subscription: "x", result: { a: [1] }, end: true, error: { code: 1, message: "no" } }))
      yield* wire.send(event(JSON.parse(`{"__proto__":{"subscription":"x","result":-1}}`)))
      yield* wire.send(event({ subscription: "x" }))
      yield* settle
      assert.deepStrictEqual(seen, [{ a: [1] }, null])
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* later(wire), [parsed(request(2, "eth_unsubscribe", ["x"]))])
    }))
})

describe("a subscription by partial results", () => {
  it.effect("promise 11: what belongs to a call reaches it before its response: items, in the order of the wire", () =>
    Effect.gen(function*() {
      const { fiber, seen, wire } = yield* reading()
      assert.deepStrictEqual(wire.received, [parsed(request(1, "read", { of: "a", partialResultToken: "partial-1" }))])
      yield* wire.send(partial([1, 2]), partial([]), partial([3], "partial-2"), partial(4), partial(null))
      yield* settle
      assert.deepStrictEqual(seen, [1, 2, 4])
      yield* wire.send(partial([5]), success(1, [6, 7]), partial([8]))
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(seen, [1, 2, 4, 5, 6, 7, "end"])
      assert.deepStrictEqual(yield* later(wire), [])
    }))

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind: who leaves cancels it", () =>
    Effect.gen(function*() {
      const { fiber, peer, wire } = yield* reading()
      yield* wire.send(partial([1]))
      yield* settle
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* later(wire), [parsed(notification("$/cancelRequest", { id: 1 }))])
      const some = yield* consuming(Stream.take(Feed.client(peer).read({ of: "b" }), 1))
      yield* settle
      yield* wire.send(partial([1, 2], "partial-2"))
      yield* Fiber.join(some.fiber)
      assert.deepStrictEqual(some.seen, [1, "end"])
      assert.deepStrictEqual((yield* later(wire)).slice(2), [parsed(notification("$/cancelRequest", { id: 2 }))])
    }))

  it.effect("fails after its items: as its contract says, with what came, or with what does not fit", () =>
    Effect.gen(function*() {
      const typed = yield* reading()
      yield* typed.wire.send(partial([1, 2]), failure(1, 410, "Gone", { since: 1 }))
      const remote = yield* reading()
      yield* remote.wire.send(partial([1]), failure(1, 5, "no", [1]))
      const misfit = yield* reading()
      yield* misfit.wire.send(partial([1, "2", 3]))
      yield* settle
      assert.deepStrictEqual(typed.seen, [1, 2, new Gone({ since: 1 })])
      assert.deepStrictEqual(tagsOf(remote.seen), [1, "RemoteError"])
      assert.deepStrictEqual(tagsOf(misfit.seen), [1, "InvalidResult"])
      assert.deepStrictEqual(yield* later(misfit.wire), [parsed(notification("$/cancelRequest", { id: 1 }))])
    }))

  it.effect("promise 9: closing ends every call with Disconnected, a subscription after what has come", () =>
    Effect.gen(function*() {
      const { fiber, peer, seen, wire } = yield* reading()
      yield* wire.send(partial([1]), partial([2]))
      yield* wire.transport.close
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(tagsOf(seen), [1, 2, "Disconnected"])
      const never = yield* consuming(Feed.client(peer).read({ of: "a" }))
      yield* Fiber.join(never.fiber)
      assert.deepStrictEqual(tagsOf(never.seen), ["Disconnected"])
    }))

  it.effect("waits as long as its consumer does", () =>
    Effect.gen(function*() {
      const { seen, wire } = yield* reading()
      yield* TestClock.adjust("365 days")
      yield* wire.send(partial([1]), success(1, []))
      yield* settle
      assert.deepStrictEqual(seen, [1, "end"])
    }))

  it.effect("by position has all in its response, however many", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling()
      const count = yield* started(Stream.runCount(Feed.client(peer).list(["a"])))
      assert.deepStrictEqual(yield* wire.take(1), [parsed(request(1, "list", ["a"]))])
      yield* wire.send(success(1, numbers(300_000)))
      assert.strictEqual(yield* Fiber.join(count), 300_000)
    }))
})

describe("a subscription", () => {
  it.effect("whose arguments do not fit sends nothing", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling()
      const feed = Feed.client(peer)
      const misfit = 5 as unknown as string
      for (const stream of [feed.watch({ of: misfit }), feed.read({ of: misfit }), feed.list([misfit])]) {
        assert.strictEqual((yield* Effect.flip(Stream.runDrain(stream)))._tag, "InvalidArguments")
      }
      yield* settle
      assert.deepStrictEqual(wire.received, [])
    }))

  it.effect("may ask for progress beside its items, and say more in its message", () =>
    Effect.gen(function*() {
      const reports: Array<unknown> = []
      const options = { extra: { traceparent: "00" }, onProgress: (params: unknown) => reports.push(params) }
      const read = yield* subscribed((feed) => feed.read({ of: "a" }, options))
      const watch = yield* subscribed((feed) => feed.watch({ of: "a" }, options))
      for (const { wire } of [read, watch]) {
        assert.deepInclude(wire.received[0], { traceparent: "00" })
        const { workDoneToken } = Object(wire.received[0]).params
        yield* wire.send(notification("$/progress", { token: workDoneToken, value: [9] }))
      }
      yield* read.wire.send(partial([1]), success(1, []))
      yield* watch.wire.send(success(1, "x"), item("x", 1))
      yield* settle
      assert.deepStrictEqual([read.seen, watch.seen], [[1, "end"], [1]])
      assert.deepStrictEqual(reports.map((params) => Object(params).value), [[9], [9]])
    }))

  it.effect("that nobody runs sends nothing", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling()
      const feed = Feed.client(peer)
      void [feed.watch({ of: "a" }), feed.read({ of: "a" })]
      yield* settle
      assert.deepStrictEqual(wire.received, [])
    }))
})
