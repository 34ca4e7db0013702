/**
 * Named methods, notifications and subscriptions with Schemas. One definition
 * gives the typed client and the server.
 *
 * A contract is a value: it can be merged, prefixed and cut, and holds no
 * connection. The names of its members are the names on the wire.
 *
 * @since 0.1.0
 */
import * as Caller from "@parley/peer/Caller"
import type { CallError, InvalidArguments, NotifyError } from "@parley/peer/CallerError"
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import type { Call, Handler } from "@parley/peer/Handler"
import { type MethodTaken, Router } from "@parley/peer/Router"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import type * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { InvalidResult, Lagged } from "./ContractError.ts"
import * as Batch from "./internal/batch.ts"
import * as Clients from "./internal/client.ts"
import * as Routes from "./internal/routes.ts"
import type * as Method from "./Method.ts"
import type * as Notification from "./Notification.ts"
import type * as Params from "./Params.ts"
import type * as Subscription from "./Subscription.ts"

/**
 * A method, a notification or a subscription. It names no type parameter, because those of a widest method would flow
 * back into what a narrower one leaves out.
 *
 * @category models
 * @since 0.1.0
 */
export interface Member {
  readonly _tag: "Method" | "Notification" | "Subscription"
}

/** Members by their name on the wire. @category models @since 0.1.0 */
export type Members = { readonly [name: string]: Member }

/**
 * What one call of a typed client may choose.
 *
 * @category models
 * @since 0.1.0
 */
export type CallOptions = Pick<Caller.CallOptions, "timeout" | "onProgress" | "extra">

/**
 * What a consumer of a subscription may choose.
 *
 * @category models
 * @since 0.1.0
 */
export interface StreamOptions extends Pick<CallOptions, "onProgress" | "extra"> {
  /** How many items wait for a slow consumer: 1,024 by default. */
  readonly capacity?: number | undefined
  /**
   * What happens when they are more. `suspend`, the default, stops the reading of the connection; while other calls
   * wait for their responses as many again are kept, and then it is `fail`. `sliding` forgets the oldest, `dropping`
   * the newest. `fail` ends the stream with `Lagged`, after the items that were kept.
   */
  readonly strategy?: "suspend" | "sliding" | "dropping" | "fail" | undefined
}

/** How a typed call may fail beside the contract's own errors. @category errors @since 0.1.0 */
export type ClientError = CallError | InvalidResult

/**
 * The typed client: a function per member.
 *
 * @category models
 * @since 0.1.0
 */
export type Client<M extends Members> = {
  readonly [K in keyof M]: M[K] extends Method.Method<infer P, infer R, infer E> ? (
      params: Params.Type<P>,
      options?: CallOptions
    ) => Effect.Effect<Method.ResultOf<R>, Method.ErrorOf<E> | ClientError>
    : M[K] extends Notification.Notification<infer P> ? (params: Params.Type<P>) => Effect.Effect<void, NotifyError>
    : M[K] extends Subscription.Subscription<infer P, infer I, infer E> ? (
        params: Params.Type<P>,
        options?: StreamOptions
      ) => Stream.Stream<I["Type"], Method.ErrorOf<E> | ClientError | Lagged>
    : never
}

/**
 * The handlers of a contract: functions of the params and the call. Those of subscriptions give a stream of items, or
 * an Effect that gives one, whose failure refuses the subscription.
 *
 * @category models
 * @since 0.1.0
 */
export type Handlers<M extends Members> = {
  readonly [K in keyof M]: M[K] extends Method.Method<infer P, infer R, infer E> ? (
      params: Params.Type<P>,
      call: Call
    ) => Effect.Effect<Method.ResultOf<R>, Method.ErrorOf<E> | ErrorResponse, unknown>
    : M[K] extends Notification.Notification<infer P>
      ? (params: Params.Type<P>, call: Call) => Effect.Effect<unknown, ErrorResponse, unknown>
    : M[K] extends Subscription.Subscription<infer P, infer I, infer E> ? (
        params: Params.Type<P>,
        call: Call
      ) => Items<I["Type"], Method.ErrorOf<E> | ErrorResponse>
    : never
}

/** What the handler of a subscription gives. @category models @since 0.1.0 */
export type Items<A, E> =
  | Stream.Stream<A, E, unknown>
  | Effect.Effect<Stream.Stream<A, E, unknown>, E, unknown>

