/** Several calls of a contract in one message. */
import { assert, describe, it } from "@effect/vitest"
import { Caller, type Peer } from "@parley/peer"
import { Dialect } from "@parley/protocol"
import { type Duration, Effect, Exit, Fiber, Layer, Result, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Contract, Method, Notification, Subscription } from "../src/index.ts"
import { calling, failure, notification, pair, parsed, request, settle, started, success } from "./wire.ts"

class Insufficient extends Schema.TaggedError<Insufficient>()("Insufficient", { balance: Schema.Finite }) {}

const throwing = Schema.String.check(Schema.makeFilter((text) => {
  if (text === "boom") throw new Error("boom")
  return undefined
}))

class Bank extends Contract.make("Bank", {
  deposit: Method.make({ params: { amount: Schema.Finite }, result: Schema.Finite, deadline: "10 seconds" }),
  withdraw: Method.make({ params: [Schema.Finite], result: Schema.Finite, errors: { 1001: Insufficient } }),
  name: Method.make({ result: throwing, deadline: "1 minute" }),
  note: Notification.make({ params: { text: Schema.String } }),
  events: Subscription.make({ item: Schema.Finite })
}) {}

const live = Bank.toLayer({
  deposit: ({ amount }) => Effect.succeed(amount),
  withdraw: ([amount]) => Effect.fail(new Insufficient({ balance: amount - 1 })),
  name: () => Effect.succeed("the bank"),
  note: () => Effect.void,
  events: () => Effect.never
})

const batchOver = (peer: Peer.Peer) =>
  Bank.batch(Bank.client(peer), (calls) => [
    calls.deposit({ amount: 1 }),
    calls.note({ text: "hi" }),
    calls.withdraw([5]),
    // What a caller without types may pass.
    calls.deposit({ amount: "2" as unknown as number }),
    calls.name()
  ])

const errorOf = (result: Result.Result<unknown, unknown> | undefined) =>
  result !== undefined && Result.isFailure(result) ? result.failure : undefined

