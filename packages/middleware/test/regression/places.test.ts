/** A call that waited for its place could not be cancelled, and a time of `undefined` switched a `Deadline` off. */
import { assert, describe, it } from "@effect/vitest"
import { Caller } from "@parley/peer"
import { Effect } from "effect"
import { connect, failure, notification, request, settle } from "../../../peer/test/wire.ts"
import { Concurrency, Deadline } from "../../src/index.ts"

describe("a middleware", () => {
  it.effect("that limits handlers lets go of a call that is cancelled while it waits", () =>
    Effect.gen(function*() {
      const { wire } = yield* connect({ hang: Concurrency.handler(1)(() => Effect.never) })
      yield* wire.send(request(1, "hang"), request(2, "hang"))
      yield* settle
      yield* wire.send(notification("$/cancelRequest", { id: 2 }))
      yield* settle
      assert.deepStrictEqual(wire.received, [failure(2, -32800, "Request cancelled")])
    }))

  it.effect("that limits handlers loses no place by such a cancellation", () =>
    Effect.gen(function*() {
      const { wire } = yield* connect({
        run: Concurrency.handler(1)((call) => call.id === 3 ? Effect.succeed("runs") : Effect.never)
      })
      const cancel = (id: number) => notification("$/cancelRequest", { id })
      yield* wire.send(request(1, "run"), request(2, "run"), request(3, "run"))
      yield* settle
      yield* wire.send(cancel(2), cancel(1))
      yield* settle
      assert.deepStrictEqual(wire.received, [
        failure(2, -32800, "Request cancelled"),
        failure(1, -32800, "Request cancelled"),
        { jsonrpc: "2.0", id: 3, result: "runs" }
      ])
    }))

  it.effect("that gives calls a time gives it to those whose own is `undefined`", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const inner = Caller.make({
        request: (_method, _params, options) => Effect.sync(() => (seen.push(options?.timeout), null)),
        notify: () => Effect.void,
        batch: (_members, options) => Effect.sync(() => (seen.push(options?.timeout), [])),
        listen: () => Effect.void,
        pause: () => () => {}
      })
      const caller = Deadline.caller("5 seconds")(inner)
      yield* caller.request("m", undefined, { timeout: undefined })
      yield* caller.batch([], { timeout: undefined })
      yield* caller.request("m", undefined, { timeout: "1 second" })
      assert.deepStrictEqual(seen, ["5 seconds", "5 seconds", "1 second"])
    }))

  it.effect("passes on what it does not change, also to handlers", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({
        hear: Concurrency.handler(1)((call) =>
          Effect.scoped(Effect.as(
            Effect.orDie(call.peer.listen("item", { take: () => true, end: () => {} })),
            typeof call.peer.pause() === "function"
          ))
        )
      })
      for (const caller of [Deadline.caller(10)(peer), Concurrency.caller(1)(peer)]) {
        assert.strictEqual(caller.listen, peer.listen)
        assert.strictEqual(caller.pause, peer.pause)
        assert.strictEqual(caller.notify, peer.notify)
      }
      yield* wire.send(request(1, "hear"))
      assert.deepStrictEqual(yield* wire.take(1), [{ jsonrpc: "2.0", id: 1, result: true }])
    }))
})
