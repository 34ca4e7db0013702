/**
 * Calls that wait for a connection before they are made: the time they wait is
 * part of their own.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Caller, CallOptions } from "../../Caller.ts"
import {
  aBatch,
  type Called,
  type CallError,
  type Disconnected,
  ofCall,
  Overloaded,
  RequestTimeout
} from "../../CallerError.ts"
import { timeoutMillis } from "../timer/DeadlineQueue.ts"
import type { ConnectQueue, Refusal } from "./ConnectQueue.ts"

/** @internal */
export interface Options {
  readonly queue: ConnectQueue<Caller>
  /** Milliseconds that a call waits when it does not say so. */
  readonly timeout: number
  /** Why there is no connection, where there has been an attempt. */
  readonly lastAttempt: () => string | undefined
  /** The error of a call that may not wait, or no longer, and has no more specific one. */
  readonly unreachable: () => Disconnected
}

/** Names the time that the call was given, not what was left of it. @internal */
export const whole = (milliseconds: number) => (error: CallError): CallError =>
  error._tag === "RequestTimeout" ? new RequestTimeout({ ...error, milliseconds }) : error

/** Makes a call within what is left of its time. @internal */
export const within = <A, R>(
  options: CallOptions | undefined,
  milliseconds: number,
  left: number,
  call: (options: CallOptions) => Effect.Effect<A, CallError, R>
): Effect.Effect<A, CallError, R> => Effect.mapError(call({ ...options, timeout: left }), whole(milliseconds))

/** @internal */
export const make = ({ lastAttempt, queue, timeout, unreachable }: Options): Omit<Caller, "pause" | "pipe"> => {
  const refusalOf = (refusal: Refusal, method: string, milliseconds: number): CallError =>
    refusal === "full"
      ? new Overloaded({ limit: queue.limit })
      : new RequestTimeout({ method, milliseconds, ...attempted() })

  const attempted = () => {
    const attempt = lastAttempt()
    return attempt === undefined ? {} : { attempt }
  }

  /** Names the call in the error of a connection that was not there. */
  const naming = (call: Called) => <E extends CallError>(error: E) => ofCall(error, call)

  /** Waits as long as a call would, for what has no time of its own. */
  const patient = <A, E, R>(admitted: (to: Caller) => Effect.Effect<A, E, R>) =>
    queue.enter<A, E | Disconnected, R>({
      size: 1,
      milliseconds: timeout,
      admitted,
      refused: () => Effect.fail(unreachable())
    })

  return {
    request: (method, params, options) => {
      const milliseconds = timeoutMillis(options?.timeout ?? timeout)
      const outcome = queue.enter({
        size: 1,
        milliseconds,
        admitted: (to, left) => within(options, milliseconds, left, (options) => to.request(method, params, options)),
        refused: (refusal) => Effect.fail(refusalOf(refusal, method, milliseconds))
      })
      return Effect.mapError(outcome, naming({ method }))
    },
    notify: (method, params) => Effect.mapError(patient((to) => to.notify(method, params)), naming({ method })),
    batch: (members, options) => {
      if (members.length === 0) return Effect.succeed([])
      const milliseconds = timeoutMillis(options?.timeout ?? timeout)
      const requests = members.filter(({ notification }) => notification !== true).length
      const outcomes = queue.enter({
        size: Math.max(1, requests),
        milliseconds,
        admitted: (to, left) =>
          Effect.map(
            to.batch(members, { timeout: left }),
            (outcomes) => outcomes.map((outcome) => outcome && Result.mapError(outcome, whole(milliseconds)))
          ),
        // Each request has an error of its own. A batch of notifications has none, and fails as a whole.
        refused: (refusal) =>
          requests === 0
            ? Effect.fail(unreachable())
            : Effect.succeed(members.map(({ method, notification }) =>
              notification === true ? undefined : Result.fail(refusalOf(refusal, method, milliseconds))
            ))
      })
      return Effect.mapError(outcomes, naming(aBatch))
    },
    listen: (method, listener) => patient((to) => to.listen(method, listener))
  }
}
