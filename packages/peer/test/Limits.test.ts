/** Bounds that no promise names: what lies beyond them is answered, and never grows. */
import { assert, describe, it } from "@effect/vitest"
import { Budget } from "@parley/transport/shared"
import { Effect, Fiber } from "effect"
import { connect, failure, notification, request, settle, success } from "./wire.ts"

const echo = (call: { readonly params: unknown }) => Effect.succeed(call.params as never)

describe("beyond a limit", () => {
  it.effect("a reply to a batch that grows too large becomes an error, with its id", () =>
    Effect.gen(function*() {
      const { wire } = yield* connect({ echo }, { limits: { batchReply: 100 } })
      yield* wire.send(
        `[${request(1, "echo", ["short"])},${request(2, "echo", ["x".repeat(100)])},${request(3, "none")}]`
      )
      assert.deepStrictEqual(yield* wire.take(1), [[
        { jsonrpc: "2.0", id: 1, result: ["short"] },
        failure(2, -32001, "Batch reply too large"),
        failure(3, -32001, "Batch reply too large")
      ]])
    }))

  it.effect("a call of ours is refused when too many wait", () =>
    Effect.gen(function*() {
      const { peer } = yield* connect({}, { limits: { waiting: 2 } })
      const calls = yield* Effect.forEach([1, 2], () => Effect.forkChild(peer.request("m"), { startImmediately: true }))
      assert.deepInclude(yield* Effect.flip(peer.request("m")), { _tag: "Overloaded", limit: 2 } as const)
      const [refused] = yield* peer.batch([{ method: "m" }])
      assert.deepInclude(refused, { _tag: "Failure" } as const)
      yield* Fiber.interruptAll(calls)
    }))

  it.effect("arguments that JSON cannot carry are refused before anything is sent", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect()
      const cycle: Array<never> = []
      cycle.push(cycle as never)
      const refused = { _tag: "InvalidArguments" } as const
      assert.deepInclude(yield* Effect.flip(peer.request("m", cycle)), { ...refused, method: "m" })
      assert.deepInclude(yield* Effect.flip(peer.notify("n", cycle)), { ...refused, method: "n" })
      assert.deepInclude(yield* Effect.flip(peer.batch([{ method: "m" }, { method: "n", params: cycle }])), refused)
      const many = Array.from({ length: 1001 }, () => ({ method: "m" }))
      assert.deepInclude(yield* Effect.flip(peer.batch(many)), refused)
      yield* settle
      assert.deepStrictEqual(wire.received, [])
    }))

  it.effect("a spent budget of a listener stops the reading on every connection, until there is room", () =>
    Effect.gen(function*() {
      const budget = Budget.make(1000)
      const shared = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideService(effect, Budget.Budget, budget)
      const busy = yield* shared(connect({ note: () => Effect.never }))
      const other = yield* shared(connect({ echo }))
      yield* busy.wire.send(notification("note"), notification("note", ["x".repeat(1000)]))
      yield* settle
      assert.isTrue(budget.isSpent())
      yield* other.wire.send(request(1, "echo", []))
      yield* settle
      assert.deepStrictEqual(other.wire.received, [])
      // A call of ours reads on, because its response may lie behind: then what has no room is refused.
      const call = yield* Effect.forkChild(other.peer.request("m"), { startImmediately: true })
      assert.deepStrictEqual(yield* other.wire.take(1), [failure(1, -32000, "Overloaded")])
      yield* busy.wire.transport.close
      yield* Effect.forkChild(busy.peer.shutdown)
      yield* settle
      assert.isFalse(budget.isSpent())
      // The call of ours that waited for room is written now.
      assert.deepStrictEqual((yield* other.wire.take(2))[1], { jsonrpc: "2.0", id: 1, method: "m" })
      yield* other.wire.send(success(1, "done"))
      assert.strictEqual(yield* Fiber.join(call), "done")
      yield* settle
      assert.strictEqual(budget.taken(), 0)
    }))
})
