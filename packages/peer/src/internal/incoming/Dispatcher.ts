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
 * A handler may leave effects to run behind its reply, such as the items of a
 * subscription that the reply names. They keep no connection open: a connection
 * that has nothing else to do interrupts them. Each counts on the budget.
 *
 * Everything here is synchronous. Only these effects have fibers, and handlers
 * that do not end at once.
 */
import { ErrorObject } from "@parley/protocol/shared"
import { Roster } from "@parley/transport/shared"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type * as Schema from "effect/Schema"
import { type ErrorResponse, notStartedError, shutDownError } from "../../ErrorResponse.ts"
import type { Lookup } from "../../Handler.ts"
import { callName } from "../CallerError.ts"
import type { Core } from "../conversation/Core.ts"
import type { Lane, LaneCall } from "../conversation/Lane.ts"
import { callWeight, type Wait } from "../room/Room.ts"
import { exitOf } from "../runtime/Host.ts"
import { Timer } from "../timer/DeadlineQueue.ts"
import type { CallQueue } from "./CallQueue.ts"
import type { Deferral, ErrorReply } from "./IncomingCall.ts"
import { errorReply, failureReply, logFailure, resultText } from "./ReplyText.ts"

type HandlerExit = Exit.Exit<Schema.Json | void, ErrorResponse>

/** Stands for the exit of a handler that does not exist. */
const unserved: HandlerExit = Exit.die("nothing serves the method")

/** @internal */
export class Dispatcher {
  readonly #conversation: Core
  readonly #router: Lookup | undefined
  readonly #queue: CallQueue
  readonly #live = new Roster.Roster<LaneCall>()
  /** The requests that run or wait, by the value of their id. Most conversations cancel nothing, and have none. */
  #byKey: Map<string, Set<LaneCall>> | undefined = undefined
  /** Handlers in their first, synchronous step: they are not in `#live` yet. */
  #starting = 0
  #behind: Set<Fiber.Fiber<unknown>> | undefined = undefined

  constructor(conversation: Core, queue: CallQueue, router: Lookup | undefined) {
    this.#conversation = conversation
    this.#queue = queue
    this.#router = router
  }

