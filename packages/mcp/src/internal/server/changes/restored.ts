/**
 * The subscriptions of a session that another process had. Who may read a resource, and what is there, may have changed since:
 * each is asked for again in the name of the client that comes back, and forgotten where that is refused. Where nobody can
 * be asked, as for a server behind this one that is away, it stays, and is asked for when the client comes back again.
 */
import type { Caller } from "@parley/peer/Caller"
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import type { Call, Handler } from "@parley/peer/Handler"
import { ErrorCode, Excerpt } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { ConnectionRecord } from "../../../server/Connection.ts"
import * as McpError from "../../../wire/McpError.ts"

export interface Subscriber {
  readonly record: Pick<ConnectionRecord, "subscriptions">
  update(change: Pick<ConnectionRecord, "subscriptions">): void
  unwatch(uri: string): void
  peer(): Caller | undefined
}

/**
 * Runs in the context of the request that brings the client back, one at a time; its calls are `from` that request. A later
 * one finds those left that nobody could answer for, `pause` after the last. `isAway` tells whether a server behind this one
 * cannot be asked for a URI.
 */
export const restored = (
  connection: Subscriber,
  handler: Handler,
  isAway: (uri: string) => boolean
): (from?: unknown) => Effect.Effect<void> => {
  const { subscriptions } = connection.record
  // Most connections are new.
  if (subscriptions.length === 0) return nothing
  const left = new Set(subscriptions)
  const oneAtATime = Semaphore.makeUnsafe(1)
  let next = -Infinity
  const check = (uri: string, peer: Caller, from: unknown) =>
    Effect.suspend(() => {
      // Its client may have unsubscribed.
      if (!connection.record.subscriptions.includes(uri)) return Effect.sync(() => left.delete(uri))
      return Effect.matchCauseEffect(asked(handler, uri, peer, from), {
        onSuccess: () => Effect.sync(() => left.delete(uri)),
        onFailure: (cause) =>
          Effect.sync(() => {
            if (isUndecided(cause, isAway(uri))) return
            left.delete(uri)
            forget(connection, uri)
          })
      })
    })
  const all = (from: unknown) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const peer = connection.peer()
      if (left.size === 0 || peer === undefined || now < next) return Effect.void
      return Effect.andThen(
        Effect.forEach([...left], (uri) => check(uri, peer, from), { concurrency: atOnce, discard: true }),
        // An interruption leaves `next` as it was, so that the next request asks at once.
        Effect.map(Clock.currentTimeMillis, (now) => {
          next = now + pause
        })
      )
    })
  return (from) => Effect.suspend(() => left.size === 0 ? Effect.void : oneAtATime.withPermit(all(from)))
}

const nothing = () => Effect.void

const forget = (connection: Subscriber, uri: string) => {
  connection.update({ subscriptions: connection.record.subscriptions.filter((one) => one !== uri) })
  connection.unwatch(uri)
}

/** Whether nobody has said that the client may not, or that nothing is there. A server that is away may have what is not. */
const isUndecided = (cause: Cause.Cause<ErrorResponse>, isAway: boolean): boolean =>
  Cause.hasInterruptsOnly(cause) ||
  cause.reasons.some((reason) =>
    Cause.isFailReason(reason) && (unasked.has(reason.error.code) || (isAway && missing.has(reason.error.code)))
  )

const unasked: ReadonlySet<number> = new Set([McpError.UpstreamFailed, McpError.Overloaded])

const missing: ReadonlySet<number> = new Set([McpError.ResourceNotFound, ErrorCode.MethodNotFound])

/** Asks a handler, and runs behind it what it has left for the end of its call, which stands alone. */
const asked = (handler: Handler, uri: string, peer: Caller, from: unknown): ReturnType<Handler> =>
  Effect.contextWith((context: Context.Context<never>) => {
    let isOver = false
    const left = new Set<{ readonly effect: Effect.Effect<unknown> }>()
    const onClose: Call["onClose"] = (effect) => {
      const end = { effect }
      if (isOver) Effect.runForkWith(context)(reported(effect))
      else left.add(end)
      return () => void left.delete(end)
    }
    const ended = Effect.suspend(() => {
      isOver = true
      return Effect.forEach(left, ({ effect }) => reported(effect), { concurrency: "unbounded", discard: true })
    })
    return Effect.ensuring(Effect.suspend(() => handler(callOf(uri, peer, from, onClose))), ended)
  })

const reported = (effect: Effect.Effect<unknown>): Effect.Effect<unknown> =>
  Effect.catchCause(
    effect,
    (cause) => Effect.logWarning("an effect that a handler gave to `onClose` failed", Excerpt.cause(cause))
  )

const callOf = (uri: string, peer: Caller, from: unknown, onClose: Call["onClose"]): Call => ({
  // No request of the client has it.
  id: crypto.randomUUID(),
  method: "resources/subscribe",
  params: { uri },
  extra: undefined,
  peer,
  progress: () => Effect.void,
  partialResult: undefined,
  from,
  connection: undefined,
  afterReply: (_, otherwise) => void (otherwise && onClose(otherwise)),
  onClose
})

/** Milliseconds before what nobody could answer for is asked again: a client may come back as often as it likes. */
const pause = 1_000

/** How many are asked for at once: each may wait for a server behind this one. */
const atOnce = 8
