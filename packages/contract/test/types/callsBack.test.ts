/** Methods that call back: which wires compile with them. The compiler checks this file. */
import { describe, expectTypeOf, it } from "@effect/vitest"
import { NodeHttp, NodeStdio, NodeTcp, NodeUnix, NodeWebSocket, NodeWorker } from "@parley/node"
import { type Caller, Peer, Reconnecting, Router, Server } from "@parley/peer"
import type { Listener } from "@parley/transport/Listener"
import type { Transport } from "@parley/transport/Transport"
import { Context, Effect, Layer, Schema, Stream } from "effect"
import { Contract, ContractPair, Method, Notification, Subscription } from "../../src/index.ts"

class Accounts extends Context.Service<Accounts, { readonly total: number }>()("Accounts") {}
class Denied extends Schema.TaggedError<Denied>()("Denied", {}) {}

const Editor = Contract.make("Editor", { ask: Method.make({ params: [Schema.String], result: Schema.Boolean }) })

const Plain = Contract.make("Plain", { size: Method.make({ result: Schema.Int, callsBack: false }) })

class Asking extends Contract.make("Asking", {
  rename: Method.make({ params: { to: Schema.String }, result: Schema.Boolean, callsBack: true }),
  count: Method.make({ result: Schema.Int })
}) {}

const plain = Plain.toLayer({ size: () => Accounts.useSync(({ total }) => total) })

const asking = Asking.toLayer({
  rename: ({ to }, { peer }) => Effect.orDie(Editor.client(peer).ask([to])),
  count: () => Effect.succeed(1)
})

type Requirements<L> = L extends Layer.Layer<infer _A, infer _E, infer R> ? R : never

/** The services that still have to be provided before a program runs. */
const left = <A, E, R>(_: Layer.Layer<A, E, R>) => expectTypeOf<R>()

