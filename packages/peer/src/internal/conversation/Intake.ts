/**
 * Where every text comes in: it is read when there is room for it, and each of its
 * messages is brought to where it belongs. Responses, progress, partial results,
 * cancellations and what somebody listens to never queue; requests and other
 * notifications go to the dispatcher.
 */
import * as Batch from "@parley/protocol/Batch"
import type { Cancellation, Dialect } from "@parley/protocol/Dialect"
import type { BadFrame } from "@parley/protocol/Framing"
import * as Message from "@parley/protocol/Message"
import {
  type Envelope,
  ErrorCode,
  ErrorObject,
  ErrorReply,
  Excerpt,
  JsonObject,
  RequestId,
  Weight
} from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import * as Result from "effect/Result"
import { type CallGroup, type Entry, isWritten } from "../../Correlator.ts"
import { callName } from "../CallerError.ts"
import { BatchReply } from "../incoming/BatchReply.ts"
import * as Digits from "../incoming/Digits.ts"
import { IncomingCall, type Sink } from "../incoming/IncomingCall.ts"
import { isTooLarge } from "../incoming/ReplyText.ts"
import * as Progress from "../outgoing/Progress.ts"
import type { Wait } from "../room/Room.ts"
import type { Conversation } from "./Conversation.ts"
import type { Lane } from "./Lane.ts"
import { type Decoded, outweighs, short, type TextReader } from "./TextReader.ts"

/** The text that a message came in, or the share that it has of one. */
type Origin = Pick<Decoded, "size" | "text" | "weight">

/** Gives a text when there is room for it. @internal */
export type Arrival = () => Decoded | undefined

