/**
 * One text, one message or many (section 6 of the specification).
 *
 * Each member is decoded to a result of its own, so that one bad member costs one error reply. The dispatcher collects
 * the replies and joins them in the order of the requests.
 *
 * ```ts run
 * import { Batch } from "@parley/protocol"
 * import { Result } from "effect"
 *
 * const batch = Batch.decode(`[{"jsonrpc":"2.0","id":1,"method":"add"},7]`)
 * const members = Batch.isMembers(batch) ? batch : [batch]
 *
 * for (const member of members) {
 *   console.log(Result.isSuccess(member) ? member.success._tag : member.failure.message)
 * }
 * // => Request
 * // => the call with id null is no message: a message must be an object
 * ```
 *
 * @since 0.1.0
 */
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Result from "effect/Result"
import { mayOverflow, refuseInfinite } from "./internal/number/finite.ts"
import { idSources } from "./internal/source.ts"
import { usual } from "./internal/usual.ts"
import * as Limits from "./Limits.ts"
import * as Message from "./Message.ts"

/**
 * A message, or what is wrong with it.
 *
 * @category models
 * @since 0.1.0
 */
export type Decoded = Result.Result<Message.Message, Message.Malformed>

/**
 * The content of one text: a single message, or the members of a batch.
 *
 * @category models
 * @since 0.1.0
 */
export type Batch = Decoded | NonEmptyReadonlyArray<Decoded>

/**
 * Whether a text held a batch.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isMembers = (batch: Batch): batch is NonEmptyReadonlyArray<Decoded> => Array.isArray(batch)

/**
 * Whether this is an error with id null, which names no request: the answer to a text that could not be read.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isGeneral = (decoded: Decoded): boolean =>
  Result.isSuccess(decoded) && decoded.success._tag === "Failure" && decoded.success.id === null

/**
 * Whether the text was `[]`.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isEmpty = ({ rule }: Message.InvalidRequest): boolean => rule === emptyRule

const emptyRule = "a batch must have a member"

/**
 * The limits and the rules of a dialect that decoding depends on.
 *
 * @category models
 * @since 0.1.0
 */
export interface DecodeOptions extends Message.DecodeOptions {
  /** Members of one batch. */
  readonly batch?: number | undefined
  /** Whether arrays of messages are spoken at all. */
  readonly batches?: "accept" | "read" | "refuse" | undefined
}

/**
 * Reads a text that holds a message or an array of messages. Total, as `Message.decode`.
 *
 * An empty array, an array beyond the limit, and every array in a dialect without batches is one Invalid Request.
 *
 * @category decoding
 * @since 0.1.0
 */
export const decode = (text: string, options?: DecodeOptions): Batch => {
  const message = usual(text, options?.depth, options?.mistakes)
  if (message !== undefined) return Result.succeed(message)
  const json = Message.parseMessages(text, options)
  if (Result.isFailure(json)) return Result.fail(json.failure)
  const value = json.success
  if (!Array.isArray(value)) return Message.fromJson(value, options, idSources(text))
  const wrong = refusal(value.length, options)
  if (wrong !== undefined) return Result.fail(new Message.InvalidRequest({ id: null, rule: wrong }))
  const source = idSources(text)
  const members = value.map((member, index) => Message.fromJson(member, options, (id) => source(id, index)))
  // `refusal` lets no empty array pass.
  return members as unknown as NonEmptyReadonlyArray<Decoded>
}

/**
 * Refuses the messages of this text that have a number beyond the range of a double in `params` or `result`.
 * `JSON.parse` has made such numbers infinite, and `JSON.stringify` would write null for them.
 *
 * @category decoding
 * @since 0.1.0
 */
export const finite = (batch: Batch, text: string): Batch => {
  if (!mayOverflow(text)) return batch
  if (!isMembers(batch)) return refuseInfinite(batch)
  const [first, ...others] = batch
  return [refuseInfinite(first), ...others.map(refuseInfinite)]
}

/**
 * The text of several messages' texts, in their order.
 *
 * @category encoding
 * @since 0.1.0
 */
export const join = (texts: NonEmptyReadonlyArray<string>): string => `[${texts.join(",")}]`

const refusal = (size: number, options: DecodeOptions | undefined): string | undefined => {
  if (options?.batches === "refuse") return "this dialect has no batches"
  if (size === 0) return emptyRule
  const limit = options?.batch ?? Limits.defaults.batch
  return size > limit ? `a batch may have at most ${limit} members` : undefined
}
