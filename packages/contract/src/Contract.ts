/**
 * Named methods, notifications and subscriptions with Schemas. One definition
 * gives the typed client and the server.
 *
 * A contract is a value: it can be merged, prefixed and cut, and holds no
 * connection. The names of its members are the names on the wire.
 *
 * ```ts run
 * import { Contract, Method } from "@parley/contract"
 * import { Peer, Router } from "@parley/peer"
 * import { MemoryTransport } from "@parley/transport"
 * import { Effect, Schema } from "effect"
 *
 * class Calculator extends Contract.make("Calculator", {
 *   add: Method.make({ params: { a: Schema.Number, b: Schema.Number }, result: Schema.Number })
 * }) {}
 *
 * const server = Router.layer(Calculator.toLayer({ add: ({ a, b }) => Effect.succeed(a + b) }))
 *
 * const program = Effect.gen(function*() {
 *   const [near, far] = yield* MemoryTransport.makePair()
 *   yield* Peer.make(far, { router: yield* Router.Router })
 *   const calculator = Calculator.client(yield* Peer.make(near))
 *   console.log(yield* calculator.add({ a: 1, b: 2 })) // => 3
 * })
 *
 * await Effect.runPromise(Effect.scoped(program).pipe(Effect.provide(server)))
 * ```
 *
 * @since 0.1.0
 */
import * as Caller from "@parley/peer/Caller"
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import type { Published } from "@parley/peer/Feed"
import type { Call, Handler } from "@parley/peer/Handler"
import { type MethodTaken, Router } from "@parley/peer/Router"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import type * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type {
  CallOptions,
  Client,
  ClientError,
  LenientOptions,
  Notifications,
  Notifier,
  Planned,
  Plans
} from "./internal/Client.ts"
import * as Batch from "./internal/client/batch.ts"
import * as Clients from "./internal/client/client.ts"
import type * as Json from "./internal/codec/json.ts"
import * as Lenient from "./internal/codec/lenient.ts"
import type { Complete, Items, NoPromise, Services } from "./internal/handlers.ts"
import type { CallableBack, MarkOf, Member, Members, WayBack } from "./internal/Member.ts"
import { withErrors, withPrefix } from "./internal/members.ts"
import * as Routes from "./internal/server/routes.ts"
import type * as Method from "./Method.ts"
import type * as Notification from "./Notification.ts"
import type * as Params from "./shared/Params.ts"
import type * as Subscription from "./Subscription.ts"

export type * from "./internal/Client.ts"
export { InvalidResult, Lagged } from "./internal/ContractError.ts"
export type { Callback, DuplexCaller, Member, Members } from "./internal/Member.ts"
export { progress, type Running } from "./internal/Progress.ts"

/**
 * The handlers of a contract: functions of the params and the call. The handler of a subscription gives a stream of
 * items, or an Effect that gives a stream; when this Effect fails, the subscription is refused. An item may be one that a
 * feed has published: then it is encoded once for all subscriptions (`Subscription.feed`). `Hint` is a text that the
 * compiler says of a handler that gives neither.
 *
 * @category models
 * @since 0.1.0
 */
export type Handlers<M extends Members, Hint extends string = never> = {
  readonly [K in keyof M]: M[K] extends Method.Method<infer P, infer R, infer E, infer Part> ? (
      params: Params.Type<P>,
      call: CallOf<Method.PartialOf<Part>>
    ) => Effect.Effect<Method.ResultOf<R>, Method.ErrorTypes<E>[keyof E] | ErrorResponse, unknown> | Hint
    : M[K] extends Notification.Notification<infer P>
      ? (params: Params.Type<P>, call: Call) => Effect.Effect<unknown, ErrorResponse, unknown> | Hint
    : M[K] extends Subscription.Subscription<infer P, infer I, infer E> ? (
        params: Params.Type<P>,
        call: Call
      ) => Items<I["Type"] | Published<I["Type"]>, Method.ErrorTypes<E>[keyof E] | ErrorResponse> | Hint
    : never
}

/**
 * A call as the handler of a method sees it: its partial results have the type that the method gives them.
 *
 * @category models
 * @since 0.1.0
 */
export type CallOf<Part> = [Part] extends [never] ? Call : PartialCall<Part>

/**
 * The call of a method with partial results.
 *
 * @category models
 * @since 0.1.0
 */
export interface PartialCall<in Part> extends Omit<Call, "partialResult"> {
  /** Sends a partial result to the caller; `undefined` when it asked for none. */
  readonly partialResult: ((value: Part) => Effect.Effect<void, Caller.NotifyError>) | undefined
}

/**
 * The identity of a contract's typed client, which an Effect that uses `Client` requires. Signatures name it as
 * `Contract.ClientId<"Bank">`.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClientId<out Name extends string> {
  readonly _: "@parley/contract/Client"
  /** The name of the contract. */
  readonly name: Name
}

/**
 * The options of a contract.
 *
 * @category models
 * @since 0.1.0
 */
