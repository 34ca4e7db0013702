/** A reconnecting caller after a server that shut down in order. */
import { assert, describe, it } from "@effect/vitest"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { transportError } from "@parley/transport/Transport"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ErrorResponse, Peer, Reconnecting, Router } from "../../src/index.ts"
import { settle } from "../wire.ts"

/** Opens connections to a server that refuses each call because it shuts down. */
const draining = Effect.map(Router.make(), (router) =>
  Effect.gen(function*() {
    yield* Effect.ignore(router.add("a", () => Effect.fail(ErrorResponse.notStarted())))
    const [near, far] = yield* MemoryTransport.makePair()
    yield* Peer.make(far, { router, limits: { drain: 0 } })
    return near
  }))

describe("after a server that shuts down in order", () => {
  it.effect("the next attempt comes within a second, also where attempts have failed before", () =>
    Effect.gen(function*() {
      const connect = yield* draining
      let failures = 8
      const open = Effect.suspend(() =>
        failures-- > 0 ? Effect.fail(transportError({ _tag: "Open", cause: new Error("nobody listens") })) : connect
      )
      const caller = yield* Reconnecting.make({ open, limits: { drain: 0 } })
      for (let second = 0; second < 60 && (yield* caller.state)._tag !== "Connected"; second++) {
        yield* TestClock.adjust("1 second")
        yield* settle
      }
      assert.strictEqual((yield* caller.state)._tag, "Connected")
      yield* Effect.forkChild(Effect.ignore(caller.request("a")), { startImmediately: true })
      yield* settle
      const state = yield* caller.state
      assert.isTrue(state._tag === "Waiting" && state.reason._tag === "ShuttingDown" && state.milliseconds < 1_000)
    }))

  it.effect("its connection is left within `Limits.drain`, also where no other follows", () =>
    Effect.gen(function*() {
      let released = false
      const connect = yield* draining
      const open = Effect.andThen(
        Effect.addFinalizer(() =>
          Effect.sync(() => {
            released = true
          })
        ),
        connect
      )
      const isWorth = ({ _tag }: { readonly _tag: string }) => _tag !== "ShuttingDown"
      const caller = yield* Reconnecting.make({ open, while: isWorth, limits: { drain: 1_000 } })
      yield* settle
      yield* Effect.flip(caller.request("a"))
      yield* settle
      assert.strictEqual((yield* caller.state)._tag, "Closed")
      assert.isFalse(released)
      yield* TestClock.adjust("1 second")
      yield* settle
      assert.isTrue(released)
    }))
})
