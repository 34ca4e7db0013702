/**
 * The calling side of one connection: registers a call, writes it when there is
 * room, and takes it back when its caller is interrupted.
 */
import * as Batch from "@parley/protocol/Batch"
import type { Dialect } from "@parley/protocol/Dialect"
import type { Limits } from "@parley/protocol/Limits"
import * as Message from "@parley/protocol/Message"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Caller, CallOptions, Member } from "../Caller.ts"
import type { DisconnectReason, NotifyError } from "../CallerError.ts"
import * as CallerError from "../CallerError.ts"
import * as Cancellation from "../Cancellation.ts"
import type { Registry, Waiting } from "../Correlator.ts"
import * as CallTime from "./CallTime.ts"
import type { Outbox } from "./Outbox.ts"
import * as Progress from "./Progress.ts"
import * as Separately from "./Separately.ts"

/** @internal */
export interface Outbound extends Pick<Caller["Service"], "request" | "batch"> {
  readonly notify: Separately.Notify
  /** Tells the other side that a call is not waited for any more, if it may have heard of it. */
  readonly cancel: (call: Waiting) => void
}

/** @internal */
export interface Options {
  readonly correlator: Registry
  readonly outbox: Pick<Outbox, "hasRoom" | "park" | "withdraw" | "write" | "reply">
  readonly dialect: Dialect
  readonly limits: Limits
  /** Milliseconds that a call waits when it does not say so. */
  readonly timeout: number
  /** Why calls can no longer be made, if so. */
  readonly gone: () => DisconnectReason | undefined
  /** Whether nothing can be written any more. */
  readonly isClosed: () => boolean
  /** A call waits from now on. */
  readonly onCall: () => void
}

