/**
 * Where texts of a conversation go, and where they come from: a stream, a post, an answer that is collected. A lane knows
 * its wire, and no rule.
 */
import type * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type { CallOwner, Entry, Outcome, Waiting } from "../../Correlator.ts"
import type { Call } from "../../Handler.ts"
import type { NotifyError } from "../CallerError.ts"
import type { IncomingCall, Sink } from "../incoming/IncomingCall.ts"
import type { Traffic } from "../room/Room.ts"
import type { Fork } from "../runtime/Host.ts"

/**
 * Calls and replies have a share of the room each, so that a flood of calls cannot hold up the replies that another
 * flood waits for.
 *
 * @internal
 */
export type Share = "call" | "reply"

/** Takes how a text went that has no response. @internal */
export type OnWritten = (exit: Exit.Exit<void, NotifyError>) => void

/** A call that came in by a lane. @internal */
export type LaneCall = IncomingCall<Lane>

/**
 * An event of a call of theirs, for a lane that collects the answer to its text: it was read, the answer need not wait for
 * it any more, it has ended.
 *
 * @internal
 */
export type CallEvent = "read" | "passed" | "ended"

/** @internal */
export interface Lane extends CallOwner, Sink {
  /** What is under way on it. */
  readonly traffic: Traffic
  /**
   * Writes a text, and gives its place in the order of the lane. `onWritten` is for a text without a response: it runs
   * when nothing more is to be waited for.
   */
  readonly write: (text: string, share: Share, onWritten?: OnWritten) => number
  /**
   * Runs when a call of ours by it has run out of time, or its caller was interrupted; without a call, when nobody waits
   * any more for a text without one. An interruption waits for what it gives.
   */
  readonly expired: (call?: Waiting) => Effect.Effect<void>
  /** A call as its handler sees it. */
  readonly contextOf: (call: LaneCall) => Call
  /** Runs the handlers of the calls that came by it, where the host does not. */
  readonly fork?: Fork | undefined
  /** Whose responses come by it and no others, where that is so. */
  readonly answers?: Answers | undefined
  /** Hears of the calls of a text whose answer is collected. */
  readonly onCall?: ((call: LaneCall, event: CallEvent) => void) | undefined
}

/** The calls of ours that one exchange answers. @internal */
export interface Answers {
  /** They are added when they are registered. An error with id null is about these. */
  readonly calls: Array<Entry>
  /**
   * How many of them have no response and take no partial results, where responses to these come by the lane and no
   * others do; `undefined` where any may come.
   */
  readonly awaited: number | undefined
  /** Takes an invalid message, or a response that no call waits for. It stays unanswered. */
  readonly misfit: (rule: string) => void
  /** Runs when one of the calls has ended, before its caller is resumed. */
  readonly ended: (outcome: Outcome) => void
}
