/**
 * One conversation of JSON-RPC, whatever carries it: the calls of ours that wait,
 * their calls that run, the listeners, and how it ends. It does no I/O and knows
 * no wire; `Lane`s do.
 *
 * ```
 *   open → finishing → refusing → ending → closed
 * ```
 *
 * A phase never goes back, and some are passed over. It is the only field that
 * says whether a conversation is over, and `reason` says why no more calls can be
 * made.
 *
 * `#step` runs after every event: a text, a write, the end of a handler or of a
 * pause, a call that is made. It does all that can be done now, and looks again
 * where something happened meanwhile. So nobody signals anybody in particular,
 * and no wake-up can be lost (promise 22).
 */
import * as Dialect from "@parley/protocol/Dialect"
import type { Limits } from "@parley/protocol/Limits"
import * as Message from "@parley/protocol/Message"
import * as Effect from "effect/Effect"
import type { Caller } from "../../Caller.ts"
import { type Entry, isWritten, type Waiting, WaitingCalls } from "../../Correlator.ts"
import { type ErrorResponse, fromObject, shutDownError } from "../../ErrorResponse.ts"
import type { Call } from "../../Handler.ts"
import type * as CallerError from "../CallerError.ts"
import { CallQueue } from "../incoming/CallQueue.ts"
import { Dispatcher } from "../incoming/Dispatcher.ts"
import { OutgoingCalls } from "../outgoing/OutgoingCalls.ts"
import { Room } from "../room/Room.ts"
import type { Host } from "../runtime/Host.ts"
import { defaultTimeout, Timer } from "../timer/DeadlineQueue.ts"
import type { ConnectionKey } from "./ConnectionKey.ts"
import type { Core } from "./Core.ts"
import type { Lane, LaneCall } from "./Lane.ts"
import { Listeners } from "./Listeners.ts"
import type { ConversationOptions, Port } from "./Port.ts"
import { Waiters } from "./Waiters.ts"

/** A phase is never left for one before it: whether a conversation is over is a comparison. */
type Phase = typeof open | typeof finishing | typeof refusing | typeof ending | typeof closed

/** It reads, runs and calls. */
const open = 0

/** The input has ended. What was read runs and is answered. */
const finishing = 1

/** Our side shuts down. Requests that have not started are refused. */
const refusing = 2

/** Handlers are interrupted. What waits to be written is still written. */
const ending = 3

/** Every call of ours has failed, and so does every later one. */
const closed = 4

/**
 * The ends at which the other side has said all that it wanted to say. A process that has ended reads no answers.
 *
 * @internal
 */
export const orderly: ReadonlySet<CallerError.DisconnectReason["_tag"]> = new Set(["EndOfInput", "Exited"])

const noCalls = { exact: 0, size: 0, streaming: 0, withText: 0 }

/** Milliseconds between the interruption of handlers and the end. */
const grace = 1_000

/** @internal */
export class Conversation implements Core {
  // These stand together because each write of a text that goes to many connections looks at them.
  /** Why no more calls can be made, if so. */
  reason: CallerError.DisconnectReason | undefined = undefined
  #phase: Phase = open
  #isFlushed = true
  #waiters: Waiters | undefined = undefined
  readonly form: Message.EncodeOptions | undefined
  readonly limits: Limits
  readonly room: Room
  readonly host: Host
  readonly dialect: Dialect.Dialect
  readonly theirs: Dispatcher
  readonly inbox = new CallQueue()
  readonly listeners = new Listeners(this)
  // The calling half is made by the first who calls: most texts that stand alone come without.
  #ours: WaitingCalls | undefined = undefined
  #outgoing: OutgoingCalls | undefined = undefined
  readonly #calling: Pick<ConversationOptions, "idPrefix" | "lastId" | "timeout">
  /** A key for what belongs to the connection, if this is more than one text and its answer. */
  readonly connection: ConnectionKey | undefined
  /** Runs an effect when the connection has ended, where there is one. */
  readonly onClose: Call["onClose"] | undefined
  readonly #port: Port
  readonly #drain: number | undefined
  #draining: Set<() => void> | undefined = undefined
  #holds = 0
  #isStepping = false
  #hasEvent = false

  constructor(options: ConversationOptions, port: Port = {}) {
    const { connection, dialect = Dialect.jsonRpc, drain, host, limits, router } = options
    this.#port = port
    this.#calling = options
    this.#drain = drain
    this.connection = connection
    this.onClose = connection && ((effect) => connection.onClose(effect, host))
    this.host = host
    this.dialect = dialect
    this.form = Message.isUsual(dialect) ? undefined : dialect
    this.limits = limits
    this.room = new Room(limits, host.budget, this)
    this.theirs = new Dispatcher(this, this.inbox, router)
  }