/** @internal */
export const make = (options: Options): Outbound => {
  const { correlator, dialect, gone, limits, onCall, outbox } = options

  const timeoutOf = (call: Pick<CallOptions, "timeout"> | undefined) => CallTime.of(call, options.timeout)

  const disconnected = (reason: DisconnectReason) => Exit.fail(new CallerError.Disconnected({ reason, sent: false }))

  const overloaded = () => new CallerError.Overloaded({ limit: limits.waiting })

  const cancel = (call: Waiting) => {
    if (gone() !== undefined) return
    if (call.place === Number.POSITIVE_INFINITY) return outbox.withdraw(call)
    const text = Cancellation.toText(dialect.cancellation, call)
    if (text !== undefined) outbox.reply(text)
  }

  const withdraw = (call: Waiting) => {
    if (correlator.forget(call)) cancel(call)
  }

  /** Fails a call whose way has ended before there was room. */
  const lose = (call: Waiting) => {
    if (correlator.forget(call)) call.resume(disconnected(gone() ?? { _tag: "Closed" }))
  }

  const request: Outbound["request"] = (method, params, call) =>
    Effect.callback((resume) => {
      const reason = gone()
      if (reason !== undefined) return resume(disconnected(reason))
      if (correlator.size() >= limits.waiting) return resume(Exit.fail(overloaded()))
      const waiting = correlator.begin(method, timeoutOf(call), resume, call?.onProgress, taking(params, call))
      if (call?.maxTimeout !== undefined) correlator.prolong(waiting, CallTime.millis(call.maxTimeout))
      call?.onId?.(waiting.id)
      if (outbox.hasRoom()) write(waiting, params, call?.extra)
      else outbox.park(waiting, () => options.isClosed() ? lose(waiting) : write(waiting, params, call?.extra))
      onCall()
      return Effect.sync(() => withdraw(waiting))
    })

  /** What takes partial results, where any can come: a call that gets none must not be held back with those that do. */
  const taking = (params: Message.Params | undefined, call: CallOptions | undefined) => {
    const onPartialResult = call?.onPartialResult
    return onPartialResult !== undefined && Progress.asksPartialResults(dialect, params) ? onPartialResult : undefined
  }

  const write = (call: Waiting, params: Message.Params | undefined, extra: Schema.JsonObject | undefined) => {
    // Its time may be over, or the connection, before there is room.
    if (!correlator.isWaiting(call)) return
    try {
      const all = call.onProgress === undefined && call.onPartialResult === undefined
        ? params
        : Progress.withTokens(dialect, call.id, params, call)
      call.place = outbox.write(Message.requestText(String(call.id), call.method, all, extra))
    } catch (cause) {
      const { method } = call
      if (correlator.forget(call)) call.resume(Exit.fail(new CallerError.InvalidArguments({ method, cause })))
    }
  }

  /** Runs `enter` now, or in turn. */
  const whenRoom = (owner: object, enter: () => void) =>
    outbox.hasRoom() || options.isClosed() ? enter() : outbox.park(owner, enter)

  const notify: Outbound["notify"] = (method, params, extra) =>
    Effect.callback((resume) => {
      const owner = {}
      whenRoom(owner, () => {
        const reason = gone()
        // The other side may still read when it writes no more.
        if (reason !== undefined && options.isClosed()) return resume(disconnected(reason))
        try {
          outbox.write(Message.notificationText(method, params, extra))
          resume(Exit.void)
        } catch (cause) {
          resume(Exit.fail(new CallerError.InvalidArguments({ method, cause })))
        }
      })
      return Effect.sync(() => outbox.withdraw(owner))
    })

  const separately = Separately.make(request, notify)

  const together = (members: ReadonlyArray<Member>, call: Pick<CallOptions, "timeout"> | undefined) =>
    Effect.callback<ReadonlyArray<Separately.Outcome>, NotifyError>((resume) => {
      const reason = gone()
      if (reason !== undefined) return resume(disconnected(reason))
      const requests = members.filter(({ notification }) => notification !== true).length
      if (correlator.size() + requests > limits.waiting) {
        return resume(Exit.succeed(members.map(() => Result.fail(overloaded()))))
      }
      const outcomes: Array<Separately.Outcome> = members.map(() => undefined)
      let open = requests
      const timeout = timeoutOf(call)
      const calls = members.map(({ method, notification }, index) =>
        notification === true ? undefined : correlator.begin(method, timeout, (outcome) => {
          outcomes[index] = Separately.resultOf(outcome)
          if (--open > 0) return
          outbox.withdraw(outcomes)
          resume(Exit.succeed(outcomes))
        })
      )
      const waiting = calls.filter((entry) => entry !== undefined)
      whenRoom(outcomes, () => {
        const reason = gone()
        if (reason !== undefined && options.isClosed()) {
          waiting.forEach(lose)
          return requests === 0 ? resume(disconnected(reason)) : undefined
        }
        try {
          const [first, ...rest] = members.map(({ extra, method, params }, index) => {
            const entry = calls[index]
            return entry === undefined
              ? Message.notificationText(method, params, extra)
              : Message.requestText(String(entry.id), method, params, extra)
          })
          if (first === undefined) return
          const place = outbox.write(Batch.join([first, ...rest]))
          for (const entry of waiting) entry.place = place
          if (requests === 0) resume(Exit.succeed(outcomes))
        } catch (cause) {
          waiting.forEach(correlator.forget)
          resume(Exit.fail(new CallerError.InvalidArguments({ method: "a batch", cause })))
        }
      })
      onCall()
      return Effect.sync(() => {
        outbox.withdraw(outcomes)
        waiting.forEach(withdraw)
      })
    })

  const batch: Outbound["batch"] = (members, call) => {
    if (members.length === 0) return Effect.succeed([])
    if (dialect.batches === "refuse") return separately(members, call)
    if (members.length <= limits.batch) return together(members, call)
    const cause = new RangeError(`a batch has at most ${limits.batch} members`)
    return Effect.fail(new CallerError.InvalidArguments({ method: "a batch", cause }))
  }

  return { request, notify, batch, cancel }
}
