/**
 * The deadlines of the requests of a client. A request starts with its timeout; each progress starts the timeout anew, up
 * to a maximum; and no time passes while the clock of the client stands still, because a person is asked.
 *
 * The peer below has the timer. When it is over, the peer asks here whether the request may go on: so progress, and a
 * clock that stops, set no timer.
 */
import { RequestTimeout } from "@parley/peer/Caller"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { CallClock } from "../../../client/CallClock.ts"
import type { McpClientTransport, TransportCallOptions } from "../../../client/McpClientTransport.ts"

/** The options of one request, with its deadline. */
export interface TimedCallOptions extends TransportCallOptions {
  /** How long progress may extend the timeout, counted from the start of the request. */
  readonly maxTimeout?: Duration.Input | undefined
}

/** A transport whose requests have deadlines that progress extends. */
export interface TimedTransport extends McpClientTransport {
  readonly request: (
    method: string,
    params?: Schema.JsonObject | undefined,
    options?: TimedCallOptions | undefined
  ) => ReturnType<McpClientTransport["request"]>
}

/** Milliseconds between two looks at a clock that stands still. A deadline may be so late where a person was asked. */
const pause = 100

/** Puts deadlines on the requests of a transport. `plain` is the timeout of those that name none. */
export const timed = (inner: McpClientTransport, clock: CallClock, plain: number): TimedTransport => ({
  ...inner,
  request: (method, params, options) =>
    Effect.suspend(() => {
      const timeout = millis(options?.timeout ?? plain)
      if (timeout === Number.POSITIVE_INFINITY) return inner.request(method, params, options)
      const most = options?.maxTimeout === undefined ? timeout : Math.max(timeout, millis(options.maxTimeout))
      const begun = clock.now()
      let due = begun + timeout
      const onProgress = options?.onProgress
      const request = inner.request(method, params, {
        ...options,
        timeout,
        onProgress: onProgress && ((progress) => {
          due = Math.min(clock.now() + timeout, begun + most)
          onProgress(progress)
        }),
        extend: () => {
          const left = due - clock.now()
          return clock.isStopped() ? Math.max(left, pause) : left
        }
      })
      // An error names the time that the request was given in all.
      return Effect.mapError(
        request,
        (error) =>
          error._tag === "RequestTimeout" && due === begun + most
            ? new RequestTimeout({ ...error, milliseconds: most })
            : error
      )
    })
})

/** A configured timeout is a number of milliseconds already, and is not read for each request. */
const millis = (duration: Duration.Input): number =>
  typeof duration === "number" ? duration : Duration.toMillis(Duration.fromInputUnsafe(duration))
