/**
 * Reads messages again where somebody asks for the digits of their numbers, or the dialect relays them. As long as nobody
 * asks, no text is read twice; nor is a text whose numbers are all written as JavaScript writes them.
 */
import * as Batch from "@parley/protocol/Batch"
import * as Message from "@parley/protocol/Message"
import { type ErrorObject, ExactNumber, Relayed, type RequestId, Splice } from "@parley/protocol/shared"
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
  const members = batch.map((member, index) => reread(member, texts[index] ?? ""))
  // As many as there were.
  const again = members as unknown as NonEmptyReadonlyArray<Batch.Decoded>
  return { text, batch: again, size, weight: weight + kept * keptWeight }
}

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
