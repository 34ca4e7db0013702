/**
 * What serves the other side of exchanges: its requests come back in them, and
 * each reply is a post of its own.
 */
import * as Batch from "@parley/protocol/Batch"
import type { Dialect } from "@parley/protocol/Dialect"
import type { Limits } from "@parley/protocol/Limits"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Caller } from "../Caller.ts"
import type { Lookup } from "../Router.ts"
import * as Crowd from "./Crowd.ts"
import * as Dispatcher from "./Dispatcher.ts"
import * as Incoming from "./Incoming.ts"
import type { Interceptor } from "./Interceptor.ts"
import * as Pauses from "./Pauses.ts"
import type { Log } from "./Reply.ts"
import type { Sweeper } from "./Sweeper.ts"

/** @internal */
export interface PostingServer extends Pick<Dispatcher.Dispatcher, "cancel" | "interruptAll"> {
  /** Takes the calls of a text, and gives what else it holds. */
  readonly take: (batch: Batch.Batch, size: number) => Batch.Batch | undefined
  /** Whether a text brings notifications that there is no room for now. */
  readonly isCrowded: (batch: Batch.Batch) => boolean
  /** Waits until there may be room. */
  readonly goAhead: Effect.Effect<void>
  /** Waits until no handler runs. */
  readonly ended: Effect.Effect<void>
}

/** @internal */
export interface Options extends Pick<Interceptor, "intercept"> {
  readonly router: Lookup
  readonly dialect: Dialect
  readonly limits: Limits
  readonly sweeper: Sweeper
  readonly context: Context.Context<never>
  readonly log: Log
  /** The other side. */
  readonly caller: Caller["Service"]
  readonly post: (text: string, onEnd: () => void) => void
}

/** @internal */
export const make = (options: Options): PostingServer => {
  const { context, dialect, limits, log, router, sweeper } = options
  let replies = 0
  let isOver = false

  const dispatcher = Dispatcher.make({
    dialect,
    limits,
    sweeper,
    budget: undefined,
    fork: Effect.runForkWith(context),
    log,
    handlerOf: (method) => router.handlerOf(method),
    isConcurrent: (method) => router.isConcurrent(method),
    callOf: (inbound) => callOf(inbound),
    reply: (text) => {
      replies++
      options.post(text, () => {
        replies--
        dispatcher.drain()
      })
    },
    // A reply that is not taken is as good as a request that runs.
    isCongested: () => replies >= limits.inFlight,
    // It is given nothing but calls.
    onResponse: () => {},
    onEmpty: () => false,
    intercept: options.intercept,
    onProgress: () => {
      room.proceed()
      quiet.proceed()
    }
  })

  const callOf = Incoming.make({
    dialect,
    peer: options.caller,
    release: dispatcher.release,
    connection: Object.freeze({})
  })

  const room = Pauses.make(() => dispatcher.isFull() && !isOver)

  const quiet = Pauses.make(() => !dispatcher.isIdle() || dispatcher.following() > 0)

  return {
    cancel: dispatcher.cancel,
    take: (batch, size) => {
      if (!Batch.isMembers(batch)) {
        if (!isCall(batch)) return batch
        dispatcher.take(batch, size)
        dispatcher.drain()
        return undefined
      }
      const [call, ...calls] = batch.filter(isCall)
      if (call === undefined) return batch
      dispatcher.take([call, ...calls], size)
      dispatcher.drain()
      const [other, ...others] = batch.filter((member) => !isCall(member))
      return other === undefined ? undefined : [other, ...others]
    },
    isCrowded: (batch) => dispatcher.isFull() && !isOver && Crowd.waits(batch, dialect),
    goAhead: room.goAhead,
    interruptAll: () => {
      isOver = true
      dispatcher.interruptAll()
      room.proceed()
    },
    ended: quiet.goAhead
  }
}

const isCall = (decoded: Batch.Decoded): boolean =>
  Result.isSuccess(decoded) && (decoded.success._tag === "Request" || decoded.success._tag === "Notification")
