/**
 * The log lines of notifications that no handler takes.
 */
import { Excerpt } from "@parley/protocol/shared"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"

/** Says that a notification of the other side was dropped. @internal */
export const dropped = (method: string, why: Cause.Cause<unknown> | string): Effect.Effect<void> =>
  typeof why === "string"
    ? Effect.logDebug(`the notification ${Excerpt.line(method)} is dropped: ${Excerpt.line(why)}`)
    : Effect.logDebug(`the notification ${Excerpt.line(method)} is dropped`, Excerpt.cause(why))
