/** A call that needs no line, for what looks at its message alone. */
import type { ConnectionRecord } from "@parley/mcp/server/Connection"
import type { Revision } from "@parley/mcp/wire/Revision"
import { Effect, type Schema } from "effect"

export const callOf = (method: string, params?: Schema.JsonObject) => ({
  id: 1,
  method,
  params,
  extra: undefined,
  // The methods that are called so never look at it.
  peer: undefined as never,
  progress: () => Effect.void,
  partialResult: undefined,
  connection: undefined,
  afterReply: () => {},
  onClose: () => () => {}
})

/** The record of a connection that has agreed on a revision, and on nothing else. */
export const agreedOn = (revision: Revision): ConnectionRecord => ({ revision, ready: false, subscriptions: [] })
