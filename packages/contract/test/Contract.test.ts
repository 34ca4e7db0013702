/** Contracts as values and as layers. */
import { assert, describe, it } from "@effect/vitest"
import { Caller, Peer, Router } from "@parley/peer"
import { MemoryTransport, Transport } from "@parley/transport"
import { Cause, Context, Effect, Exit, Layer, Schema, Scope, Stream } from "effect"
import { Contract, Method, Notification, Subscription } from "../src/index.ts"
import { failure, pair, parsed, request, routerOf, serving, settle, success } from "./wire.ts"

class Bank extends Contract.make("Bank", {
  deposit: Method.make({ params: { amount: Schema.Finite }, result: Schema.Finite }),
  note: Notification.make({ params: [Schema.String] })
}) {}

const Clock = Contract.make("Clock", {
  now: Method.make({ result: Schema.Finite }),
  ticks: Subscription.make({
    item: Schema.Finite,
    carrier: Subscription.notifications({ notification: "ticked", close: "untick" })
  })
})

class Account extends Context.Service<Account, { readonly balance: number }>()("Account") {}

/** Adds to the balance of an account. */
const bankLive = Bank.toLayer({
  deposit: ({ amount }) => Account.useSync(({ balance }) => balance + amount),
  note: () => Effect.void
})

const accountOf = (balance: number) => Layer.succeed(Account, { balance })

const clockLive = (now: number) => Clock.toLayer({ now: () => Effect.succeed(now), ticks: () => Stream.make(now) })

const methods = ["deposit", "note", "now", "ticks", "untick"]

const servedBy = (router: Router.Router) => methods.filter((method) => router.handlerOf(method) !== undefined)

describe("the layer of handlers", () => {
  it.effect("serves every member until its Scope closes, and what closes its subscriptions", () =>
    Effect.gen(function*() {
      const router = yield* Router.make()
      const scope = yield* Scope.make()
      const live = Layer.mergeAll(Layer.provide(bankLive, accountOf(1)), clockLive(2))
      yield* Scope.provide(Layer.build(Layer.provide(live, Layer.succeed(Router.Router, router))), scope)
      assert.deepStrictEqual(servedBy(router), methods)
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(servedBy(router), [])
    }))

  it.effect("takes from its surroundings what its handlers need, each time it is built", () =>
    Effect.gen(function*() {
      for (const balance of [1, 100]) {
        const { peer } = yield* pair(Layer.provide(bankLive, accountOf(balance)))
        assert.strictEqual(yield* Bank.client(peer).deposit({ amount: 5 }), balance + 5)
      }
    }))

  it.effect("may be made by an Effect, whose resources live as long", () =>
    Effect.gen(function*() {
      let released = 0
      const live = Bank.toLayer(Effect.gen(function*() {
        const { balance } = yield* Account
        yield* Effect.addFinalizer(() => Effect.sync(() => void released++))
        return Bank.of({ deposit: ({ amount }) => Effect.succeed(balance + amount), note: () => Effect.void })
      }))
      const scope = yield* Scope.make()
      const { peer } = yield* Scope.provide(pair(Layer.provide(live, accountOf(7))), scope)
      assert.strictEqual(yield* Bank.client(peer).deposit({ amount: 1 }), 8)
      assert.strictEqual(released, 0)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(released, 1)
    }))

  it.effect("fails with MethodTaken where a router has one of its methods, and then serves none", () =>
    Effect.gen(function*() {
      const router = yield* Router.make()
      yield* router.add("note", () => Effect.void)
      const live = Layer.provide(Layer.provide(bankLive, accountOf(1)), Layer.succeed(Router.Router, router))
      const taken = yield* Effect.flip(Effect.scoped(Layer.build(live)))
      assert.deepInclude(taken, { _tag: "MethodTaken", method: "note" })
      assert.deepStrictEqual(servedBy(router), ["note"])
      // What closes subscriptions is a method like any other.
      yield* router.add("untick", () => Effect.void)
      const clock = Layer.provide(clockLive(1), Layer.succeed(Router.Router, router))
      assert.deepInclude(yield* Effect.flip(Effect.scoped(Layer.build(clock))), {
        _tag: "MethodTaken",
        method: "untick"
      })
    }))

  it.effect("made twice is two layers, and of one router each method is one's only", () =>
    Effect.gen(function*() {
      const router = yield* Router.make()
      const of = (now: number) => Layer.provide(clockLive(now), Layer.succeed(Router.Router, router))
      const both = yield* Effect.flip(Effect.scoped(Layer.build(Layer.mergeAll(of(1), of(2)))))
      assert.deepInclude(both, { _tag: "MethodTaken", method: "now" })
      const endpoints = yield* Effect.forEach([1, 2], (now) => pair(clockLive(now)))
      const times = yield* Effect.forEach(endpoints, ({ peer }) => Clock.client(peer).now())
      assert.deepStrictEqual(times, [1, 2])
    }))

  it.effect("dies where a handler is missing after all", () =>
    Effect.gen(function*() {
      // What a program without types may do.
      const live = Bank.toLayer(
        { deposit: () => Effect.succeed(1) } as unknown as Contract.Handlers<typeof Bank.members>
      )
      const router = Layer.effect(Router.Router, Router.make())
      const exit = yield* Effect.exit(
        Effect.scoped(Layer.build(Layer.provide(live as typeof bankLive, [router, accountOf(0)])))
      )
      const text = "contract Bank, member note: the handlers have none of this name"
      assert.isTrue(Exit.isFailure(exit) && Cause.pretty(exit.cause).includes(text))
    }))
})

