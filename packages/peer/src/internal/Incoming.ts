/**
 * A call that came in, as its handler sees it.
 */
import type { Dialect } from "@parley/protocol/Dialect"
import * as Effect from "effect/Effect"
import type { Caller } from "../Caller.ts"
import type { Call } from "../Handler.ts"
import type { Inbound } from "./Inbound.ts"
import * as Progress from "./Progress.ts"

/** @internal */
export interface Options {
  readonly dialect: Dialect
  /** The other side. */
  readonly peer: Caller["Service"]
  /** The call waits for the other side, and must hold back nothing while it does. */
  readonly release: (inbound: Inbound) => void
  /** What all calls of the connection share. */
  readonly connection: object
}

/** Gives what makes the calls of one connection. @internal */
export const make = ({ connection, dialect, peer, release }: Options): (inbound: Inbound) => Call => {
  const { batch, listen, notify, pause, request } = peer
  return (inbound) => {
    const { extra, method, params } = inbound.message
    return {
      id: inbound.message._tag === "Request" ? inbound.message.id : undefined,
      method,
      params,
      extra,
      peer: {
        request: (method, params, options) =>
          Effect.suspend(() => {
            release(inbound)
            return request(method, params, options)
          }),
        notify,
        batch: (members, options) =>
          Effect.suspend(() => {
            release(inbound)
            return batch(members, options)
          }),
        listen,
        pause
      },
      progress: (fields) => Progress.notify(peer, dialect.progress, params, fields),
      partialResult: inbound.key === undefined ? undefined : Progress.partialResult(peer, dialect, params),
      connection,
      afterReply: (effect, otherwise) => void (inbound.after ??= []).push({ effect, otherwise })
    }
  }
}