/** @internal */
export class Intake {
  readonly #conversation: Conversation
  readonly #reader: TextReader
  /** Whether a text brings a call that may have to wait for its turn. A request that can be refused need not. */
  readonly #asks = ({ batch }: Decoded, from: Lane, isRefusing: boolean): boolean => {
    const { room, theirs } = this.#conversation
    const asks = (decoded: Batch.Decoded): boolean => {
      if (Result.isFailure(decoded)) return false
      const message = decoded.success
      if (message._tag === "Request") {
        return !isRefusing && !(theirs.isConcurrent(message.method) && room.mayOvertake(from))
      }
      return message._tag === "Notification" && !this.#isIntercepted(message)
    }
    return Batch.isMembers(batch) ? batch.some(asks) : asks(batch)
  }

  constructor(conversation: Conversation, reader: TextReader) {
    this.#conversation = conversation
    this.#reader = reader
  }

  /**
   * Gives a text when there is room for it, and `undefined` before. Texts that wait do not count on the budget: together
   * they could fill it, and wait for themselves.
   */
  arrival(text: string | Decoded, from: Lane): Arrival {
    let held: Decoded | number | undefined = typeof text === "string" ? undefined : text
    return () => {
      if (typeof text === "string") held = this.peek(text, held, from)
      return typeof held !== "object" || this.waitOf(held, from) !== undefined ? undefined : held
    }
  }

  /** Reads a text as far as it may be: a long one is weighed, and not even parsed while its values have no room. */
  peek(text: string, held: Decoded | number | undefined, from: Lane): Decoded | number {
    const { isEnding, room, waiting } = this.#conversation
    // The response of a call needs no room.
    const response = held === undefined && text.length > short && (from.answers?.awaited ?? waiting.size) > 0
      ? this.#reader.response(text, waiting.withText > 0)
      : undefined
    const known = response ?? held ?? (text.length > short ? Weight.ofText(text) : this.#reader.read(text))
    if (typeof known !== "number") return known
    return !isEnding && room.mayParse(known, from) !== undefined ? known : this.#reader.read(text, known)
  }

  /** Returns what a text has to wait for, if anything. At the end nothing waits. */
  waitOf(text: Decoded, from: Lane): Wait | undefined {
    return this.#conversation.isEnding ? undefined : this.#conversation.room.mayTake(text, from, this.#asks)
  }

  /**
   * Takes a text in the step that finds room for it, so that no other can have that room. Gives `undefined` where it was
   * taken at once, and otherwise how to leave, which tells whether the text was still waiting.
   */
  whenRoom(arrival: Arrival, take: (text: Decoded) => void): (() => boolean) | undefined {
    const look = () => {
      const text = arrival()
      if (text !== undefined) take(text)
      return text !== undefined
    }
    return look() ? undefined : this.#conversation.whenever(look)
  }

  take(decoded: Decoded, from: Lane): void {
    const { dialect, waiting, wantsDigits } = this.#conversation
    const read = waiting.withText > 0
      ? Digits.withSources(decoded, this.#conversation)
      : wantsDigits
      ? Digits.withDigits(decoded, this.#conversation)
      : decoded
    // A number with its digits is no infinite one, and one that is relayed may be.
    const batch = dialect.digits === "relayed" ? read.batch : Batch.finite(read.batch, read.text)
    if (Batch.isMembers(batch)) this.#takeMembers(batch, read, from)
    else this.#takeOne(batch, read, from)
  }

  /** Takes a bad frame. */
  takeBad(bad: BadFrame, from: Lane): void {
    const { dialect, limits } = this.#conversation
    const { excerpt, reason } = bad
    const rule = reason === "TooLarge"
      ? `the frame is larger than the limit \`frame\` of ${limits.frame} bytes`
      : reason
    if (this.#takeUnread(bad, rule, excerpt, from)) return
    const why = reason === "TooLarge" ? rule : new Message.ParseError({ rule }).message
    this.#answer({ message: why, rule }, ErrorReply.toBadFrame(bad, dialect), excerpt, from)
  }

  /**
   * Takes what cannot be read and has no answer: a response, which fails its call if its id was found, and a
   * notification. Gives whether it is one of these.
   */
  #takeUnread({ firstKind, id, kind }: Envelope.Envelope, rule: string, excerpt: string, from: Lane): boolean {
    const { host, ours } = this.#conversation
    const name = kind ?? (firstKind === "response" ? "batch of responses" : undefined)
    if (name === undefined || name === "request") return false
    const entry = kind === "response" && id !== undefined ? this.#ownedBy(from, valueOf(id)) : undefined
    if (entry !== undefined) ours.refuseCall(entry, rule, excerpt)
    else if (kind !== undefined || !this.#refuseBatch(from, (call) => ours.refuseCall(call, rule, excerpt))) {
      if (kind !== "notification") from.answers?.misfit(rule)
      host.log(`dropped a ${name}: ${rule}; it began ${excerpt}`, Cause.empty)
    }
    return true
  }

  /**
   * Cancels the call that a text names, if the text is a cancellation and nothing else; otherwise `undefined`. Gives
   * `false` where that call has not come yet.
   */
  tryCancel(text: string): boolean | undefined {
    const { dialect, limits: { depth }, theirs } = this.#conversation
    const { cancellation } = dialect
    if (cancellation === undefined || text.length > longestCancel || !text.includes(cancellation.method)) return
    const decoded = Message.decode(text, { ...dialect, depth })
    if (Result.isFailure(decoded) || decoded.success._tag !== "Notification") return
    if (decoded.success.method !== cancellation.method) return
    const key = cancelledKey(cancellation, decoded.success.params)
    return key === undefined ? undefined : theirs.cancel(key)
  }

  #takeMembers(members: ReadonlyArray<Batch.Decoded>, { size, text, weight }: Origin, from: Lane): void {
    const replies = new BatchReply(this.#conversation, from)
    const share = { text, size: Math.ceil(size / members.length), weight: Math.ceil(weight / members.length) }
    let groups: Set<CallGroup> | undefined
    for (const order of [0, 1, 2] as const) {
      for (const decoded of members) {
        if (orderOf(decoded) !== order) continue
        const group = this.#takeOne(decoded, share, from, replies)
        if (group !== undefined) (groups ??= new Set()).add(group)
      }
    }
    replies.close()
    if (groups !== undefined) { for (const group of groups) this.#endGroup(group) }
  }

  /** Gives the batch of ours that a response belongs to. */
  #takeOne(decoded: Batch.Decoded, origin: Origin, from: Lane, replies?: BatchReply): CallGroup | undefined {
    if (Result.isFailure(decoded)) return this.#takeMalformed(decoded.failure, origin, from, replies)
    const { theirs } = this.#conversation
    const { size, weight } = origin
    const message = decoded.success
    switch (message._tag) {
      case "Request": {
        const id = RequestId.toText(message.id)
        if (this.#isTooLong(id)) return this.#takeMalformed(unrepeatable, origin, from, replies)
        theirs.take(new IncomingCall(message, id, size, weight, from, sinkFor(id, from, replies)))
        return undefined
      }
      case "Notification":
        if (!this.#intercept(message) && this.#hasRoomFor(message.method, weight)) {
          theirs.take(new IncomingCall(message, undefined, size, weight, from, from))
        }
        return undefined
      case "Success":
      case "Failure":
        return this.#settle(message, from)
    }
  }

  #takeMalformed(error: Message.Malformed, origin: Origin, from: Lane, replies?: BatchReply): CallGroup | undefined {
    const { dialect, ours } = this.#conversation
    const { text } = origin
    if (error._tag === "ParseError" && this.#takeUnread(error, error.rule, Excerpt.line(text), from)) return undefined
    if (error._tag === "InvalidResponse" || (error._tag === "InvalidRequest" && Message.isEmpty(error))) {
      // JSON leaves out a result that is `undefined` on the server.
      const entry = this.#ownedBy(from, error.id)
      if (entry !== undefined) {
        ours.refuseCall(entry, error.rule, Excerpt.line(text))
        return entry.group
      }
    }
    if (error._tag === "InvalidRequest" && Batch.isEmpty(error)) {
      const rule = "the reply to its batch is empty"
      if (this.#refuseBatch(from, (call) => ours.refuseCall(call, rule))) return undefined
    }
    if (from.answers !== undefined) return void from.answers.misfit(error.rule)
    if (error._tag === "InvalidResponse") {
      return error.method === undefined
        ? this.#drop(error.id, error.rule)
        : this.#dropNotification(error.method, error.rule)
    }
    const id = error._tag === "InvalidRequest" ? RequestId.toText(error.id) : "null"
    if (this.#isTooLong(id)) return this.#takeMalformed(unrepeatable, origin, from, replies)
    const answer = error._tag === "ParseError" ? ErrorObject.parseError() : ErrorObject.invalidRequest()
    this.#answer(error, ErrorReply.toMalformed(error, dialect), Excerpt.line(text), sinkFor(id, from, replies), answer)
    if (from.traffic.isOverfull) this.#conversation.host.budget.evict()
    return undefined
  }

  /** Answers a text that is no message, where the dialect has an answer to it. */
  #answer(
    { message, rule }: Pick<Message.Malformed, "message" | "rule">,
    reply: string | undefined,
    excerpt: string,
    to: Sink,
    error?: ErrorObject.ErrorObject
  ): void {
    const { host } = this.#conversation
    // The other side is told only that it is wrong.
    if (reply !== undefined) host.log(`refused a text: ${message}; it began ${excerpt}`, Cause.empty)
    else host.log(`dropped a text that is no message: ${rule}; it began ${excerpt}`, Cause.empty)
    to.settle(reply, undefined, reply === undefined ? undefined : error)
  }

  /** Whether the replies to a request would be too large by its id alone. */
  #isTooLong(id: string): boolean {
    return isTooLarge(id, this.#conversation.limits.frame / 2)
  }

  /** A notification cannot be refused: where the budget is spent, the heaviest connection has to end for it. */
  #hasRoomFor(method: string, weight: number): boolean {
    const { host, room } = this.#conversation
    if (room.fits(weight)) return true
    if (room.isTooHeavy(weight)) {
      this.#dropNotification(method, outweighs)
      return false
    }
    if (!host.budget.evict()) this.#conversation.end({ _tag: "Overrun" })
    return true
  }

  #settle(response: Message.Success | Message.Failure, from: Lane): CallGroup | undefined {
    const { ours } = this.#conversation
    const entry = this.#ownedBy(from, response.id)
    if (entry !== undefined) return ours.settle(response, entry), entry.group
    if (response._tag === "Failure" && response.id === null && this.#blame(response, from)) return undefined
    from.answers?.misfit("its id is that of no call that waits for it")
    return this.#drop(response.id, "no call waits for it")
  }

  /** Gives an error with id null to the calls that it is about, and whether there are any. */
  #blame(response: Message.Failure, from: Lane): boolean {
    const { dialect, ours } = this.#conversation
    const end = (call: Entry) => void ours.settle(response, call)
    if (from.answers === undefined) return isRefusal(response.error, dialect) && this.#refuseBatch(from, end)
    const { calls } = from.answers
    calls.forEach(end)
    return calls.length > 0
  }

  #ownedBy(lane: Lane, id: RequestId.RequestId): Entry | undefined {
    const entry = this.#conversation.ours.get(id)
    return entry !== undefined && (lane.answers?.awaited === undefined || entry.owner === lane) ? entry : undefined
  }

  /**
   * Takes the refusal of a whole batch of ours, which names none: an error with id null, `[]`, or a reply that no frame
   * can hold. It is certain which one is meant where one waits. Gives `false` where none does.
   */
  #refuseBatch(from: Lane, refuse: (call: Entry) => void): boolean {
    const { host, ours, outgoing: { batches } } = this.#conversation
    // An exchange knows its own batch.
    if (from.answers !== undefined || batches === undefined) return false
    let only: CallGroup | undefined
    for (const batch of batches) {
      if (!batch.calls.every((call) => isWritten(call) && ours.isWaiting(call))) continue
      if (only !== undefined) {
        host.log(
          `dropped the refusal of a batch, which names none: those of ${firstOf(only)} and ${firstOf(batch)} wait`,
          Cause.empty
        )
        return true
      }
      only = batch
    }
    only?.calls.forEach(refuse)
    return only !== undefined
  }

  /** Fails the calls that the reply to their batch has left out: no other reply will come. */
  #endGroup({ calls }: CallGroup): void {
    for (const call of calls) this.#conversation.ours.refuseCall(call, "the reply to its batch leaves it out")
  }

  #drop(id: RequestId.RequestId, why: string): undefined {
    this.#conversation.host.log(
      `dropped the response with id ${Excerpt.line(RequestId.toText(id))}: ${why}`,
      Cause.empty
    )
    return undefined
  }

  #dropNotification(method: string, why: string): undefined {
    this.#conversation.host.log(`dropped the notification ${callName(method)}: ${why}`, Cause.empty)
    return undefined
  }

  /** Whether a notification would be taken at once. */
  #isIntercepted(notification: Message.Notification): boolean {
    const { dialect, listeners, ours } = this.#conversation
    const { method } = notification
    return method === dialect.cancellation?.method || Progress.isExpected(dialect, ours, notification) ||
      listeners.has(method)
  }

  /** A dialect may change when the two sides have agreed on more: it is asked for each notification. */
  #intercept(notification: Message.Notification): boolean {
    const { dialect, listeners, ours, theirs } = this.#conversation
    const { cancellation } = dialect
    if (notification.method !== cancellation?.method) {
      return Progress.take(dialect, ours, notification) || listeners.take(notification)
    }
    const key = cancelledKey(cancellation, notification.params)
    if (key !== undefined) theirs.cancel(key)
    return true
  }
}

