/**
 * Both directions of a protocol: the contract of each side, and the dialect that
 * both speak.
 *
 * ```ts run
 * import { Contract, ContractPair, Method, Notification } from "@parley/contract"
 * import { MemoryTransport, Transport } from "@parley/transport"
 * import { Effect, Layer, Schema } from "effect"
 *
 * const Editor = Contract.make("Editor", { show: Notification.make({ params: { text: Schema.String } }) })
 * const Checker = Contract.make("Checker", { check: Method.make({ params: { text: Schema.String }, result: Schema.Int }) })
 * const protocol = ContractPair.make({ client: Editor, server: Checker })
 *
 * const program = Effect.gen(function*() {
 *   const [near, far] = yield* MemoryTransport.makePair()
 *   const server = protocol.layerServer({ check: ({ text }) => Effect.succeed(text.length) })
 *   const client = protocol.layerClient({ show: ({ text }) => Effect.sync(() => console.log(text)) })
 *   yield* Layer.build(Layer.provide(server, Layer.succeed(Transport.Transport, far)))
 *   const services = yield* Layer.build(Layer.provide(client, Layer.succeed(Transport.Transport, near)))
 *   const check = Effect.flatMap(Checker.Client, (checker) => checker.check({ text: "hello" }))
 *   console.log(yield* Effect.provideContext(check, services)) // => 5
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import type { Caller } from "@parley/peer/Caller"
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import type { Handler } from "@parley/peer/Handler"
import * as Peer from "@parley/peer/Peer"
import * as Router from "@parley/peer/Router"
import * as Server from "@parley/peer/Server"
import * as Dialect from "@parley/protocol/Dialect"
import type { Listener } from "@parley/transport/Listener"
import type { Transport, TransportError } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as Contract from "./Contract.ts"
import type { Complete, NoPromise, Services } from "./internal/handlers.ts"
import type { Errors, ErrorTypes } from "./Method.ts"

/**
 * The middleware of a side. It wraps the handlers, may provide the services that they require, and may fail with the
 * errors `E` that its contract declares for all of its members.
 *
 * @category models
 * @since 0.1.0
 */
export interface ServedSide<S, R, E = never> {
  /** Wraps each handler. */
  readonly middleware?: ((handler: Handler<ErrorResponse, S>) => Handler<ErrorResponse | E, R>) | undefined
}

/**
 * The options of a peer, without the dialect and the router, which the protocol gives.
 *
 * @category models
 * @since 0.1.0
 */
export type ContractPairOptions = Omit<Peer.PeerOptions, "dialect" | "router">

/**
 * One side of a connection: it serves its own contract, and calls the contract of the other side.
 *
 * @category models
 * @since 0.1.0
 */
export type Side<Own extends string, M extends Contract.Members, Other extends string, E extends Errors = {}> = <
  H extends Partial<Contract.Handlers<M, NoPromise>>,
  R = Services<H>
>(
  handlers: Complete<H, M, Own>,
  options?: ContractPairOptions & ServedSide<Services<H>, R, ErrorTypes<E>[keyof E]>
) => Layer.Layer<Contract.ClientId<Other> | Peer.PeerService | Caller, Router.MethodTaken, Transport | R>

/**
 * Both directions of a protocol.
 *
 * @category models
 * @since 0.1.0
 */
export interface ContractPair<
  ClientName extends string,
  ClientMembers extends Contract.Members,
  ServerName extends string,
  ServerMembers extends Contract.Members,
  ClientErrors extends Errors = {},
  ServerErrors extends Errors = {}
> {
  /** The contract that the client side serves, and the server calls. */
  readonly client: Contract.Contract<ClientName, ClientMembers, ClientErrors>
  /** The contract that the server side serves, and the client calls. */
  readonly server: Contract.Contract<ServerName, ServerMembers, ServerErrors>
  /** How the family uses JSON-RPC. */
  readonly dialect: Dialect.Dialect
  /** The client side over one transport. A new layer at each call. */
  readonly layerClient: Side<ClientName, ClientMembers, ServerName, ClientErrors>
  /** The server side over one transport, as a language server over stdio. A new layer at each call. */
  readonly layerServer: Side<ServerName, ServerMembers, ClientName, ServerErrors>
  /** The server side for every connection of a listener. */
  readonly serve: <H extends Partial<Contract.Handlers<ServerMembers, NoPromise>>, RC = never, R = Services<H>>(
    handlers: Complete<H, ServerMembers, ServerName>,
    options?:
      & Omit<Server.ServerOptions<RC>, "dialect">
      & ServedSide<Services<H>, R, ErrorTypes<ServerErrors>[keyof ServerErrors]>
  ) => Effect.Effect<never, TransportError | Router.MethodTaken, Listener | R | Exclude<RC, Scope.Scope>>
}

/**
 * A protocol of these two contracts. A side that serves nothing has a contract without members.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <
  ClientName extends string,
  ClientMembers extends Contract.Members,
  ServerName extends string,
  ServerMembers extends Contract.Members,
  ClientErrors extends Errors,
  ServerErrors extends Errors
>(options: {
  readonly client: Contract.Contract<ClientName, ClientMembers, ClientErrors>
  readonly server: Contract.Contract<ServerName, ServerMembers, ServerErrors>
  /** How the family uses JSON-RPC. `Dialect.jsonRpc` by default. */
  readonly dialect?: Dialect.Dialect | undefined
}): ContractPair<ClientName, ClientMembers, ServerName, ServerMembers, ClientErrors, ServerErrors> => {
  const { client, dialect = Dialect.jsonRpc, server } = options

  const routed = <
    Own extends string,
    M extends Contract.Members,
    E extends Errors,
    H extends Partial<Contract.Handlers<M, NoPromise>>,
    R
  >(
    own: Contract.Contract<Own, M, E>,
    handlers: Complete<H, M, Own>,
    middleware: ServedSide<Services<H>, R, ErrorTypes<E>[keyof E]>["middleware"]
  ) =>
    Layer.provideMerge(
      // A protocol is for wires with a way back, so that its members may require one.
      own.toLayer<H, never, never, R>(handlers, middleware) as Layer.Layer<
        never,
        Router.MethodTaken,
        Router.Router | R
      >,
      Layer.effect(Router.Router, Router.make({ dialect }))
    )

  const side = <
    Own extends string,
    M extends Contract.Members,
    E extends Errors,
    Other extends string,
    O extends Contract.Members,
    OtherErrors extends Errors
  >(
    own: Contract.Contract<Own, M, E>,
    other: Contract.Contract<Other, O, OtherErrors>
  ): Side<Own, M, Other, E> =>
  (handlers, { middleware, ...options } = {}) =>
    Layer.unwrap(
      Effect.map(Router.Router, (router) =>
        Layer.provideMerge(other.layerClient(), Peer.layer({ ...options, dialect, router })))
    ).pipe(
      // A router of its own, which no other side of the program shares.
      Layer.provide(routed(own, handlers, middleware))
    )

  return {
    client,
    server,
    dialect,
    layerClient: side(client, server),
    layerServer: side(server, client),
    serve: (handlers, { middleware, ...options } = {}) =>
      Effect.provide(Server.runWith({ ...options, dialect }), routed(server, handlers, middleware))
  }
}
