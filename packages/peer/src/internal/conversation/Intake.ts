/**
 * Brings each message of a text to where it belongs. Responses, progress, partial
 * results, cancellations and what somebody listens to never queue; requests and
 * other notifications go to the dispatcher.
 */
import * as Batch from "@parley/protocol/Batch"
import type * as Dialect from "@parley/protocol/Dialect"
import * as ErrorCode from "@parley/protocol/ErrorCode"
import * as ErrorObject from "@parley/protocol/ErrorObject"
import type { BadFrame } from "@parley/protocol/Framing"
import * as Message from "@parley/protocol/Message"
import * as RequestId from "@parley/protocol/RequestId"
import * as Cause from "effect/Cause"
import * as Result from "effect/Result"
import type { CallGroup, Entry } from "../../Correlator.ts"
import { BatchReply } from "../incoming/BatchReply.ts"
import * as Digits from "../incoming/Digits.ts"
import { errorText, malformedText } from "../incoming/ReplyText.ts"
import type { Sink } from "../incoming/Sink.ts"
import { member } from "../json/JsonObject.ts"
import { cancelledKey } from "../outgoing/CancelText.ts"
import * as Progress from "../outgoing/Progress.ts"
import type { Lane } from "./Lane.ts"
import type { Parts } from "./Parts.ts"
import { type Decoded, outweighs } from "./TextReader.ts"

/** @internal */
export class Intake {
  readonly #conversation: Parts

  constructor(conversation: Parts) {
    this.#conversation = conversation
  }

  take(decoded: Decoded, from: Lane): void {
    const { batch, size, weight } = Digits.mayBeAsked(this.#conversation)
      ? Digits.withDigits(decoded, this.#conversation)
      : decoded
    if (Batch.isMembers(batch)) this.#takeMembers(batch, size, weight, from)
    else this.#takeOne(batch, size, weight, from, undefined)
  }

  /** Takes a bad frame. A frame that was skipped for its size concerns a call if its id was found. */
  takeBad({ excerpt, id, kind, reason }: BadFrame, from: Lane): void {
    const { dialect, limits, ours } = this.#conversation
    const rule = reason === "TooLarge" ? `the frame is larger than ${limits.frame} bytes` : `${reason}: ${excerpt}`
    const entry = kind === "response" && id !== undefined ? this.#ownedBy(from, valueOf(id)) : undefined
    if (entry !== undefined) ours.refuse({ id: entry.id, rule })
    else if (kind === "request") from.settle(errorText(id ?? "null", tooLarge))
    else if (kind === undefined) from.settle(malformedText(new Message.ParseError({ rule }), dialect))
    else this.#conversation.host.log(`dropped a ${kind}: ${rule}`, Cause.empty)
  }

  /** Whether a text brings a call that may have to wait for its turn. A request that can be refused need not. */
  needsRoom(batch: Batch.Batch, from: Lane, isRefusing: boolean): boolean {
    const { theirs } = this.#conversation
    const needs = (decoded: Batch.Decoded): boolean => {
      if (Result.isFailure(decoded)) return false
      const message = decoded.success
      if (message._tag === "Request") return !isRefusing && !theirs.mayOvertake(message.method, from)
      return message._tag === "Notification" && !this.#isIntercepted(message)
    }
    return Batch.isMembers(batch) ? batch.some(needs) : needs(batch)
  }

  /**
   * Cancels the call that a text names, if the text is a cancellation and nothing else; otherwise `undefined`. Gives
   * `false` where that call has not come yet.
   */
  tryCancel(text: string): boolean | undefined {
    const { dialect: { cancellation }, limits, theirs } = this.#conversation
    if (cancellation === undefined || text.length > longestCancel || !text.includes(cancellation.method)) return
    const decoded = Message.decode(text, limits)
    if (Result.isFailure(decoded) || decoded.success._tag !== "Notification") return
    if (decoded.success.method !== cancellation.method) return
    const key = cancelledKey(cancellation, decoded.success.params)
    return key === undefined ? undefined : theirs.cancel(key)
  }

  #takeMembers(members: ReadonlyArray<Batch.Decoded>, size: number, weight: number, from: Lane): void {
    const replies = new BatchReply(this.#conversation, this.#conversation.afterReply, from)
    const each = Math.ceil(size / members.length)
    const share = Math.ceil(weight / members.length)
    let groups: Set<CallGroup> | undefined
    const takeAll = (order: number) => {
      for (const decoded of members) {
        if (orderOf(decoded) !== order) continue
        const group = this.#takeOne(decoded, each, share, from, replies)
        if (group !== undefined) (groups ??= new Set()).add(group)
      }
    }
    takeAll(0)
    if (members.some((decoded) => orderOf(decoded) > 0)) {
      takeAll(1)
      takeAll(2)
    }
    replies.close()
    if (groups !== undefined) { for (const group of groups) this.#endGroup(group) }
  }

  /** Gives the batch of ours that a response belongs to. */
  #takeOne(
    decoded: Batch.Decoded,
    size: number,
    weight: number,
    from: Lane,
    replies: BatchReply | undefined
  ): CallGroup | undefined {
    if (Result.isFailure(decoded)) return this.#takeMalformed(decoded.failure, from, replies)
    const message = decoded.success
    switch (message._tag) {
      case "Request": {
        const id = RequestId.toText(message.id)
        this.#conversation.theirs.take(message, id, size, weight, from, sinkFor(id, from, replies))
        return undefined
      }
      case "Notification":
        if (!this.#intercept(message)) this.#queue(message, size, weight, from)
        return undefined
      case "Success":
      case "Failure":
        return this.#settle(message, from)
    }
  }

  #takeMalformed(error: Message.Malformed, from: Lane, replies: BatchReply | undefined): CallGroup | undefined {
    const { dialect, ours } = this.#conversation
    if (error._tag === "InvalidResponse" || (error._tag === "InvalidRequest" && Message.isEmpty(error))) {
      // JSON leaves out a result that is `undefined` on the server.
      const entry = this.#ownedBy(from, error.id)
      if (entry !== undefined) return ours.refuse(error), entry.group
    }
    if (from.misfit(error.rule)) return undefined
    if (error._tag === "InvalidResponse") return this.#drop(error.id)
    const id = error._tag === "InvalidRequest" ? RequestId.toText(error.id) : "null"
    sinkFor(id, from, replies).settle(malformedText(error, dialect))
    if (from.isOverfull()) this.#conversation.host.budget.evict()
    return undefined
  }

  /** A notification cannot be refused: where the budget is spent, the heaviest connection has to end for it. */
  #queue(notification: Message.Notification, size: number, weight: number, from: Lane): void {
    const { host, theirs } = this.#conversation
    if (theirs.isTooMuch(weight)) {
      if (!theirs.mustAwait(weight)) return host.log(`dropped ${notification.method}: ${outweighs}`, Cause.empty)
      if (!host.budget.evict()) this.#conversation.end({ _tag: "Overrun" })
    }
    theirs.take(notification, undefined, size, weight, from, from)
  }

  #settle(response: Message.Success | Message.Failure, from: Lane): CallGroup | undefined {
    const { ours } = this.#conversation
    const entry = this.#ownedBy(from, response.id)
    if (entry !== undefined) return ours.settle(response, entry), entry.group
    if (response._tag === "Failure" && response.id === null) {
      const blamed = from.blamed ?? this.#soleBatch(response.error.code)
      for (const { id } of blamed) ours.settle({ ...response, id })
      if (blamed.length > 0) return undefined
    }
    from.misfit("its id is that of no call that waits for it")
    return this.#drop(response.id)
  }

