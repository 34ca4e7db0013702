/**
 * The log of a client about its server, or of a gateway about one server behind it. Clients and the server decide how often
 * there is something to say, so its lines are bounded.
 */
import { Excerpt } from "@parley/protocol/shared"
import { BoundedLog } from "@parley/transport/shared"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"

/** Writes a line, whose foreign texts are escaped already. @category models @since 0.1.0 */
export type QuietLog = (line: string, cause?: Cause.Cause<unknown>) => Effect.Effect<void>

/** The log about one server. @category constructors @since 0.1.0 */
export const make = (): QuietLog => {
  const bounded = BoundedLog.make((untold) => `; ${untold} more lines about this server were left out`)
  return (line, cause) =>
    bounded((others) => {
      const text = line + others
      // escaped: by who calls, and a number of ours
      return cause === undefined ? Effect.logWarning(text) : Effect.logWarning(text, Excerpt.cause(cause))
    })
}
