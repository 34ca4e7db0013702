/**
 * A time for each call, on either side.
 *
 * ```ts run
 * import { Deadline } from "@parley/middleware"
 * import { Router } from "@parley/peer"
 * import { Effect, Option } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const router = yield* Router.make()
 *   yield* router.add("slow", Deadline.handler("1 millis")(() => Effect.never))
 *   console.log(Option.getOrThrow(yield* router.answer(`{"jsonrpc":"2.0","id":1,"method":"slow"}`)))
 *   // => {"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"Deadline exceeded","data":{"milliseconds":1}}}
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import type { Caller } from "@parley/peer/Caller"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import type { Middleware } from "@parley/peer/Handler"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/**
 * Interrupts a handler after this time, and answers its request with -32002 and the milliseconds in `data`.
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
 * Gives this timeout to each call that has none of its own.
 *
 * @category calling
 * @since 0.1.0
 */
export const caller = (timeout: Duration.Input) => (inner: Caller): Caller => ({
  ...inner,
  request: (method, params, options) =>
    inner.request(method, params, { ...options, timeout: options?.timeout ?? timeout }),
  batch: (members, options) => inner.batch(members, { ...options, timeout: options?.timeout ?? timeout })
})
