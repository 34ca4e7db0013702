/** Middleware around the handlers of a contract. */
import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { Authentication } from "@parley/middleware"
import { Caller, type Handler, Peer, Router } from "@parley/peer"
import { type Listener, MemoryTransport, Transport } from "@parley/transport"
import { Context, Effect, Layer, Result, Schema, Stream } from "effect"
import { Contract, ContractPair, Method, Notification, Subscription } from "../src/index.ts"
import { failure, pair, parsed, quietly, request, serving, settle } from "./wire.ts"

class User extends Context.Service<User, { readonly name: string }>()("User") {}
class Greeting extends Context.Service<Greeting, { readonly word: string }>()("Greeting") {}

class Desk extends Contract.make("Desk", {
  greet: Method.make({ result: Schema.String }),
  leave: Notification.make(),
  visitors: Subscription.make({ item: Schema.String })
}) {}

const name = User.useSync(({ name }) => name)

const handlers = (left: Array<string>) =>
  Desk.of({
    greet: () => Effect.map(Effect.all([Greeting, name]), ([{ word }, name]) => `${word}, ${name}`),
    leave: () => Effect.map(name, (name) => left.push(name)),
    visitors: () => Stream.fromEffect(name)
  })

/** Whoever says who it is, is that. */
const asSaid = ({ extra }: Handler.Call) => {
  const name = extra?.["user"]
  return typeof name === "string" ? Effect.succeed({ name }) : Effect.fail(Authentication.unauthenticated())
}

const authenticated = Authentication.handler(User, asSaid)

const greeting = Layer.succeed(Greeting, { word: "Hello" })

const extra = { user: "alice" }

class Denied extends Schema.TaggedError<Denied>()("Denied", { realm: Schema.String }) {}
class Closed extends Schema.TaggedError<Closed>()("Closed", {}) {}

class Gate extends Contract.make("Gate", {
  enter: Method.make({ result: Schema.String, errors: { 1: Closed } }),
  ring: Notification.make(),
  visitors: Subscription.make({ item: Schema.String })
}, { errors: { 4010: Method.error(Denied, "Who are you?") } }) {}

const gateHandlers = Gate.of({
  enter: () => Effect.flatMap(name, (name) => name === "mallory" ? Effect.fail(new Closed()) : Effect.succeed(name)),
  ring: () => name,
  visitors: () => Stream.fromEffect(name)
})

/** Fails with an error of the contract, where `authenticated` fails with an error object. */
const guarded = Authentication.handler(
  User,
  (call) => Effect.mapError(asSaid(call), () => new Denied({ realm: "gate" }))
)