  /** Takes a call that was read: starts it, queues it or refuses it. */
  take(call: LaneCall): void {
    const { id, lane, message, weight } = call
    const { room } = this.#conversation
    lane.onCall?.(call, "read")
    const { dialect, isEnding, isRefusing } = this.#conversation
    if (isEnding || (isRefusing && id !== undefined)) return this.#answer(call, notStartedError(dialect))
    // A call without room waits unread. This one was read because the reading could not stop: then the budget is the
    // bound.
    if (id !== undefined && !room.fits(weight)) return this.#refuse(call)
    const overtakes = id !== undefined && this.isConcurrent(message.method)
    if ((this.#queue.count === 0 || overtakes) && room.mayStart(call, lane, overtakes) === undefined) {
      return this.#start(call)
    }
    this.#count(call)
    this.#queue.push(call, overtakes)
  }

  /** The methods that keep the digits of numbers in their params, if there are some. */
  get exact(): Lookup["exact"] {
    const exact = this.#router?.exact
    return exact === undefined || exact.size === 0 ? undefined : exact
  }

  /** Starts the calls that may start. It does not re-enter itself, because a step does not. */
  drain(): void {
    if (this.#queue.count === 0) return
    this.#startFrom("first")
    // Some need not wait for the notification that holds back the others.
    if (this.#conversation.room.isHeldBack) this.#startFrom("overtaking")
  }

  /** Ends the oldest call with this id: it leaves the queue, or is interrupted. Gives whether there is one. */
  cancel(key: string): boolean {
    const call = this.#oldest(key)
    const { cancellation } = this.#conversation.dialect
    if (call === undefined) return false
    if (cancellation?.except.includes(call.message.method) === true) return true
    if (call.isQueued) {
      this.#queue.delete(call)
      this.#answer(call, cancellation?.reply)
      this.#conversation.step()
    } else {
      this.#stop(call, cancellation?.reply)
    }
    return true
  }

  /** Whether a request of a method may start before the calls that wait. */
  isConcurrent(method: string): boolean {
    return this.#router?.isConcurrent(method) === true
  }

  /** What the first of the calls waits for that have not started. */
  get wait(): Wait | undefined {
    const next = this.#queue.first
    return next && this.#conversation.room.waitOf(next, next.lane)
  }

  /** Calls that run or wait. */
  get size(): number {
    return this.#starting + this.#live.size + this.#queue.count
  }

  /** How many effects run behind replies. */
  get behind(): number {
    return this.#behind?.size ?? 0
  }

  /** Ends the calls of a text that nobody waits for any more. */
  giveUp(lane: Lane): void {
    this.#interrupt((call) => call.lane === lane)
    this.#conversation.step()
  }

  /** Refuses the requests that have not started. */
  refuseWaiting(): void {
    const { dialect } = this.#conversation
    for (const call of this.#queue.remove(({ id }) => id !== undefined)) this.#answer(call, notStartedError(dialect))
  }

  /** Interrupts the calls that run, answers those that wait, and interrupts what runs behind replies. */
  interruptAll(): void {
    this.#interrupt(() => true)
    for (const fiber of [...this.#behind ?? []]) fiber.interruptUnsafe()
  }

  /** Starts what handlers have left, in its order. The effects run side by side. */
  runBehind(after: ReadonlyArray<Deferral>): void {
    for (const deferral of after) {
      if (this.#conversation.isEnding) this.skip([deferral])
      else this.#startBehind(deferral.effect)
    }
  }

  /** Runs the `onSkipped` of effects that do not run. */
  skip(after: ReadonlyArray<Deferral> | undefined): void {
    after?.forEach(({ onSkipped }) =>
      onSkipped === undefined ? undefined : this.#watch(this.#conversation.host.fork(onSkipped))
    )
  }

  #startBehind(effect: Effect.Effect<unknown>): void {
    const { budget, fork } = this.#conversation.host
    budget.take(callWeight)
    const fiber = fork(effect)
    const fibers = this.#behind ??= new Set()
    fibers.add(fiber)
    // It may have ended the connection itself.
    if (this.#conversation.isEnding) fiber.interruptUnsafe()
    this.#watch(fiber)
    fiber.addObserver(() => {
      budget.take(-callWeight)
      fibers.delete(fiber)
      this.#conversation.step()
    })
  }

  #watch(fiber: Fiber.Fiber<unknown>): void {
    fiber.addObserver((exit) => {
      if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
        this.#conversation.host.log("an effect that a handler gave to `afterReply` failed", exit.cause)
      }
    })
  }

  #interrupt(isMeant: (call: LaneCall) => boolean): void {
    for (const call of this.#queue.remove(isMeant)) this.#answer(call, notStartedError(this.#conversation.dialect))
    for (const call of this.#live.all().filter(isMeant)) this.#stop(call, shutDownError(this.#conversation.dialect))
  }

  /** Refusals that nobody reads pile up, too. Where the budget is spent by them, the heaviest connection ends. */
  #refuse(call: LaneCall): void {
    this.#answer(call, ErrorObject.make(this.#conversation.dialect.overloadCode, "Overloaded"))
    if (call.lane.traffic.isOverfull) this.#conversation.host.budget.evict()
  }

  /** Counts a call that is kept. A call whose handler ends at once is never kept. */
  #count(call: LaneCall): void {
    if (call.isCounted) return
    call.isCounted = true
    this.#index(call)
    this.#conversation.host.budget.take(callWeight + call.weight)
  }

  #uncount(call: LaneCall): void {
    if (!call.isCounted) return
    call.isCounted = false
    const same = this.#byKey?.get(call.key)
    if (same?.delete(call) === true && same.size === 0) this.#byKey?.delete(call.key)
    this.#conversation.host.budget.take(-callWeight - call.weight)
  }

  /** Ends a call that does not run, with an error or without a reply. */
  #answer(call: LaneCall, error: ErrorObject.ErrorObject | undefined): void {
    this.#uncount(call)
    this.#settle(call, this.#refusalOf(call, error))
    call.lane.onCall?.(call, "ended")
  }

  /** Starts calls that waited, one after the other, until the next one has no place. */
  #startFrom(line: "first" | "overtaking"): void {
    const { room } = this.#conversation
    for (let next = this.#queue[line]; next !== undefined; next = this.#queue[line]) {
      if (room.mayStart(next, next.lane, line === "overtaking") !== undefined) return
      this.#queue.delete(next)
      this.#start(next)
    }
  }

  /** Starts a call that has its place. */
  #start(call: LaneCall): void {
    const { host, limits, room } = this.#conversation
    if (call.id !== undefined && room.isCrowded) {
      room.leave(call)
      return this.#refuse(call)
    }
    this.#starting++
    const effect = this.#invoke(call)
    const known = exitOf(effect)
    if (known === undefined) this.#live.add(call)
    this.#starting--
    const exit = known ?? this.#fork(call, effect)
    if (exit !== undefined) return this.#finish(call, exit)
    this.#count(call)
    if (call.id === undefined && limits.notification === 0) this.#letPass(call)
    else if (call.id === undefined) {
      host.timers.set(call.timer = new Timer(() => this.#overstay(call)), limits.notification)
    }
    // Its first step may have ended the connection, or the wait for its answer.
    if (this.#conversation.isEnding) this.#stop(call, shutDownError(this.#conversation.dialect))
    if (call.stopped !== undefined) call.fiber?.interruptUnsafe()
  }

  /** A handler that throws instead of failing has a defect. */
  #invoke(call: LaneCall): Effect.Effect<Schema.Json | void, ErrorResponse> {
    try {
      const handler = this.#router?.handlerOf(call.message.method)
      return handler === undefined
        ? unserved
        : handler(call.lane.contextOf(call)) ?? Exit.die("a handler gave no Effect")
    } catch (defect) {
      return Exit.die(defect)
    }
  }

  /** Runs the first step of a handler. Gives its exit if it has ended. */
  #fork(call: LaneCall, effect: Effect.Effect<Schema.Json | void, ErrorResponse>): HandlerExit | undefined {
    const fiber = (call.lane.fork ?? this.#conversation.host.fork)(effect)
    const ended = fiber.pollUnsafe()
    if (ended !== undefined) {
      this.#live.delete(call)
      return ended
    }
    call.fiber = fiber
    fiber.addObserver((exit) => {
      this.#live.delete(call)
      if (call.timer !== undefined) this.#conversation.host.timers.cancel(call.timer)
      this.#finish(call, exit)
      this.#conversation.step()
    })
    return undefined
  }

  #overstay(call: LaneCall): void {
    if (call.place === "held") {
      const late = `the handler of ${callName(call.message.method)} still runs after the limit \`notification\``
      this.#conversation.host.log(`${late}: the calls after it start`, Cause.empty)
    }
    this.#letPass(call)
  }

  /** Has the handler of a notification hold back nothing any more. */
  #letPass(call: LaneCall): void {
    call.lane.onCall?.(call, "passed")
    this.#conversation.park(call)
  }

