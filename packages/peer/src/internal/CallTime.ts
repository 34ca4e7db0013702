/**
 * How long a call waits, in milliseconds: what the call says, or what its caller does.
 */
import * as Duration from "effect/Duration"
import type { CallOptions } from "../Caller.ts"

/** The time of calls that say nothing, 30 seconds where their caller says nothing either. @internal */
export const fromOptions = (timeout: Duration.Input | undefined): number => millis(timeout ?? Duration.seconds(30))

/** The time of one call. @internal */
export const of = (call: Pick<CallOptions, "timeout"> | undefined, otherwise: number): number =>
  call?.timeout === undefined ? otherwise : millis(call.timeout)

/** @internal */
export const millis = (duration: Duration.Input): number =>
  // Who has computed it once for all calls need not have it read for each.
  typeof duration === "number" && duration >= 0 ? duration : Duration.toMillis(Duration.fromInputUnsafe(duration))
