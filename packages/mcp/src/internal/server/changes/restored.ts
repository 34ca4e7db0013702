/**
 * The subscriptions of a session that another process had. Who may read a resource, and what is there, may have changed since:
 * each is asked for again in the name of the client that comes back, and forgotten where that is refused.
 */
import type { Caller } from "@parley/peer/Caller"
import type { Call, Handler } from "@parley/peer/Handler"
import * as Effect from "effect/Effect"
import type { ConnectionRecord } from "../../../server/Connection.ts"

/** @internal */
export interface Subscriber {
  readonly record: ConnectionRecord
  update(change: Partial<ConnectionRecord>): void
  unwatch(uri: string): void
  peer(): Caller | undefined
}

/** Runs in the context of the request that brings the client back. A later one finds nothing left. @internal */
export const restored = (connection: Subscriber, handler: Handler): Effect.Effect<void> => {
  let left: ReadonlyArray<string> = connection.record.subscriptions
  return Effect.suspend(() => {
    const peer = connection.peer()
    if (left.length === 0 || peer === undefined) return Effect.void
    const check = (uri: string) =>
      // Its client may have unsubscribed.
      connection.record.subscriptions.includes(uri)
        ? Effect.catchCause(Effect.asVoid(handler(callOf(uri, peer))), () => Effect.sync(() => forget(connection, uri)))
        : Effect.void
    return Effect.andThen(
      Effect.forEach(left, check, { concurrency: atOnce, discard: true }),
      Effect.sync(() => {
        left = []
      })
    )
  })
}

const forget = (connection: Subscriber, uri: string) => {
  connection.update({ subscriptions: connection.record.subscriptions.filter((one) => one !== uri) })
  connection.unwatch(uri)
}

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
