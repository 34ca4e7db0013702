/** Calls whose progress gives them time, and calls that know their id. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as CallClock from "../src/CallClock.ts"
import type { CallOptions } from "../src/Caller.ts"
import * as Exchange from "../src/Exchange.ts"
import { connect, notification, settle } from "./wire.ts"

const options: CallOptions = { timeout: "10 seconds", maxTimeout: "25 seconds", onProgress: () => {} }

/** A call over a peer, and what reports its progress. */
const overPeer = (options: CallOptions) =>
  Effect.gen(function*() {
    const { peer, wire } = yield* connect()
    const call = yield* Effect.forkChild(Effect.flip(peer.request("slow", {}, options)))
    yield* settle
    return { call, report: wire.send(notification("$/progress", { token: "progress-1", value: 1 })) }
  })

/** The same over exchanges. */
const overExchange = (options: CallOptions) =>
  Effect.gen(function*() {
    let deliver: (text: string) => unknown = () => {}
    const caller = yield* Exchange.makeCaller({
      post: (_, take) =>
        Effect.suspend(() => {
          deliver = take
          return Effect.never
        })
    })
    const call = yield* Effect.forkChild(Effect.flip(caller.request("slow", {}, options)))
    yield* settle
    return { call, report: Effect.sync(() => deliver(notification("$/progress", { token: "progress-1", value: 1 }))) }
  })

for (const [wire, begin] of [["a peer", overPeer], ["exchanges", overExchange]] as const) {
  describe(`a call over ${wire}`, () => {
    it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, with the time that progress gives", () =>
      Effect.gen(function*() {
        const { call, report } = yield* begin(options)
        for (let turn = 0; turn < 3; turn++) {
          yield* TestClock.adjust("8 seconds")
          assert.strictEqual(call.pollUnsafe(), undefined)
          yield* report
          yield* settle
        }
        yield* TestClock.adjust("990 millis")
        assert.strictEqual(call.pollUnsafe(), undefined)
        yield* TestClock.adjust("20 millis")
        assert.deepInclude(yield* Fiber.join(call), { _tag: "RequestTimeout", milliseconds: 25_000 })
      }))

    it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, when its clock has stood still", () =>
      Effect.gen(function*() {
        const clock = yield* CallClock.make
        const { call, report } = yield* begin({ ...options, clock })
        yield* TestClock.adjust("8 seconds")
        const [first, second] = [clock.stop(), clock.stop()]
        yield* TestClock.adjust("1 minute")
        first()
        first()
        yield* TestClock.adjust("1 minute")
        second()
        // Two seconds are left of ten.
        yield* TestClock.adjust("1980 millis")
        assert.strictEqual(call.pollUnsafe(), undefined)
        yield* report
        yield* settle
        // Progress gives ten seconds anew, of which the clock stands still for five.
        yield* TestClock.adjust("1 second")
        const third = clock.stop()
        yield* TestClock.adjust("5 seconds")
        third()
        yield* TestClock.adjust("8980 millis")
        assert.strictEqual(call.pollUnsafe(), undefined)
        yield* TestClock.adjust("50 millis")
        assert.deepInclude(yield* Fiber.join(call), { _tag: "RequestTimeout", milliseconds: 10_000 })
      }))

    it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, when it ends while its clock stands still", () =>
      Effect.gen(function*() {
        const clock = yield* CallClock.make
        const { call } = yield* begin({ ...options, clock })
        const start = clock.stop()
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(call.pollUnsafe(), undefined)
        yield* Fiber.interrupt(call)
        start()
        yield* TestClock.adjust("1 minute")
      }))

    it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, after its own time where progress may give less", () =>
      Effect.gen(function*() {
        for (const maxTimeout of ["5 seconds", "10 seconds"] as const) {
          const { call, report } = yield* begin({ ...options, maxTimeout })
          yield* TestClock.adjust("4 seconds")
          yield* report
          yield* settle
          yield* TestClock.adjust("5990 millis")
          assert.isUndefined(call.pollUnsafe())
          yield* TestClock.adjust("20 millis")
          assert.deepInclude(yield* Fiber.join(call), { _tag: "RequestTimeout", milliseconds: 10_000 })
        }
      }))

    it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, after its own time without progress", () =>
      Effect.gen(function*() {
        const { call, report } = yield* begin(options)
        yield* TestClock.adjust("8 seconds")
        yield* report
        yield* settle
        yield* TestClock.adjust("9990 millis")
        assert.strictEqual(call.pollUnsafe(), undefined)
        yield* TestClock.adjust("20 millis")
        assert.deepInclude(yield* Fiber.join(call), { _tag: "RequestTimeout", milliseconds: 10_000 })
      }))

    it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, for progress alone gives no time", () =>
      Effect.gen(function*() {
        const { call, report } = yield* begin({ timeout: "10 seconds", onProgress: () => {} })
        yield* TestClock.adjust("8 seconds")
        yield* report
        yield* TestClock.adjust("2010 millis")
        assert.deepInclude(yield* Fiber.join(call), { _tag: "RequestTimeout", milliseconds: 10_000 })
      }))

    it.effect("promise 16: ids start at 1 and are never reused, and a call is told its own", () =>
      Effect.gen(function*() {
        const ids: Array<string | number> = []
        const { call } = yield* begin({ onId: (id) => ids.push(id) })
        assert.deepStrictEqual(ids, [1])
        yield* Fiber.interrupt(call)
      }))
  })
}

describe("the time of calls", () => {
  it.effect("stands still while an effect runs, and goes on where that is interrupted", () =>
    Effect.gen(function*() {
      const clock = yield* CallClock.make
      const running = yield* Effect.forkChild(CallClock.stopDuring(clock, Effect.never), { startImmediately: true })
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(clock.stopped(), 60_000)
      yield* Fiber.interrupt(running)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(clock.stopped(), 60_000)
      assert.strictEqual(yield* CallClock.stopDuring(clock, Effect.succeed("done")), "done")
    }))
})
