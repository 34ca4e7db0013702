/**
 * One conversation of JSON-RPC, whatever carries it: the calls of ours that wait,
 * their calls that run, the listeners, and how it ends. It does no I/O and knows
 * no wire; `Lane`s do.
 *
 * ```
 *   open → finishing → refusing → ending → closed
 * ```
 *
 * A phase never goes back, and some are passed over. `phase` is the only field
 * that says whether a conversation is over, and `reason` says why no more calls
 * can be made.
 *
 * `#step` runs after every event: a text, a write, the end of a handler or of a
 * pause, a call that is made. It does all that can be done now, and looks again
 * where something happened meanwhile. So nobody signals anybody in particular,
 * and no wake-up can be lost (promise 22).
 */
import type { Batch } from "@parley/protocol/Batch"
import type { Dialect } from "@parley/protocol/Dialect"
import type { Limits } from "@parley/protocol/Limits"
import * as Message from "@parley/protocol/Message"
import * as Weight from "@parley/protocol/text/Weight"
import * as Effect from "effect/Effect"
import type { Caller } from "../../Caller.ts"
import type * as CallerError from "../../CallerError.ts"
import { type Entry, isWritten, type Waiting, WaitingCalls } from "../../Correlator.ts"
import { type ErrorResponse, fromObject } from "../../ErrorResponse.ts"
import { CallQueue } from "../incoming/CallQueue.ts"
import { Dispatcher } from "../incoming/Dispatcher.ts"
import { shutDownError } from "../incoming/ReplyText.ts"
import { cancelText } from "../outgoing/CancelText.ts"
import { OutgoingCalls } from "../outgoing/OutgoingCalls.ts"
import { Room, type Wait } from "../room/Room.ts"
import type { Host } from "../runtime/Host.ts"
import { Timer } from "../timer/DeadlineQueue.ts"
import { AfterReply } from "./AfterReply.ts"
import { Intake } from "./Intake.ts"
import type { Lane } from "./Lane.ts"
import { Listeners } from "./Listeners.ts"
import type { Options } from "./Options.ts"
import type { Parts } from "./Parts.ts"
import * as Phase from "./Phase.ts"
import { type Decoded, short, type TextReader } from "./TextReader.ts"
import { Watchers } from "./Watchers.ts"

/** Gives a text when there is room for it. @internal */
export type Arrival = () => Decoded | undefined

/** Milliseconds between the interruption of handlers and the end. */
const grace = 1_000

/** @internal */
export class Conversation implements Parts {
  phase: Phase.Phase = Phase.open
  /** Why no more calls can be made, if so. */
  reason: CallerError.DisconnectReason | undefined = undefined
  readonly host: Host
  readonly dialect: Dialect
  readonly form: Message.EncodeOptions | undefined
  readonly limits: Limits
  /** Says whether there is room, for whatever asks. */
  readonly room: Room<Lane, Batch>
  readonly ours: WaitingCalls
  readonly outgoing: OutgoingCalls
  readonly theirs: Dispatcher
  readonly listeners: Listeners
  readonly afterReply: AfterReply
  /** Where every text comes in. */
  readonly intake: Intake
  readonly #options: Options
  #connection: object | undefined = undefined
  #watchers: Watchers | undefined = undefined
  #draining: Set<() => void> | undefined = undefined
  #holds = 0
  #isFlushed = true
  #isStepping = false
  #hasEvent = false

  constructor(options: Options) {
    const { dialect, host, limits, router, timeout } = options
    this.#options = options
    this.host = host
    this.dialect = dialect
    this.form = Message.isUsual(dialect) ? undefined : dialect
    this.limits = limits
    this.listeners = new Listeners(this)
    this.afterReply = new AfterReply(this)
    this.ours = new WaitingCalls({
      dialect,
      host,
      lastId: options.lastId ?? 0,
      idPrefix: options.idPrefix,
      onExpired: () => this.step(),
      onRemove: (call) => {
        this.room.closeWindow(call)
        this.outgoing.exact?.delete(call)
      }
    })
    const inbox = new CallQueue()
    this.room = new Room<Lane, Batch>(limits, host.budget, {
      ours: this.ours,
      inbox,
      asks: (batch, lane, isRefusing) => this.intake.asks(batch, lane, isRefusing)
    })
    this.outgoing = new OutgoingCalls(this, timeout)
    this.theirs = new Dispatcher(this, this.afterReply, inbox, router)
    this.intake = new Intake(this)
  }

