/**
 * An `RpcGroup` of `effect/rpc` as a contract: the same definitions, served and
 * called by plain JSON-RPC 2.0.
 *
 * An Rpc is a method of its tag, and one that streams is a subscription. Errors
 * are told apart by codes, which annotations name; nothing on the wire is
 * Effect's own.
 *
 * ```ts run
 * import { EffectRpc } from "@parley/effect-rpc"
 * import { Peer, Router } from "@parley/peer"
 * import { MemoryTransport } from "@parley/transport"
 * import { Effect, Schema } from "effect"
 * import { Rpc, RpcGroup } from "effect/rpc"
 *
 * class Greeter extends RpcGroup.make(
 *   Rpc.make("greet", { payload: { name: Schema.String }, success: Schema.String })
 * ) {}
 * const contract = EffectRpc.contract("Greeter", Greeter)
 *
 * const program = Effect.gen(function*() {
 *   const [near, far] = yield* MemoryTransport.makePair()
 *   yield* Peer.make(far, { router: yield* Router.Router })
 *   const greeter = contract.client(yield* Peer.make(near))
 *   console.log(yield* greeter.greet({ name: "Ada" })) // => Hello, Ada
 * })
 *
 * const router = Router.layer(contract.toLayer({ greet: ({ name }) => Effect.succeed(`Hello, ${name}`) }))
 * await Effect.runPromise(Effect.scoped(program).pipe(Effect.provide(router)))
 * ```
 *
 * @since 0.1.0
 */
import * as Contract from "@parley/contract/Contract"
import type { Lagged } from "@parley/contract/Contract"
import type * as Method from "@parley/contract/Method"
import type { Params } from "@parley/contract/shared"
import type * as Subscription from "@parley/contract/Subscription"
import { Caller } from "@parley/peer/Caller"
import type { Call } from "@parley/peer/Handler"
import type { MethodTaken, Router } from "@parley/peer/Router"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Headers from "effect/http/Headers"
import type * as Layer from "effect/Layer"
import type * as Rpc from "effect/rpc/Rpc"
import type * as RpcGroup from "effect/rpc/RpcGroup"
import type * as RpcSchema from "effect/rpc/RpcSchema"
import type * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import * as Annotations from "./internal/annotations.ts"
import * as Clients from "./internal/client.ts"
import * as Members from "./internal/members.ts"
import * as Serve from "./internal/serve.ts"

/**
 * The code of an error, as an annotation of its Schema: the third argument of `Schema.TaggedError`, or the argument of
 * `annotate`. Every Rpc that fails with this error uses the code. A union with a code of its own counts as one error.
 *
 * ```ts
 * import { EffectRpc } from "@parley/effect-rpc"
 * import { Schema } from "effect"
 *
 * class Insufficient extends Schema.TaggedError<Insufficient>()(
 *   "Insufficient",
 *   { balance: Schema.Finite },
 *   EffectRpc.code(1001)
 * ) {}
 *
 * const Busy = Schema.Literal("Busy").annotate(EffectRpc.code(1002))
 * ```
 *
 * @category annotations
 * @since 0.1.0
 */
export const code = (code: number): { readonly "@parley/effect-rpc/code": number } => ({ [Annotations.codeKey]: code })

/**
 * The codes of errors by their tags, or by their identifiers where they have no tag, as an annotation of Rpcs: for
 * errors that cannot be annotated, or that have another code here. They override the annotations of the errors.
 *
 * ```ts
 * import { EffectRpc } from "@parley/effect-rpc"
 * import { Schema } from "effect"
 * import { Rpc, RpcGroup } from "effect/rpc"
 *
 * class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {}) {}
 *
 * class Files extends RpcGroup.make(
 *   Rpc.make("read", { payload: { path: Schema.String }, success: Schema.String, error: NotFound })
 * ).annotateRpcs(EffectRpc.ErrorCodes, { NotFound: 2 }) {}
 * ```
 *
 * @category annotations
 * @since 0.1.0
 */
export const ErrorCodes: Context.Reference<{ readonly [error: string]: number }> = Annotations.ErrorCodes

/**
 * How the items of Rpcs that stream travel, as an annotation of Rpcs: as partial results of the call, by default.
 *
 * @category annotations
 * @since 0.1.0
 */
export const Carrier: Context.Reference<Subscription.Carrier> = Annotations.Carrier

/** The params of a payload. @category models @since 0.1.0 */
export type ParamsOf<Payload> = Payload extends Schema.Void ? undefined : CodecOf<Payload>

/** The errors of a member. Which has which code is known when the program runs. @category models @since 0.1.0 */
export type ErrorsOf<Error> = [Error] extends [Schema.Never] ? {}
  : { readonly [code: number]: Exclude<CodecOf<Error>, Schema.Never> }

type CodecOf<S> = Extract<S, Params.Codec>

/**
 * A method, or for an Rpc that streams a subscription.
 *
 * @category models
 * @since 0.1.0
 */
export type MemberOf<R> = R extends
  Rpc.Rpc<infer _Tag, infer Payload, infer Success, infer Error, infer Middleware, infer _Requires>
  ? [Success] extends [RpcSchema.Stream<infer Item, infer Failure>]
    ? Subscription.Subscription<ParamsOf<Payload>, CodecOf<Item>, ErrorsOf<Failure | Error | Middleware["error"]>>
  : Method.Method<
    ParamsOf<Payload>,
    Success extends Schema.Void ? undefined : CodecOf<Success>,
    ErrorsOf<Error | Middleware["error"]>
  >
  : never

