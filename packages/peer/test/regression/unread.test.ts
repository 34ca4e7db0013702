/** Replies that nobody read were counted, and ended nothing: many connections with one large reply each were too much. */
import { assert, it } from "@effect/vitest"
import { Budget } from "@parley/transport/shared"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Peer } from "../../src/index.ts"
import { request, routerOf, settle } from "../wire.ts"

/** The guarantee of a connection is 100. */
const limit = 8_192 * 100

/**
 * A peer with a share of a budget, which is asked for results of these parts of the budget. Its other side reads
 * nothing until it is told to.
 */
const asked = (budget: Budget.Budget, ...parts: ReadonlyArray<number>) =>
  Effect.gen(function*() {
    const texts = parts.map((part, id) => request(id, "large", [part]))
    const more = yield* Deferred.make<string>()
    const reads = yield* Deferred.make<void>()
    const share = budget.share()
    let count = 0
    const peer = yield* Effect.provideService(
      Peer.make({
        receive: Effect.suspend(() =>
          count < texts.length
            ? Effect.succeed([texts[count++] ?? ""] as const)
            : count++ === texts.length
            ? Effect.map(Deferred.await(more), (text) => [text] as const)
            : Effect.never
        ),
        send: () => Deferred.await(reads),
        close: Effect.void
      }, {
        router: yield* routerOf({
          large: ({ params }) => Effect.succeed("x".repeat(Object.values(params ?? [0]).map(Number)[0] ?? 0)),
          hang: () => Effect.never
        }),
        limits: { drain: 0 }
      }),
      Budget.Budget,
      share
    )
    yield* settle
    return {
      share,
      state: peer.state,
      reason: peer.disconnected,
      /** The other side reads everything. */
      read: Effect.andThen(Deferred.succeed(reads, undefined), settle),
      /** One more request comes. */
      ask: (text: string) => Effect.andThen(Deferred.succeed(more, text), settle)
    }
  })

const part = (of: number) => Math.floor(of * limit)

const overrun = { _tag: "Overrun" } as const

it.effect("promise 17: calls beyond the in-flight limit wait in a bounded inbox, and a spent budget ends the connection that has taken nothing for five seconds, and no other", () =>
  Effect.gen(function*() {
    const budget = Budget.make(limit)
    const old = yield* asked(budget, part(0.5))
    yield* TestClock.adjust("4 seconds")
    const young = yield* asked(budget, part(0.58))
    assert.isTrue(budget.taken() > limit)
    assert.deepStrictEqual([yield* old.state, yield* young.state], ["open", "open"])
    yield* TestClock.adjust("1100 millis")
    assert.deepStrictEqual(yield* old.reason, overrun)
    assert.strictEqual(yield* young.state, "open")
    assert.isTrue(budget.taken() < limit)
    yield* TestClock.adjust("4 seconds")
    assert.strictEqual(yield* young.state, "open")
    yield* young.read
  }))

it.effect("promise 17: calls beyond the in-flight limit wait in a bounded inbox, and a budget that is spent with its guarantees waits for nobody but the writer", () =>
  Effect.gen(function*() {
    const budget = Budget.make(limit)
    const light = yield* asked(budget, part(0.4))
    const heavy = yield* asked(budget, part(0.5))
    const writer = yield* asked(budget, part(0.7))
    assert.deepStrictEqual(yield* heavy.reason, overrun)
    assert.deepStrictEqual([yield* light.state, yield* writer.state], ["open", "open"])
    yield* light.read
    yield* writer.read
  }))

it.effect("promise 17: calls beyond the in-flight limit wait in a bounded inbox, and what is added for a side that has taken nothing for long ends its connection at once", () =>
  Effect.gen(function*() {
    const budget = Budget.make(limit)
    const peer = yield* asked(budget, part(0.5))
    yield* TestClock.adjust("6 seconds")
    assert.strictEqual(yield* peer.state, "open")
    yield* peer.ask(request(7, "large", [part(0.51)]))
    assert.deepStrictEqual(yield* peer.reason, overrun)
  }))

it.effect("promise 17: calls beyond the in-flight limit wait in a bounded inbox, and who has read what was written for it is not ended for what others leave", () =>
  Effect.gen(function*() {
    const budget = Budget.make(limit)
    const reader = yield* asked(budget, part(0.1))
    yield* TestClock.adjust("6 seconds")
    yield* reader.read
    reader.share.take(part(0.6))
    const other = yield* asked(budget, part(0.41))
    assert.deepStrictEqual([yield* reader.state, yield* other.state], ["open", "open"])
    yield* TestClock.adjust("6 seconds")
    assert.deepStrictEqual(yield* other.reason, overrun)
    assert.strictEqual(yield* reader.state, "open")
  }))

it.effect("promise 18: callers suspend on a full outbox: a write that makes no progress ends the connection in its time, where the budget has room", () =>
  Effect.gen(function*() {
    const peer = yield* asked(Budget.make(limit), part(0.1))
    yield* TestClock.adjust("29900 millis")
    assert.strictEqual(yield* peer.state, "open")
    yield* TestClock.adjust("200 millis")
    assert.deepStrictEqual(yield* peer.reason, { _tag: "WriteStalled" })
  }))

it.effect("promise 17: calls beyond the in-flight limit wait in a bounded inbox, and short replies weigh what they take", () =>
  Effect.gen(function*() {
    const peer = yield* asked(Budget.make(limit), ...Array.from({ length: 100 }, () => 1))
    assert.isAbove(peer.share.taken(), 100 * 150)
    yield* peer.read
    assert.strictEqual(peer.share.taken(), 0)
  }))