export interface ContractOptions<E extends Method.Errors> {
  /**
   * Application errors that every method and subscription has beside its own, by their codes. A middleware of the
   * contract may fail with these, and clients catch them.
   */
  readonly errors?: E & Method.ValidErrors<E>
}

/**
 * Members, whose methods and subscriptions have further errors.
 *
 * @category models
 * @since 0.1.0
 */
export type WithErrors<M extends Members, E extends Method.Errors> = [keyof E] extends [never] ? M : {
  readonly [K in keyof M]: M[K] extends Method.Method<infer P, infer R, infer Own, infer Part>
    ? Method.Method<P, R, Own & E, Part> & MarkOf<M[K]>
    : M[K] extends Subscription.Subscription<infer P, infer I, infer Own> ?
      Subscription.Subscription<P, I, Own & E> & MarkOf<M[K]>
    : M[K]
}

/**
 * Named members with Schemas. May be extended by a class, for a short name in types:
 * `class Bank extends Contract.make("Bank", { … }) {}`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Contract<Name extends string, M extends Members, E extends Method.Errors = {}> {
  new(_: never): {}
  /** The name that tells this contract from others in one program. */
  readonly identifier: Name
  /** The members by their names. */
  readonly members: M
  /** The errors that all methods and subscriptions have, by their codes; those of a single one are with its member. */
  readonly errors: E
  /** The typed client, as a service. */
  readonly Client: Context.Service<ClientId<Name>, Client<M>>
  /** A typed client over any caller, such as the `peer` of a call. */
  readonly client: (caller: Caller.Caller) => Client<M>
  /** The notifications of the contract, by what sends them: a `Broadcast`, a group or recipient of it, or a caller. */
  readonly notifier: <E>(to: Notifier<E>) => Notifications<M, E>
  /** The typed client over the program's caller. Each call makes a new layer. */
  readonly layerClient: () => Layer.Layer<ClientId<Name>, never, Caller.Caller | CallableBack<M>>
  /** Gives handlers that are made elsewhere, as in `toLayer(Effect.gen(…))`, the types of their params. */
  readonly of: <const H extends Partial<Handlers<M, NoPromise>>>(handlers: Complete<H, M, Name>) => H
  /**
   * Serves these handlers through the `Router`, until the Scope of the layer closes. A middleware wraps each handler,
   * may provide the services that it requires, and may fail with the `errors` of the contract. Each call makes a new
   * layer.
   */
  readonly toLayer: <H extends Partial<Handlers<M, NoPromise>>, EX = never, RX = never, R = Services<H>>(
    handlers:
      | Complete<H, M, Name>
      | Effect.Effect<Complete<H, M, Name>, EX, RX>,
    middleware?:
      | ((handler: Handler<ErrorResponse, Services<H>>) => Handler<ErrorResponse | Method.ErrorTypes<E>[keyof E], R>)
      | undefined
  ) => Layer.Layer<never, EX | MethodTaken, Router | R | Exclude<RX, Scope.Scope> | WayBack<M>>
  /** Makes several calls of a client of this contract in one message. The results stand where their calls stood. */
  readonly batch: <const T extends ReadonlyArray<Planned<unknown, unknown>>>(
    client: Client<M>,
    plan: (calls: Plans<M>) => T,
    options?: Pick<CallOptions, "timeout">
  ) => Effect.Effect<
    { readonly [I in keyof T]: T[I] extends Planned<infer A, infer E> ? Result.Result<A, E | ClientError> : never },
    Caller.NotifyError
  >
}

/** The members of a contract. @category models @since 0.1.0 */
export type MembersOf<C> = C extends { readonly members: infer M extends Members } ? M : never

/**
 * A contract of these members. The name must be unique in a program, because it is the key of the client's service. It
 * throws a `TypeError` where a member has the code of an error of the contract for one of its own.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <const Name extends string, const M extends Members, const E extends Method.Errors = {}>(
  name: Name,
  members: M,
  options: ContractOptions<E> = {}
): Contract<Name, WithErrors<M, E>, E> => {
  // The type is `{}` when the option is left out.
  const errors = options.errors ?? ({} as E)
  // The type says what `withErrors` of the members does.
  return build(name, withErrors(name, members, errors) as WithErrors<M, E>, errors, undefined)
}

/**
 * The contract with a lenient reading: of results, items and params that do not fit, it leaves out what may be left
 * out, and logs where and why. Values that fit are read as ever.
 *
 * - An optional member of an object, or an entry of a record, that does not fit is left out.
 * - An element of an array that does not fit is left out, unless the options refuse that. Those of a tuple stay.
 * - A required value that does not fit makes its object or array not fit, and so on outwards, up to a part that may be
 *   left out. Where there is no such part, the call fails as with the strict contract.
 *
 * Contracts that are made of this one, as by `merge`, are strict.
 *
 * @category combining
 * @since 0.1.0
 */
