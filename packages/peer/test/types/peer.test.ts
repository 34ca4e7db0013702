/** What the types infer. The compiler checks this file; running it only shows that it was there. */
import { describe, expectTypeOf, it } from "@effect/vitest"
import * as Handshake from "@parley/transport/Handshake"
import type { Listener } from "@parley/transport/Listener"
import type { Transport, TransportError } from "@parley/transport/Transport"
import { Context, Effect, Layer, Schema, type Scope } from "effect"
import { Caller, type ErrorResponse, Handler, Peer, Router, Server } from "../../src/index.ts"

class Accounts
  extends Context.Service<Accounts, { readonly take: (n: number) => Effect.Effect<number> }>()("Accounts")
{}

const take = Handler.withParams(Schema.Struct({ amount: Schema.Finite }), ({ amount }, call) => {
  expectTypeOf(amount).toEqualTypeOf<number>()
  expectTypeOf(call).toEqualTypeOf<Handler.Call>()
  return Accounts.use((accounts) => accounts.take(amount))
})

describe("the types", () => {
  it("of a handler carry what it fails with and what it requires", () => {
    expectTypeOf(take).toEqualTypeOf<Handler.Handler<ErrorResponse.ErrorResponse, Accounts>>()
  })

  it("of a principal are those of its tag", () => {
    class User extends Context.Service<User, { readonly id: string }>()("User") {}
    expectTypeOf(Handshake.authorize(User, () => Effect.succeed({ id: "ada" }))).toEqualTypeOf<Handshake.Authorize>()
    // @ts-expect-error a principal is the service that its tag names
    Handshake.authorize(User, () => Effect.succeed({ name: "ada" }))
    // @ts-expect-error a refusal is `Refused`, not any error
    Handshake.authorize(User, () => Effect.fail(new Error("no")))
  })

  it("of a router's layer require what its handlers require", () => {
    expectTypeOf(Router.layer({ take })).toEqualTypeOf<Layer.Layer<Router.Router, Router.MethodTaken, Accounts>>()
    const added: Layer.Layer<never, Router.MethodTaken, Router.Router | Accounts> = Layer.effectDiscard(
      Router.Router.use((router) => router.add("take", take))
    )
    expectTypeOf(Router.layer(added)).toEqualTypeOf<Layer.Layer<Router.Router, Router.MethodTaken, Accounts>>()
    // @ts-expect-error a router is made with the handlers that it serves
    Router.layer()
    const add = Router.Router.use((router) => router.add("take", take))
    expectTypeOf(add).toEqualTypeOf<Effect.Effect<void, Router.MethodTaken, Router.Router | Accounts | Scope.Scope>>()
    // @ts-expect-error a handler fails with an error object, not with any error
    Router.layer({ take: () => Effect.fail(new Error("no")) })
    // @ts-expect-error a result is JSON
    Router.layer({ take: () => Effect.succeed(new Date()) })
  })

  it("of a call name every way to fail", () => {
    const call = Caller.Caller.use((caller) => caller.request("m"))
    expectTypeOf(call).toEqualTypeOf<Effect.Effect<Schema.Json, Caller.CallError, Caller.Caller>>()
    expectTypeOf<Caller.CallError["_tag"]>().toEqualTypeOf<
      | "RemoteError"
      | "RequestTimeout"
      | "Disconnected"
      | "InvalidResponse"
      | "HttpStatusError"
      | "Overloaded"
      | "InvalidArguments"
    >()
    const caught = Effect.catchTag(call, "RemoteError", ({ code }) => Effect.succeed(code))
    expectTypeOf<Exclude<Caller.CallError, Caller.RemoteError>>().toEqualTypeOf<Effect.Error<typeof caught>>()
    // @ts-expect-error params are an object or an array
    Caller.Caller.use((caller) => caller.request("m", "text"))
  })

  it("of peers and servers name their transports", () => {
    expectTypeOf(Peer.layer()).toEqualTypeOf<Layer.Layer<Peer.PeerService | Caller.Caller, never, Transport>>()
    expectTypeOf(Server.run).toEqualTypeOf<Effect.Effect<never, TransportError, Listener | Router.DuplexRouter>>()
    expectTypeOf(Server.runWith({ onConnection: () => Accounts.use(() => Effect.void) })).toEqualTypeOf<
      Effect.Effect<never, TransportError, Listener | Router.DuplexRouter | Accounts>
    >()
  })
})