/** What handlers require. @category models @since 0.1.0 */
export type Services<H> = {
  [K in keyof H]: H[K] extends (...args: never) => infer A ? Exclude<ServicesOf<A>, Scope.Scope> : never
}[keyof H]

type ServicesOf<A> = A extends Effect.Effect<infer B, infer _E, infer R>
  ? R | (B extends Stream.Stream<infer _A, infer _E, infer R2> ? R2 : never)
  : A extends Stream.Stream<infer _A, infer _E, infer R> ? R
  : never

/** A misspelt handler is a type error that says so. @category models @since 0.1.0 */
export type Known<H, M, Name extends string> = {
  readonly [K in Exclude<keyof H, keyof M>]: `${Name} has no member ${K & string}`
}

/** A middleware for handlers that require `S`: wrapped, they require `R`. @category models @since 0.1.0 */
export type Wrap<S, R> = (handler: Handler<ErrorResponse, S>) => Handler<ErrorResponse, R>

/** The identity of a contract's typed client. @category models @since 0.1.0 */
export interface ClientId<out Name extends string> {
  readonly _: "@parley/contract/Client"
  readonly name: Name
}

/**
 * A call that is not made yet: what a batch is made of.
 *
 * @category models
 * @since 0.1.0
 */
export interface Planned<out A, out E> {
  /** What is sent, unless its arguments do not fit. */
  readonly member: Exit.Exit<Caller.Member, InvalidArguments>
  readonly settle: (outcome: Result.Result<unknown, CallError> | undefined) => Result.Result<A, E | ClientError>
}

/** The members of a contract as calls that are not made yet. @category models @since 0.1.0 */
export type Plans<M extends Members> = {
  readonly [K in keyof M]: M[K] extends Method.Method<infer P, infer R, infer E>
    ? (params: Params.Type<P>) => Planned<Method.ResultOf<R>, Method.ErrorOf<E>>
    : M[K] extends Notification.Notification<infer P> ? (params: Params.Type<P>) => Planned<void, never>
    : never
}

/** The results of a batch, each where its call stood. @category models @since 0.1.0 */
export type Outcomes<T extends ReadonlyArray<Planned<unknown, unknown>>> = {
  readonly [I in keyof T]: T[I] extends Planned<infer A, infer E> ? Result.Result<A, E | ClientError> : never
}

/**
 * Named members with Schemas. May be extended by a class, for a short name in types:
 * `class Bank extends Contract.make("Bank", { … }) {}`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Contract<Name extends string, M extends Members> {
  new(_: never): {}
  /** The name that tells this contract from others in one program. */
  readonly identifier: Name
  readonly members: M
  /** The typed client, as a service. */
  readonly Client: Context.Service<ClientId<Name>, Client<M>>
  /** A typed client over any caller, such as the `peer` of a call. */
  readonly client: (caller: Caller.Caller["Service"]) => Client<M>
  /** The typed client over the program's caller. A new layer at each call. */
  readonly layerClient: () => Layer.Layer<ClientId<Name>, never, Caller.Caller>
  /** Types handlers that are made elsewhere, as in `toLayer(Effect.gen(…))`. */
  readonly of: <const H extends Handlers<M>>(handlers: H & Known<H, M, Name>) => H
  /**
   * Serves these handlers through the `Router`, until its Scope closes. A middleware wraps each of them, and may provide
   * what they require. A new layer at each call.
   */
  readonly toLayer: <H extends Handlers<M>, EX = never, RX = never, R = Services<H>>(
    handlers: (H & Known<H, M, Name>) | Effect.Effect<H & Known<H, M, Name>, EX, RX>,
    middleware?: Wrap<Services<H>, R> | undefined
  ) => Layer.Layer<never, EX | MethodTaken, Router | R | Exclude<RX, Scope.Scope>>
  /** Makes several calls of a client of this contract in one message. The results stand where their calls stood. */
  readonly batch: <const T extends ReadonlyArray<Planned<unknown, unknown>>>(
    client: Client<M>,
    plan: (calls: Plans<M>) => T,
    options?: Pick<CallOptions, "timeout">
  ) => Effect.Effect<Outcomes<T>, NotifyError>
}

/** The members of a contract. @category models @since 0.1.0 */
export type MembersOf<C> = C extends { readonly members: infer M extends Members } ? M : never

