/**
 * The codecs of a method or a notification, for a protocol that carries calls in a way of its own: it has other members
 * around their params and results, and decides itself which connection they go by.
 *
 * `Contract` makes clients and handlers of the same codecs.
 *
 * ```ts run
 * import { MethodCodec } from "@parley/contract/shared"
 * import { Method } from "@parley/contract"
 * import { Effect, Schema } from "effect"
 *
 * const codec = MethodCodec.make("add", Method.make({ params: { a: Schema.Int, b: Schema.Int }, result: Schema.Int }))
 *
 * console.log(Effect.runSync(codec.encodeParams({ a: 1, b: 2 }))) // => { a: 1, b: 2 }
 * console.log(Effect.runSync(codec.decodeResult(3))) // => 3
 * console.log(Effect.runSync(Effect.flip(codec.decodeParams({ a: "1" }))).code) // => -32602
 * ```
 *
 * @since 0.1.0
 */
import type { InvalidArguments, RemoteError } from "@parley/peer/Caller"
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import type * as Message from "@parley/protocol/Message"
import type * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import * as Settle from "../internal/client/settle.ts"
import * as ParamsCodec from "../internal/codec/params.ts"
import type { InvalidResult } from "../internal/ContractError.ts"
import * as Serve from "../internal/server/method.ts"
import type * as Method from "../Method.ts"
import type * as Notification from "../Notification.ts"
import type * as Params from "./Params.ts"

/**
 * Params between their type and the wire.
 *
 * @category models
 * @since 0.1.0
 */
export interface NotificationCodec<P> {
  /** For the wire. Params that the Schema refuses are not sent. */
  readonly encodeParams: (params: P) => Effect.Effect<Message.Params | undefined, InvalidArguments>
  /** For a handler. Params that the Schema refuses are answered with -32602 and the path of each issue. */
  readonly decodeParams: (params: Message.Params | undefined) => Effect.Effect<P, ErrorResponse>
}

/**
 * Params, results and errors between their types and the wire.
 *
 * @category models
 * @since 0.1.0
 */
export interface MethodCodec<P, A, E> extends NotificationCodec<P> {
  /** For the wire; null where the method declares no result. A result that the Schema refuses is an internal error. */
  readonly encodeResult: (result: A) => Effect.Effect<Schema.Json, ErrorResponse>
  /** The failure of a handler. An error that is neither declared nor an `ErrorResponse` is an internal error. */
  readonly encodeFailure: (cause: Cause.Cause<unknown>) => Effect.Effect<never, ErrorResponse>
  /** For a caller; nothing where the method declares no result. */
  readonly decodeResult: (json: unknown) => Effect.Effect<A, InvalidResult>
  /** For a caller: the typed error where the remote one fits it, else the remote one. */
  readonly decodeError: (error: RemoteError) => Effect.Effect<E | RemoteError>
}

/**
 * The codec of a method. `name` is the one that errors say. Partial: throws for params and errors that no method can
 * have.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <
  P extends Params.Params,
  R extends Params.Codec | undefined,
  E extends Method.Errors,
  Part extends Params.Codec | undefined
>(
  name: string,
  method: Method.Method<P, R, E, Part>
): MethodCodec<Params.Type<P>, Method.ResultOf<R>, Method.ErrorOf<E>> => {
  const { decode, encode } = ParamsCodec.make(name, method)
  const codec: MethodCodec<unknown, unknown, unknown> = {
    encodeParams: encode,
    decodeParams: decode,
    encodeResult: Serve.resultEncoder(method.result),
    encodeFailure: Serve.failures(method.errors),
    decodeResult: method.result === undefined ? (_) => Exit.void : Settle.resultDecoder(name, method.result, {}),
    decodeError: Settle.errorDecoder(method.errors, {})
  }
  // The Schemas of the method make these types.
  return codec as MethodCodec<Params.Type<P>, Method.ResultOf<R>, Method.ErrorOf<E>>
}

/**
 * The codec of a notification. Partial: throws for params that no notification can have.
 *
 * @category constructors
 * @since 0.1.0
 */
export const ofNotification = <P extends Params.Params>(
  name: string,
  notification: Notification.Notification<P>
): NotificationCodec<Params.Type<P>> => {
  const { decode, encode } = ParamsCodec.make(name, notification)
  // The Schema of the params makes this type.
  return { encodeParams: encode, decodeParams: decode } as NotificationCodec<Params.Type<P>>
}