describe("a method that calls back", () => {
  it("asks for a way back, where it is served and where it is called", () => {
    expectTypeOf<Requirements<typeof plain>>().toEqualTypeOf<Router.Router | Accounts>()
    expectTypeOf<Requirements<typeof asking>>().toEqualTypeOf<Router.Router | Router.CallsBack>()
    expectTypeOf(Plain.layerClient()).toEqualTypeOf<Layer.Layer<Contract.ClientId<"Plain">, never, Caller.Caller>>()
    expectTypeOf(Asking.layerClient()).toEqualTypeOf<
      Layer.Layer<Contract.ClientId<"Asking">, never, Caller.Caller | Contract.DuplexCaller>
    >()
  })

  it("is served over every wire that has one", () => {
    const router = Router.layer(asking)
    expectTypeOf(router).toEqualTypeOf<Layer.Layer<Router.DuplexRouter, Router.MethodTaken>>()
    left(NodeTcp.layerServer({ port: 0 }).pipe(Layer.provide(router))).toEqualTypeOf<never>()
    left(NodeUnix.layerServer({ path: "" }).pipe(Layer.provide(router))).toEqualTypeOf<never>()
    left(NodeStdio.layerServer().pipe(Layer.provide(router))).toEqualTypeOf<never>()
    left(NodeWebSocket.layerServer({ port: 0 }).pipe(Layer.provide(router))).toEqualTypeOf<never>()
    left(NodeWorker.layerServer().pipe(Layer.provide(router))).toEqualTypeOf<never>()
    left(Server.layer().pipe(Layer.provide(router))).toEqualTypeOf<Listener>()
    left(Peer.layerServing().pipe(Layer.provide(router))).toEqualTypeOf<Transport>()
    left(Peer.layerWith(asking)).toEqualTypeOf<Transport>()
    expectTypeOf(NodeStdio.runServer().pipe(Effect.provide(router))).toExtend<Effect.Effect<void, unknown>>()
  })

  it("is not served by posts, also beside others", () => {
    left(NodeHttp.layerServer({ port: 0 }).pipe(Layer.provide(Router.layer(asking)))).toEqualTypeOf<Router.Router>()
    const both = Router.layer(Layer.merge(plain, asking))
    expectTypeOf(both).toEqualTypeOf<Layer.Layer<Router.DuplexRouter, Router.MethodTaken, Accounts>>()
    left(NodeHttp.layerServer({ port: 0 }).pipe(Layer.provide(both))).toEqualTypeOf<Router.Router | Accounts>()
    const served = NodeHttp.layerServer({ port: 0 }).pipe(Layer.provide(Router.layer(asking)))
    // @ts-expect-error the router calls back, and HTTP has no way back
    const run = () => Effect.runFork(Layer.launch(served))
    expectTypeOf(run).toBeFunction()
    const stillPortable = NodeHttp.layerServer({ port: 0 }).pipe(Layer.provide(Router.layer(plain)))
    left(stillPortable).toEqualTypeOf<Accounts>()
  })

  it("is called by a peer or by a caller that connects again, and by no caller that posts", () => {
    left(Asking.layerClient().pipe(Layer.provide(NodeTcp.layerClient({ port: 0 })))).toEqualTypeOf<never>()
    left(Asking.layerClient().pipe(Layer.provide(Reconnecting.layer({ open: NodeTcp.makeTransport({ port: 0 }) }))))
      .toEqualTypeOf<never>()
    left(Plain.layerClient().pipe(Layer.provide(NodeHttp.layerClient({ url: "" })))).toEqualTypeOf<never>()
    const posting = Asking.layerClient().pipe(Layer.provide(NodeHttp.layerClient({ url: "" })))
    left(posting).toEqualTypeOf<Contract.DuplexCaller>()
    // @ts-expect-error nobody could call this client back
    const run = () => Effect.runFork(Layer.launch(posting))
    expectTypeOf(run).toBeFunction()
  })

  it("may be a notification or a subscription, and stays one in contracts that are made of its contract", () => {
    const Told = Contract.make("Told", { tell: Notification.make({ callsBack: true }) })
    const Fed = Contract.make("Fed", { feed: Subscription.make({ item: Schema.Int, callsBack: true }) })
    left(Told.toLayer({ tell: () => Effect.void })).toEqualTypeOf<Router.Router | Router.CallsBack>()
    left(Fed.toLayer({ feed: () => Stream.empty })).toEqualTypeOf<Router.Router | Router.CallsBack>()
    const prefixed = Contract.prefix("Prefixed", Asking, "a_")
    left(prefixed.layerClient()).toEqualTypeOf<Caller.Caller | Contract.DuplexCaller>()
    left(Contract.merge("Merged", Plain, Asking).layerClient()).toEqualTypeOf<Caller.Caller | Contract.DuplexCaller>()
    left(Contract.pick("Picked", Asking, ["count"]).layerClient()).toEqualTypeOf<Caller.Caller>()
    left(Contract.omit("Omitted", Asking, ["count"]).layerClient()).toEqualTypeOf<
      Caller.Caller | Contract.DuplexCaller
    >()
    const failing = Contract.make("Failing", Asking.members, { errors: { 1: Denied } })
    left(failing.layerClient()).toEqualTypeOf<Caller.Caller | Contract.DuplexCaller>()
    type Typed = Contract.Client<typeof failing.members>
    expectTypeOf<Typed["rename"]>().toEqualTypeOf<Contract.MethodCall<{ readonly to: string }, boolean, Denied>>()
  })

  it("may be one where the option is known as a boolean only", () => {
    const callsBack = Math.random() < 2
    const Perhaps = Contract.make("Perhaps", { may: Method.make({ callsBack }) })
    left(Perhaps.layerClient()).toEqualTypeOf<Caller.Caller | Contract.DuplexCaller>()
  })

  it("asks for nothing in a protocol, whose wires have two directions", () => {
    const protocol = ContractPair.make({ client: Editor, server: Asking })
    left(protocol.layerServer({ rename: () => Effect.succeed(true), count: () => Effect.succeed(1) }))
      .toEqualTypeOf<Transport>()
    left(protocol.layerClient({ ask: () => Effect.succeed(true) })).toEqualTypeOf<Transport>()
  })

  it("is said of a router that is made by hand", () => {
    const byHand = Layer.provideMerge(asking, Layer.effect(Router.Router, Router.make()))
    left(byHand).toEqualTypeOf<Router.CallsBack>()
    left(byHand.pipe(Layer.provide(Router.layerCallsBack))).toEqualTypeOf<never>()
  })
})