/**
 * A contract of these members. The name must be its own in a program: the client's service is known by it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <const Name extends string, const M extends Members>(name: Name, members: M): Contract<Name, M> => {
  const Client = Context.Service<ClientId<Name>, Clients.AnyClient>(`@parley/contract/Client/${name}`)
  const client = Clients.make(members)
  let plans: Batch.Plans | undefined

  const serve = (handlers: Routes.AnyHandlers<never>, middleware: (handler: Handler) => Handler) =>
    Effect.flatMap(Router, (router) =>
      Effect.forEach(
        Routes.make(members, handlers),
        ({ handler, method, order }) => router.add(method, middleware(handler), { order }),
        { discard: true }
      ))

  const statics = {
    identifier: name,
    members,
    Client,
    client,
    layerClient: () => Layer.effect(Client, Effect.map(Caller.Caller, client)),
    of: (handlers: unknown) => handlers,
    toLayer: (
      handlers: Routes.AnyHandlers<never> | Effect.Effect<Routes.AnyHandlers<never>>,
      middleware: (handler: Handler) => Handler = identity
    ) =>
      Layer.effectDiscard(
        Effect.isEffect(handlers)
          ? Effect.flatMap(handlers, (handlers) => serve(handlers, middleware))
          : serve(handlers, middleware)
      ),
    batch: (
      client: object,
      plan: (calls: Batch.Plans) => ReadonlyArray<Batch.Plan>,
      options?: Pick<CallOptions, "timeout">
    ) => Batch.run(client, plan(plans ??= Batch.plans(members)), options)
  }
  // The parts know members without their types; the types of a contract are those of these very members.
  return Object.assign(class {}, statics) as unknown as Contract<Name, M>
}

/** @category models @since 0.1.0 */
export interface Any {
  readonly identifier: string
  readonly members: Members
}

/** The members of several contracts together. */
type Merged<Cs extends ReadonlyArray<Any>> = Cs extends
  readonly [infer C extends Any, ...infer Rest extends ReadonlyArray<Any>] ? C["members"] & Merged<Rest> : {}

/** In types shown as one object. */
type Flat<M> = { readonly [K in keyof M & string]: Extract<M[K], Member> }

/**
 * A contract with the members of all these. Two members of one name are a defect of the program, and throw.
 *
 * @category combining
 * @since 0.1.0
 */
export const merge = <const Name extends string, const Cs extends ReadonlyArray<Any>>(
  name: Name,
  ...contracts: Cs
): Contract<Name, Flat<Merged<Cs>>> => {
  const members = new Map<string, Member>()
  for (const contract of contracts) {
    for (const [member, definition] of Object.entries(contract.members)) {
      if (members.has(member)) throw new TypeError(`${name}: ${contract.identifier} has ${member}, too`)
      members.set(member, definition)
    }
  }
  // Filled from the members of all.
  return make(name, Object.fromEntries(members) as Flat<Merged<Cs>>)
}

/**
 * A contract whose members' names begin with a prefix, such as `eth_`. The methods of a subscription's carrier keep
 * theirs: they are not members.
 *
 * @category combining
 * @since 0.1.0
 */
export const prefix = <const Name extends string, C extends Any, const Prefix extends string>(
  name: Name,
  contract: C,
  prefix: Prefix
): Contract<Name, { readonly [K in keyof C["members"] & string as `${Prefix}${K}`]: C["members"][K] }> =>
  rename(name, contract, (member) => `${prefix}${member}`)

/**
 * A contract of some members of another.
 *
 * @category combining
 * @since 0.1.0
 */
export const pick = <const Name extends string, C extends Any, const K extends keyof C["members"] & string>(
  name: Name,
  contract: C,
  members: ReadonlyArray<K>
): Contract<Name, Pick<C["members"], K>> =>
  rename(name, contract, (member) => has(members, member) ? member : undefined)

/**
 * A contract of the members of another but some.
 *
 * @category combining
 * @since 0.1.0
 */
export const omit = <const Name extends string, C extends Any, const K extends keyof C["members"] & string>(
  name: Name,
  contract: C,
  members: ReadonlyArray<K>
): Contract<Name, Omit<C["members"], K>> =>
  rename(name, contract, (member) => has(members, member) ? undefined : member)

const has = (names: ReadonlyArray<string>, name: string) => names.includes(name)

const rename = <Name extends string, M extends Members>(
  name: Name,
  contract: Any,
  to: (member: string) => string | undefined
): Contract<Name, M> => {
  const members = Object.entries(contract.members).flatMap(([member, definition]) => {
    const renamed = to(member)
    return renamed === undefined ? [] : [[renamed, definition] as const]
  })
  // The caller's type says what `to` does.
  return make(name, Object.fromEntries(members) as M)
}
