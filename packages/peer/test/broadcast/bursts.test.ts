/** Entries that are published in one turn of the event loop: before anybody could take them, and while others are told. */
import { assert, describe, it } from "@effect/vitest"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Budget } from "@parley/transport/shared"
import type { Transport } from "@parley/transport/Transport"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Broadcast, Feed, Peer } from "../../src/index.ts"
import { connect, settle } from "../wire.ts"
import { blocked } from "./gated.ts"

const started = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

const methodsOf = (messages: ReadonlyArray<unknown>) =>
  messages.map((message) => (message as { readonly method: string }).method)

/** Its key, as a handler has it that is bound to its end. */
interface Key {
  readonly outlet: { readonly onClose: (effect: Effect.Effect<unknown>) => void }
}

describe("a burst", () => {
  for (const [count, size] of [[5_000, 1], [1_000, 5_000]] as const) {
    it.effect(`ends no stream that takes at once: ${count} items of ${size} characters`, () =>
      Effect.gen(function*() {
        const feed = yield* Feed.make<string>()
        const readers = yield* Effect.forEach([1, 2, 3], () =>
          started(Stream.runCount(Stream.take(feed.stream(), count))))
        for (let number = 0; number < count; number++) {
          yield* feed.publish("x".repeat(size))
        }
        for (const reader of readers) {
          assert.strictEqual(yield* Fiber.join(reader), count)
        }
      }))

    it.effect(`ends no stream that takes at once: ${count} items of ${size} characters, each by a fiber of its own`, () =>
      Effect.gen(function*() {
        const feed = yield* Feed.make<number>()
        const reader = yield* started(
          Stream.runCollect(Stream.map(Stream.take(feed.stream(), count), ({ value }) => value))
        )
        const numbers = Array.from({ length: count }, (_, number) => number)
        yield* Effect.forEach(numbers, feed.publish, { concurrency: "unbounded", discard: true })
        assert.deepStrictEqual(yield* Fiber.join(reader), numbers)
      }))

    it.effect(`ends no connection whose client reads at once: ${count} texts of ${size} characters`, () =>
      Effect.gen(function*() {
        const { peer, wire } = yield* connect()
        const everyone = yield* Broadcast.make()
        const recipient = yield* everyone.join(peer)
        const params = ["x".repeat(size)]
        for (const told of [everyone, recipient]) {
          for (let number = 0; number < count; number++) yield* told.notify("n", params)
        }
        yield* wire.take(2 * count)
        assert.strictEqual(yield* peer.state, "open")
        assert.deepStrictEqual(yield* everyone.counts, {
          offered: 2 * count,
          delivered: 2 * count,
          dropped: 0,
          waiting: 0
        })
      }))
  }

  it.effect("ends no connection that takes some in each turn, where each text is published by a fiber of its own", () =>
    Effect.gen(function*() {
      const transport: Transport = {
        receive: Effect.never,
        send: () => Effect.callback((resume) => void setImmediate(() => resume(Effect.void))),
        close: Effect.void,
        abort: Effect.void
      }
      const peer = yield* Peer.make(transport, { limits: { drain: 0 } })
      const everyone = yield* Broadcast.make()
      yield* everyone.join(peer)
      const texts = Array.from({ length: 1_000 }, () => ["x".repeat(5_000)])
      yield* Effect.forEach(texts, (text) => everyone.notify("n", text), { concurrency: "unbounded", discard: true })
      yield* settle
      assert.strictEqual(yield* peer.state, "open")
      assert.deepStrictEqual(yield* everyone.counts, { offered: 1_000, delivered: 1_000, dropped: 0, waiting: 0 })
    }))

  it.effect("lets others publish beside one that publishes in a loop", () =>
    Effect.gen(function*() {
      const everyone = yield* Broadcast.make<string>({ slow: "sliding" })
      yield* blocked(everyone, "slow")
      let count = 0
      const publish = Effect.andThen(everyone.notify("n", [1]), Effect.sync(() => count++))
      const loop = yield* started(Effect.forever(publish))
      yield* Effect.repeat(Effect.yieldNow, { times: 20 })
      const before = count
      for (let number = 0; number < 1_000; number++) yield* everyone.notify("n", [2])
      assert.isBelow(count - before, 10_000)
      assert.isAbove(count - before, 10)
      yield* Fiber.interrupt(loop)
    }))

  it.effect("of those who leave ends nobody who watches", () =>
    Effect.gen(function*() {
      const everyone = yield* Broadcast.make({ limits: { changes: 2 } })
      const heard: Array<string> = []
      const watching = yield* started(
        Stream.runForEach(everyone.changes, ({ _tag }) => Effect.sync(() => void heard.push(_tag)))
      )
      const recipients: Array<Broadcast.Recipient<void>> = []
      for (let number = 0; number < 100; number++) {
        const [near] = yield* MemoryTransport.makePair()
        recipients.push(yield* everyone.join(yield* Peer.make(near, { limits: { drain: 0 } })))
        yield* settle
      }
      for (const { leave } of recipients) Effect.runSync(leave)
      yield* settle
      assert.isUndefined(watching.pollUnsafe())
      assert.deepStrictEqual(heard, [...Array(100).fill("Joined"), ...Array(100).fill("Left")])
    }))
})

describe("what is published while others are told", () => {
  it.effect("comes behind, for each of them: also what tells of one whom that ended", () =>
    Effect.gen(function*() {
      const open = yield* Deferred.make<void>()
      const shut: Transport = {
        receive: Effect.never,
        send: () => Deferred.await(open),
        close: Effect.void,
        abort: Effect.void
      }
      const whole = Budget.make(480_000)
      const everyone = yield* Broadcast.make<string>()
      const peerOn = Effect.suspend(() =>
        Effect.provideService(Peer.make(shut, { limits: { drain: 0 } }), Budget.Budget, whole.share())
      )
      const [first, last] = yield* Effect.all([connect(), connect()])
      const [slow, other] = yield* Effect.all([peerOn, peerOn])
      yield* Effect.addFinalizer(() => Deferred.succeed(open, undefined))
      yield* everyone.join(first.peer, "first")
      yield* everyone.join(slow, "slow")
      yield* everyone.join(last.peer, "last")
      // The other one has most of the budget for so long that it makes room for what is written to the slow one.
      yield* started(Effect.ignore(other.notify("n", ["x".repeat(450_000)])))
      yield* settle
      yield* started(Effect.ignore(slow.notify("n", ["x"])))
      yield* settle
      yield* TestClock.adjust("6 seconds")
      yield* settle
      const { outlet } = other.connection as Key
      outlet.onClose(Effect.orDie(everyone.notify("left", ["other"])))
      for (const name of ["one", "two", "three"]) yield* everyone.notify(name, ["x".repeat(30_000)])
      yield* settle
      assert.strictEqual(yield* other.state, "closed")
      const methods = methodsOf(first.wire.received)
      assert.sameMembers(methods, ["one", "two", "three", "left"])
      assert.deepStrictEqual(methodsOf(last.wire.received), methods)
    }))
})
