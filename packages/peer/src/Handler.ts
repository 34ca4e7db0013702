/**
 * What serves a method: a function from a call to an Effect.
 *
 * @since 0.1.0
 */
import type * as Message from "@parley/protocol/Message"
import type { RequestId } from "@parley/protocol/RequestId"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import type { Caller } from "./Caller.ts"
import type { NotifyError } from "./CallerError.ts"
import * as ErrorResponse from "./ErrorResponse.ts"

/**
 * A request or a notification that came in.
 *
 * @category models
 * @since 0.1.0
 */
export interface Call {
  /** The id of a request; `undefined` for a notification. */
  readonly id: RequestId | undefined
  readonly method: string
  readonly params: Message.Params | undefined
  /** Members of the message that the specification does not name, absent when there are none. */
  readonly extra: Schema.JsonObject | undefined
  /**
   * The other side. While a handler waits for it, it holds back nothing: neither the calls after it nor a place
   * among those in flight.
   */
  readonly peer: Caller["Service"]
  /** Tells the caller about progress, if it asked for it. The members of `params` join the token. */
  readonly progress: (params: Schema.JsonObject) => Effect.Effect<void, NotifyError>
  /** Sends a partial result to the caller; `undefined` when it asked for none. */
  readonly partialResult: ((value: Schema.Json) => Effect.Effect<void, NotifyError>) | undefined
  /**
   * What is the same for all calls of one connection, and for no other: a key for what belongs to the connection.
   * `undefined` where each call stands alone.
   */
  readonly connection: object | undefined
  /**
   * Runs an effect behind the successful response, so that whatever it sends comes after that on the wire: for a member
   * of a batch, after the response of the batch; for a notification, when its handler has ended well. It is not run
   * when the call fails or is cancelled, nor when its handler has ended already, nor where each call stands alone. It
   * is interrupted when the connection closes, and a connection that drains does not wait for it.
   *
   * `otherwise` runs in its place where it is not run, to give back what it would have used.
   */
  readonly afterReply: (effect: Effect.Effect<unknown>, otherwise?: Effect.Effect<unknown> | undefined) => void
}

/**
 * Serves a method. What it returns is the result; nothing is null. A notification's result is not looked at.
 *
 * @category models
 * @since 0.1.0
 */
export type Handler<E = ErrorResponse.ErrorResponse, R = never> = (
  call: Call
) => Effect.Effect<Schema.Json | void, E, R>

/**
 * Changes a handler into another one.
 *
 * @category models
 * @since 0.1.0
 */
export type Middleware<E2 = never, R2 = never> = <E, R>(handler: Handler<E, R>) => Handler<E | E2, R | R2>

/**
 * A handler that takes its params as a Schema decodes them. What the Schema refuses is answered with -32602 and the
 * path of each issue. A call without params gives the Schema `undefined`.
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
