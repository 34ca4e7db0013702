/**
 * Keeps the texts of results for the calls of ours that pass them on, and refuses those in which a name stands twice. As
 * long as no such call waits, no text is looked at.
 */
import * as Batch from "@parley/protocol/Batch"
import * as Message from "@parley/protocol/Message"
import { SourceText, Splice } from "@parley/protocol/shared"
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Result from "effect/Result"
import type { Conversation } from "../conversation/Conversation.ts"
import type { Decoded } from "../conversation/TextReader.ts"
import * as Digits from "./Digits.ts"

/** The text with its digits, where somebody asks for these, and with the texts of the results that are passed on. @internal */
export const withSources = (decoded: Decoded, conversation: Conversation): Decoded => {
  const { batch, text } = decoded
  const isAsked = (member: Batch.Decoded): boolean =>
    Result.isSuccess(member) && member.success._tag === "Success" &&
    conversation.ours.get(member.success.id)?.keepsText === true
  const digits = (): Decoded => conversation.wantsDigits ? Digits.withDigits(decoded, conversation) : decoded
  if (!Batch.isMembers(batch)) {
    if (!isAsked(batch)) return digits()
    const scan = decoded.scan ?? SourceText.scan(text)
    const read = scan.mayDiffer ? digits() : decoded
    return Batch.isMembers(read.batch) ? read : { ...read, batch: kept(read.batch, scan) }
  }
  const read = digits()
  if (!batch.some(isAsked) || !Batch.isMembers(read.batch)) return read
  const texts = Splice.parts(text)
  const members = read.batch.map((member, index) =>
    isAsked(member) ? kept(member, SourceText.scan(texts[index] ?? "")) : member
  )
  // As many as there were.
  return { ...read, batch: members as unknown as NonEmptyReadonlyArray<Batch.Decoded> }
}

const kept = (member: Batch.Decoded, scan: SourceText.Scan): Batch.Decoded => {
  if (Result.isFailure(member) || member.success._tag !== "Success") return member
  const rule = SourceText.keep(scan, member.success.result)
  return rule === undefined ? member : Result.fail(Message.refused(member.success, rule))
}
