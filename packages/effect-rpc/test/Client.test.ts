/** Calls from a contract and from what looks like an `RpcClient`, over memory and TCP. */
import { assert, describe, it } from "@effect/vitest"
import { Caller } from "@parley/peer"
import { Effect, Layer, References, Schema, Stream } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { EffectRpc } from "../src/index.ts"
import { Bank, entry, Frozen, handlers, Insufficient, NotFound } from "./Bank.ts"
import { connected, listening, pair } from "./sides.ts"

const served = Layer.provide(EffectRpc.layerHandlers(Bank), Bank.toLayer(handlers))

const contract = EffectRpc.contract("Bank", Bank)

const callers = {
  memory: pair(served),
  TCP: Effect.flatMap(listening(served), connected)
}

const clients = {
  "a contract's client": (caller: Caller.Caller) => Effect.succeed(contract.client(caller)),
  "makeClient's client": (caller: Caller.Caller) =>
    Effect.provideService(EffectRpc.makeClient(Bank), Caller.Caller, caller)
}

for (const over of ["memory", "TCP"] as const) {
  for (const which of ["a contract's client", "makeClient's client"] as const) {
    describe(`${which} over ${over}`, () => {
      const bankOf = Effect.flatMap(callers[over], clients[which])

      it.live("gets results as their Schemas say they are", () =>
        Effect.gen(function*() {
          const bank = yield* bankOf
          assert.strictEqual(yield* bank.withdraw({ amount: 1, at: new Date(0) }), 4)
          assert.strictEqual(yield* bank.ping(), undefined)
          assert.deepStrictEqual(yield* bank.find({ name: "Ada" }), new Date(0))
          assert.strictEqual(yield* bank.length("four"), 4)
          assert.strictEqual(yield* bank.subtract([42, 23]), 19)
          assert.strictEqual(yield* bank.later(), "at last")
        }))

      it.live("gets typed errors as their classes", () =>
        Effect.gen(function*() {
          const bank = yield* bankOf
          const insufficient = yield* Effect.flip(bank.withdraw({ amount: 9 }))
          assert.instanceOf(insufficient, Insufficient)
          assert.deepStrictEqual(insufficient, new Insufficient({ balance: 5 }))
          const frozen = yield* Effect.flip(bank.withdraw({ amount: 900 }))
          assert.instanceOf(frozen, Frozen)
          assert.deepStrictEqual(frozen, new Frozen({ since: new Date(0) }))
          assert.instanceOf(yield* Effect.flip(bank.find({ name: "Bob" })), NotFound)
        }))

      it.live("gets streams, and how they fail", () =>
        Effect.gen(function*() {
          const bank = yield* bankOf
          assert.deepStrictEqual(yield* Stream.runCollect(bank.entries({ count: 2 })), [entry(1), entry(2)])
          assert.deepStrictEqual(yield* Stream.runCollect(bank.queued()), [1, 2, 3])
          assert.deepStrictEqual(yield* Stream.runCollect(bank.watch({ name: "Ada" })), [1, 2])
          const failing = Stream.catchTag(bank.entries({ count: 9 }), "Insufficient", ({ balance }) =>
            Stream.make(entry(-balance)))
          assert.deepStrictEqual(yield* Stream.runCollect(failing), [entry(1), entry(2), entry(3), entry(-3)])
          assert.instanceOf(yield* Effect.flip(Stream.runDrain(bank.watch({ name: "frozen" }))), Frozen)
        }))

      it.live("gets what no contract has as errors of the caller", () =>
        Effect.gen(function*() {
          // That the handler breaks is meant, and need not be read in a log.
          const bank = yield* Effect.provideService(bankOf, References.MinimumLogLevel, "None")
          assert.deepInclude(yield* Effect.flip(bank.breaks()), { _tag: "RemoteError", code: -32603 })
          assert.deepInclude(yield* Effect.flip(bank.withdraw({ amount: Number.NaN })), {
            _tag: "InvalidArguments",
            method: "withdraw"
          })
        }))
    })
  }
}