  get ours(): WaitingCalls {
    const { idPrefix, lastId } = this.#calling
    return this.#ours ??= new WaitingCalls({
      dialect: this.dialect,
      host: this.host,
      lastId,
      idPrefix,
      onExpired: () => this.step(),
      onRemove: (call) => this.room.closeWindow(call)
    })
  }

  /** The number of the call of ours that was made last. */
  get lastId(): number {
    return this.#ours?.lastId ?? this.#calling.lastId ?? 0
  }

  /** The counts of `ours`. */
  get waiting(): Pick<WaitingCalls, "exact" | "size" | "streaming" | "withText"> {
    return this.#ours ?? noCalls
  }

  get outgoing(): OutgoingCalls {
    return this.#outgoing ??= new OutgoingCalls(this, defaultTimeout(this.#calling.timeout))
  }

  /** Whether somebody asks for the digits of numbers. As long as nobody does, no text is read twice. */
  get wantsDigits(): boolean {
    return this.dialect.digits === "relayed" || this.waiting.exact > 0 || this.listeners.exact > 0 ||
      this.theirs.exact !== undefined
  }

  get isRefusing(): boolean {
    return this.#phase >= refusing
  }

  get isEnding(): boolean {
    return this.#phase >= ending
  }

  get isClosed(): boolean {
    return this.#phase === closed
  }

  /** How far it has come, for those outside. */
  get state(): "open" | "draining" | "closed" {
    if (this.isClosed) return "closed"
    return this.#phase === open && this.reason === undefined ? "open" : "draining"
  }

  /** Listens to the notifications of a method until the Scope closes. */
  readonly listen: Caller["listen"] = (method, listener) =>
    Effect.suspend(() => {
      const current = this.#port.current?.() ?? this
      return current === this ? this.listeners.listen(method, listener) : current.listen(method, listener)
    })

  /** Stops the reading until the result is called. */
  readonly pause: Caller["pause"] = () => {
    const current = this.#port.current?.() ?? this
    if (current !== this) return current.pause()
    let isPaused = true
    this.room.pause(true)
    return () => {
      if (!isPaused) return
      isPaused = false
      this.room.pause(false)
      this.step()
    }
  }

  /** Whether a call of either side waits or runs. */
  isBusy(): boolean {
    return this.waiting.size > 0 || !this.isQuiet()
  }

  /** Keeps the conversation for a lane that is at work, until `release`. */
  hold(): void {
    this.#holds++
  }

  release(): void {
    this.#holds--
    this.step()
  }

  /** Whether nothing is left in the conversation, so that a new one that goes on with its ids could take its place. */
  isForgettable(): boolean {
    return this.state === "open" && this.#holds === 0 && !this.room.isPaused && !this.isBusy() &&
      this.listeners.isEmpty && !this.#isAwaited
  }

  /** Waits until a condition holds. Each step asks it again. */
  until(isSo: () => boolean): Effect.Effect<void> {
    return Effect.callback((resume) => {
      if (isSo()) return resume(Effect.void)
      const stop = this.whenever(() => {
        const isOver = isSo()
        if (isOver) resume(Effect.void)
        return isOver
      })
      return Effect.sync(stop)
    })
  }

  /** Does all that can be done now. */
  step(): void {
    this.#hasEvent = true
    if (this.#isStepping) return
    this.#isStepping = true
    try {
      while (this.#hasEvent) {
        this.#hasEvent = false
        this.advance()
        this.#isFlushed = this.#port.stepped?.() !== false
        if (this.#phase !== open && !this.isClosed && this.#isDone()) this.#close()
        this.#waiters?.look()
      }
    } catch (defect) {
      this.#hasEvent = false
      this.abort({ _tag: "Lost", cause: defect })
    } finally {
      this.#isStepping = false
    }
  }

  /** Steps after a call of ours, or its write, which let texts pass that wait for room. Most often none waits. */
  stepIfAwaited(): void {
    if (this.room.isAwaited || this.#isAwaited) this.step()
  }

  /** Steps after a write that began in this turn and has ended, if something has waited for it. */
  stepIfUnsettled({ traffic }: Lane): void {
    if (traffic.hasParked || !this.#isFlushed || this.#phase !== open || this.#isAwaited) this.step()
  }

  /** Starts the calls of theirs, and writes those of ours, that have room now. */
  advance(): void {
    this.theirs.drain()
    if (this.#outgoing?.crowded !== undefined) this.#outgoing.admit()
  }

  park(call: LaneCall): void {
    if (this.room.park(call)) this.step()
  }

  /** Tells the other side that nobody waits for a call of ours any more, if its request was written. */
  cancel(call: Waiting, lane: Lane): void {
    if (!isWritten(call)) return lane.traffic.parked?.delete(call)
    const { cancellation } = this.dialect
    if (cancellation === undefined || cancellation.except.includes(call.method)) return
    if (this.reason !== undefined || this.closedFor(lane) !== undefined) return
    const params = { [cancellation.member]: this.ours.idOf(call) }
    lane.write(Message.notificationText(cancellation.method, params, undefined, this.form), "reply")
  }

  /** Why nothing can be written to a lane any more, if so. Where the other side only writes no more, it may still read. */
  closedFor({ traffic }: Pick<Lane, "traffic">): CallerError.DisconnectReason | undefined {
    if (traffic.isClosed) return { _tag: "Closed" }
    return this.isClosed || this.reason?._tag !== "EndOfInput" ? this.reason : undefined
  }

  /** Ends it for a reason. After an orderly end what was read is still run, and answered; any other interrupts at once. */
  end(reason: CallerError.DisconnectReason, isHolding = false): void {
    if (this.reason !== undefined) return
    this.#gone(reason)
    const isOrderly = orderly.has(reason._tag)
    // A handler that waits for the other side hears that it is gone before it is interrupted.
    if (!isOrderly || !isHolding) this.endCalls()
    this.#advance(isOrderly ? finishing : ending)
    this.step()
  }

  /** Ends our calls. It runs when everything is handed on that was read before the end of the input. */
  endCalls(): void {
    if (this.reason === undefined) return
    const { reason } = this
    // Calls that wait to be written are still written.
    this.#ours?.close(reason, isWritten)
    this.listeners.end(reason)
  }

  /** Waits until our side begins to shut down, and gives the error of its dialect that says so. */
  readonly draining: Effect.Effect<ErrorResponse> = Effect.callback((resume) => {
    const hear = () => resume(Effect.succeed(fromObject(shutDownError(this.dialect))))
    if (this.isRefusing) return hear()
    const hearing = this.#draining ??= new Set()
    hearing.add(hear)
    return Effect.sync(() => hearing.delete(hear))
  })

  /** Begins an orderly shutdown from our side. */
  shutDown(): void {
    this.#advance(refusing)
    const hearing = this.#draining
    this.#draining = undefined
    hearing?.forEach((hear) => hear())
    this.step()
  }

  /** Ends at once, without writing what waits. */
  abort(reason: CallerError.DisconnectReason): void {
    this.#gone(reason)
    this.#close()
  }

  /** Ends it for a reason, and waits until it is closed. */
  closing(reason: CallerError.DisconnectReason): Effect.Effect<void> {
    return Effect.andThen(Effect.sync(() => this.end(reason)), this.until(() => this.isClosed))
  }

  /** Whether no handler runs, nothing waits for one, and nothing runs behind a reply. */
  isQuiet(): boolean {
    return this.theirs.size === 0 && this.theirs.behind === 0
  }

  /** Calls `look` in each step until it returns `true`. Returns a function that stops this, and tells whether it did. */
  whenever(look: () => boolean): () => boolean {
    return (this.#waiters ??= new Waiters(this)).add(look)
  }

  get #isAwaited(): boolean {
    return this.#waiters !== undefined && this.#waiters.size > 0
  }

  /** Keeps the first reason, and tells it before the calls end, so that a call that is made again is refused. */
  #gone(reason: CallerError.DisconnectReason): CallerError.DisconnectReason {
    if (this.reason !== undefined) return this.reason
    this.reason = reason
    this.#port.ended?.(reason)
    return reason
  }

  #advance(phase: Phase): void {
    if (this.#phase >= phase) return
    const isDraining = this.#phase !== open
    this.#phase = phase
    if (phase === ending) {
      // Nothing drains any more: there is only the time for what waits to be written.
      if (this.#drain !== undefined) this.host.timers.set(new Timer(() => this.#close()), grace)
      this.theirs.interruptAll()
      return
    }
    if (!isDraining && this.#drain !== undefined) this.host.timers.set(new Timer(() => this.overstay()), this.#drain)
    if (phase === refusing) this.theirs.refuseWaiting()
  }

  /** Interrupts what has not drained in its time. Handlers that do not end by that are left behind. */
  overstay(): void {
    this.#advance(ending)
    this.step()
  }

  #isDone(): boolean {
    // Without a deadline, the conversation also waits for what runs behind replies, which was interrupted.
    return this.#isFlushed && (this.#drain === undefined ? this.isEnding && this.isQuiet() : this.theirs.size === 0)
  }

  #close(): void {
    if (this.isClosed) return
    const reason = this.#gone({ _tag: "Closed" })
    this.#advance(ending)
    // The last handler that was interrupted may have closed it.
    if (this.isClosed) return
    this.#phase = closed
    this.#ours?.close(reason, (call) => this.#isSent(call))
    this.listeners.end(reason)
    this.#outgoing?.admit()
    this.connection?.end()
    this.host.timers.clear()
    this.#port.closed?.(reason)
  }

  #isSent(call: Entry, { traffic } = call.owner): boolean {
    return isWritten(call) && traffic !== undefined && call.place <= (traffic.handedOver ?? call.place)
  }
}
