/**
 * Authentication: handlers get a service that says who calls, and callers add their
 * credentials.
 *
 * Where the connection or the request has a handshake, its server says who it is:
 * `authorize` of the listener, and `principal` here. JSON-RPC itself has no place
 * for credentials. Without a handshake, a method of your own takes them once for its
 * connection, and its handler calls `logIn`: `principal` finds that, too. Or each call
 * has them, in `extra` beside `method` or in the params, and `handler` reads them.
 *
 * ```ts run
 * import { Authentication } from "@parley/middleware"
 * import { Router } from "@parley/peer"
 * import { Context, Effect, Option } from "effect"
 *
 * class User extends Context.Service<User, { readonly name: string }>()("User") {}
 *
 * const signedIn = Authentication.handler(User, ({ extra }) =>
 *   extra?.["token"] === "secret"
 *     ? Effect.succeed({ name: "Ada" })
 *     : Effect.fail(Authentication.unauthenticated()))
 *
 * const program = Effect.gen(function*() {
 *   const router = yield* Router.make()
 *   yield* router.add("whoami", signedIn(() => Effect.map(User, ({ name }) => name)))
 *   for (const token of ["secret", "guess"]) {
 *     console.log(Option.getOrThrow(yield* router.answer(`{"jsonrpc":"2.0","id":1,"method":"whoami","token":"${token}"}`)))
 *   }
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * // => {"jsonrpc":"2.0","id":1,"result":"Ada"}
 * // => {"jsonrpc":"2.0","id":1,"error":{"code":-32003,"message":"Unauthenticated"}}
 * ```
 *
 * @since 0.1.0
 */
import type { Caller, Member, NotifyError } from "@parley/peer/Caller"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import type { Call, Handler } from "@parley/peer/Handler"
import type * as Message from "@parley/protocol/Message"
import { Excerpt } from "@parley/protocol/shared"
import * as Handshake from "@parley/transport/Handshake"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { exitOf } from "./internal/exitOf.ts"

/**
 * -32003, for a call without credentials, or with wrong ones. It gives no details, on purpose.
 *
 * @category errors
 * @since 0.1.0
 */
export const unauthenticated = (data?: Schema.Json): ErrorResponse.ErrorResponse =>
  ErrorResponse.make(-32003, "Unauthenticated", data)

/**
 * The class of `unauthenticated` in contracts that declare `errors`.
 *
 * @category errors
 * @since 0.1.0
 */
export class Unauthenticated extends Schema.TaggedError<Unauthenticated>()("Unauthenticated", {}) {
  override get message(): string {
    return "the server does not know who calls: log in, or send other credentials"
  }
}

/**
 * The errors of a contract whose members need a principal: `Contract.make(name, members, { errors })`.
 *
 * @category errors
 * @since 0.1.0
 */
export const errors: { readonly [-32003]: typeof Unauthenticated } = { [-32003]: Unauthenticated }

/**
 * Gives the handlers that it wraps a service made from the call. A call for which `authenticate` fails is answered with
 * that failure: an `ErrorResponse`, or an error that the contract of the handlers declares for all of its members.
 *
 * With `per: "connection"` the service is made once for all calls of a connection: calls that come meanwhile wait for
 * it. Where the credentials of a call fail, the next call tries its own. Each call that stands alone is authenticated.
 *
 * **When to use**
 *
 * `per: "connection"` where a connection belongs to one user from its first call on: the credentials of later calls are
 * ignored.
 *
 * @category serving
 * @since 0.1.0
 */
export const handler = <I, S, E2 = ErrorResponse.ErrorResponse, R2 = never>(
  tag: Context.Key<I, S>,
  authenticate: (call: Call) => Effect.Effect<S, E2, R2>,
  options?: { readonly per?: "call" | "connection" | undefined }
) => {
  const identify = options?.per === "connection" ? oncePerConnection(authenticate) : authenticate
  return <E, R>(handler: Handler<E, R>): Handler<E | E2, R2 | Exclude<R, I>> => {
    const serve = (call: Call, service: S): ReturnType<Handler<E, Exclude<R, I>>> => {
      const effect = handler(call)
      // An exit requires nothing.
      return exitOf(effect) ?? Effect.provideService(effect, tag, service)
    }
    return (call) => {
      const identified = identify(call)
      const exit = exitOf(identified)
      return exit !== undefined && Exit.isSuccess(exit)
        ? serve(call, exit.value)
        : Effect.flatMap(identified, (service) => serve(call, service))
    }
  }
}

/**
 * Gives the handlers that it wraps, those of notifications too, the service that `authorize` of the listener or HTTP
 * host made for the connection or request, or that the last `logIn` of the connection gave before the call started. A
 * call without one is answered with `unauthenticated`, and the first is logged.
 *
 * @category serving
 * @since 0.1.0
 */
