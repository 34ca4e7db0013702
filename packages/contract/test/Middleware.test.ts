/** Middleware around the handlers of a contract. */
import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { Authentication } from "@parley/middleware"
import { Caller, type Handler, Peer, Router } from "@parley/peer"
import type { Listener } from "@parley/transport"
import { MemoryTransport, Transport } from "@parley/transport"
import { Context, Effect, Layer, Schema, Stream } from "effect"
import { Contract, Method, Notification, Protocol, Subscription } from "../src/index.ts"
import { settle } from "./wire.ts"

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
      const protocol = Protocol.make({ client: Contract.make("Nobody", {}), server: Desk })
      const server = protocol.layerServer(handlers([]), { middleware: authenticated, limits: { drain: 0 } })
      expectTypeOf<Layer.Services<typeof server>>().toEqualTypeOf<Greeting | Transport.Transport>()
      yield* Layer.build(server.pipe(Layer.provide([greeting, Layer.succeed(Transport.Transport, there)])))
      const client = protocol.layerClient({}).pipe(Layer.provide(Layer.succeed(Transport.Transport, here)))
      const context = yield* Layer.build(client)
      const desk = Desk.client(Context.get(context, Caller.Caller))
      assert.strictEqual(yield* desk.greet(undefined, { extra }), "Hello, alice")
    }))

  it("of a protocol takes away from what its server requires", () => {
    const protocol = Protocol.make({ client: Contract.make("Nobody", {}), server: Desk })
    const plain = protocol.serve(handlers([]))
    const wrapped = protocol.serve(handlers([]), { middleware: authenticated })
    expectTypeOf<Effect.Services<typeof plain>>().toEqualTypeOf<Listener.Listener | Greeting | User>()
    expectTypeOf<Effect.Services<typeof wrapped>>().toEqualTypeOf<Listener.Listener | Greeting>()
    // @ts-expect-error a middleware fails with error objects only
    Desk.toLayer(handlers([]), () => () => Effect.fail("no"))
    assert.isTrue(Effect.isEffect(wrapped) && Effect.isEffect(plain))
  })
})
