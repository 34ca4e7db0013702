/** A call that needs no line, for what looks at its message alone. */
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
