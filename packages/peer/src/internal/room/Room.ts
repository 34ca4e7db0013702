/**
 * Whether there is room, for one conversation: the only place that says so. It owns the counters of the conversation,
 * reads those of its lanes, and asks the budget, which all connections of a listener share.
 *
 * Each question is answered by nothing, which is yes, or by the name of what has to be waited for. Where something is
 * taken, the answer and the taking are one operation, so that nobody else can have the room in between.
 *
 * | May …                     | waits for                                                                       |
 * | ------------------------- | ------------------------------------------------------------------------------- |
 * | a text be taken           | `pause`, unless the response of a call that takes no partial results may be it  |
 * |                           | `replies`, where they pile up twice as far as calls may start                   |
 * | a call be taken           | `inbox`, `budget`                                                               |
 * | a call start              | `notification`, `inFlight`, `replies`                                           |
 * | a call of ours be written | `window`, `outbox`, `budget`                                                    |
 * | more be read ahead        | `ahead`, `budget`                                                               |
 *
 * Some of that never stops the reading, because the other side may be waiting for us to read (promise 12): while a call
 * of ours waits for its response, which may lie behind, and while texts of ours cannot be written. A call then waits
 * only while handlers that run hold up the others, and only for the budget; a request that finds it spent is refused.
 */
import type { Limits } from "@parley/protocol/Limits"
import type { Budget } from "@parley/transport/shared"
import type { Line, ParkedCalls } from "./ParkedCalls.ts"

/**
 * What somebody waits for. Texts of the other side wait for a consumer that has paused (`pause`), replies that are not
 * written (`replies`), calls that wait for their turn (`inbox`) or memory (`budget`). Its calls wait for the handler of a
 * notification before them (`notification`), a place among those that run (`inFlight`) or `replies`. Calls of ours wait
 * for responses to others (`window`), texts that are not written (`outbox`) or memory (`budget`).
 *
 * @category models
 * @since 0.1.0
 */
export type Wait = "budget" | "inbox" | "inFlight" | "notification" | "outbox" | "pause" | "replies" | "window"

/**
 * What waits, and for what: the next text of the other side (`reading`), the first of its calls that have not started
 * (`starting`), and the first of the calls of ours that are not written (`writing`).
 *
 * @category models
 * @since 0.1.0
 */
export interface Waits {
  readonly reading: Wait | undefined
  readonly starting: Wait | undefined
  readonly writing: Wait | undefined
}

/** The weight of a call that waits or runs, beside its params: a fiber, its closures and entries. */
export const callWeight = 2_560

/** Params up to this weight are counted when their call is kept. Heavier params must fit before their call is taken. */
const light = 32_768

/** Characters that are read ahead, behind a text that has no room. */
export const enoughAhead = 65_536

/** Characters of calls that may be unwritten when a text is pushed. */
const mostBeforePush = 65_536

/** The counters of others that bear on room. */
export interface Counters {
  /** The calls of ours that wait for their responses, and how many of them take partial results. */
  readonly waiting: { readonly size: number; readonly streaming: number }
  /** Their calls that wait for their turn. */
  readonly inbox: { readonly count: number; readonly size: number }
}

/** Whether a text brings a call that has to wait for its turn. A request that can be refused need not. */
export type Asks<Text, Lane> = (text: Text, lane: Lane, isRefusing: boolean) => boolean

/** A call of theirs, and its place among those that run. */
interface Placed {
  /** `undefined` for a notification. */
  readonly id: string | undefined
  place: "none" | "held" | "parked"
}

/** A call of ours, and the characters of its request that count for the window; 0 where it does not count. */
interface Windowed {
  size: number
}

/** A lane, as far as room is concerned. */
export interface Way {
  readonly traffic: Traffic
  readonly answers?: {
    /** How many calls of ours have no response yet, where their responses come by this lane and no others do. */
    readonly awaited: number | undefined
  } | undefined
}

/** Owns the counters of a conversation that bear on room, and answers for them. */
export class Room {
  readonly #limits: Limits
  readonly #budget: Budget.Budget
  readonly #counters: Counters
  /** Whether a text that a lane has read waits for room. */
  isAwaited = false
  #pauses = 0
  /** Their requests, and their notifications, whose handlers run and have not parked. */
  #inFlight = 0
  #notifying = 0
  /** Their requests whose handlers run and have parked. */
  #parked = 0
  /** Requests of ours that are written and unanswered, and their characters. */
  #window = 0
  #windowSize = 0

