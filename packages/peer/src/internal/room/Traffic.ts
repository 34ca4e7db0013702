/**
 * What is under way on a lane, or on lanes that share a wire: the counters by which `Room` decides whether more may come.
 * The lane counts; it knows no rule.
 */
import type { ParkedCalls } from "./ParkedCalls.ts"

/** How much a wire takes, and what it is like. */
export interface Bounds {
  /** What calls of ours may have unwritten, in the unit of `Traffic.calls`. */
  readonly calls?: number | undefined
  /** What replies may have unwritten before calls stop starting, in the unit of `Traffic.replies`. */
  readonly replies?: number | undefined
  /** Whether a text that has no room can wait. Where it cannot, its requests are refused. */
  readonly mayWait?: boolean | undefined
  /** Whether the window bounds requests of ours by it. */
  readonly isWindowed?: boolean | undefined
  /** Whether texts of both sides share it, so that a side that does not write may be waiting for the other to read. */
  readonly isStream?: boolean | undefined
}

export class Traffic {
  /** Calls of ours that are not written: characters, or texts where the wire takes one at a time. */
  calls = 0
  /** Replies that are not written: characters, or texts where each is a post. */
  replies = 0
  /** Whether a write is under way. */
  isSending = false
  /** The place of the last text that was handed to the wire, where texts wait for that. */
  handedOver = Number.POSITIVE_INFINITY
  /** How texts are framed, as long as the other side has sent nothing. */
  silentFraming: string | undefined = undefined
  /** Whether nothing is written by it any more. */
  isClosed = false
  /** Calls of ours that wait for room. The conversation owns them. */
  parked: ParkedCalls | undefined = undefined
  readonly mayWait: boolean
  readonly isWindowed: boolean
  readonly isStream: boolean
  readonly #calls: number
  readonly #replies: number

  constructor({ calls, isStream, isWindowed, mayWait, replies }: Bounds) {
    this.mayWait = mayWait ?? false
    this.isWindowed = isWindowed ?? true
    this.isStream = isStream ?? false
    this.#calls = calls ?? Number.POSITIVE_INFINITY
    this.#replies = replies ?? Number.POSITIVE_INFINITY
  }

  /** Whether the calls' share is full. */
  get isFull(): boolean {
    return this.calls >= this.#calls
  }

  /** Whether replies pile up, so that no more calls that came by it should start. */
  get isCongested(): boolean {
    return this.replies >= this.#replies
  }

  /** Whether replies pile up so far that nothing more should be read that may ask for others. */
  get isOverfull(): boolean {
    return this.replies >= 2 * this.#replies
  }

  /** Whether a call of ours waits for room on it. */
  get hasParked(): boolean {
    return this.parked !== undefined && this.parked.size > 0
  }

  /** Whether texts of ours wait because the other side does not read. It may be waiting for us to read. */
  get isBlocked(): boolean {
    return this.isStream && ((this.isSending && this.calls > 0) || this.hasParked)
  }
}
