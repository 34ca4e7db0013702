/**
 * The serving side of one connection: what came in, in order, and what runs.
 *
 * Calls wait in the inbox. A notification runs to its end before what comes after
 * it starts, so that a request sees every notification sent before it; requests
 * run side by side, as many as may be in flight. A handler that waits for the
 * other side gives its place back, and does not take it again: otherwise two
 * peers that call each other back would wait for each other.
 *
 * Everything here is synchronous and owned by the receive loop; only handlers
 * have fibers, and only those that do not end at once.
 */
import * as Batch from "@parley/protocol/Batch"
import type { Dialect } from "@parley/protocol/Dialect"
import * as ErrorObject from "@parley/protocol/ErrorObject"
import type { Limits } from "@parley/protocol/Limits"
import * as Message from "@parley/protocol/Message"
import * as RequestId from "@parley/protocol/RequestId"
import type { Budget } from "@parley/transport/Budget"
import * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { ErrorResponse } from "../ErrorResponse.ts"
import type { Call, Handler } from "../Handler.ts"
import * as AfterReply from "./AfterReply.ts"
import type { Arrival } from "./Arrival.ts"
import { exitOf } from "./Immediate.ts"
import { Inbound } from "./Inbound.ts"
import * as Inbox from "./Inbox.ts"
import * as Reply from "./Reply.ts"
import { shutDownError } from "./ShuttingDown.ts"
import type { Sweeper } from "./Sweeper.ts"

/** @internal */
export interface Options {
  readonly dialect: Dialect
  readonly limits: Limits
  readonly sweeper: Sweeper
  /** What this connection shares with others, if anything. */
  readonly budget: Budget | undefined
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  readonly log: Reply.Log
  readonly handlerOf: (method: string) => Handler | undefined
  /** Whether requests of a method need not wait for the notifications before them. */
  readonly isConcurrent: (method: string) => boolean
  readonly callOf: (inbound: Inbound) => Call
  /** Sends the reply to what is not answered by itself. */
  readonly reply: (text: string) => void
  /** Whether replies pile up, so that nothing more should start. */
  readonly isCongested: () => boolean
  /** Takes what is no call: responses, and notifications that belong to the peer itself (gives `true` for those). */
  readonly onResponse: (response: Message.Success | Message.Failure | Message.InvalidResponse) => void
  /** Whether a call of ours waited for this one, which has neither method nor result nor error, and has ended by it. */
  readonly onEmpty: (message: Message.InvalidRequest) => boolean
  readonly intercept: (notification: Message.Notification) => boolean
  /** The inbox has become shorter, or a handler has ended. */
  readonly onProgress: () => void
}

/** @internal */
export interface Dispatcher {
  /** Puts what a text holds where it belongs: settled, refused, or into the inbox. */
  readonly take: (batch: Batch.Batch, size: number, arrival?: Arrival) => void
  /** Runs what a text has left behind its reply. */
  readonly follow: AfterReply.AfterReply["run"]
  /** Starts what may start. */
  readonly drain: () => void
  /** Ends the oldest call with this id: out of the inbox, or by interruption. */
  readonly cancel: (key: string) => void
  /** Lets what comes after this call pass: it waits for the other side, or has taken too long. */
  readonly release: (inbound: Inbound) => void
  readonly isFull: () => boolean
  /** Whether more waits than the inbox and its reserve hold. */
  readonly isOverrun: () => boolean
  /** Whether no call runs or waits. */
  readonly isIdle: () => boolean
  /** Calls that run or wait. */
  readonly size: () => number
  /** How much runs behind replies. */
  readonly following: () => number
  /** Ends the calls of a text that nobody waits for any more. */
  readonly giveUp: (arrival: Arrival) => void
  /** Refuses requests that have not started, and those to come. */
  readonly shutDown: () => void
  /** Interrupts everything that runs, and forgets what waits. */
  readonly interruptAll: () => void
}