export const principal = <I, S>(tag: Context.Key<I, S>) => {
  let isTold = false
  const missing = (method: string): Effect.Effect<never, ErrorResponse.ErrorResponse> =>
    Effect.suspend(() => {
      const failure = Effect.fail(unauthenticated())
      if (isTold) return failure
      isTold = true
      return Effect.andThen(
        Effect.logWarning(
          `${Excerpt.line(method)} needs the principal ${Excerpt.line(tag.key)}, and its connection has none: ` +
            "give its listener or HTTP host an `authorize` that makes one, or let its client log in first"
        ),
        failure
      )
    })
  return handler(
    tag,
    ({ method }) =>
      Effect.flatMap(Handshake.principal(tag), Option.match({ onNone: () => missing(method), onSome: Effect.succeed }))
  )
}

const hold = (login: Context.Context<never> | undefined): Effect.Effect<void, ErrorResponse.ErrorResponse> =>
  Effect.flatMap(
    Handshake.Holder,
    (holder) =>
      holder === undefined
        ? Effect.fail(ErrorResponse.make(-32000, "Logging in needs a connection"))
        : Effect.sync(() => holder.hold(login))
  )

/**
 * Says who the client of this connection is from now on: each call that starts behind it, and what the calling handler
 * leaves to run behind its reply, finds the service as if `authorize` had given it, and so do `principal` and
 * `Handshake.principal`. Calls that run keep the principal that they started with. `name` tells principals apart, as that
 * of `Handshake.authorize` does.
 *
 * Logging in again replaces the services of the login before. Those that `authorize` gave stay, except for their name.
 * A call that belongs to no connection, as over HTTP, is refused with -32000.
 *
 * @category serving
 * @since 0.1.0
 */
export const logIn = <I, S>(
  tag: Context.Key<I, S>,
  service: S,
  name?: string
): Effect.Effect<void, ErrorResponse.ErrorResponse> =>
  logInAs(Context.add(name === undefined ? Context.empty() : Context.make(Handshake.Name, name), tag, service))

/**
 * `logIn` for a principal of several services. `Handshake.Name` among them tells principals apart.
 *
 * @category serving
 * @since 0.1.0
 */
export const logInAs = (principal: Context.Context<never>): Effect.Effect<void, ErrorResponse.ErrorResponse> =>
  hold(principal)

/**
 * Takes back what the last `logIn` of this connection gave: calls that start from now on find what `authorize` gave, or
 * nothing.
 *
 * @category serving
 * @since 0.1.0
 */
export const logOut: Effect.Effect<void, ErrorResponse.ErrorResponse> = hold(undefined)

/**
 * The credentials of a call.
 *
 * @category models
 * @since 0.1.0
 */
export interface Credentials {
  /** Members of the message beside those that the specification names. A notification by itself has no place for them. */
  readonly extra?: Schema.JsonObject | undefined
  /** The params to send instead of those of the call. */
  readonly params?: Message.Params | undefined
}

/**
 * Adds credentials to each call. It asks for them for each call, so that they may change; cache them where that is
 * slow.
 *
 * @category calling
 * @since 0.1.0
 */
export const caller = (
  credentials: (method: string, params: Message.Params | undefined) => Effect.Effect<Credentials, NotifyError>
) =>
(inner: Caller): Caller => {
  const withCredentials = (member: Member): Effect.Effect<Member, NotifyError> =>
    Effect.map(credentials(member.method, member.params), (added) => ({
      ...member,
      params: added.params ?? member.params,
      extra: added.extra === undefined ? member.extra : { ...member.extra, ...added.extra }
    }))
  return {
    ...inner,
    request: (method, params, options) =>
      Effect.flatMap(
        withCredentials({ method, params, extra: options?.extra }),
        ({ extra, params }) => inner.request(method, params, extra === undefined ? options : { ...options, extra })
      ),
    notify: (method, params) =>
      Effect.flatMap(withCredentials({ method, params }), ({ params }) => inner.notify(method, params)),
    batch: (members, options) =>
      Effect.flatMap(Effect.forEach(members, withCredentials), (members) => inner.batch(members, options))
  }
}

interface Entry<S> {
  /** Held by the call that authenticates; the others wait for their turn. */
  readonly turn: Semaphore.Semaphore
  service: Exit.Exit<S> | undefined
}

/** Gives the service of the first call that is authenticated to all calls of its connection. Failures are not kept. */
const oncePerConnection = <S, E, R>(authenticate: (call: Call) => Effect.Effect<S, E, R>) => {
  const entries = new WeakMap<object, Entry<S>>()
  return (call: Call): Effect.Effect<S, E, R> => {
    const { connection } = call
    if (connection === undefined) return authenticate(call)
    const entry = entries.get(connection) ?? { turn: Semaphore.makeUnsafe(1), service: undefined }
    entries.set(connection, entry)
    return entry.service ??
      entry.turn.withPermit(Effect.suspend(() =>
        entry.service ?? Effect.map(authenticate(call), (service) => {
          entry.service = Exit.succeed(service)
          return service
        })
      ))
  }
}
