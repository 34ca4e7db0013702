/** Calls that get more time, and calls that know their id. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import type { CallOptions } from "../src/Caller.ts"
import * as Exchange from "../src/shared/Exchange.ts"
import { connect, notification, settle } from "./wire.ts"

const silent = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, Logger.layer([]))

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
    it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, for progress gives no time", () =>
      Effect.gen(function*() {
        const { call, report } = yield* begin({ timeout: "10 seconds", onProgress: () => {} })
        yield* TestClock.adjust("8 seconds")
        yield* report
        yield* TestClock.adjust("2010 millis")
        assert.deepInclude(yield* Fiber.join(call), { _tag: "RequestTimeout", milliseconds: 10_000 })
      }))

    it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, with the time that its caller gives", () =>
      Effect.gen(function*() {
        const given = [3_000, 0.5, 0]
        const { call } = yield* begin({ timeout: "10 seconds", extend: () => given.shift() ?? 0 })
        yield* TestClock.adjust("10010 millis")
        assert.strictEqual(given.length, 2)
        yield* TestClock.adjust("2980 millis")
        assert.isUndefined(call.pollUnsafe())
        yield* TestClock.adjust("50 millis")
        assert.deepInclude(yield* Fiber.join(call), { _tag: "RequestTimeout", milliseconds: 10_000 })
        assert.strictEqual(given.length, 0)
      }))

    it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, where its caller throws instead of giving time", () =>
      silent(Effect.gen(function*() {
        const { call } = yield* begin({
          timeout: "10 seconds",
          extend: () => {
            throw new Error("extend")
          }
        })
        yield* TestClock.adjust("10010 millis")
        assert.deepInclude(yield* Fiber.join(call), { _tag: "RequestTimeout", milliseconds: 10_000 })
      })))

    it.effect("promise 16: ids start at 1 and are never reused, and a call is told its own", () =>
      Effect.gen(function*() {
        const ids: Array<string | number> = []
        const { call } = yield* begin({ onId: (id) => ids.push(id) })
        assert.deepStrictEqual(ids, [1])
        yield* Fiber.interrupt(call)
      }))
  })
}