/** Where the reply of the request with an id goes. */
type SinkOf = (key: string) => Reply.Sink

/** @internal */
export const make = (options: Options): Dispatcher => {
  const { budget, callOf, dialect, fork, handlerOf, limits, log, sweeper } = options
  const inbox = Inbox.make<Inbound>()
  const live = new Set<Inbound>()
  const afterReply = AfterReply.make({ fork, log, onEnd: () => drain() })
  const toSingle = () => single
  const single: Reply.Sink = {
    settle: (reply, after) => {
      if (reply !== undefined) options.reply(reply)
      if (after !== undefined) afterReply.run(after)
    }
  }
  let inFlight = 0
  let notifying = 0
  let draining = false
  /** Whether requests may wait that could overtake what they wait behind. */
  let overtaking = false
  /** Handlers in their first, synchronous step: they are not in `live` yet. */
  let starting = 0
  let phase: "open" | "refusing" | "over" = "open"

  // Handlers that wait for the other side hold no place in flight; the calls they wait for are limited, too. What runs
  // after replies holds none either, and anyone may ask for ever more of it.
  const mostLive = limits.inFlight + limits.waiting

  const takeOne = (decoded: Batch.Decoded, size: number, sinkOf: SinkOf, arrival: Arrival | undefined) => {
    if (Result.isFailure(decoded)) return refuse(decoded.failure, sinkOf)
    const message = decoded.success
    switch (message._tag) {
      case "Request":
        return takeRequest(message, size, sinkOf, arrival)
      case "Notification":
        return options.intercept(message) ? undefined : takeNotification(message, size, arrival)
      case "Success":
      case "Failure":
        return options.onResponse(message)
    }
  }

  const refuse = (error: Message.Malformed, sinkOf: SinkOf) => {
    if (error._tag === "InvalidResponse") return options.onResponse(error)
    if (error._tag === "InvalidRequest" && Message.isEmpty(error) && options.onEmpty(error)) return
    sinkOf(error._tag === "InvalidRequest" ? RequestId.toText(error.id) : "null").settle(
      Reply.fromMalformed(error, dialect)
    )
  }

  const takeNotification = (message: Message.Notification, size: number, arrival: Arrival | undefined) => {
    arrival?.enter()
    enter(new Inbound(message, undefined, size, arrival ?? single, arrival, overstay))
  }

  const takeRequest = (message: Message.Request, size: number, sinkOf: SinkOf, arrival: Arrival | undefined) => {
    const key = RequestId.toText(message.id)
    arrival?.enter()
    const inbound = new Inbound(message, key, size, sinkOf(key), arrival, overstay)
    if (phase !== "open") return answer(inbound, shutDownError)
    if (isFull() && !mayOvertake(inbound)) return answer(inbound, overloaded())
    enter(inbound)
  }

  /** Starts what nothing is before, and puts the rest in line. */
  const enter = (inbound: Inbound) => {
    if (phase === "over") return answer(inbound, shutDownError)
    if (inbox.count() === 0 && mayStart(inbound)) return start(inbound)
    if (mayOvertake(inbound)) return start(inbound)
    if (isConcurrent(inbound)) overtaking = true
    count(inbound)
    inbox.push(inbound)
  }

  const mayStart = (inbound: Inbound) => notifying === 0 && hasPlace(inbound)

  const hasPlace = ({ key }: Inbound) => (key === undefined || inFlight < limits.inFlight) && !isSaturated()

  const isSaturated = () => live.size + afterReply.size() >= mostLive || options.isCongested()

  const isConcurrent = ({ key, message }: Inbound) => key !== undefined && options.isConcurrent(message.method)

  /** Only the order may be broken: what would be too much for everyone else is so for these, too. */
  const mayOvertake = (inbound: Inbound) => isConcurrent(inbound) && hasPlace(inbound) && budget?.isSpent() !== true

  /** Lets the budget count what is kept: a sync handler's call never is. */
  const count = (inbound: Inbound) => {
    if (inbound.counted) return
    inbound.counted = true
    budget?.take(inbound.size)
  }

  const uncount = (inbound: Inbound) => {
    if (!inbound.counted) return
    inbound.counted = false
    budget?.take(-inbound.size)
  }

  const overloaded = () => ErrorObject.make(dialect.overloadCode, "Overloaded")

  const answer = (inbound: Inbound, error: ErrorObject.ErrorObject) => {
    uncount(inbound)
    if (inbound.key !== undefined) inbound.sink.settle(Reply.fromError(inbound.key, error))
    inbound.arrival?.leave(inbound)
  }

  const isFull = () => inbox.count() >= limits.inbox || inbox.size() >= limits.inboxBytes || budget?.isSpent() === true

  const drain = () => {
    if (draining) return
    draining = true
    for (let next = inbox.peek(); next !== undefined && mayStart(next); next = inbox.peek()) {
      inbox.shift()
      start(next)
    }
    if (overtaking && notifying > 0) overtake()
    draining = false
    options.onProgress()
  }

  /** Starts requests that waited for a place, and need not wait for the notification that holds back the others. */
  const overtake = () => {
    while (inFlight < limits.inFlight && !isSaturated()) {
      const next = inbox.find(isConcurrent)
      overtaking = next !== undefined
      if (next === undefined) return
      inbox.remove(next)
      start(next)
    }
  }

  const start = (inbound: Inbound) => {
    starting++
    const effect = invoke(inbound)
    if (effect === undefined) {
      starting--
      return unserved(inbound)
    }
    const exit = exitOf(effect)
    if (exit !== undefined) {
      starting--
      return finish(inbound, exit)
    }
    hold(inbound)
    const fiber = inbound.arrival === undefined ? fork(effect) : inbound.arrival.fork(effect)
    starting--
    const ended = fiber.pollUnsafe()
    if (ended !== undefined) {
      release(inbound)
      return finish(inbound, ended)
    }
    inbound.fiber = fiber
    live.add(inbound)
    // It has ended the connection itself.
    if (phase === "over" || inbound.arrival?.isGivenUp === true) stop(inbound, shutDownError)
    count(inbound)
    if (inbound.key === undefined) sweeper.set(inbound, limits.notification)
    fiber.addObserver((exit) => {
      live.delete(inbound)
      sweeper.cancel(inbound)
      release(inbound)
      finish(inbound, exit)
      drain()
    })
  }

  const unserved = (inbound: Inbound) => {
    const { method } = inbound.message
    if (inbound.key === undefined) {
      uncount(inbound)
      inbound.arrival?.leave(inbound)
      return log(`nothing serves the notification ${method}`, Cause.empty)
    }
    answer(inbound, ErrorObject.methodNotFound(method))
  }

  /** A handler that throws instead of failing has a defect. */
  const invoke = (inbound: Inbound): Effect.Effect<Schema.Json | void, ErrorResponse> | undefined => {
    try {
      const handler = handlerOf(inbound.message.method)
      return handler === undefined ? undefined : handler(callOf(inbound)) ?? Exit.die("a handler gave no Effect")
    } catch (defect) {
      return Exit.die(defect)
    }
  }

  const hold = (inbound: Inbound) => {
    inbound.holds = true
    if (inbound.key === undefined) notifying++
    else inFlight++
  }

  const release = (inbound: Inbound) => {
    if (!inbound.holds) return
    inbound.holds = false
    if (inbound.key === undefined) notifying--
    else inFlight--
  }

  const overstay = (inbound: Inbound) => {
    log(`the handler of ${inbound.message.method} still runs, what comes after it starts`, Cause.empty)
    release(inbound)
    inbound.arrival?.pass(inbound)
    drain()
  }

  const finish = (inbound: Inbound, exit: Exit.Exit<Schema.Json | void, ErrorResponse>) => {
    uncount(inbound)
    conclude(inbound, exit)
    inbound.arrival?.leave(inbound)
  }

  const conclude = (inbound: Inbound, exit: Exit.Exit<Schema.Json | void, ErrorResponse>) => {
    const { after, key, sink, stopped } = inbound
    if (stopped !== undefined && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) {
      afterReply.drop(after)
      return sink.settle(stopped.reply)
    }
    if (key !== undefined) return Reply.settle(sink, key, exit, after, afterReply.drop, log)
    if (Exit.isSuccess(exit)) return sink.settle(undefined, after)
    afterReply.drop(after)
    log(`the handler of ${inbound.message.method} failed`, exit.cause)
  }

  const stop = (inbound: Inbound, reply: ErrorObject.ErrorObject | undefined) => {
    const { key } = inbound
    // The first reason stands: what a dialect leaves unanswered stays so.
    if (inbound.stopped !== undefined) return
    inbound.stopped = { reply: key === undefined || reply === undefined ? undefined : Reply.fromError(key, reply) }
    inbound.fiber?.interruptUnsafe()
  }

  const isExcepted = ({ message }: Inbound) => dialect.cancellation?.except.includes(message.method) === true

  const oldestLive = (key: string): Inbound | undefined => {
    for (const inbound of live) if (inbound.key === key && inbound.stopped === undefined) return inbound
    return undefined
  }

  const cancel = (key: string) => {
    // What runs is older than what waits, and both are in the order they came.
    const running = oldestLive(key)
    const inbound = running ?? inbox.find((waiting) => waiting.key === key)
    if (inbound === undefined || isExcepted(inbound)) return
    const reply = dialect.cancellation?.reply
    if (running !== undefined) return stop(running, reply)
    inbox.remove(inbound)
    uncount(inbound)
    inbound.sink.settle(reply === undefined ? undefined : Reply.fromError(key, reply))
    inbound.arrival?.leave(inbound)
  }

  const takeMembers = (members: ReadonlyArray<Batch.Decoded>, size: number, arrival: Arrival | undefined) => {
    const replies = new Reply.BatchReply(limits.batchReply, budget, arrival ?? single, afterReply.drop)
    const each = Math.ceil(size / members.length)
    for (const member of members) takeOne(member, each, (key) => replies.member(key), arrival)
    replies.close()
  }

  return {
    take: (batch, size, arrival) => {
      if (Batch.isMembers(batch)) takeMembers(batch, size, arrival)
      else takeOne(batch, size, arrival === undefined ? toSingle : () => arrival, arrival)
    },
    follow: afterReply.run,
    drain,
    cancel,
    release: (inbound) => {
      if (!inbound.holds) return
      release(inbound)
      drain()
    },
    isFull,
    isOverrun: () =>
      inbox.count() > limits.inbox + limits.reserve || inbox.size() > 2 * limits.inboxBytes + limits.frame,
    isIdle: () => starting === 0 && live.size === 0 && inbox.count() === 0,
    size: () => starting + live.size + inbox.count(),
    following: afterReply.size,
    giveUp: (arrival) => {
      for (const inbound of inbox.removeAll((waiting) => waiting.arrival === arrival)) answer(inbound, shutDownError)
      for (const inbound of [...live]) if (inbound.arrival === arrival) stop(inbound, shutDownError)
      drain()
    },
    shutDown: () => {
      if (phase === "open") phase = "refusing"
      for (const inbound of inbox.removeAll((waiting) => waiting.key !== undefined)) answer(inbound, shutDownError)
    },
    interruptAll: () => {
      phase = "over"
      for (const inbound of inbox.removeAll(() => true)) answer(inbound, shutDownError)
      for (const inbound of [...live]) stop(inbound, shutDownError)
      afterReply.interruptAll()
    }
  }
}