/** The members of a group's contract. @category models @since 0.1.0 */
export type MembersOf<R extends Rpc.Any> = {
  readonly [Current in R as Current["_tag"]]: Extract<MemberOf<Current>, Contract.Member>
}

/**
 * The functions of an `RpcClient`, which fail as calls over a `Caller` do. Their options are those of a contract's
 * client: there are no headers, and no `asQueue`, `discard` and `context`.
 *
 * @category models
 * @since 0.1.0
 */
export type Client<R extends Rpc.Any> = { readonly [Current in R as Current["_tag"]]: FunctionOf<Current> }

type FunctionOf<R> = R extends
  Rpc.Rpc<infer _Tag, infer Payload, infer Success, infer Error, infer Middleware, infer _Requires>
  ? [Success] extends [RpcSchema.Stream<infer Item, infer Failure>] ? (
      input: Payload["~type.make.in"],
      options?: Contract.StreamOptions
    ) => Stream.Stream<
      Item["Type"],
      Failure["Type"] | Error["Type"] | Middleware["error"]["Type"] | Contract.ClientError | Lagged
    >
  : (
    input: Payload["~type.make.in"],
    options?: Contract.CallOptions
  ) => Effect.Effect<Success["Type"], Error["Type"] | Middleware["error"]["Type"] | Contract.ClientError>
  : never

/** A group whose Schemas need services is a type error that says so. @category models @since 0.1.0 */
export type Plain<R extends Rpc.Any> = [Rpc.Services<R>] extends [never] ? unknown
  : "a contract's Schemas need no services"

/** A group whose clients need a middleware is a type error that says so. @category models @since 0.1.0 */
export type FreeClient<R extends Rpc.Any> = [Rpc.MiddlewareClient<R>] extends [never] ? unknown
  : "client middleware of effect/rpc does not run over a Caller"

/**
 * A contract of these Rpcs, under their tags. The handlers of `toLayer` are new ones; `layerHandlers` serves those that
 * the group has.
 *
 * The group's middleware does not run on handlers of `toLayer`, nor on calls of the client, and a group that has some
 * needs `withoutMiddleware` to be turned into a contract.
 *
 * Throws a `TypeError` that names every error without a code of its own, and every stream that has no place for the
 * token of partial results.
 *
 * @category constructors
 * @since 0.1.0
 */
export const contract = <const Name extends string, R extends Rpc.Any>(
  name: Name,
  group: RpcGroup.RpcGroup<R> & Plain<R>,
  ..._options: [Rpc.Middleware<R>] extends [never] ? []
    : [options: { readonly withoutMiddleware: true }]
): Contract.Contract<Name, MembersOf<R>> =>
  // The types of the members say what is made of each Rpc.
  Contract.make(name, Members.make(group) as unknown as MembersOf<R>)

/**
 * The options of serving a group.
 *
 * @category models
 * @since 0.1.0
 */
export interface ServeOptions {
  /** The headers of a call, for handlers and middleware that look at them. Without it they are empty. */
  readonly headers?: ((call: Call) => Headers.Input) | undefined
}

/**
 * Serves a group through the `Router` with the handlers of its `toLayer`, and within its middleware, until its Scope
 * closes: what `RpcServer.layer` does for the protocols of `effect/rpc`. A new layer at each call.
 *
 * A handler's `client` is the connection, its `requestId` the id of the request. Throws as `contract` does.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerHandlers = <R extends Rpc.Any>(
  group: RpcGroup.RpcGroup<R> & Plain<R>,
  options: ServeOptions = {}
): Layer.Layer<never, MethodTaken, Router | Rpc.ToHandler<R> | Rpc.Middleware<R>> => {
  const served = Contract.make("@parley/effect-rpc", Members.make(group))
  const handlers = Effect.map(
    Effect.context<Rpc.ToHandler<R> | Rpc.Middleware<R>>(),
    (context) => Serve.make(Members.rpcsOf(group), context, options.headers)
  )
  // Handlers by tag, as the members are; what they require is in the context that they were built with.
  return served.toLayer(handlers as never) as Layer.Layer<
    never,
    MethodTaken,
    Router | Rpc.ToHandler<R> | Rpc.Middleware<R>
  >
}

/**
 * A client with the functions of an `RpcClient` over the program's caller, so that what was written for
 * `RpcClient.make` stays as it is. Arguments are completed as by the payload's `make`. Throws as `contract` does.
 *
 * **When to use**
 *
 * To keep existing calls. Elsewhere the contract's own client does, and batches as well.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeClient = <R extends Rpc.Any>(
  group: RpcGroup.RpcGroup<R> & Plain<R> & FreeClient<R>
): Effect.Effect<Client<R>, never, Caller> => {
  const { client } = Contract.make("@parley/effect-rpc", Members.make(group))
  return Effect.map(
    Caller,
    // Each function is what its type makes of the Rpc.
    (caller) => Clients.make(Members.rpcsOf(group), client(caller) as Clients.AnyClient) as unknown as Client<R>
  )
}
