/** A wait of 0 took up to 5 ms where the clock stood between two of the times that deadlines are rounded up to. */
import { assert, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { connect, notification, request, settle, success } from "../wire.ts"

it.effect("a notification holds back nothing where its limit is 0, however many run", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(1)
    let running = 0
    const handlers = {
      note: () => Effect.andThen(Effect.sync(() => void running++), Effect.never),
      ask: () => Effect.succeed(running)
    }
    const { wire } = yield* connect(handlers, { limits: { notification: 0 } })
    yield* wire.send(...Array.from({ length: 100 }, () => notification("note")), request(1, "ask"))
    yield* settle
    assert.deepStrictEqual(wire.received, [JSON.parse(success(1, 100))])
  }))

it.effect("a call with a timeout of 0 has ended before it is written, whatever the clock says", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(1)
    const { peer, wire } = yield* connect()
    const exit = yield* Effect.exit(peer.request("ask", [], { timeout: 0 }))
    assert.isTrue(Exit.isFailure(exit))
    yield* settle
    assert.deepStrictEqual(wire.received, [])
  }))
