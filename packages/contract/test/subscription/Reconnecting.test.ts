/** Typed subscriptions over one connection after the other. */
import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { Caller, Peer, Reconnecting } from "@parley/peer"
import { MemoryTransport } from "@parley/transport"
import { Effect, Schedule, Stream } from "effect"
import { TestClock } from "effect/testing"
import { notification, parsed, request, routerOf, settle, success } from "../wire.ts"
import { consuming, Feed, item, partial, tagsOf } from "./feed.ts"
import { dates, Feed as Dates, giving } from "./publisher.ts"

/** A caller that connects again after a second, and the raw other side of each connection. */
const connecting = Effect.gen(function*() {
  const lines: Array<Line> = []
  const open = Effect.gen(function*() {
    const [ours, theirs] = yield* MemoryTransport.makePair()
    const received: Array<unknown> = []
    yield* Effect.forkScoped(Effect.ignore(Effect.forever(Effect.map(theirs.receive, (texts) => {
      received.push(...texts.map((text) => JSON.parse(String(text))))
    }))))
    const send: Line["send"] = (...texts) => Effect.andThen(Effect.orDie(theirs.send(texts)), settle)
    lines.push({ received, send, cut: Effect.andThen(theirs.close, settle) })
    return ours
  })
  const caller = yield* Reconnecting.make({ open, schedule: Schedule.spaced("1 second"), limits: { drain: 0 } })
  yield* settle
  const line = (index: number): Line => {
    const found = lines[index]
    assert.isDefined(found, `there is no connection ${index + 1}`)
    return found!
  }
  return { caller, feed: Feed.client(caller), line }
})

interface Line {
  readonly received: ReadonlyArray<unknown>
  readonly send: (...texts: readonly [string, ...Array<string>]) => Effect.Effect<void>
  readonly cut: Effect.Effect<void>
}

const gap = (connection: number) => new Reconnecting.Gap({ connection, reason: { _tag: "EndOfInput" } })

describe("a subscription over a reconnecting caller", () => {
  it.effect("promise 9: closing ends every call with Disconnected: and a stream with its connection, though others follow", () =>
    Effect.gen(function*() {
      const { feed, line } = yield* connecting
      const watch = yield* consuming(feed.watch({ of: "a" }))
      const read = yield* consuming(feed.read({ of: "a" }))
      yield* settle
      yield* line(0).send(success(1, "x"), item("x", 1), partial([2], "partial-2"))
      yield* line(0).cut
      assert.deepStrictEqual([watch.seen[0], read.seen[0]], [1, 2])
      assert.deepStrictEqual([tagsOf(watch.seen), tagsOf(read.seen)], [[1, "Disconnected"], [2, "Disconnected"]])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(line(1).received, [])
    }))

  it.effect("that is resumed subscribes again, and says where it has a gap: by notifications", () =>
    Effect.gen(function*() {
      const { caller, feed, line } = yield* connecting
      const { seen } = yield* consuming(feed.watch({ of: "a" }).pipe(Reconnecting.resume(caller)))
      yield* settle
      yield* line(0).send(success(1, "x"), item("x", 1))
      yield* line(0).cut
      assert.deepStrictEqual(seen, [1])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(line(1).received, [parsed(request(1, "watch", { of: "a" }))])
      yield* line(1).send(item("y", 2), success(1, "y"), item("x", -1), item("y", 3))
      assert.deepStrictEqual(seen, [1, gap(2), 2, 3])
      yield* line(1).send(notification("watched", { subscription: "y", end: true }))
      assert.deepStrictEqual(seen.slice(4), ["end"])
    }))

  it.effect("that is resumed subscribes again, and says where it has a gap: by partial results", () =>
    Effect.gen(function*() {
      const { caller, feed, line } = yield* connecting
      const { seen } = yield* consuming(feed.read({ of: "a" }).pipe(Reconnecting.resume(caller)))
      yield* settle
      yield* line(0).send(partial([1]))
      yield* line(0).cut
      yield* TestClock.adjust("1 second")
      yield* line(1).send(partial([2]), success(1, [3]))
      assert.deepStrictEqual(seen, [1, gap(2), 2, 3, "end"])
    }))

  it.effect("that opens while there is no connection waits for it", () =>
    Effect.gen(function*() {
      const { feed, line } = yield* connecting
      yield* line(0).cut
      const { seen } = yield* consuming(feed.watch({ of: "a" }))
      yield* TestClock.adjust("1 second")
      yield* line(1).send(success(1, "x"), item("x", 1))
      assert.deepStrictEqual(seen, [1])
    }))

  it.effect("a consumer that is slow when the connection is lost does not hold up the next one", () =>
    Effect.gen(function*() {
      const { caller, feed, line } = yield* connecting
      const { seen } = yield* consuming(
        feed.watch({ of: "a" }, { capacity: 1 }).pipe(Reconnecting.resume(caller)),
        (item) => item === 1 ? Effect.sleep("3 seconds") : Effect.void
      )
      yield* settle
      yield* line(0).send(success(1, "x"), item("x", 1), item("x", 2))
      yield* line(0).cut
      yield* TestClock.adjust("1 second")
      const other = yield* consuming(feed.watch({ of: "b" }))
      yield* settle
      yield* line(1).send(success(1, "z"), item("z", 9))
      assert.deepStrictEqual([seen, other.seen], [[1], [9]])
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(seen, [1, 2, gap(2)])
    }))

  it.effect("both sides may be contracts", () =>
    Effect.gen(function*() {
      const router = yield* routerOf(giving(() => Stream.concat(Stream.fromIterable(dates(1, 2)), Stream.never)))
      const cuts: Array<Effect.Effect<void>> = []
      const open = Effect.gen(function*() {
        const [ours, theirs] = yield* MemoryTransport.makePair()
        cuts.push(theirs.close)
        yield* Peer.make(theirs, { router, limits: { drain: 0 } })
        return ours
      })
      const caller = yield* Reconnecting.make({ open, schedule: Schedule.spaced("1 second"), limits: { drain: 0 } })
      const { seen } = yield* consuming(Dates.client(caller).watch({ of: "a" }).pipe(Reconnecting.resume(caller)))
      yield* settle
      yield* cuts[0] ?? Effect.void
      yield* settle
      yield* TestClock.adjust("1 second")
      yield* settle
      assert.deepStrictEqual(seen, [...dates(1, 2), gap(2), ...dates(1, 2)])
    }))

  it.effect("its type has the gaps among its items", () =>
    Effect.gen(function*() {
      const { caller, feed } = yield* connecting
      const watched = feed.watch({ of: "a" })
      const resumed = watched.pipe(Reconnecting.resume(caller))
      expectTypeOf<Stream.Success<typeof resumed>>().toEqualTypeOf<number | Reconnecting.Gap>()
      expectTypeOf<Stream.Error<typeof resumed>>().toEqualTypeOf<Stream.Error<typeof watched>>()
      expectTypeOf<Caller.Disconnected>().toExtend<Stream.Error<typeof resumed>>()
    }))
})
