/**
 * A time for each call, on either side.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Caller } from "../Caller.ts"
import * as ErrorResponse from "../ErrorResponse.ts"
import type { Middleware } from "../Handler.ts"

/**
 * Gives a handler a time: beyond it, it is interrupted and the request answered with -32002 and the milliseconds in
 * `data`.
 *
 * @category serving
 * @since 0.1.0
 */
export const handler = (duration: Duration.Input): Middleware<ErrorResponse.ErrorResponse> => {
  const data = { milliseconds: Duration.toMillis(Duration.fromInputUnsafe(duration)) }
  return (handler) => (call) =>
    Effect.timeoutOrElse(handler(call), {
      duration,
      orElse: () => Effect.fail(ErrorResponse.make(-32002, "Deadline exceeded", data))
    })
}

/**
 * Gives each call that names no time of its own this one.
 *
 * @category calling
 * @since 0.1.0
 */
export const caller = (timeout: Duration.Input) => (inner: Caller["Service"]): Caller["Service"] => ({
  ...inner,
  request: (method, params, options) =>
    inner.request(method, params, { ...options, timeout: options?.timeout ?? timeout }),
  batch: (members, options) => inner.batch(members, { ...options, timeout: options?.timeout ?? timeout })
})