  get isAlone(): boolean {
    return this.#options.isAlone === true
  }

  /** A key for what belongs to the conversation: all of its calls share it, and no other call does. */
  get connection(): object | undefined {
    return this.isAlone ? undefined : this.#connection ??= this.#options.connection?.() ?? Object.freeze({})
  }

  /**
   * Gives a text when there is room for it, and `undefined` before. Texts that wait do not count on the budget: together
   * they could fill it, and wait for themselves.
   */
  arrival(text: string | Decoded, reader: TextReader, from: Lane): Arrival {
    let held: Decoded | number | undefined = typeof text === "string" ? undefined : text
    return () => {
      if (typeof text === "string") held = this.peek(text, held, reader, from)
      return typeof held !== "object" || this.waitOf(held, from) !== undefined ? undefined : held
    }
  }

  /** Reads a text as far as it may be: a long one is weighed, and not even parsed while its values have no room. */
  peek(text: string, held: Decoded | number | undefined, reader: TextReader, from: Lane): Decoded | number {
    const known = held ?? (text.length > short ? Weight.ofText(text) : reader.read(text))
    if (typeof known !== "number") return known
    const mayWait = this.phase < Phase.ending && this.room.mayParse(known, from) !== undefined
    return mayWait ? known : reader.read(text, known)
  }

  /**
   * Takes a text in the step that finds room for it, so that no other can have that room. Gives `undefined` where it was
   * taken at once, and otherwise how to leave, which tells whether the text was still waiting.
   */
  whenRoom(arrival: Arrival, take: (text: Decoded) => void): (() => boolean) | undefined {
    const look = () => {
      const text = arrival()
      if (text !== undefined) take(text)
      return text !== undefined
    }
    return look() ? undefined : this.#watch(look)
  }

  /** What a text has to wait for, if anything. At the end nothing waits. */
  waitOf(text: Decoded, from: Lane): Wait | undefined {
    return this.phase >= Phase.ending ? undefined : this.room.mayTake(text, from)
  }