  constructor(limits: Limits, budget: Budget.Budget, counters: Counters) {
    this.#limits = limits
    this.#budget = budget
    this.#counters = counters
  }

  /** Whether a text may be taken. This slows the other side down. */
  mayTake<Text extends { readonly weight: number }, Lane extends Way>(
    text: Text,
    lane: Lane,
    asks: Asks<Text, Lane>
  ): Wait | undefined {
    const { traffic } = lane
    const { weight } = text
    const isHurried = this.#isHurried(lane)
    if (this.#pauses > 0 && !isHurried) return "pause"
    if (!traffic.bounds.mayWait) return undefined
    if (traffic.isOverfull && !this.#isAwaiting(lane)) return "replies"
    const goesOn = isHurried || traffic.isBlocked
    const wait = goesOn ? this.#wantsWhileHeldUp(weight) : this.#isFull ? "inbox" : this.#wants(weight)
    return wait !== undefined && asks(text, lane, goesOn) ? wait : undefined
  }

  /** Whether a long text of this weight may be parsed: what it brings is not known before. */
  mayParse(weight: number, lane: Way): Wait | undefined {
    return lane.traffic.bounds.mayWait && !this.#isAwaiting(lane) ? this.#wants(weight) : undefined
  }

  /** Whether more may be read, where a number of chunks wait. One may be, however long: it may bring the end. */
  mayReadAhead(chunks: number, size: number): Wait | "ahead" | undefined {
    if (chunks > 1 && size > enoughAhead) return "ahead"
    return this.#budget.isSpent() ? "budget" : undefined
  }

  /** What a call waits for that has not started. One that overtakes others does not wait for notifications. */
  waitOf({ id }: Placed, { traffic }: Way, overtakes = false): Wait | undefined {
    if (!overtakes && this.#notifying > 0) return "notification"
    return this.#wantsPlace(id !== undefined, traffic)
  }

  /** Whether a call may start; if so, it has a place now. */
  mayStart(call: Placed, lane: Way, overtakes = false): Wait | undefined {
    const wait = this.waitOf(call, lane, overtakes)
    if (wait !== undefined) return wait
    call.place = "held"
    if (call.id === undefined) this.#notifying++
    else this.#inFlight++
    return undefined
  }

  /** Whether a request that may overtake others would start at once. Only the order is given up: all bounds hold. */
  mayOvertake({ traffic }: Way): boolean {
    return this.#wantsPlace(true, traffic) === undefined && !this.#budget.isSpent()
  }

  /** Whether so many handlers have parked that no more requests may start. */
  get isCrowded(): boolean {
    return this.#parked >= this.#limits.parked
  }

  /** Whether notifications hold back what comes after them. */
  get isHeldBack(): boolean {
    return this.#notifying > 0
  }

  /** Takes its place from a call whose handler goes on. Gives whether it had one. */
  park(call: Placed): boolean {
    if (call.place !== "held") return false
    this.leave(call)
    call.place = "parked"
    if (call.id !== undefined) this.#parked++
    return true
  }

  /** Takes its place from a call that has ended. Gives whether it had one. */
  leave(call: Placed): boolean {
    const { id, place } = call
    call.place = "none"
    if (id !== undefined && place === "parked") this.#parked--
    if (place !== "held") return false
    if (id === undefined) this.#notifying--
    else this.#inFlight--
    return true
  }

  /** Whether the budget has room for a call of this weight now. */
  fits(weight: number): boolean {
    return weight > light ? this.#budget.fits(callWeight + weight) : !this.#budget.isSpent()
  }

  /** Whether a call of this weight will never fit, because the whole budget is smaller. */
  isTooHeavy(weight: number): boolean {
    return weight > light && callWeight + weight > this.#budget.limit
  }

  /**
   * Whether a call of ours may be written. What handlers call waits for no window, nor for what they hold themselves. What
   * is pushed waits until little else does: behind more than one write takes, it would only grow old.
   */
  mayWrite({ traffic }: Way, line: Line): Wait | undefined {
    const isWindowed = line === "windowed"
    if (isWindowed && !this.#hasWindow) return "window"
    if (traffic.isFull || (line === "pushed" && traffic.calls >= mostBeforePush)) return "outbox"
    return isWindowed && traffic.bounds.isStream && this.#budget.isSpent() ? "budget" : undefined
  }

  /** Counts a request of ours that is written. */
  openWindow(call: Windowed, size: number): void {
    call.size = size
    this.#window++
    this.#windowSize += size
  }

  /** Stops counting a request of ours that is answered. */
  closeWindow(call: Windowed): void {
    if (call.size === 0) return
    this.#window--
    this.#windowSize -= call.size
    call.size = 0
  }

  /** Whether somebody can take no more of what belongs to a call. */
  get isPaused(): boolean {
    return this.#pauses > 0
  }

  /** Begins a pause, or ends one. */
  pause(isBeginning: boolean): void {
    this.#pauses += isBeginning ? 1 : -1
  }

  /** Whether the response of a call of ours may lie behind a text. */
  #isAwaiting({ answers }: Way): boolean {
    return (answers?.awaited ?? this.#counters.waiting.size) > 0
  }

  /** Whether it may be the response of a call that takes no partial results, so that no pause may hold it up. */
  #isHurried({ answers }: Way): boolean {
    const { waiting } = this.#counters
    return (answers?.awaited ?? waiting.size - waiting.streaming) > 0
  }

  get #isFull(): boolean {
    const { inbox } = this.#counters
    return inbox.count >= this.#limits.inbox || inbox.size >= this.#limits.inboxBytes
  }

  /** One call may always go, however long its text is. */
  get #hasWindow(): boolean {
    const { window, windowBytes } = this.#limits
    return this.#window === 0 || (this.#window < window && this.#windowSize < windowBytes)
  }

  /** A call that can never fit does not wait. */
  #wants(weight: number): Wait | undefined {
    return this.fits(weight) || this.isTooHeavy(weight) ? undefined : "budget"
  }

