/** What a caller gave its call, and threw, stopped the deadlines of others or left the call waiting. */
import { assert, describe, it } from "@effect/vitest"
import * as Transport from "@parley/transport/Transport"
import { Clock, Context, Duration, Effect, Fiber, Logger, Schedule } from "effect"
import { TestClock } from "effect/testing"
import { Correlator, Reconnecting } from "../../src/index.ts"
import { DeadlineQueue, Timer } from "../../src/internal/timer/DeadlineQueue.ts"
import { Exchange } from "../../src/shared/index.ts"
import * as sleeps from "../sleeps.ts"
import { connect, settle, success } from "../wire.ts"

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

const silent = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, Logger.layer([]))

describe("a deadline", () => {
  it.effect("promise 21: no timer without need: what throws while a call waits for a connection stops no other deadline", () =>
    silent(Effect.gen(function*() {
      const caller = yield* Reconnecting.make({ open: Effect.never })
      const context = yield* Effect.context<never>()
      Effect.runForkWith(context)(caller.request("a", [], { timeout: 20 })).addObserver(() => {
        throw new Error("observer")
      })
      yield* TestClock.adjust(100)
      const second = yield* started(Effect.flip(caller.request("b", [], { timeout: 50 })))
      yield* TestClock.adjust(100)
      yield* settle
      assert.isDefined(second.pollUnsafe())
      assert.strictEqual((yield* Fiber.join(second))._tag, "RequestTimeout")
    })))

  it.effect("promise 21: no timer without need: none is left where a deadline clears its queue, and sets one that is cancelled", () =>
    Effect.gen(function*() {
      const { clock, counts } = yield* sleeps.counted
      const deadlines = new DeadlineQueue(Context.make(Clock.Clock, clock))
      const later = new Timer(() => {})
      let expired = 0
      const again = new Timer(() => expired++)
      deadlines.set(
        new Timer(() => {
          deadlines.clear()
          deadlines.set(later, 60_000)
          deadlines.cancel(later)
        }),
        10
      )
      yield* TestClock.adjust(100)
      yield* settle
      assert.strictEqual(counts.asleep, 0)
      deadlines.set(again, 10)
      yield* TestClock.adjust(100)
      yield* settle
      assert.deepStrictEqual([expired, counts.asleep], [1, 0])
    }))

  it.effect("promise 7: a call ends exactly once, though `onTimeout` throws", () =>
    silent(Effect.gen(function*() {
      const correlator = yield* Correlator.make({
        onTimeout: () => {
          throw new Error("onTimeout")
        }
      })
      const ended: Array<string> = []
      for (const method of ["first", "second"]) {
        correlator.register({ method, timeout: 30, resume: () => void ended.push(method) })
        yield* TestClock.adjust(100)
      }
      assert.deepStrictEqual(ended, ["first", "second"])
      assert.strictEqual(correlator.size(), 0)
    })))

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, however long it waits, where its options are wrong", () =>
    silent(Effect.gen(function*() {
      const { peer, wire } = yield* connect({}, { limits: { waiting: 1 }, timeout: Duration.infinity })
      const onId = () => {
        throw new Error("onId")
      }
      const wrong = [{ onId }, { timeout: "5 minuts" as never }]
      for (const options of wrong) {
        assert.strictEqual((yield* Effect.exit(peer.request("m", [], options)))._tag, "Failure")
      }
      // One that were still registered would leave no room for the next.
      const call = yield* started(peer.request("m"))
      const [{ id }] = (yield* wire.take(1)) as readonly [{ readonly id: number }]
      yield* wire.send(success(id, "done"))
      assert.strictEqual(yield* Fiber.join(call), "done")
      assert.strictEqual(wire.received.length, 1)
    })))
})

describe("a schedule", () => {
  for (const steady of [1, 0]) {
    it.effect(`does not start over after an attempt that failed, where a connection is steady after ${steady} ms`, () =>
      Effect.gen(function*() {
        let attempts = 0
        const caller = yield* Reconnecting.make({
          open: Effect.suspend(() => {
            attempts++
            return Effect.fail(Transport.transportError({ _tag: "Open", cause: "refused" }))
          }),
          schedule: Schedule.recurs(2),
          steady
        })
        yield* settle
        assert.strictEqual((yield* caller.state)._tag, "Closed")
        assert.strictEqual(attempts, 3)
      }))
  }
})

describe("an exchange that throws", () => {
  const calling = (post: Exchange.Exchange["post"]) => Exchange.makeCaller({ post }, { cancel: "notify" })

  it.effect("promise 9: closing ends every call with Disconnected, as does what an exchange throws", () =>
    silent(Effect.gen(function*() {
      const cause = new Error("the wire")
      const caller = yield* calling(() => {
        throw cause
      })
      for (
        const call of [caller.request("m"), caller.notify("m"), caller.batch([{ method: "m", notification: true }])]
      ) {
        assert.deepInclude(yield* Effect.flip(call as typeof call & Effect.Effect<unknown, never>), {
          _tag: "Disconnected",
          reason: { _tag: "Lost", cause }
        })
      }
    })))

  it.effect("promise 7: a call ends exactly once, at its timeout, though the cancellation cannot be posted", () =>
    silent(Effect.gen(function*() {
      let posts = 0
      const caller = yield* calling(() => {
        if (posts++ > 0) throw new Error("the wire")
        return Effect.never
      })
      const call = yield* started(Effect.flip(caller.request("m", {}, { timeout: 30 })))
      yield* TestClock.adjust(50)
      yield* settle
      assert.isDefined(call.pollUnsafe())
      assert.strictEqual((yield* Fiber.join(call))._tag, "RequestTimeout")
      assert.strictEqual(posts, 2)
    })))

  it.effect("promise 12: the receive loop waits for nothing but the transport: a call lets go on what a pause held before", () =>
    Effect.gen(function*() {
      let asked = ""
      const side = yield* Exchange.make({
        post: (text) => {
          asked = text
          return Effect.never
        }
      })
      side.caller.pause()
      const stream = yield* started(Effect.gen(function*() {
        yield* side.take(`{"jsonrpc":"2.0","method":"item"}`) ?? Effect.void
        yield* settle
        yield* side.take(success(JSON.parse(asked).id, "there")) ?? Effect.void
      }))
      yield* settle
      assert.isUndefined(stream.pollUnsafe())
      const call = yield* started(side.caller.request("m"))
      yield* settle
      assert.isDefined(call.pollUnsafe())
      assert.strictEqual(yield* Fiber.join(call), "there")
    }))
})