  #finish(call: LaneCall, exit: HandlerExit): void {
    this.#conversation.room.leave(call)
    this.#uncount(call)
    this.#conclude(call, exit)
    call.lane.onCall?.(call, "ended")
  }

  #conclude(call: LaneCall, exit: HandlerExit): void {
    const { after, id, message, sink, stopped } = call
    const { method } = message
    if (Exit.isSuccess(exit)) {
      const reply = id === undefined ? undefined : resultText(id, message, exit.value, this.#conversation)
      if (typeof reply !== "object") return sink.settle(reply, after)
      this.skip(after)
      return this.#settle(call, this.#refusalOf(call, reply))
    }
    this.skip(after)
    if (stopped !== undefined && Cause.hasInterruptsOnly(exit.cause)) return this.#settle(call, stopped.reply)
    if (exit === unserved && id === undefined) {
      return this.#conversation.host.log(`nothing serves the notification ${callName(method)}`, Cause.empty)
    }
    if (exit === unserved) return this.#settle(call, this.#refusalOf(call, ErrorObject.methodNotFound(method)))
    if (id !== undefined) return this.#settle(call, failureReply(id, message, exit.cause, this.#conversation))
    logFailure(message, exit.cause, this.#conversation)
  }

  /** The reply to a call that ends by an error of ours; none to a notification. */
  #refusalOf({ id }: LaneCall, error: ErrorObject.ErrorObject | undefined): ErrorReply | undefined {
    return id === undefined || error === undefined ? undefined : errorReply(id, error, this.#conversation.form)
  }

  #settle({ sink }: LaneCall, reply: ErrorReply | undefined): void {
    sink.settle(reply?.text, undefined, reply?.error)
  }

  #stop(call: LaneCall, reply: ErrorObject.ErrorObject | undefined): void {
    // The first reason stands: a call that its dialect leaves unanswered stays unanswered.
    if (call.stopped !== undefined) return
    call.stopped = { reply: this.#refusalOf(call, reply) }
    call.fiber?.interruptUnsafe()
  }

  #index(call: LaneCall): void {
    if (this.#byKey === undefined || call.id === undefined) return
    const same = this.#byKey.get(call.key) ?? new Set()
    this.#byKey.set(call.key, same.add(call))
  }

  /** The oldest call with this id that was not stopped, and is not in the first step of its handler. */
  #oldest(key: string): LaneCall | undefined {
    if (this.#byKey === undefined) {
      this.#byKey = new Map()
      // Calls that run are older than those that wait, and both are in the order they came.
      for (const call of [...this.#live.all(), ...this.#queue.all()]) if (call.isCounted) this.#index(call)
    }
    for (const call of this.#byKey.get(key) ?? []) {
      if (call.stopped === undefined && (call.isQueued || call.fiber !== undefined)) return call
    }
    return undefined
  }
}
