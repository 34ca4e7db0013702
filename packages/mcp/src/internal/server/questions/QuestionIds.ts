/**
 * The ids of the requests that one process sends to the clients of sessions which other processes may have, too. No
 * other process gives the same ids, so that an answer cannot reach another question than its own.
 */
import * as RequestId from "@parley/protocol/RequestId"

export class QuestionIds {
  readonly #mark = crypto.randomUUID()
  #last = 0

  /** A new id: a session that was let go and is taken up again begins behind the ids that it had. */
  readonly next = (): string => `${this.#mark}-${++this.#last}`

  /** Whether an id may be one of these. */
  has(id: RequestId.RequestId): boolean {
    return RequestId.keyOf(id).startsWith(`"${this.#mark}-`)
  }
}
