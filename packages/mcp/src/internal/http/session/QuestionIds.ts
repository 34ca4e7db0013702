/**
 * The ids of the requests that one process sends to the clients of sessions which other processes may have, too. No
 * other process gives the same ids, so that an answer cannot reach another question than its own. An answer to a question
 * of another process is refused, and the log says so.
 */
import { RequestId } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"

/** @internal */
export class QuestionIds {
  readonly #mark = crypto.randomUUID()
  #last = 0

  /** The beginning of the ids of a session. One that was let go and is taken up again has another. */
  prefix(): string {
    return `${this.#mark}-${++this.#last}-`
  }

  /** Whether an id may be one of these. */
  has(id: RequestId.RequestId): boolean {
    return RequestId.keyOf(id).startsWith(`"${this.#mark}-`)
  }
}

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