describe("makeClient", () => {
  class Point extends Schema.Class<Point>("Point")({ x: Schema.Finite, y: Schema.Finite }) {}

  class Shapes extends RpcGroup.make(
    Rpc.make("move", { payload: Point, success: Point }),
    Rpc.make("scale", {
      payload: {
        factor: Schema.Finite.pipe(Schema.withConstructorDefault(Effect.succeed(2))),
        name: Schema.String
      },
      success: Schema.String,
      primaryKey: ({ name }) => name
    }),
    Rpc.make("near", { payload: Point, success: Point, stream: true })
  ) {}

  const shapes = Effect.gen(function*() {
    const caller = yield* pair(Layer.provide(
      EffectRpc.layerHandlers(Shapes),
      Shapes.toLayer({
        move: (point) => Effect.succeed(new Point({ x: point.x + 1, y: point.y })),
        scale: ({ factor, name }) => Effect.succeed(`${name} × ${factor}`),
        near: (point) => Stream.make(point)
      })
    ))
    return yield* Effect.provideService(EffectRpc.makeClient(Shapes), Caller.Caller, caller)
  })

  it.effect("completes payloads as their Schemas make them", () =>
    Effect.gen(function*() {
      const client = yield* shapes
      assert.deepStrictEqual(yield* client.move({ x: 1, y: 2 }), new Point({ x: 2, y: 2 }))
      assert.strictEqual(yield* client.scale({ name: "a" }), "a × 2")
      assert.strictEqual(yield* client.scale({ name: "a", factor: 3 }), "a × 3")
      assert.deepStrictEqual(yield* Stream.runCollect(client.near({ x: 1, y: 2 })), [new Point({ x: 1, y: 2 })])
    }))

  it.effect("fails the call, or the stream, where they cannot be made", () =>
    Effect.gen(function*() {
      const client = yield* shapes
      const nowhere = { x: Number.NaN, y: 0 }
      assert.instanceOf(yield* Effect.flip(client.move(nowhere)), Caller.InvalidArguments)
      assert.instanceOf(yield* Effect.flip(Stream.runDrain(client.near(nowhere))), Caller.InvalidArguments)
    }))

  it.effect("has nothing but the Rpcs", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(Object.keys(yield* shapes), ["move", "scale", "near"])
      assert.notProperty(yield* shapes, "toString")
    }))
})

describe("a contract", () => {
  it.effect("serves new handlers", () =>
    Effect.gen(function*() {
      class Small extends RpcGroup.make(
        Rpc.make("small.find", { payload: { name: Schema.String }, success: Schema.Date, error: Insufficient }),
        Rpc.make("small.count", { payload: { to: Schema.Int }, success: Schema.Int, error: Insufficient, stream: true })
      ) {}
      class Contract extends EffectRpc.contract("Small", Small) {}
      const client = Contract.client(
        yield* pair(Contract.toLayer({
          "small.find": ({ name }) =>
            name === "" ? Effect.fail(new Insufficient({ balance: 0 })) : Effect.succeed(new Date(name.length)),
          "small.count": ({ to }) => Stream.range(1, to)
        }))
      )
      assert.deepStrictEqual(yield* client["small.find"]({ name: "Ada" }), new Date(3))
      assert.deepStrictEqual(yield* Effect.flip(client["small.find"]({ name: "" })), new Insufficient({ balance: 0 }))
      assert.deepStrictEqual(yield* Stream.runCollect(client["small.count"]({ to: 3 })), [1, 2, 3])
    }))

  it("keeps the names of a group that has a prefix", () => {
    const prefixed = EffectRpc.contract("Prefixed", Bank.prefix("bank."))
    assert.deepStrictEqual(
      Object.keys(prefixed.members),
      Object.keys(contract.members).map((name) => `bank.${name}`)
    )
  })

  it.effect("makes several calls in one message", () =>
    Effect.gen(function*() {
      const caller = yield* pair(served)
      const [withdrawn, refused] = yield* contract.batch(contract.client(caller), (calls) => [
        calls.withdraw({ amount: 1 }),
        calls.find({ name: "Bob" })
      ])
      assert.deepInclude(withdrawn, { _tag: "Success", success: 4 })
      assert.deepInclude(refused, { _tag: "Failure", failure: new NotFound() })
    }))
})
