/** Requests whose deadlines progress extends, and that stand still while a person is asked. */
import { assert, describe, it } from "@effect/vitest"
import type * as Caller from "@parley/peer/Caller"
import * as Peer from "@parley/peer/Peer"
import { MemoryTransport } from "@parley/transport"
import { Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as CallClock from "../../src/client/CallClock.ts"
import type { McpClientTransport, TransportCallOptions } from "../../src/client/McpClientTransport.ts"
import { timed, type TimedCallOptions } from "../../src/internal/client/requests/CallDeadlines.ts"
import * as Scripted from "./scripted.ts"

const options: TimedCallOptions = { timeout: "10 seconds", maxTimeout: "25 seconds", onProgress: () => {} }

/** A request to a server that says nothing but the progress, and what the transport was asked for. */
const begin = (options: TimedCallOptions) =>
  Effect.gen(function*() {
    const clock = yield* CallClock.make
    const [near, far] = yield* MemoryTransport.makePair()
    const peer = yield* Peer.make(near)
    const asked: Array<TransportCallOptions | undefined> = []
    const inner = {
      request: (method: string, params: undefined, given?: TransportCallOptions) => {
        asked.push(given)
        return peer.request(method, params ?? {}, given)
      }
      // The rest of a transport has no deadlines.
    } as unknown as McpClientTransport
    const transport = timed(inner, clock, 30_000)
    const call = yield* Effect.forkChild(Effect.flip(transport.request("slow", {}, options)), {
      startImmediately: true
    })
    yield* Scripted.settle
    const progress = { jsonrpc: "2.0", method: "$/progress", params: { token: "progress-1", value: 1 } }
    const report = Effect.andThen(far.send([JSON.stringify(progress)]), Scripted.settle)
    return { asked, call, clock, report }
  })

const overAfter = (call: Fiber.Fiber<unknown, unknown>, milliseconds: number) =>
  Effect.gen(function*() {
    yield* TestClock.adjust(milliseconds - 10)
    assert.isUndefined(call.pollUnsafe())
    yield* TestClock.adjust(20)
    assert.isDefined(call.pollUnsafe())
  })

const failed = (call: Fiber.Fiber<unknown, unknown>, milliseconds: number) =>
  Effect.map(Fiber.join(call), (error) =>
    assert.deepInclude(error as Caller.RequestTimeout, {
      _tag: "RequestTimeout",
      method: "slow",
      id: 1,
      milliseconds
    }))

describe("the deadline of a request", () => {
  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, with the time that progress gives", () =>
    Effect.gen(function*() {
      const { call, report } = yield* begin(options)
      for (let turn = 0; turn < 3; turn++) {
        yield* TestClock.adjust("8 seconds")
        assert.isUndefined(call.pollUnsafe())
        yield* report
      }
      yield* overAfter(call, 1_000)
      yield* failed(call, 25_000)
    }))

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, when its clock has stood still", () =>
    Effect.gen(function*() {
      const { call, clock, report } = yield* begin(options)
      yield* TestClock.adjust("8 seconds")
      const [first, second] = [clock.stop(), clock.stop()]
      yield* TestClock.adjust("1 minute")
      first()
      first()
      yield* TestClock.adjust("1 minute")
      second()
      // Two seconds are left of ten.
      yield* TestClock.adjust("1980 millis")
      assert.isUndefined(call.pollUnsafe())
      yield* report
      // Progress gives ten seconds anew, of which the clock stands still for five.
      yield* TestClock.adjust("1 second")
      const third = clock.stop()
      yield* TestClock.adjust("5 seconds")
      third()
      yield* overAfter(call, 9_000)
      yield* failed(call, 10_000)
    }))

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, when its clock stopped at the last moment", () =>
    Effect.gen(function*() {
      const { call, clock } = yield* begin(options)
      yield* TestClock.adjust("9995 millis")
      const start = clock.stop()
      yield* TestClock.adjust("1 minute")
      assert.isUndefined(call.pollUnsafe())
      start()
      yield* TestClock.adjust("110 millis")
      yield* failed(call, 10_000)
    }))

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, after its own time where progress may give less", () =>
    Effect.gen(function*() {
      for (const maxTimeout of ["5 seconds", "10 seconds"] as const) {
        const { call, report } = yield* begin({ ...options, maxTimeout })
        yield* TestClock.adjust("4 seconds")
        yield* report
        yield* overAfter(call, 6_000)
        yield* failed(call, 10_000)
      }
    }))

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, after its own time without further progress", () =>
    Effect.gen(function*() {
      const { call, report } = yield* begin(options)
      yield* TestClock.adjust("8 seconds")
      yield* report
      yield* overAfter(call, 10_000)
      yield* failed(call, 10_000)
    }))

  it.effect("is not that of a request that waits for ever", () =>
    Effect.gen(function*() {
      const given = { timeout: Duration.infinity, maxTimeout: "1 minute" } as const
      const { asked, call } = yield* begin(given)
      assert.strictEqual(asked[0], given)
      yield* TestClock.adjust("1 hour")
      assert.isUndefined(call.pollUnsafe())
    }))

  it.effect("is the plain one of a request that names none, and stands still without a maximum, too", () =>
    Effect.gen(function*() {
      const { call, clock } = yield* begin({})
      const start = clock.stop()
      yield* TestClock.adjust("1 minute")
      start()
      yield* overAfter(call, 30_000)
      yield* failed(call, 30_000)
    }))
})

describe("the time of calls", () => {
  it.effect("stands still while an effect runs, and goes on where that is interrupted", () =>
    Effect.gen(function*() {
      const clock = yield* CallClock.make
      const begun = clock.now()
      const running = yield* Effect.forkChild(CallClock.stopDuring(clock, Effect.never), { startImmediately: true })
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(clock.now() - begun, 0)
      assert.isTrue(clock.isStopped())
      yield* Fiber.interrupt(running)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(clock.now() - begun, 60_000)
      assert.strictEqual(yield* CallClock.stopDuring(clock, Effect.succeed("done")), "done")
      assert.isFalse(clock.isStopped())
    }))
})