/** The key of the id that a notification cancels, or `undefined` where it names none. */
const cancelledKey = (cancellation: Cancellation, params: Message.Params | undefined): string | undefined => {
  const id = JsonObject.member(params, cancellation.member)
  // `1e400` is parsed as Infinity, which is no id.
  return typeof id === "string" || Number.isFinite(id) ? RequestId.keyOf(id as string | number) : undefined
}

/** Takes the place of a request whose id is too long to be repeated. */
const unrepeatable = new Message.InvalidRequest({ id: null, rule: "the id is larger than half a frame" })

/** Texts that have to wait are looked at as cancellations up to this many characters. */
const longestCancel = 1_024

/** Whether an error with id null says that a text could not be read or kept. */
const isRefusal = ({ code }: ErrorObject.ErrorObject, { tooLargeCode }: Dialect): boolean =>
  code === ErrorCode.ParseError || code === ErrorCode.InvalidRequest || code === tooLargeCode

/** The value of an id whose source text was found in a frame that was skipped, and may be no JSON. */
const valueOf = (id: string): RequestId.RequestId => {
  try {
    return RequestId.fromResponse(JSON.parse(id), () => id) ?? null
  } catch {
    return null
  }
}

/**
 * Responses come after the rest of their text, so that what belongs to a call reaches it first. An error without an id
 * comes last: it is about the calls that nothing else in the text answers.
 */
const orderOf = (decoded: Batch.Decoded): 0 | 1 | 2 => {
  if (Batch.isGeneral(decoded)) return 2
  const tag = Result.isSuccess(decoded) ? decoded.success._tag : decoded.failure._tag
  return tag === "Success" || tag === "Failure" || tag === "InvalidResponse" ? 1 : 0
}

/** The name of the first method of a batch, which has one. */
const firstOf = ({ calls }: CallGroup): string => callName(calls[0]?.method ?? "")

/** Where the reply to the request with this id goes. */
const sinkFor = (id: string, from: Lane, replies: BatchReply | undefined): Sink => replies?.member(id) ?? from