describe("the layer of a client", () => {
  it.effect("is over the program's caller, and another one at each call", () =>
    Effect.gen(function*() {
      class First extends Context.Service<First, { readonly now: number }>()("First") {}
      class Second extends Context.Service<Second, { readonly now: number }>()("Second") {}
      const now = Effect.flatMap(Clock.Client, (clock) => Effect.map(Effect.orDie(clock.now()), (now) => ({ now })))
      const over = (time: number) =>
        Layer.provide(
          Clock.layerClient(),
          Layer.effect(Caller.Caller, Effect.map(pair(clockLive(time)), ({ peer }) => peer))
        )
      const both = Layer.mergeAll(
        Layer.provide(Layer.effect(First, now), over(1)),
        Layer.provide(Layer.effect(Second, now), over(2))
      )
      const [first, second] = yield* Effect.provide(Effect.all([First, Second]), both)
      assert.deepStrictEqual([first.now, second.now], [1, 2])
    }))

  it.effect("goes with the layer of a peer", () =>
    Effect.gen(function*() {
      const [ours, theirs] = yield* MemoryTransport.makePair()
      yield* Peer.make(theirs, { router: yield* routerOf(clockLive(3)), limits: { drain: 0 } })
      const peer = Layer.provide(Peer.layer({ limits: { drain: 0 } }), Layer.succeed(Transport.Transport, ours))
      const program = Effect.flatMap(Clock.Client, (clock) => clock.now())
      assert.strictEqual(yield* Effect.provide(program, Layer.provide(Clock.layerClient(), peer)), 3)
    }))
})

describe("a contract", () => {
  it("may be a class, with a name of its own", () => {
    assert.strictEqual(Bank.identifier, "Bank")
    assert.deepStrictEqual(Object.keys(Bank.members), ["deposit", "note"])
    assert.strictEqual(Contract.pick("Some", Bank, ["note"]).identifier, "Some")
    assert.notStrictEqual(Contract.make("A", {}).Client.key, Contract.make("B", {}).Client.key)
  })

  it.effect("may be merged with others", () =>
    Effect.gen(function*() {
      const Both = Contract.merge("Both", Bank, Clock)
      const { peer } = yield* pair(Both.toLayer({
        deposit: ({ amount }) => Effect.succeed(amount),
        note: () => Effect.void,
        now: () => Effect.succeed(1),
        ticks: () => Stream.make(1, 2)
      }))
      const client = Both.client(peer)
      assert.strictEqual(yield* client.deposit({ amount: 3 }), 3)
      assert.deepStrictEqual(yield* Stream.runCollect(client.ticks()), [1, 2])
      // The parts are spoken, too.
      assert.strictEqual(yield* Clock.client(peer).now(), 1)
    }))

  it("has each member once", () => {
    assert.throws(() => Contract.merge("Twice", Bank, Clock, Bank), "Twice: two contracts have a member deposit")
    assert.deepStrictEqual(Contract.merge("None").members, {})
  })

  it.effect("may have a prefix on the wire", () =>
    Effect.gen(function*() {
      const Prefixed = Contract.prefix("Prefixed", Bank, "bank_")
      const seen: Array<unknown> = []
      const { wire } = yield* serving(Prefixed.toLayer({
        bank_deposit: ({ amount }) => Effect.succeed(amount),
        bank_note: ([text]) => Effect.sync(() => seen.push(text))
      }))
      yield* wire.send(request(1, "bank_deposit", { amount: 1 }), request(2, "deposit", { amount: 1 }))
      assert.deepStrictEqual(yield* wire.take(2), [
        parsed(success(1, 1)),
        parsed(failure(2, -32601, "Method not found", "deposit"))
      ])
      const { peer } = yield* pair(Prefixed.toLayer({
        bank_deposit: () => Effect.succeed(1),
        bank_note: ([text]) => Effect.sync(() => seen.push(text))
      }))
      yield* Prefixed.client(peer).bank_note(["hi"])
      yield* settle
      assert.deepStrictEqual(seen, ["hi"])
    }))

  it("may be cut", () => {
    const Both = Contract.merge("Both", Bank, Clock)
    assert.sameMembers(Object.keys(Contract.pick("Some", Both, ["now", "note"]).members), ["now", "note"])
    assert.sameMembers(Object.keys(Contract.omit("Rest", Both, ["now", "note"]).members), ["deposit", "ticks"])
    assert.strictEqual(Contract.pick("Same", Both, ["now"]).members.now, Clock.members.now)
  })
})
