/**
 * The subscriptions of a session that another process had. Who may read a resource, and what is there, may have changed since:
 * each is asked for again in the name of the client that comes back, and forgotten where that is refused. Where nobody can
 * be asked, as for a server behind this one that is away, it stays, and is asked for when the client comes back again.
 */
import type { Caller } from "@parley/peer/Caller"
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import type { Call, Handler } from "@parley/peer/Handler"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { ConnectionRecord } from "../../../server/Connection.ts"
import * as McpError from "../../../wire/McpError.ts"

export interface Subscriber {
  readonly record: Pick<ConnectionRecord, "subscriptions">
  update(change: Pick<ConnectionRecord, "subscriptions">): void
  unwatch(uri: string): void
  peer(): Caller | undefined
}

/** Runs in the context of the request that brings the client back. A later one finds those left that nobody could answer for. */
export const restored = (connection: Subscriber, handler: Handler): Effect.Effect<void> => {
  let left: ReadonlyArray<string> = connection.record.subscriptions
  return Effect.suspend(() => {
    const peer = connection.peer()
    if (left.length === 0 || peer === undefined) return Effect.void
    const asked = left
    left = []
    const check = (uri: string) =>
      // Its client may have unsubscribed.
      connection.record.subscriptions.includes(uri)
        ? Effect.catchCause(Effect.asVoid(handler(callOf(uri, peer))), (cause) =>
          Effect.sync(() => {
            if (isUndecided(cause)) left = [...left, uri]
            else forget(connection, uri)
          }))
        : Effect.void
    return Effect.forEach(asked, check, { concurrency: atOnce, discard: true })
  })
}

const forget = (connection: Subscriber, uri: string) => {
  connection.update({ subscriptions: connection.record.subscriptions.filter((one) => one !== uri) })
  connection.unwatch(uri)
}

/** Whether nobody has said that the client may not, or that nothing is there. */
const isUndecided = (cause: Cause.Cause<ErrorResponse>): boolean =>
  Cause.hasInterruptsOnly(cause) ||
  cause.reasons.some((reason) => Cause.isFailReason(reason) && unasked.has(reason.error.code))

const unasked: ReadonlySet<number> = new Set([McpError.UpstreamFailed, McpError.Overloaded])

const callOf = (uri: string, peer: Caller): Call => ({
  // No request of the client has it.
  id: crypto.randomUUID(),
  method: "resources/subscribe",
  params: { uri },
  extra: undefined,
  peer,
  progress: () => Effect.void,
  partialResult: undefined,
  connection: undefined,
  afterReply: () => {}
})

/** How many are asked for at once: each may wait for a server behind this one. */
const atOnce = 8