export const lenient = <Name extends string, M extends Members, E extends Method.Errors>(
  contract: Contract<Name, M, E>,
  options: LenientOptions = {}
): Contract<Name, M, E> => build(contract.identifier, contract.members, contract.errors, Lenient.reader(options))

const build = <Name extends string, M extends Members, E extends Method.Errors>(
  name: Name,
  members: M,
  errors: E,
  lenient: Json.Lenient | undefined
): Contract<Name, M, E> => {
  const Client = Context.Service<ClientId<Name>, Clients.AnyClient>(`@parley/contract/Client/${name}`)
  const client = Clients.make(name, members, lenient)
  let plans: Batch.Plans | undefined

  const serve = (handlers: Routes.AnyHandlers<never>, middleware: Routes.Middleware | undefined) =>
    Effect.gen(function*() {
      const router = yield* Router
      const routes = Routes.make(name, members, handlers, yield* Effect.scope, lenient)
      const wrap = middleware === undefined ? identity : Routes.wrapping(middleware, errors)
      for (const { exact, handler, method, order } of routes) {
        yield* router.add(method, wrap(handler), { order, exact })
      }
    })

  const statics = {
    identifier: name,
    members,
    errors,
    Client,
    client,
    notifier: Clients.notifier(members),
    layerClient: () => Layer.effect(Client, Effect.map(Caller.Caller, client)),
    of: (handlers: unknown) => handlers,
    toLayer: (
      handlers: Routes.AnyHandlers<never> | Effect.Effect<Routes.AnyHandlers<never>>,
      middleware?: Routes.Middleware
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
    ) => Batch.run(client, plan(plans ??= Batch.plans(members, lenient)), options)
  }
  // The parts know members without their types; the types of the contract are the types of these members.
  return Object.assign(class {}, statics) as unknown as Contract<Name, M, E>
}

/** A contract whose name and members are not known to the types. @category models @since 0.1.0 */
export interface Any {
  /** Its name. */
  readonly identifier: string
  /** Its members by their names. */
  readonly members: Members
  /** The errors that all of its methods and subscriptions have. */
  readonly errors: Method.Errors
}

/** The members of several contracts together. */
type Merged<Cs extends ReadonlyArray<Any>> = Cs extends
  readonly [infer C extends Any, ...infer Rest extends ReadonlyArray<Any>] ? C["members"] & Merged<Rest> : {}

/** In types shown as one object. */
type Flat<M> = { readonly [K in keyof M & string]: Extract<M[K], Member> }

/**
 * A contract with the members of all these contracts, which keep their errors. It throws a `TypeError` if two members
 * have the same name. It has no errors of its own.
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
      if (members.has(member)) {
        throw new TypeError(`${name}: two contracts have a member ${member}, and the second is ${contract.identifier}`)
      }
      members.set(member, definition)
    }
  }
  // Filled from the members of all.
  return make(name, Object.fromEntries(members) as Flat<Merged<Cs>>)
}

/**
 * A contract whose members' names begin with a prefix, such as `eth_`; so do their names on the wire, where they have
 * others there. The method and the notification of a subscription's carrier keep their names, because they are not
 * members.
 *
 * @category combining
 * @since 0.1.0
 */
export const prefix = <const Name extends string, C extends Any, const Prefix extends string>(
  name: Name,
  contract: C,
  prefix: Prefix
): Contract<Name, { readonly [K in keyof C["members"] & string as `${Prefix}${K}`]: C["members"][K] }, C["errors"]> =>
  rename(name, contract, (member) => `${prefix}${member}`, (definition) => withPrefix(definition, prefix))

/**
 * A contract of some members of another contract.
 *
 * @category combining
 * @since 0.1.0
 */
export const pick = <const Name extends string, C extends Any, const K extends keyof C["members"] & string>(
  name: Name,
  contract: C,
  members: ReadonlyArray<K>
): Contract<Name, Pick<C["members"], K>, C["errors"]> =>
  rename(name, contract, (member) => has(members, member) ? member : undefined)

/**
 * A contract of the members of another contract, without some of them.
 *
 * @category combining
 * @since 0.1.0
 */
export const omit = <const Name extends string, C extends Any, const K extends keyof C["members"] & string>(
  name: Name,
  contract: C,
  members: ReadonlyArray<K>
): Contract<Name, Omit<C["members"], K>, C["errors"]> =>
  rename(name, contract, (member) => has(members, member) ? undefined : member)

const has = (names: ReadonlyArray<string>, name: string) => names.includes(name)

const rename = <Name extends string, M extends Members, E extends Method.Errors>(
  name: Name,
  contract: Any & { readonly errors: E },
  to: (member: string) => string | undefined,
  change: (definition: Member) => Member = identity
): Contract<Name, M, E> => {
  const members = Object.entries(contract.members).flatMap(([member, definition]) => {
    const renamed = to(member)
    return renamed === undefined ? [] : [[renamed, change(definition)] as const]
  })
  // The caller's type says what `to` does.
  return build(name, Object.fromEntries(members) as M, contract.errors, undefined)
}