  #ownedBy(lane: Lane, id: unknown): Entry | undefined {
    const entry = this.#conversation.ours.get(id)
    return entry !== undefined && lane.owns(entry) ? entry : undefined
  }

  /** The members of a batch of ours, if no other call of ours waits: then an error without an id refuses this batch. */
  #soleBatch(code: number): ReadonlyArray<Entry> {
    const { ours } = this.#conversation
    const group = code === ErrorCode.ParseError || code === ErrorCode.InvalidRequest ? ours.any()?.group : undefined
    const open = group?.calls.filter((entry) => ours.isWaiting(entry)) ?? []
    return open.length === ours.size() ? open : []
  }

  /** Fails the calls that the reply to their batch has left out: no other reply will come. */
  #endGroup({ calls }: CallGroup): void {
    for (const { id } of calls) this.#conversation.ours.refuse({ id, rule: "the reply to its batch leaves it out" })
  }

  #drop(id: RequestId.RequestId): undefined {
    this.#conversation.host.log(`dropped a response that no call waits for: id ${RequestId.toText(id)}`, Cause.empty)
    return undefined
  }

  /** Whether a notification would be taken at once. */
  #isIntercepted({ method, params }: Message.Notification): boolean {
    const { dialect: { cancellation, partialResults, progress }, listeners, ours } = this.#conversation
    const id = method === progress?.method ? Progress.progressOf(progress, params) : undefined
    const partialId = method === partialResults?.method ? Progress.partialResultOf(partialResults, params) : undefined
    return method === cancellation?.method || ours.get(id ?? partialId) !== undefined || listeners.has(method)
  }

  #intercept(notification: Message.Notification): boolean {
    const { method, params } = notification
    // A dialect may change when the two sides have agreed on more.
    const { cancellation, partialResults, progress } = this.#conversation.dialect
    if (method === cancellation?.method) {
      const key = cancelledKey(cancellation, params)
      if (key !== undefined) this.#conversation.theirs.cancel(key)
      return true
    }
    return (method === progress?.method && this.#isProgress(progress, params)) ||
      (method === partialResults?.method && this.#isPartialResult(partialResults, params)) ||
      this.#conversation.listeners.take(notification)
  }

  #isProgress(progress: Dialect.Progress, params: Message.Params | undefined): boolean {
    const id = Progress.progressOf(progress, params)
    return id !== undefined && params !== undefined && this.#conversation.ours.progress(id, params)
  }

  #isPartialResult(partialResults: Dialect.PartialResults, params: Message.Params | undefined): boolean {
    const id = Progress.partialResultOf(partialResults, params)
    const value = member(params, partialResults.value)
    return id !== undefined && value !== undefined && this.#conversation.ours.partialResult(id, value)
  }
}

/** Texts that have to wait are looked at as cancellations up to this many characters. */
const longestCancel = 1_024

const tooLarge = ErrorObject.make(-32001, "Request too large")

/** The value of an id whose source text was found in a frame that was skipped, and may be no JSON. */
const valueOf = (id: string): unknown => {
  try {
    return JSON.parse(id)
  } catch {
    return undefined
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

/** Where the reply to the request with this id goes. */
const sinkFor = (id: string, from: Lane, replies: BatchReply | undefined): Sink => replies?.member(id) ?? from
