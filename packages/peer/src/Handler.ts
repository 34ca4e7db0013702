/**
 * A handler serves a method: it is a function from a call to an Effect.
 *
 * ```ts run
 * import { Handler, Router } from "@parley/peer"
 * import { Effect, Option, Schema } from "effect"
 *
 * const greet = Handler.withParams(Schema.Struct({ name: Schema.String }), ({ name }) => Effect.succeed(`Hello, ${name}`))
 *
 * const program = Effect.gen(function*() {
 *   const router = yield* Router.make()
 *   yield* router.add("greet", greet)
 *   const answer = (text: string) => Effect.map(router.answer(text), Option.getOrElse(() => ""))
 *   console.log(yield* answer(`{"jsonrpc":"2.0","id":1,"method":"greet","params":{"name":"Ada"}}`))
 *   // => {"jsonrpc":"2.0","id":1,"result":"Hello, Ada"}
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import type * as Message from "@parley/protocol/Message"
import type { RequestId } from "@parley/protocol/shared"
import * as Handshake from "@parley/transport/Handshake"
import { Budget, Occupancy } from "@parley/transport/shared"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import * as Tracer from "effect/Tracer"
import type { Caller } from "./Caller.ts"
import * as ErrorResponse from "./ErrorResponse.ts"
import type { NotifyError } from "./internal/CallerError.ts"

/**
 * A request or a notification that came in.
 *
 * @category models
 * @since 0.1.0
 */
export interface Call {
  /** The id of a request; `undefined` for a notification. */
  readonly id: RequestId.RequestId | undefined
  /** The name of the method. */
  readonly method: string
  /** The arguments, by name or by position. */
  readonly params: Message.Params | undefined
  /** Members of the message that the specification does not name, absent when there are none. */
  readonly extra: Schema.JsonObject | undefined
  /**
   * The other side. While a handler waits for it, it holds back nothing: neither the calls after it nor a place
   * among those in flight. A handler that waits for the same side by another reference goes on holding them back.
   */
  readonly peer: Caller
  /** Tells the caller about progress, if it asked for it. The members of `params` join the token. */
  readonly progress: (params: Schema.JsonObject) => Effect.Effect<void, NotifyError>
  /** Sends a partial result to the caller; `undefined` when it asked for none. */
  readonly partialResult: ((value: Schema.Json) => Effect.Effect<void, NotifyError>) | undefined
  /**
   * The value that the host of a `Session` gave with the text of the call, such as the request of HTTP that brought it; absent
   * elsewhere. Ids do not tell calls apart: a client may give one twice.
   */
  readonly from?: unknown
  /**
   * A key for what belongs to the connection: one object for all calls of a connection, and for no other call.
   * `undefined` where each call stands alone.
   */
  readonly connection: object | undefined
  /**
   * Waits until this side begins to shut the connection down, in which it *drains*: what runs has `Limits.drain`. What
   * has no end of its own, such as a stream of events, should end then, so that its caller goes elsewhere at once:
   * with the error that this gives, which is `ErrorResponse.shuttingDown` with the code of the dialect, and which
   * `Reconnecting.resume` understands. It is absent, or it waits for ever, where the host never says when it shuts
   * down: such as for `Router.answer` without `onDraining`.
   */
  readonly draining?: Effect.Effect<ErrorResponse.ErrorResponse> | undefined
  /**
   * Runs an effect behind the successful response, so that whatever it sends comes later on the wire.
   *
   * - It starts behind the response; for a member of a batch, behind the reply to the batch; for a notification, when
   *   its handler has succeeded.
   * - It is skipped when the call fails or is cancelled, and where each call stands alone. It does nothing once the
   *   handler has ended.
   * - It is interrupted when the connection closes. A connection that drains does not wait for it.
   *
   * `otherwise` runs in its place where it is skipped, to give back what it would have used.
   */
  readonly afterReply: (effect: Effect.Effect<unknown>, otherwise?: Effect.Effect<unknown> | undefined) => void
  /**
   * Runs an effect once when the connection of the call has ended, however it ends, also long after the call; at once
   * where it has ended already. Gives a function that withdraws it.
   *
   * - The connection is what `connection` names: that of a `Peer`, or a session. Where each call stands alone, as over
   *   plain HTTP, it ends with the call: the effect runs behind the reply, or when the call fails or is cancelled.
   * - The effects run side by side. A failure is logged and stops nothing. The end of a server waits a second for them.
   * - A connection keeps up to 4,096 of them; one more dies with a `RangeError`. So withdraw what is not needed until
   *   the end, or register once for a connection instead of once for a call.
   */
  readonly onClose: (effect: Effect.Effect<unknown>) => () => void
}

/**
 * Serves a method. Its success is the result of the call, where `undefined` becomes null. The result of a notification
 * is ignored.
 *
 * @category models
 * @since 0.1.0
 */
export type Handler<E = ErrorResponse.ErrorResponse, R = never> = (
  call: Call
) => Effect.Effect<Schema.Json | void, E, R>

/**
 * Finds the handler of a method. A `Peer` and a `Session` need no more of a router.
 *
 * @category models
 * @since 0.1.0
 */
export interface Lookup {
  /** The handler of a method, or the fallback. */
  readonly handlerOf: (method: string) => Handler | undefined
  /** Whether requests of a method need not wait for the notifications before them. */
  readonly isConcurrent: (method: string) => boolean
  /** The methods whose params keep the digits of their numbers. */
  readonly exact?: { readonly size: number; readonly has: (method: string) => boolean } | undefined
}

/**
 * Changes a handler into another one.
 *
 * @category models
 * @since 0.1.0
 */
export type Middleware<E2 = never, R2 = never> = <E, R>(handler: Handler<E, R>) => Handler<E | E2, R | R2>

/**
 * A handler that takes its params as a Schema decodes them. Params that the Schema refuses are answered with -32602 and
 * the path of each issue. A call without params gives the Schema `undefined`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const withParams = <P, I, E, R>(
  params: Schema.Codec<P, I>,
  serve: (params: P, call: Call) => Effect.Effect<Schema.Json | void, E, R>
): Handler<E | ErrorResponse.ErrorResponse, R> => {
  const decode = Schema.decodeUnknownExit(params)
  return (call) => {
    const decoded = decode(call.params)
    if (Exit.isSuccess(decoded)) return serve(decoded.value, call)
    return Effect.mapError(Exit.asVoid(decoded), ErrorResponse.fromSchemaError)
  }
}

/**
 * The services that a handler is provided with, without those that each call has of its own: its span, the annotations
 * and spans of its log lines, the handshake and the share of its connection. So a handler never shows those of the fiber
 * that added it. Other references that its Layer provides stay.
 *
 * @category context
 * @since 0.1.0
 */
export const withoutCall = Context.omit(
  Tracer.ParentSpan,
  References.CurrentLogAnnotations,
  References.CurrentLogSpans,
  Handshake.Current,
  Handshake.Holder,
  Budget.Budget,
  Occupancy.Occupancy
) as <R>(context: Context.Context<R>) => Context.Context<R>
