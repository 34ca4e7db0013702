/**
 * Their calls, as they wait and run: the serving half of a conversation.
 *
 * A notification runs to its end before the calls after it start, so that a
 * request sees every notification sent before it (promise 13). Requests run side
 * by side, as many as may be in flight (promise 17). A handler that waits for the
 * other side *parks*: it gives its place back and holds back nothing, and does not
 * take the place again. Otherwise two peers that call each other back would wait
 * for each other (promise 12).
 *
 * Everything here is synchronous. Only handlers have fibers, and only those that
 * do not end at once.
 */
import type { Dialect } from "@parley/protocol/Dialect"
import * as ErrorObject from "@parley/protocol/ErrorObject"
import type { Limits } from "@parley/protocol/Limits"
import type * as Message from "@parley/protocol/Message"
import * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import type { ErrorResponse } from "../../ErrorResponse.ts"
import type { Lookup } from "../../Handler.ts"
import { type AfterReply, callWeight } from "../conversation/AfterReply.ts"
import type { Lane, LaneCall } from "../conversation/Lane.ts"
import * as Phase from "../conversation/Phase.ts"
import { exitOf } from "../runtime/exitOf.ts"
import type { Host } from "../runtime/Host.ts"
import { CallIndex } from "./CallIndex.ts"
import { CallQueue } from "./CallQueue.ts"
import { IncomingCall } from "./IncomingCall.ts"
import { errorText, failureOf, resultText, shutDownError } from "./ReplyText.ts"
import type { Sink } from "./Sink.ts"

/** @internal */
export interface Options {
  readonly dialect: Dialect
  readonly limits: Limits
  readonly router: Lookup | undefined
  readonly host: Host
  readonly afterReply: AfterReply
  readonly phase: () => Phase.Phase
  /** Runs when a call has ended, has parked or was taken out, so that others may start. */
  readonly onProgress: () => void
}

/** Params up to this weight are counted when their call is kept. Heavier params must fit before their call is taken. */
const light = 32_768

/** @internal */
export class Dispatcher {
  readonly #options: Options
  readonly #queue = new CallQueue()
  readonly #live = new Set<LaneCall>()
  #byKey: CallIndex | undefined = undefined
  #inFlight = 0
  #notifying = 0
  /** Handlers in their first, synchronous step: they are not in `#live` yet. */
  #starting = 0
  #isDraining = false
  /** Whether requests may wait that could overtake the calls before them. */
  #isOvertaking = false

  constructor(options: Options) {
    this.#options = options
  }