describe("middleware", () => {
  it.effect("wraps every handler of a contract, and provides what they require", () =>
    Effect.gen(function*() {
      const left: Array<string> = []
      const [here, there] = yield* MemoryTransport.makePair()
      const router = yield* Router.make()
      const live = Desk.toLayer(handlers(left), authenticated)
      expectTypeOf(live).toEqualTypeOf<Layer.Layer<never, Router.MethodTaken, Router.Router | Greeting>>()
      yield* Layer.build(live.pipe(Layer.provide(greeting))).pipe(Effect.provideService(Router.Router, router))
      yield* Peer.make(there, { router })
      const peer = yield* Peer.make(here)
      const desk = Desk.client(peer)

      assert.strictEqual(yield* desk.greet(undefined, { extra }), "Hello, alice")
      assert.deepStrictEqual(yield* Stream.runCollect(desk.visitors(undefined, { extra })), ["alice"])
      yield* peer.batch([{ method: "leave", notification: true, extra }])
      yield* desk.leave()
      yield* settle
      assert.deepStrictEqual(left, ["alice"])
      const refused = yield* Effect.flip(desk.greet())
      assert.strictEqual(refused._tag === "RemoteError" && refused.code, Authentication.unauthenticated().code)
    }))

  it.effect("wraps the handlers of one side of a protocol", () =>
    Effect.gen(function*() {
      const [here, there] = yield* MemoryTransport.makePair()
      const protocol = ContractPair.make({ client: Contract.make("Nobody", {}), server: Desk })
      const server = protocol.layerServer(handlers([]), { middleware: authenticated, limits: { drain: 0 } })
      expectTypeOf<Layer.Services<typeof server>>().toEqualTypeOf<Greeting | Transport.Transport>()
      yield* Layer.build(server.pipe(Layer.provide([greeting, Layer.succeed(Transport.Transport, there)])))
      const client = protocol.layerClient({}).pipe(Layer.provide(Layer.succeed(Transport.Transport, here)))
      const context = yield* Layer.build(client)
      const desk = Desk.client(Context.get(context, Caller.Caller))
      assert.strictEqual(yield* desk.greet(undefined, { extra }), "Hello, alice")
    }))

  it("of a protocol takes away from what its server requires", () => {
    const protocol = ContractPair.make({ client: Contract.make("Nobody", {}), server: Desk })
    const plain = protocol.serve(handlers([]))
    const wrapped = protocol.serve(handlers([]), { middleware: authenticated })
    expectTypeOf<Effect.Services<typeof plain>>().toEqualTypeOf<Listener.Listener | Greeting | User>()
    expectTypeOf<Effect.Services<typeof wrapped>>().toEqualTypeOf<Listener.Listener | Greeting>()
    // @ts-expect-error a middleware fails with error objects only
    Desk.toLayer(handlers([]), () => () => Effect.fail("no"))
    assert.isTrue(Effect.isEffect(wrapped) && Effect.isEffect(plain))
  })

  it.effect("fails with an error of the contract, which its client catches as the class", () =>
    Effect.gen(function*() {
      const gate = Gate.client((yield* pair(Gate.toLayer(gateHandlers, guarded))).peer)

      assert.strictEqual(yield* gate.enter(undefined, { extra }), "alice")
      assert.deepStrictEqual(yield* Effect.flip(gate.enter()), new Denied({ realm: "gate" }))
      assert.deepStrictEqual(yield* Effect.flip(Stream.runCollect(gate.visitors())), new Denied({ realm: "gate" }))
      const [batched] = yield* Gate.batch(gate, ({ enter }) => [enter()])
      assert.deepStrictEqual(batched, Result.fail(new Denied({ realm: "gate" })))
      // An error of the method itself stays one.
      assert.deepStrictEqual(yield* Effect.flip(gate.enter(undefined, { extra: { user: "mallory" } })), new Closed())
      yield* gate.ring()

      const { wire } = yield* serving(Gate.toLayer(gateHandlers, guarded))
      yield* wire.send(request(1, "enter"))
      assert.deepStrictEqual(yield* wire.take(1), [
        parsed(failure(1, 4010, "Who are you?", { realm: "gate" }))
      ])
    }).pipe(quietly))

  it.effect("fails with an error of the contract under a prefix, and where members are picked", () =>
    Effect.gen(function*() {
      const Prefixed = Contract.prefix("Prefixed", Contract.pick("Picked", Gate, ["enter"]), "gate_")
      const { peer } = yield* pair(Prefixed.toLayer({ gate_enter: gateHandlers.enter }, guarded))
      const { gate_enter } = Prefixed.client(peer)
      assert.deepStrictEqual(yield* Effect.flip(gate_enter()), new Denied({ realm: "gate" }))
    }).pipe(quietly))

  it.effect("of a program without types fails with -32603 where the contract declares no such error", () =>
    Effect.gen(function*() {
      const Plain = Contract.make("Plain", { enter: Method.make({ result: Schema.String }) })
      const { peer } = yield* pair(Plain.toLayer({ enter: () => Effect.succeed("") }, guarded as never))
      const error = yield* Effect.flip(Plain.client(peer).enter())
      assert.strictEqual(error._tag === "RemoteError" && error.code, -32603)
    }).pipe(quietly))

  it("has no code that is one of a member", () => {
    const enter = Method.make({ errors: { 4010: Closed } })
    assert.throws(
      () => Contract.make("Twice", { enter }, { errors: { 4010: Denied } }),
      "contract Twice, member enter: the contract has an error of its own for the code 4010"
    )
  })
})
