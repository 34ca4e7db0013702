/**
 * Where texts of a conversation go, and where they come from: a stream, a post,
 * an answer that is collected.
 *
 * A lane knows its wire and no rule of JSON-RPC. Each member has a default, so
 * that a lane says only what is particular to its wire.
 */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { DisconnectReason, NotifyError } from "../../CallerError.ts"
import type { CallOwner, Entry, Outcome, Waiting } from "../../Correlator.ts"
import type { Call } from "../../Handler.ts"
import type { IncomingCall } from "../incoming/IncomingCall.ts"
import type { After, Sink } from "../incoming/Sink.ts"
import type { ParkedCalls } from "../outgoing/ParkedCalls.ts"

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

/** @internal */
export abstract class Lane implements CallOwner, Sink {
  /** Calls that wait for room on this lane. The conversation owns them. */
  parked: ParkedCalls | undefined = undefined

  /** Whether a text that has no room can wait. Where it cannot, its requests are refused. */
  get canWait(): boolean {
    return false
  }

  /** What an interrupted call waits for before its interruption is done. */
  get withdrawn(): Effect.Effect<void> {
    return Effect.void
  }

  /** Whether the window bounds the requests of this lane. */
  get isWindowed(): boolean {
    return true
  }

  /**
   * Writes a text, and gives its place in the order of the lane. `onWritten` is for a text without a response: it runs
   * when nothing more is to be waited for.
   */
  abstract write(text: string, share: Share, onWritten?: OnWritten): number

  /** The lane for another text of the same caller. */
  another(): Lane {
    return this
  }

  /** Takes the reply to a call that came by this lane. */
  abstract settle(reply: string | undefined, after?: After): void

  /** A call as its handler sees it. */
  abstract contextOf(call: LaneCall): Call

  /** Why nothing can be written any more, if so. */
  abstract closed(): DisconnectReason | undefined

  /** Runs the handlers of the calls that came by this lane. */
  abstract fork<A, E>(effect: Effect.Effect<A, E>): Fiber.Fiber<A, E>

  /** Runs when a call of ours by this lane has run out of time, or its caller was interrupted. */
  abstract expired(call: Waiting): void

  /** How texts are framed, where the other side has sent nothing yet. */
  get silentFraming(): string | undefined {
    return undefined
  }

  /** Runs when a call of ours was made by this lane. */
  began?(call: Entry): void

  /** Runs when responses to such calls have come, and wait for notifications. */
  answered?(): void

  /** Runs when a call of ours by this lane has ended. */
  ended?(call: Waiting, outcome: Outcome): void

  /** Whether a call may be written now. A handler's call does not wait for what the handler itself holds. */
  hasRoom(_isNested: boolean): boolean {
    return true
  }

  /** Whether the text at a place was handed to the wire. */
  isHandedOver(_place: number): boolean {
    return true
  }

  /** Whether replies pile up, so that no more calls of this lane should start. */
  isCongested(): boolean {
    return false
  }

  /** Whether replies pile up so far that nothing more should be read that may ask for others. */
  isOverfull(): boolean {
    return false
  }

  /** Whether texts of ours wait because the other side does not read. It may be waiting for us to read. */
  isBlocked(): boolean {
    return false
  }

  /** Whether a response that came by this lane may end this call. */
  owns(_call: Entry): boolean {
    return true
  }

  /** Whether the response of one of so many calls of ours that wait may lie behind the last text. */
  awaits(waiting: number): boolean {
    return waiting > 0
  }

  /** Takes an invalid message, or a response that no call waits for. Gives `true` where it must stay unanswered. */
  misfit(_rule: string): boolean {
    return false
  }

  /** The calls that an error with id null is about, where the lane knows. */
  get blamed(): ReadonlyArray<Entry> | undefined {
    return undefined
  }

  /** Runs when a call of this lane was read. */
  enter(): void {}

  /** Runs when the answer to a text waits for this call no more. */
  pass(_call: LaneCall): void {}

  /** Runs when a call has ended. */
  leave(_call: LaneCall): void {}

  /** Whether nobody waits for the answer any more. */
  get isGivenUp(): boolean {
    return false
  }
}
