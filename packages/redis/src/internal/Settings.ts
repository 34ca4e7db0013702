/** The settings that the engine and the journal have in common. */
import * as Duration from "effect/Duration"
import type { LineOptions } from "./Line.ts"

/** @internal */
export interface Settings extends LineOptions {
  readonly prefix: string
}

/** The settings from the options, with their defaults. @internal */
export const of = ({ pending = 16_777_216, prefix = "{parley}:", timeout = "1 second" }: {
  readonly pending?: number | undefined
  readonly prefix?: string | undefined
  readonly timeout?: Duration.Input | undefined
}): Settings => ({ pending, prefix, timeout: millis(timeout) })

/** @internal */
export const millis = (duration: Duration.Input): number => Duration.toMillis(Duration.fromInputUnsafe(duration))