describe("a batch", () => {
  it.effect("is one message, without what does not fit, and its results stand where their calls stood", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling()
      const batch = yield* started(batchOver(peer))
      assert.deepStrictEqual(yield* wire.take(1), [[
        parsed(request(1, "deposit", { amount: 1 })),
        parsed(notification("note", { text: "hi" })),
        parsed(request(2, "withdraw", [5])),
        parsed(request(3, "name"))
      ]])
      yield* wire.send(`[${success(3, "it")},${failure(2, 1001, "", { balance: 4 })},${success(1, "x")}]`)
      const [deposit, note, withdraw, misfit, name] = yield* Fiber.join(batch)
      assert.deepInclude(errorOf(deposit), { _tag: "InvalidResult", method: "deposit" })
      assert.deepStrictEqual(note, Result.succeed(undefined))
      assert.deepStrictEqual(withdraw, Result.fail(new Insufficient({ balance: 4 })))
      assert.deepInclude(errorOf(misfit), { _tag: "InvalidArguments", method: "deposit" })
      assert.deepStrictEqual(name, Result.succeed("it"))
    }))

  it.effect("comes from a peer to a peer, also where batches are not spoken", () =>
    Effect.gen(function*() {
      for (const batches of ["accept", "refuse"] as const) {
        const { peer } = yield* pair(live, { dialect: Dialect.make({ name: "test", batches }) })
        const [deposit, note, withdraw, misfit, name] = yield* batchOver(peer)
        assert.deepStrictEqual([deposit, note, withdraw, name], [
          Result.succeed(1),
          Result.succeed(undefined),
          Result.fail(new Insufficient({ balance: 4 })),
          Result.succeed("the bank")
        ])
        assert.isTrue(Result.isFailure(misfit))
      }
    }))

  it.effect("of nothing, or of nothing that fits, sends nothing", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling()
      const misfit = "2" as unknown as number
      const none = yield* Bank.batch(Bank.client(peer), () => [])
      const misfits = yield* Bank.batch(Bank.client(peer), (calls) => [calls.withdraw([misfit])])
      yield* settle
      assert.deepStrictEqual(none, [])
      assert.strictEqual(misfits.length, 1)
      assert.deepStrictEqual(wire.received, [])
    }))

  it.effect("may be run again", () =>
    Effect.gen(function*() {
      const { peer } = yield* pair(live)
      const batch = Bank.batch(Bank.client(peer), (calls) => [calls.deposit({ amount: 1 })])
      assert.deepStrictEqual([yield* batch, yield* batch], [[Result.succeed(1)], [Result.succeed(1)]])
    }))

  it.effect("promise 9: closing ends every call with Disconnected, each of a batch", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling()
      const batch = yield* started(batchOver(peer))
      yield* wire.take(1)
      yield* wire.transport.close
      const [deposit, note, withdraw] = yield* Fiber.join(batch)
      for (const result of [deposit, withdraw]) {
        assert.deepInclude(errorOf(result), {
          _tag: "Disconnected",
          sent: true
        })
      }
      assert.deepStrictEqual(note, Result.succeed(undefined))
      assert.deepInclude(yield* Effect.flip(batchOver(peer)), { _tag: "Disconnected", sent: false })
    }))

  it.effect("waits as long as the longest deadline, where each call has one, and the batch says nothing else", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling()
      const timeoutOf = (
        plan: (
          calls: Contract.Plans<Contract.MembersOf<typeof Bank>>
        ) => ReadonlyArray<Contract.Planned<unknown, unknown>>,
        options?: { readonly timeout: Duration.Input }
      ) =>
        Effect.gen(function*() {
          const batch = yield* started(Bank.batch(Bank.client(peer), plan, options))
          yield* settle
          yield* TestClock.adjust("2 minutes")
          const [first] = yield* Fiber.join(batch)
          return Object(errorOf(first)).milliseconds
        })
      const deposit = { amount: 1 }
      assert.strictEqual(yield* timeoutOf((calls) => [calls.deposit(deposit), calls.note({ text: "" })]), 10_000)
      assert.strictEqual(yield* timeoutOf((calls) => [calls.deposit(deposit), calls.name()]), 60_000)
      assert.strictEqual(yield* timeoutOf((calls) => [calls.name(), calls.deposit(deposit)]), 60_000)
      assert.strictEqual(yield* timeoutOf((calls) => [calls.deposit(deposit), calls.withdraw([1])]), 30_000)
      assert.strictEqual(yield* timeoutOf((calls) => [calls.name()], { timeout: 5 }), 5)
      assert.strictEqual(wire.received.length > 0, true)
    }))

  it.effect("dies of a defect in a codec, and calls it no failure", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling()
      const batch = yield* started(Effect.exit(Bank.batch(Bank.client(peer), (calls) => [calls.name()])))
      yield* wire.take(1)
      yield* wire.send(`[${success(1, "boom")}]`)
      const exit = yield* Fiber.join(batch)
      assert.isTrue(Exit.hasDies(exit))
      assert.isFalse(Exit.hasFails(exit))
    }))

  it.effect("needs a client that its contract has made, or its layer", () =>
    Effect.gen(function*() {
      const { peer } = yield* pair(live)
      const exit = yield* Effect.exit(Bank.batch({ ...Bank.client(peer) }, (calls) => [calls.name()]))
      assert.isTrue(Exit.hasDies(exit))
      const named = Effect.flatMap(Bank.Client, (bank) => Bank.batch(bank, (calls) => [calls.name()]))
      const layer = Layer.provide(Bank.layerClient(), Layer.succeed(Caller.Caller, peer))
      assert.deepStrictEqual(yield* Effect.provide(named, layer), [Result.succeed("the bank")])
    }))

  it.effect("has no subscriptions", () =>
    Effect.gen(function*() {
      const { peer } = yield* calling()
      yield* Bank.batch(Bank.client(peer), (calls) => {
        assert.sameMembers(Object.keys(calls), ["deposit", "withdraw", "name", "note"])
        return []
      })
    }))
})
