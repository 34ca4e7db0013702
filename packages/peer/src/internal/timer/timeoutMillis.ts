/**
 * Timeouts in milliseconds.
 */
import * as Duration from "effect/Duration"

/** A duration in milliseconds. A number is one already, so that a timeout computed once is not read for each call. @internal */
export const timeoutMillis = (duration: Duration.Input): number =>
  typeof duration === "number" && duration >= 0 ? duration : Duration.toMillis(Duration.fromInputUnsafe(duration))

/** The timeout of calls that set none, 30 seconds where their caller sets none either. @internal */
export const defaultTimeout = (timeout: Duration.Input | undefined): number =>
  timeout === undefined ? 30_000 : timeoutMillis(timeout)
