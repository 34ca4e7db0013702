import { assert, it } from "@effect/vitest"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as stalls from "../../src/internal/proxy/stalls.ts"

it.effect("a write that does not end is the end of its connection, and no sooner than its limit", () =>
  Effect.gen(function*() {
    const [near] = yield* MemoryTransport.makePair({ capacity: 0 })
    const bounded = stalls.bounded(near, 500)
    const sending = yield* Effect.forkChild(Effect.flip(bounded.send(["nobody reads"])))
    yield* TestClock.adjust(499)
    assert.isUndefined(sending.pollUnsafe())
    yield* TestClock.adjust(1)
    assert.strictEqual((yield* Fiber.join(sending)).message, "the connection was lost: the other side does not read")
  }))