  /** Takes a call that was read: starts it, queues it or refuses it. */
  take(
    message: Message.Request | Message.Notification,
    id: string | undefined,
    size: number,
    weight: number,
    lane: Lane,
    sink: Sink
  ): void {
    lane.enter()
    const call = new IncomingCall<Lane>(message, id, size, weight, lane, sink, this.#overstay)
    const phase = this.#options.phase()
    if (phase >= Phase.refusing && (id !== undefined || phase >= Phase.ending)) return this.#answer(call, shutDownError)
    // A call without room waits unread. This one was read because the reading could not stop: then the budget is the
    // bound.
    if (id !== undefined && this.isTooMuch(weight)) return this.#refuse(call)
    if (this.#queue.count === 0 && this.#mayStart(call)) return this.#start(call)
    if (this.#mayOvertake(call)) return this.#start(call)
    if (this.#isConcurrent(call)) this.#isOvertaking = true
    this.#count(call)
    this.#queue.push(call)
  }

  /** Starts the calls that may start. */
  drain(): void {
    if (this.#isDraining) return
    this.#isDraining = true
    for (let next = this.#queue.peek(); next !== undefined && this.#mayStart(next); next = this.#queue.peek()) {
      this.#queue.shift()
      this.#start(next)
    }
    if (this.#isOvertaking && this.#notifying > 0) this.#overtake()
    this.#isDraining = false
  }

  /** Ends the oldest call with this id: it leaves the queue, or is interrupted. Gives whether there is one. */
  cancel(key: string): boolean {
    // Calls that run are older than those that wait, and both are in the order they came.
    const call = this.#oldest(key)
    const { cancellation } = this.#options.dialect
    if (call === undefined) return false
    if (cancellation?.except.includes(call.message.method) === true) return true
    const reply = cancellation?.reply
    if (call.fiber !== undefined) {
      this.#stop(call, reply)
      return true
    }
    this.#queue.delete(call)
    this.#uncount(call)
    call.sink.settle(reply === undefined || call.id === undefined ? undefined : errorText(call.id, reply))
    call.lane.leave(call)
    this.#options.onProgress()
    return true
  }

  /**
   * Parks a call whose handler waits for the other side, or has taken too long: it gives back its place, and others may
   * pass it.
   */
  park(call: LaneCall): void {
    if (!call.holds) return
    this.#release(call)
    this.#options.onProgress()
  }

  /**
   * Whether a request of a method may start before the calls that wait. Only the order is given up: all bounds hold.
   */
  mayOvertake(method: string, lane: Lane): boolean {
    const { host, limits, router } = this.#options
    return router?.isConcurrent(method) === true && this.#inFlight < limits.inFlight && !lane.isCongested() &&
      !host.budget.isSpent()
  }

  /** Whether there is no room for one more call of this weight, so that it should stay unread. */
  isFull(weight: number): boolean {
    const { limits } = this.#options
    return this.#queue.count >= limits.inbox || this.#queue.size >= limits.inboxBytes || this.mustAwait(weight)
  }

  /** Whether the budget has no room for a call of this weight now, and could have some. */
  mustAwait(weight: number): boolean {
    return this.isTooMuch(weight) && (weight <= light || callWeight + weight <= this.#options.host.budget.limit)
  }

  /** Whether no call runs or waits. */
  isIdle(): boolean {
    return this.size === 0
  }

  /** Calls that run or wait. */
  get size(): number {
    return this.#starting + this.#live.size + this.#queue.count
  }

  /** Ends the calls of a text that nobody waits for any more. */
  giveUp(lane: Lane): void {
    for (const call of this.#queue.remove((waiting) => waiting.lane === lane)) this.#answer(call, shutDownError)
    for (const call of [...this.#live]) if (call.lane === lane) this.#stop(call, shutDownError)
    this.#options.onProgress()
  }

  /** Refuses the requests that have not started. */
  refuseWaiting(): void {
    for (const call of this.#queue.remove(({ id }) => id !== undefined)) this.#answer(call, shutDownError)
  }

  /** Interrupts the calls that run, and answers those that wait. */
  interruptAll(): void {
    for (const call of this.#queue.remove(() => true)) this.#answer(call, shutDownError)
    for (const call of [...this.#live]) this.#stop(call, shutDownError)
  }

  #mayStart(call: LaneCall): boolean {
    return this.#notifying === 0 && this.#hasPlace(call)
  }

  #hasPlace({ id, lane }: LaneCall): boolean {
    return (id === undefined || this.#inFlight < this.#options.limits.inFlight) && !lane.isCongested()
  }

  #isConcurrent({ id, message }: LaneCall): boolean {
    return id !== undefined && this.#options.router?.isConcurrent(message.method) === true
  }

  #mayOvertake({ id, lane, message }: LaneCall): boolean {
    return id !== undefined && this.mayOvertake(message.method, lane)
  }

  /** Whether a call of this weight exceeds what the budget has left. */
  isTooMuch(weight: number): boolean {
    const { budget } = this.#options.host
    return weight > light ? !budget.fits(callWeight + weight) : budget.isSpent()
  }

  /** Refusals that nobody reads pile up, too. Where the budget is spent by them, the heaviest connection ends. */
  #refuse(call: LaneCall): void {
    this.#answer(call, ErrorObject.make(this.#options.dialect.overloadCode, "Overloaded"))
    if (call.lane.isOverfull()) this.#options.host.budget.evict()
  }

  /** Counts a call that is kept. A call whose handler ends at once is never kept. */
  #count(call: LaneCall): void {
    if (call.isCounted) return
    call.isCounted = true
    if (this.#byKey !== undefined && call.id !== undefined) this.#byKey.add(call)
    this.#options.host.budget.take(callWeight + call.weight)
  }

  #uncount(call: LaneCall): void {
    if (!call.isCounted) return
    call.isCounted = false
    this.#byKey?.delete(call)
    this.#options.host.budget.take(-callWeight - call.weight)
  }

  #answer(call: LaneCall, error: ErrorObject.ErrorObject): void {
    this.#uncount(call)
    if (call.id !== undefined) call.sink.settle(errorText(call.id, error))
    call.lane.leave(call)
  }

  /** Starts requests that waited for a place, and need not wait for the notification that holds back the others. */
  #overtake(): void {
    for (;;) {
      const next = this.#queue.find((call) => this.#isConcurrent(call))
      this.#isOvertaking = next !== undefined
      if (next === undefined || !this.#hasPlace(next)) return
      this.#queue.delete(next)
      this.#start(next)
    }
  }

  #start(call: LaneCall): void {
    this.#starting++
    const effect = this.#invoke(call)
    if (effect === undefined) {
      this.#starting--
      return this.#unserved(call)
    }
    const exit = exitOf(effect)
    if (exit !== undefined) {
      this.#starting--
      return this.#finish(call, exit)
    }
    this.#hold(call)
    const fiber = call.lane.fork(effect)
    this.#starting--
    const ended = fiber.pollUnsafe()
    if (ended !== undefined) {
      this.#release(call)
      return this.#finish(call, ended)
    }
    call.fiber = fiber
    this.#live.add(call)
    // Its first step may have ended the connection, or the wait for its answer.
    if (this.#options.phase() >= Phase.ending || call.lane.isGivenUp) this.#stop(call, shutDownError)
    this.#count(call)
    if (call.id === undefined) this.#options.host.timers.set(call, this.#options.limits.notification)
    fiber.addObserver((exit) => {
      this.#live.delete(call)
      this.#options.host.timers.cancel(call)
      this.#release(call)
      this.#finish(call, exit)
      this.#options.onProgress()
    })
  }

  #unserved(call: LaneCall): void {
    const { method } = call.message
    if (call.id !== undefined) return this.#answer(call, ErrorObject.methodNotFound(method))
    this.#uncount(call)
    call.lane.leave(call)
    this.#options.host.log(`nothing serves the notification ${method}`, Cause.empty)
  }

  /** A handler that throws instead of failing has a defect. */
  #invoke(call: LaneCall): Effect.Effect<Schema.Json | void, ErrorResponse> | undefined {
    try {
      const handler = this.#options.router?.handlerOf(call.message.method)
      return handler === undefined
        ? undefined
        : handler(call.lane.contextOf(call)) ?? Exit.die("a handler gave no Effect")
    } catch (defect) {
      return Exit.die(defect)
    }
  }

  #hold(call: LaneCall): void {
    call.holds = true
    if (call.id === undefined) this.#notifying++
    else this.#inFlight++
  }

  #release(call: LaneCall): void {
    if (!call.holds) return
    call.holds = false
    if (call.id === undefined) this.#notifying--
    else this.#inFlight--
  }

  readonly #overstay = (call: LaneCall): void => {
    if (call.holds) {
      this.#options.host.log(`the handler of ${call.message.method} still runs, the calls after it start`, Cause.empty)
    }
    call.lane.pass(call)
    this.park(call)
  }

  #finish(call: LaneCall, exit: Exit.Exit<Schema.Json | void, ErrorResponse>): void {
    this.#uncount(call)
    this.#conclude(call, exit)
    call.lane.leave(call)
  }

  #conclude(call: LaneCall, exit: Exit.Exit<Schema.Json | void, ErrorResponse>): void {
    const { after, id, message: { method }, sink, stopped } = call
    const { afterReply, host, limits } = this.#options
    if (stopped !== undefined && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) {
      afterReply.skip(after)
      return sink.settle(stopped.reply)
    }
    if (id !== undefined) {
      const reply = Exit.isSuccess(exit)
        ? resultText(id, method, exit.value, limits.frame, host.log)
        : failureOf(id, method, exit.cause, limits.frame, host.log)
      if (typeof reply === "string" && Exit.isSuccess(exit)) return sink.settle(reply, after)
      afterReply.skip(after)
      return sink.settle(typeof reply === "string" ? reply : errorText(id, reply))
    }
    if (Exit.isSuccess(exit)) return sink.settle(undefined, after)
    afterReply.skip(after)
    host.log(`the handler of ${method} failed`, exit.cause)
  }

  #stop(call: LaneCall, reply: ErrorObject.ErrorObject | undefined): void {
    const { id } = call
    // The first reason stands: a call that its dialect leaves unanswered stays unanswered.
    if (call.stopped !== undefined) return
    call.stopped = { reply: id === undefined || reply === undefined ? undefined : errorText(id, reply) }
    call.fiber?.interruptUnsafe()
  }

  /** The oldest call with this id that may still be cancelled. Most conversations never ask, and need no index. */
  #oldest(key: string): LaneCall | undefined {
    if (this.#byKey === undefined) {
      this.#byKey = new CallIndex()
      // Calls that run are older than those that wait, and both are in the order they came.
      for (const call of [...this.#live, ...this.#queue.all()]) if (call.id !== undefined) this.#byKey.add(call)
    }
    return this.#byKey.oldest(key)
  }
}