  /** Listens to the notifications of a method until the Scope closes. */
  readonly listen: Caller["listen"] = (method, listener) =>
    Effect.suspend(() => (this.#options.current?.() ?? this).listeners.listen(method, listener))

  /** Stops the reading until the result is called. */
  readonly pause: Caller["pause"] = () => {
    const current = this.#options.current?.() ?? this
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
    return this.ours.size() > 0 || !this.isQuiet()
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
    return this.reason === undefined && this.phase === Phase.open && this.#holds === 0 && !this.room.isPaused &&
      this.ours.size() === 0 &&
      this.isQuiet() && this.listeners.isEmpty && (this.#watchers?.size ?? 0) === 0
  }

  /** Waits until a condition holds. Each step asks it again. */
  until(isSo: () => boolean): Effect.Effect<void> {
    return Effect.callback((resume) => {
      if (isSo()) return resume(Effect.void)
      const stop = this.#watch(() => {
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
        this.#isFlushed = this.#options.onStep?.() !== false
        if (this.phase !== Phase.open && this.phase !== Phase.closed && this.#isDone()) this.#close()
        this.#watchers?.look()
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
    if (this.room.isAwaited || (this.#watchers?.size ?? 0) > 0) this.step()
  }

  /** Starts the calls of theirs, and writes those of ours, that have room now. */
  advance(): void {
    this.theirs.drain()
    this.outgoing.admit()
  }

  /** Tells the other side that nobody waits for a call of ours any more, if its request was written. */
  cancel(call: Waiting, lane: Lane): void {
    if (!isWritten(call)) return lane.traffic.parked?.delete(call)
    if (this.reason !== undefined || this.closedFor(lane) !== undefined) return
    const text = cancelText(this.dialect.cancellation, { id: this.ours.idOf(call), method: call.method }, this.form)
    if (text !== undefined) lane.write(text, "reply")
  }

  /**
   * Why nothing can be written to a lane any more, if so. Where the other side only writes no more, it may still read.
   */
  closedFor({ traffic }: Lane): CallerError.DisconnectReason | undefined {
    if (traffic.isClosed) return { _tag: "Closed" }
    return this.phase === Phase.closed || this.reason?._tag !== "EndOfInput" ? this.reason : undefined
  }

  /**
   * Ends the conversation for a reason. After the end of the input what was read is still run and answered; any other
   * end interrupts at once.
   */
  end(reason: CallerError.DisconnectReason, isHolding = false): void {
    if (this.reason !== undefined) return
    this.#gone(reason)
    const isOrderly = reason._tag === "EndOfInput"
    // A handler that waits for the other side hears that it is gone before it is interrupted.
    if (!isOrderly || !isHolding) this.endCalls()
    this.#advance(isOrderly ? Phase.finishing : Phase.ending)
    this.step()
  }

  /** Ends our calls. It runs when everything is handed on that was read before the end of the input. */
  endCalls(): void {
    if (this.reason === undefined) return
    const { reason } = this
    // Calls that wait to be written are still written.
    this.ours.close(reason, isWritten)
    this.listeners.end(reason)
  }

  /** Waits until our side begins to shut down, and gives the error of its dialect that says so. */
  readonly draining: Effect.Effect<ErrorResponse> = Effect.callback((resume) => {
    const hear = () => resume(Effect.succeed(fromObject(shutDownError(this.dialect))))
    if (this.phase >= Phase.refusing) return hear()
    const hearing = this.#draining ??= new Set()
    hearing.add(hear)
    return Effect.sync(() => hearing.delete(hear))
  })

  /** Begins an orderly shutdown from our side. */
  shutDown(): void {
    this.#advance(Phase.refusing)
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
    return Effect.suspend(() => {
      this.end(reason)
      return this.until(() => this.#isClosed)
    })
  }

  /** Whether no handler runs, nothing waits for one, and nothing runs behind a reply. */
  isQuiet(): boolean {
    return this.theirs.isIdle() && this.afterReply.size === 0
  }

  #watch(look: () => boolean): () => boolean {
    return (this.#watchers ??= new Watchers(this)).add(look)
  }

  /** Keeps the first reason, and tells it before the calls end, so that a call that is made again is refused. */
  #gone(reason: CallerError.DisconnectReason): CallerError.DisconnectReason {
    if (this.reason !== undefined) return this.reason
    this.reason = reason
    this.#options.onEnd?.(reason, false)
    return reason
  }

  #advance(phase: Phase.Phase): void {
    if (this.phase >= phase) return
    const { drain } = this.#options
    const isDraining = this.phase !== Phase.open
    this.phase = phase
    if (phase === Phase.ending) {
      // Nothing drains any more: there is only the time for what waits to be written.
      if (drain !== undefined) this.host.timers.set(new Timer(() => this.#close()), grace)
      this.theirs.interruptAll()
      this.afterReply.interruptAll()
      return
    }
    if (!isDraining && drain !== undefined) this.host.timers.set(new Timer(() => this.#overstay()), drain)
    if (phase === Phase.refusing) this.theirs.refuseWaiting()
  }

  /** Interrupts what has not drained in its time. Handlers that do not end by that are left behind. */
  #overstay(): void {
    this.#advance(Phase.ending)
    this.step()
  }

  #isDone(): boolean {
    const { drain } = this.#options
    // Without a deadline, the conversation also waits for what runs behind replies, which was interrupted.
    return (drain === undefined ? this.phase === Phase.ending && this.isQuiet() : this.theirs.isIdle()) &&
      this.#isFlushed
  }

  get #isClosed(): boolean {
    return this.phase === Phase.closed
  }

  #close(): void {
    if (this.#isClosed) return
    const reason = this.#gone({ _tag: "Closed" })
    this.#advance(Phase.ending)
    // The last handler that was interrupted may have closed it.
    if (this.#isClosed) return
    this.phase = Phase.closed
    this.ours.close(reason, (call) => this.#isSent(call))
    this.listeners.end(reason)
    this.outgoing.admit()
    this.host.timers.clear()
    this.#options.onEnd?.(reason, true)
  }

  #isSent(call: Entry): boolean {
    return isWritten(call) && call.place <= (call.owner.traffic?.handedOver ?? -1)
  }
}
