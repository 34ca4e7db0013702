/**
 * A call that came in and has not ended, where its reply goes, and what runs behind that.
 */
import type * as Message from "@parley/protocol/Message"
import { type ErrorObject, RequestId } from "@parley/protocol/shared"
import type { Roster } from "@parley/transport/shared"
import type * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { ConnectionKey } from "../conversation/ConnectionKey.ts"
import type { Timer } from "../timer/DeadlineQueue.ts"

/** An effect that a handler has left to run behind its reply. */
export interface Deferral {
  readonly effect: Effect.Effect<unknown>
  /** Runs instead where `effect` does not. */
  readonly onSkipped: Effect.Effect<unknown> | undefined
}

/** Takes what answers a text or a call: a reply, or nothing; what runs behind it; and the error, where the reply is one. */
export interface Sink {
  readonly settle: (
    reply: string | undefined,
    after?: ReadonlyArray<Deferral> | undefined,
    error?: ErrorObject.ErrorObject | undefined
  ) => void
}

/** The text of an error, and the error. */
export interface ErrorReply {
  readonly text: string
  readonly error: ErrorObject.ErrorObject
}

/** A call of theirs, from when it is read until its reply is handed over. */
export class IncomingCall<Lane = unknown> implements Roster.Linked<IncomingCall<Lane>> {
  readonly message: Message.Request | Message.Notification
  /** The text of a request's id, as it came; `undefined` for a notification. */
  readonly id: string | undefined
  /** Characters of its text. */
  readonly size: number
  /** What the budget counts for its params while it is kept. */
  readonly weight: number
  /** The lane that it came by. */
  readonly lane: Lane
  /** Where its reply goes: the lane, or the reply of its batch. */
  readonly sink: Sink
  /** Whether the answer to its text waits for it. */
  isAwaited = true
  fiber: Fiber.Fiber<unknown, unknown> | undefined = undefined
  /** Ends the time in which the handler of a notification holds back the calls after it. */
  timer: Timer | undefined = undefined
  /** Its place in flight, or before what comes after it: `parked` where it has given that back, and its handler runs. */
  place: "none" | "held" | "parked" = "none"
  /** Whether it waits for its turn, and its place among those that may start before others that wait longer. */
  isQueued = false
  overtaking: Overtaking<Lane> | undefined = undefined
  /** Whether the budget counts it. */
  isCounted = false
  /** Set when it is stopped from outside: the reply, where it ends by that. */
  stopped: { readonly reply: ErrorReply | undefined } | undefined = undefined
  /** What runs when its success is on its way. */
  after: Array<Deferral> | undefined = undefined
  /** The connection of a call that stands alone, where its handler has asked for its end. */
  alone: ConnectionKey | undefined = undefined
  /** Its neighbours in the roster of the calls that wait, or of those that run. */
  earlier: IncomingCall<Lane> | undefined = undefined
  later: IncomingCall<Lane> | undefined = undefined

  constructor(
    message: Message.Request | Message.Notification,
    id: string | undefined,
    size: number,
    weight: number,
    lane: Lane,
    sink: Sink
  ) {
    this.message = message
    this.id = id
    this.size = size
    this.weight = weight
    this.lane = lane
    this.sink = sink
  }

  /** The key of a request's id: equal for ids of equal value, however they are spelled. */
  get key(): string {
    return this.message._tag === "Request" ? RequestId.keyOf(this.message.id) : ""
  }
}

/** The place of a call among those that may overtake others. */
export class Overtaking<Lane> implements Roster.Linked<Overtaking<Lane>> {
  earlier: Overtaking<Lane> | undefined = undefined
  later: Overtaking<Lane> | undefined = undefined
  readonly call: IncomingCall<Lane>

  constructor(call: IncomingCall<Lane>) {
    this.call = call
  }
}
