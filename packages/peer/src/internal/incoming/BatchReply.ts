/**
 * The reply to a batch: the replies to its requests, in their order, as one text
 * when the last has come.
 */
import * as Batch from "@parley/protocol/Batch"
import { ErrorObject, Utf8 } from "@parley/protocol/shared"
import type { Conversation } from "../conversation/Conversation.ts"
import type { Deferral, Sink } from "./IncomingCall.ts"
import { errorReply } from "./ReplyText.ts"

/** @internal */
export class BatchReply {
  readonly #conversation: Conversation
  readonly #sink: Sink
  readonly #replies: Array<string | undefined> = []
  #after: Array<Deferral> | undefined
  /** Bytes of the replies, where those that have not come count as errors. */
  #size = 1
  /** What the budget counts for it. */
  #held = 0
  #errorSize: number | undefined
  // One for the reading, so that replies that come while members are still read do not end it.
  #open = 1

  constructor(conversation: Conversation, sink: Sink) {
    this.#conversation = conversation
    this.#sink = sink
  }

  /** Reserves the next place. A reply beyond the limit becomes an error without its content. */
  member(id: string): Sink {
    const place = this.#replies.push(undefined) - 1
    const { limits } = this.#conversation
    // Bytes of the error that stands in for a reply that does not fit, without its id, and of a comma or bracket.
    const error = this.#errorSize ??= this.#tooLarge("").length + 1
    // Ids that do not fit into a frame together are not repeated by the errors.
    const name = this.#size + error + Utf8.byteLength(id) > limits.frame ? "null" : id
    const reserved = error + Utf8.byteLength(name)
    this.#open++
    this.#size += reserved
    return {
      settle: (reply, after) => {
        const fits = this.#fits(reply === undefined ? 0 : Utf8.byteLength(reply) + 1, reserved)
        this.#replies[place] = fits ? reply : this.#tooLarge(name)
        if (!fits) this.#conversation.theirs.skip(after)
        else for (const deferral of after ?? []) (this.#after ??= []).push(deferral)
        this.close()
      }
    }
  }

  /** Runs when a member has its reply, and when all members were read: the reply may be complete. */
  close(): void {
    if (--this.#open > 0) return
    this.#conversation.host.budget.take(-this.#held)
    const [first, ...rest] = this.#replies.filter((reply) => reply !== undefined)
    this.#sink.settle(first === undefined ? undefined : Batch.join([first, ...rest]), this.#after)
  }

  #tooLarge(id: string): string {
    const { dialect, form } = this.#conversation
    return errorReply(id, ErrorObject.make(dialect.tooLargeCode, "Batch reply too large"), form).text
  }

  #fits(size: number, reserved: number): boolean {
    const { host, limits } = this.#conversation
    const more = size - reserved
    if (this.#size + more > Math.min(limits.batchReply, limits.frame)) return false
    this.#size += more
    this.#held += size
    host.budget.take(size)
    return true
  }
}
