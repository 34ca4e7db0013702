/**
 * The reply to a batch: the replies to its requests, in their order, as one text
 * when the last has come.
 */
import * as Batch from "@parley/protocol/Batch"
import * as ErrorObject from "@parley/protocol/ErrorObject"
import type { Budget } from "@parley/transport/Budget"
import type { AfterReply } from "../conversation/AfterReply.ts"
import { errorText } from "./ReplyText.ts"
import type { Deferral, Sink } from "./Sink.ts"

const tooLarge = ErrorObject.make(-32001, "Batch reply too large")

/** @internal */
export class BatchReply {
  readonly #replies: Array<string | undefined> = []
  readonly #limit: number
  readonly #budget: Budget
  readonly #sink: Sink
  readonly #afterReply: AfterReply
  #after: Array<Deferral> | undefined
  #size = 0
  // One for `close`, so that replies that come while members are still read do not end it.
  #open = 1

  constructor(limit: number, budget: Budget, sink: Sink, afterReply: AfterReply) {
    this.#limit = limit
    this.#budget = budget
    this.#sink = sink
    this.#afterReply = afterReply
  }

  /** Reserves the next place. A reply beyond the limit becomes an error without its content. */
  member(id: string): Sink {
    const place = this.#replies.push(undefined) - 1
    this.#open++
    return {
      settle: (reply, after) => {
        const fits = reply === undefined || this.#fits(reply)
        this.#replies[place] = fits ? reply : errorText(id, tooLarge)
        if (!fits) this.#afterReply.skip(after)
        else if (after !== undefined) (this.#after ??= []).push(...after)
        this.#end()
      }
    }
  }

  /** Ends the reading of members: the reply may be complete. */
  close(): void {
    this.#end()
  }

  #fits(reply: string): boolean {
    if (this.#size + reply.length > this.#limit) return false
    this.#size += reply.length
    this.#budget.take(reply.length)
    return true
  }

  #end(): void {
    if (--this.#open > 0) return
    this.#budget.take(-this.#size)
    const [first, ...rest] = this.#replies.filter((reply) => reply !== undefined)
    this.#sink.settle(first === undefined ? undefined : Batch.join([first, ...rest]), this.#after)
  }
}
