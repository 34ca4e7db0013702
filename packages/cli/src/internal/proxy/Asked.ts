/**
 * The requests of a text, and those among them without a response.
 *
 * A proxy keeps one of these for each text that it passes on, so that no client waits forever: at the end, it answers the
 * remaining requests with an error.
 */
import * as Batch from "@parley/protocol/Batch"
import type { Dialect } from "@parley/protocol/Dialect"
import type { Limits } from "@parley/protocol/Limits"
import * as Message from "@parley/protocol/Message"
import { ErrorObject, ErrorReply, RequestId } from "@parley/protocol/shared"
import * as Result from "effect/Result"
import * as looseIds from "./looseIds.ts"

/** The bounds of the texts that pass, and the dialect of both sides. */
export interface Rules extends Limits, Dialect {}

export class Asked {
  /** Whether the text holds something beside requests, whose place among other texts matters. */
  readonly isOrdered: boolean
  readonly #isBatch: boolean
  readonly #rules: Rules
  /** The ids without an answer, in their order. Two may be the same. */
  readonly #open: Array<RequestId.RequestId> = []
  /** The characters of the one id, where no `RequestId` has them: it counts as null. */
  readonly #loose: string | undefined
  #general: ErrorObject.ErrorObject | undefined

  constructor(text: string, rules: Rules) {
    const batch = Batch.decode(text, rules)
    let isOrdered = false
    for (const member of Batch.isMembers(batch) ? batch : [batch]) {
      const id = askedBy(member, rules)
      if (id === undefined) isOrdered = true
      else this.#open.push(id)
    }
    this.#loose = looseIds.of(text, batch, rules)
    this.#rules = rules
    this.#isBatch = Batch.isMembers(batch)
    this.isOrdered = isOrdered
  }

  /** Whether everything has its answer. */
  get isSettled(): boolean {
    return this.#open.length === 0
  }

  /**
   * Takes what came back: `answer` where it answers something of this, `general` where it is an error that names
   * nothing, and `other` for the rest.
   */
  settle(text: string): "answer" | "general" | "other" {
    const batch = Batch.decode(text, this.#rules)
    let kind: "answer" | "general" | "other" = "other"
    for (const member of Batch.isMembers(batch) ? batch : [batch]) {
      const id = answeredBy(member)
      const at = id === undefined ? -1 : this.#open.findIndex((open) => RequestId.keyOf(open) === RequestId.keyOf(id))
      if (at >= 0) {
        this.#open.splice(at, 1)
        kind = "answer"
      } else if (id === null && Result.isSuccess(member) && member.success._tag === "Failure" && kind === "other") {
        this.#general = member.success.error
        kind = "general"
      }
    }
    return kind
  }

  /**
   * The text that answers what is left, with the error that named nothing, if one came, or else this one. Nothing where
   * nothing is left.
   */
  rest(error: ErrorObject.ErrorObject): string | undefined {
    const [first, ...others] = this.#open.splice(0).map((id) =>
      Message.failureText(this.#loose ?? RequestId.toText(id), this.#general ?? error, this.#rules)
    )
    if (first === undefined) return undefined
    return this.#isBatch ? Batch.join([first, ...others]) : first
  }
}

/** The id that waits for a response. Malformed members get one, too, but for responses and notifications. */
const askedBy = (member: Batch.Decoded, rules: Rules): RequestId.RequestId | undefined => {
  if (Result.isSuccess(member)) {
    return member.success._tag === "Request" ? member.success.id : undefined
  }
  const { failure } = member
  if (ErrorReply.toMalformed(failure, rules) === undefined) return undefined
  return failure._tag === "InvalidRequest" ? failure.id : null
}

const answeredBy = (member: Batch.Decoded): RequestId.RequestId | undefined => {
  if (Result.isFailure(member)) {
    return member.failure._tag === "InvalidResponse" ? member.failure.id : undefined
  }
  const message = member.success
  return message._tag === "Success" || message._tag === "Failure" ? message.id : undefined
}
