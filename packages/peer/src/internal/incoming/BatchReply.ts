/**
 * The reply to a batch: the replies to its requests, in their order, as one text
 * when the last has come.
 */
import * as Batch from "@parley/protocol/Batch"
import * as ErrorObject from "@parley/protocol/ErrorObject"
import type { AfterReply } from "../conversation/AfterReply.ts"
import type { Ground } from "../conversation/Ground.ts"
import { errorText } from "./ReplyText.ts"
import type { Deferral, Sink } from "./Sink.ts"

const tooLarge = ErrorObject.make(-32001, "Batch reply too large")

/** @internal */
export class BatchReply {
  readonly #conversation: Ground
  readonly #afterReply: AfterReply
  readonly #sink: Sink
  readonly #replies: Array<string | undefined> = []
  #after: Array<Deferral> | undefined
  #size = 0
  // One for the reading, so that replies that come while members are still read do not end it.
  #open = 1

  constructor(conversation: Ground, afterReply: AfterReply, sink: Sink) {
    this.#conversation = conversation
    this.#afterReply = afterReply
    this.#sink = sink
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
        this.close()
      }
    }
  }

  /** Runs when a member has its reply, and when all members were read: the reply may be complete. */
  close(): void {
    if (--this.#open > 0) return
    this.#conversation.host.budget.take(-this.#size)
    const [first, ...rest] = this.#replies.filter((reply) => reply !== undefined)
    this.#sink.settle(first === undefined ? undefined : Batch.join([first, ...rest]), this.#after)
  }

  #fits(reply: string): boolean {
    const { host, limits } = this.#conversation
    if (this.#size + reply.length > limits.batchReply) return false
    this.#size += reply.length
    host.budget.take(reply.length)
    return true
  }
}
