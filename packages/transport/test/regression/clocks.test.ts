/** Times that something may take are measured on the monotonic clock: setting the wall clock changes none of them. */
import { assert, describe, it } from "@effect/vitest"
import { Framing } from "@parley/protocol"
import { FramedTransport } from "@parley/transport"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Wire from "../support/wire.ts"

describe("partialFrame", () => {
  it.effect("is the same when the wall clock is set back by an hour while a frame is unfinished", () =>
    Effect.gen(function*() {
      const clock = yield* TestClock.testClockWith((clock) => Effect.succeed(clock))
      let setBack = 0
      const set: Clock.Clock = {
        ...clock,
        currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() - setBack
      }
      const wire = Wire.make()
      const reader = yield* Effect.gen(function*() {
        const transport = yield* FramedTransport.fromBytes(wire, {
          framing: Framing.line,
          limits: { partialFrame: 1_000 }
        })
        return yield* Effect.forkChild(Effect.flip(transport.receive), { startImmediately: true })
      }).pipe(Effect.provideService(Clock.Clock, set))
      yield* wire.bring("{")
      setBack = 3_600_000
      yield* TestClock.adjust(1_000)
      const end = reader.pollUnsafe()
      assert.isDefined(end)
      assert.strictEqual((yield* Fiber.join(reader)).reason._tag, "FrameTimeout")
    }))
})
