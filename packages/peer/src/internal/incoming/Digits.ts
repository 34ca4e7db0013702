/**
 * Reads messages again where somebody asks for the digits of their numbers, or the dialect relays them. As long as nobody
 * asks, no text is read twice; nor is a text whose numbers are all written as JavaScript writes them.
 *
 * For calls of ours that pass their results on, the texts of these are kept, and a result in which a name stands twice is
 * refused.
 */
import * as Batch from "@parley/protocol/Batch"
import * as Message from "@parley/protocol/Message"
import { type ErrorObject, ExactNumber, Relayed, type RequestId, SourceText, Splice } from "@parley/protocol/shared"
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Conversation } from "../conversation/Conversation.ts"
import type { Decoded } from "../conversation/TextReader.ts"
import * as Progress from "../outgoing/Progress.ts"

/** The text again, with the digits of the messages that somebody asks for. @internal */
export const withDigits = (decoded: Decoded, conversation: Conversation): Decoded => {
  const { batch, size, text, weight } = decoded
  if (!ExactNumber.mayHave(text)) return decoded
  const isRelayed = conversation.dialect.digits === "relayed"
  const isAsked = (member: Batch.Decoded) =>
    Result.isSuccess(member) && (isRelayed || asksFor(member.success, conversation))
  if (Batch.isMembers(batch) ? !batch.some(isAsked) : !isAsked(batch)) return decoded
  let kept = 0
  const onKept = () => {
    if ((++kept) * keptWeight > conversation.limits.budget) throw new RangeError("its numbers exceed the budget")
  }
  const reread = (member: Batch.Decoded, text: string): Batch.Decoded => {
    if (Result.isFailure(member) || !isAsked(member)) return member
    try {
      const { parseUnsafe } = isRelayed && !asksFor(member.success, conversation) ? Relayed : ExactNumber
      return Result.succeed(withValues(member.success, parseUnsafe(text, onKept)))
    } catch (cause) {
      return Result.fail(Message.refused(member.success, `the digits of its numbers cannot be kept: ${cause}`))
    }
  }
  if (!Batch.isMembers(batch)) return { text, batch: reread(batch, text), size, weight: weight + kept * keptWeight }
  const texts = Splice.parts(text)
  const members = again(batch, (member, index) => reread(member, texts[index] ?? ""))
  return { text, batch: members, size, weight: weight + kept * keptWeight }
}

/** The same, with the texts of the results that are passed on. @internal */
export const withSources = (decoded: Decoded, conversation: Conversation): Decoded => {
  const { batch, scan, text } = decoded
  const isAsked = (member: Batch.Decoded) =>
    Result.isSuccess(member) && member.success._tag === "Success" &&
    conversation.ours.get(member.success.id)?.keepsText === true
  const digits = () => conversation.wantsDigits ? withDigits(decoded, conversation) : decoded
  if (Batch.isMembers(batch)) {
    const read = digits()
    const texts = batch.some(isAsked) ? Splice.parts(text) : []
    return Batch.isMembers(read.batch) && texts.length > 0
      ? {
        ...read,
        batch: again(read.batch, (member, at) => isAsked(member) ? sourced(member, texts[at] ?? "") : member)
      }
      : read
  }
  if (!isAsked(batch)) return digits()
  const found = scan ?? SourceText.scan(text)
  const read = found.mayDiffer ? digits() : decoded
  return Batch.isMembers(read.batch) ? read : { ...read, batch: sourced(read.batch, text, found) }
}

const sourced = (member: Batch.Decoded, text: string, scan = SourceText.scan(text)): Batch.Decoded => {
  if (Result.isFailure(member) || member.success._tag !== "Success") return member
  const rule = SourceText.keep(scan, member.success.result)
  return rule === undefined ? member : Result.fail(Message.refused(member.success, rule))
}

const again = (
  batch: NonEmptyReadonlyArray<Batch.Decoded>,
  read: (member: Batch.Decoded, index: number) => Batch.Decoded
): NonEmptyReadonlyArray<Batch.Decoded> =>
  // As many members as there were.
  batch.map(read) as unknown as NonEmptyReadonlyArray<Batch.Decoded>

/** Bytes of a number that is kept by its text: an object, and a string. */
const keptWeight = 128

const asksFor = (message: Message.Message, { dialect, listeners, ours, theirs }: Conversation): boolean => {
  const isAsked = (id: RequestId.RequestId): boolean => ours.exact > 0 && ours.get(id)?.isExact === true
  switch (message._tag) {
    case "Request":
      return theirs.exact?.has(message.method) === true
    case "Notification": {
      const { method, params } = message
      const { partialResults } = dialect
      if (theirs.exact?.has(method) === true || listeners.isExact(method)) return true
      const id = method === partialResults?.method ? Progress.partialResultOf(partialResults, params) : undefined
      return id !== undefined && isAsked(id)
    }
    case "Success":
    case "Failure":
      return isAsked(message.id)
  }
}

interface Values {
  readonly params?: Message.Params
  readonly result?: Schema.Json
  readonly error?: ErrorObject.ErrorObject
}

/** The message with these values, which are of the same text. */
const withValues = (message: Message.Message, json: unknown): Message.Message => {
  // The first parse of the text has found a message in it. A number leaves the object that remembers its text.
  const values = json as Values
  const { error, params } = values
  const result = Relayed.memberOf(values, "result")
  switch (message._tag) {
    case "Request":
    case "Notification":
      return message.params === undefined || params === undefined ? message : { ...message, params }
    case "Success":
      return result === undefined ? message : { ...message, result }
    case "Failure": {
      const data = error === undefined ? undefined : Relayed.memberOf(error, "data")
      return data === undefined ? message : { ...message, error: { ...message.error, data } }
    }
  }
}
