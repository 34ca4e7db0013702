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
  readonly take: (batch: Batch.Batch, size: number) => void
  /** Starts what may start. */
  readonly drain: () => void
  /** Ends the oldest call with this id: out of the inbox, or by interruption. */
  readonly cancel: (key: string) => void
  /** Lets what comes after this call pass: it waits for the other side, or has taken too long. */
  readonly release: (inbound: Inbound) => void
  readonly isFull: () => boolean
  /** Whether more waits than the inbox and its reserve hold. */
  readonly isOverrun: () => boolean
  readonly isIdle: () => boolean
  /** Whether every request is answered, and no notification holds anything back. */
  readonly isAnswered: () => boolean
  /** Refuses requests that have not started, and those to come. */
  readonly shutDown: () => void
  /** Interrupts everything that runs, and forgets what waits. */
  readonly interruptAll: () => void
}

/** @internal */
export const make = (options: Options): Dispatcher => {
  const { budget, callOf, dialect, fork, handlerOf, limits, log, sweeper } = options
  const inbox = Inbox.make<Inbound>()
  const live = new Set<Inbound>()
  const toSingle = () => single
  const afterReply = AfterReply.make({ fork, log, onEnd: () => drain() })
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

  const takeOne = (decoded: Batch.Decoded, size: number, sinkOf: (key: string) => Reply.Sink) => {
    if (Result.isFailure(decoded)) return refuse(decoded.failure, sinkOf)
    const message = decoded.success
    switch (message._tag) {
      case "Request":
        return takeRequest(message, RequestId.toText(message.id), size, sinkOf)
      case "Notification":
        return options.intercept(message) ? undefined : enter(new Inbound(message, undefined, size, single, overstay))
      case "Success":
      case "Failure":
        return options.onResponse(message)
    }
  }

  const refuse = (error: Message.Malformed, sinkOf: (key: string) => Reply.Sink) => {
    if (error._tag === "InvalidResponse") return options.onResponse(error)
    if (error._tag === "InvalidRequest" && Message.isEmpty(error) && options.onEmpty(error)) return
    sinkOf(error._tag === "InvalidRequest" ? RequestId.toText(error.id) : "null").settle(
      Reply.fromMalformed(error, dialect)
    )
  }

  const takeRequest = (message: Message.Request, key: string, size: number, sinkOf: (key: string) => Reply.Sink) => {
    const inbound = new Inbound(message, key, size, sinkOf(key), overstay)
    if (phase !== "open") return answer(inbound, shutDownError)
    if (isFull() && !mayOvertake(inbound)) return answer(inbound, overloaded)
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

  const overloaded = ErrorObject.make(dialect.overloadCode, "Overloaded")

  const answer = (inbound: Inbound, error: ErrorObject.ErrorObject) => {
    uncount(inbound)
    if (inbound.key !== undefined) inbound.sink.settle(Reply.fromError(inbound.key, error))
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
    const fiber = fork(effect)
    starting--
    const ended = fiber.pollUnsafe()
    if (ended !== undefined) {
      release(inbound)
      return finish(inbound, ended)
    }
    inbound.fiber = fiber
    live.add(inbound)
    // It has ended the connection itself.
    if (phase === "over") stop(inbound, shutDownError)
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
    drain()
  }

  const finish = (inbound: Inbound, exit: Exit.Exit<Schema.Json | void, ErrorResponse>) => {
    uncount(inbound)
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
  }

  return {
    take: (batch, size) => {
      if (!Batch.isMembers(batch)) return takeOne(batch, size, toSingle)
      const replies = new Reply.BatchReply(limits.batchReply, budget, single.settle, afterReply.drop)
      const each = Math.ceil(size / batch.length)
      for (const member of batch) takeOne(member, each, (key) => replies.member(key))
      replies.close()
    },
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
    isAnswered: () => starting === 0 && inFlight === 0 && notifying === 0 && inbox.count() === 0,
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
