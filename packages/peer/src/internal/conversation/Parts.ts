/**
 * What the parts of a conversation see of each other.
 */
import type * as Effect from "effect/Effect"
import type { Caller } from "../../Caller.ts"
import type { DisconnectReason } from "../../CallerError.ts"
import type { WaitingCalls } from "../../Correlator.ts"
import type { ErrorResponse } from "../../ErrorResponse.ts"
import type { Dispatcher } from "../incoming/Dispatcher.ts"
import type { OutgoingCalls } from "../outgoing/OutgoingCalls.ts"
import type { AfterReply } from "./AfterReply.ts"
import type { Ground } from "./Ground.ts"
import type { Listeners } from "./Listeners.ts"

/** @internal */
export interface Parts extends Ground {
  readonly ours: WaitingCalls
  readonly outgoing: OutgoingCalls
  readonly theirs: Dispatcher
  readonly listeners: Listeners
  readonly afterReply: AfterReply
  /** A key for what belongs to the conversation: all of its calls share it, and no other call does. */
  readonly connection: object | undefined
  /** Stops the reading until the result is called. */
  readonly pause: Caller["pause"]
  readonly listen: Caller["listen"]
  /** Whether it is one text and its answer: nothing comes before or after. */
  readonly isAlone: boolean
  /** Waits until our side begins to shut down, and gives the error of its dialect that says so. */
  readonly draining: Effect.Effect<ErrorResponse>
  readonly end: (reason: DisconnectReason) => void
}
