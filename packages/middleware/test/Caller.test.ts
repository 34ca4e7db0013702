import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { connect, settle, success } from "../../peer/test/wire.ts"
import { Concurrency, Deadline } from "../src/index.ts"

it.effect("a caller can be piped through middleware, and what comes of it, too", () =>
  Effect.gen(function*() {
    const { peer, wire } = yield* connect()
    const caller = peer.pipe(Concurrency.caller(1)).pipe(Deadline.caller("1 second"))
    const calls = yield* Effect.forkChild(Effect.all([caller.request("a"), Effect.flip(caller.request("b"))], {
      concurrency: "unbounded"
    }))
    assert.deepStrictEqual(yield* wire.take(1), [{ jsonrpc: "2.0", id: 1, method: "a" }])
    yield* settle
    assert.strictEqual(wire.received.length, 1)
    yield* wire.send(success(1, "done"))
    yield* settle
    yield* TestClock.adjust("1010 millis")
    const [done, late] = yield* Effect.flatMap(Effect.void, () => calls.pollUnsafe() ?? Effect.die("it waits"))
    assert.strictEqual(done, "done")
    assert.strictEqual(late._tag, "RequestTimeout")
  }))
