/**
 * Where the reply to a call goes, and what runs behind it.
 */
import type * as Effect from "effect/Effect"

/** What one handler has left to run. @internal */
export interface Deferral {
  readonly effect: Effect.Effect<unknown>
  /** Runs instead where `effect` does not. */
  readonly onSkipped: Effect.Effect<unknown> | undefined
}

/** @internal */
export type After = ReadonlyArray<Deferral>

/** Takes what answers a text or a call: a reply, or nothing; and what runs behind it. @internal */
export interface Sink {
  readonly settle: (reply: string | undefined, after?: After) => void
}
