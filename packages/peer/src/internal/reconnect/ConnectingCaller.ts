/**
 * Calls that wait for a connection before they are made: the time they wait is
 * part of their own.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Caller } from "../../Caller.ts"
import { type CallError, type Disconnected, Overloaded, RequestTimeout } from "../../CallerError.ts"
import { timeoutMillis } from "../timer/timeoutMillis.ts"
import type { ConnectQueue } from "./ConnectQueue.ts"

/** @internal */
export interface Options {
  readonly queue: ConnectQueue<Caller>
  /** Calls that the queue takes. */
  readonly limit: number
  /** Milliseconds that a call waits when it does not say so. */
  readonly timeout: number
  /** The error of a call that may not wait, or no longer, and has no more specific one. */
  readonly unreachable: () => Disconnected
}

type Outcomes = ReadonlyArray<Result.Result<Schema.Json, CallError> | undefined>

/** @internal */
export const make = ({ limit, queue, timeout, unreachable }: Options): Omit<Caller, "pause" | "pipe"> => {
  const overloaded = () => new Overloaded({ limit })

  /** No request has the id 0: none was sent. */
  const late = (method: string, milliseconds: number) => () => new RequestTimeout({ method, id: 0, milliseconds })

  /** Names the time that the call was given, not what was left of it. */
  const whole = (milliseconds: number) => (error: CallError): CallError =>
    error._tag === "RequestTimeout"
      ? new RequestTimeout({ method: error.method, id: error.id, milliseconds })
      : error

  const patient = () => queue.enter({ size: 1, milliseconds: timeout, late: unreachable, full: unreachable })

  return {
    request: (method, params, options) => {
      const milliseconds = options?.timeout === undefined ? timeout : timeoutMillis(options.timeout)
      return Effect.flatMap(
        queue.enter<Overloaded | RequestTimeout>({
          size: 1,
          milliseconds,
          late: late(method, milliseconds),
          full: overloaded
        }),
        ({ left, to }) =>
          Effect.mapError(to.request(method, params, { ...options, timeout: left }), whole(milliseconds))
      )
    },
    notify: (method, params) => Effect.flatMap(patient(), ({ to }) => to.notify(method, params)),
    batch: (members, options) => {
      if (members.length === 0) return Effect.succeed([])
      const milliseconds = options?.timeout === undefined ? timeout : timeoutMillis(options.timeout)
      const requests = members.filter(({ notification }) => notification !== true).length
      // Each request has an error of its own. A batch of notifications has none, and fails as a whole.
      const refused = (error: (method: string) => CallError) => (): Outcomes | Disconnected =>
        requests === 0
          ? unreachable()
          : members.map(({ method, notification }) => notification === true ? undefined : Result.fail(error(method)))
      const waits = {
        size: Math.max(1, requests),
        milliseconds,
        late: refused((method) => late(method, milliseconds)()),
        full: refused(overloaded)
      }
      return Effect.matchEffect(queue.enter(waits), {
        onFailure: (refusal) => isOutcomes(refusal) ? Effect.succeed(refusal) : Effect.fail(refusal),
        onSuccess: ({ left, to }) =>
          Effect.map(
            to.batch(members, { timeout: left }),
            (outcomes) => outcomes.map((outcome) => outcome && Result.mapError(outcome, whole(milliseconds)))
          )
      })
    },
    listen: (method, listener) => Effect.flatMap(patient(), ({ to }) => to.listen(method, listener))
  }
}

const isOutcomes = (refusal: Outcomes | Disconnected): refusal is Outcomes => Array.isArray(refusal)
