import * as Effect from "effect/Effect"

/** Says once in the log that the answers of a client do not reach the process that asked. @internal */
export const misrouting = (fork: (effect: Effect.Effect<void>) => unknown): () => void => {
  let isTold = false
  return () => {
    if (isTold) return
    isTold = true
    fork(Effect.logWarning(misrouted))
  }
}

const misrouted =
  "an answer to another process was refused: all requests of one `Mcp-Session-Id` have to reach one process"