  /** Handlers that have parked hold up nothing. */
  #wantsWhileHeldUp(weight: number): Wait | undefined {
    return this.#notifying > 0 || this.#inFlight >= this.#limits.inFlight ? this.#wants(weight) : undefined
  }

  #wantsPlace(isRequest: boolean, traffic: Traffic): Wait | undefined {
    if (isRequest && this.#inFlight >= this.#limits.inFlight) return "inFlight"
    return traffic.isCongested ? "replies" : undefined
  }
}

/** How much a wire takes, and what it is like. */
export interface Bounds {
  /** The most that calls of ours may have unwritten, in the unit of `Traffic.calls`. */
  readonly calls: number
  /** The most that replies may have unwritten before calls stop starting, in the unit of `Traffic.replies`. */
  readonly replies: number
  /** Whether a text that has no room can wait. Where it cannot, its requests are refused. */
  readonly mayWait: boolean
  /** Whether the window bounds requests of ours by it. */
  readonly isWindowed: boolean
  /** Whether texts of both sides share it, so that a side that does not write may be waiting for the other to read. */
  readonly isStream: boolean
}

/** Bounds of which those that are left out bound nothing. */
export const bounded = (bounds: Partial<Bounds>): Bounds => ({
  calls: Number.POSITIVE_INFINITY,
  replies: Number.POSITIVE_INFINITY,
  mayWait: false,
  isWindowed: true,
  isStream: false,
  ...bounds
})

/**
 * What is under way on a lane, or on lanes that share a wire: the counters by which a room decides whether more may come.
 * The lane counts; it knows no rule.
 */
export class Traffic {
  /** Calls of ours that are not written: characters, or texts where the wire takes one at a time. */
  calls = 0
  /** Replies that are not written: characters, or texts where each is a post. */
  replies = 0
  /** Whether a write is under way. */
  isSending = false
  /** The place of the last text that was handed to the wire, where texts wait for that. */
  handedOver: number | undefined = undefined
  /** How texts are framed, as long as the other side has sent nothing. */
  silentFraming: string | undefined = undefined
  /** Whether nothing is written by it any more. */
  isClosed = false
  /** Calls of ours that wait for room. The conversation owns them. */
  parked: ParkedCalls | undefined = undefined
  readonly bounds: Bounds

  constructor(bounds: Bounds) {
    this.bounds = bounds
  }

  /** Whether the calls' share is full. */
  get isFull(): boolean {
    return this.calls >= this.bounds.calls
  }

  /** Whether replies pile up, so that no more calls that came by it should start. */
  get isCongested(): boolean {
    return this.replies >= this.bounds.replies
  }

  /** Whether replies pile up so far that nothing more should be read that may ask for others. */
  get isOverfull(): boolean {
    return this.replies >= 2 * this.bounds.replies
  }

  /** Whether a call of ours waits for room on it. */
  get hasParked(): boolean {
    return this.parked !== undefined && this.parked.size > 0
  }

  /** Whether texts of ours wait because the other side does not read. It may be waiting for us to read. */
  get isBlocked(): boolean {
    return this.bounds.isStream && ((this.isSending && this.calls > 0) || this.hasParked)
  }
}
