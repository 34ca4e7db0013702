/**
 * The lane of a connection: one transport, read and written by one conversation.
 */
import type { Received, Transport } from "@parley/transport/Transport"
import type { TransportError } from "@parley/transport/TransportError"
import * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { Caller } from "../../Caller.ts"
import type { DisconnectReason } from "../../CallerError.ts"
import type { Waiting } from "../../Correlator.ts"
import type { Call } from "../../Handler.ts"
import { callContext, callerBy } from "../conversation/CallContext.ts"
import type { Conversation } from "../conversation/Conversation.ts"
import { Lane, type LaneCall, type OnWritten, type Share } from "../conversation/Lane.ts"
import * as Phase from "../conversation/Phase.ts"
import { type Decoded, TextReader } from "../conversation/TextReader.ts"
import type { After } from "../incoming/Sink.ts"
import { ReadLoop } from "./ReadLoop.ts"
import { WriteQueue } from "./WriteQueue.ts"

/** @internal */
export class StreamLane extends Lane {
  readonly caller: Caller
  readonly writes: WriteQueue
  readonly reads: ReadLoop
  readonly #conversation: Conversation
  #badFrames = 0

  constructor(conversation: Conversation, transport: Transport) {
    super()
    const { dialect, host, limits } = conversation
    const reader = new TextReader(dialect, limits, host.budget.limit)
    this.#conversation = conversation
    this.caller = callerBy(conversation, this)
    this.writes = new WriteQueue({
      transport,
      host,
      writeStall: limits.writeStall,
      onWritten: () => conversation.step(),
      onSuspend: () => {
        if (this.reads.isHolding) conversation.step()
      },
      onFailure: (cause) => conversation.abort(reasonOf(cause)),
      onStall: () => conversation.abort({ _tag: "WriteStalled" })
    })
    this.reads = new ReadLoop({
      transport,
      fork: host.fork,
      writes: this.writes,
      read: (text, weight) => reader.read(text, weight),
      hasRoom: (weight) => this.#hasRoomFor(weight),
      take: (decoded, received) => this.#take(decoded, received),
      onChunk: () => conversation.step(),
      mustWait: (decoded) => conversation.mustWait(decoded, this),
      tryCancel: (text) => conversation.tryCancel(text),
      mayReadAhead: () => !host.budget.isSpent(),
      isOver: () => conversation.phase === Phase.closed || (conversation.reason?._tag ?? "EndOfInput") !== "EndOfInput",
      onEnd: (cause) => this.#onEnd(cause)
    })
  }

  fork<A, E>(effect: Effect.Effect<A, E>): Fiber.Fiber<A, E> {
    return this.#conversation.host.fork(effect)
  }

  override get canWait(): boolean {
    return true
  }

  /** A text is not waited for when it has room. */
  write(text: string, share: Share, onWritten?: OnWritten): number {
    const place = this.writes.write(text, share)
    onWritten?.(Exit.void)
    return place
  }

  settle(reply: string | undefined, after?: After): void {
    if (reply !== undefined) this.writes.write(reply, "reply")
    if (after !== undefined) this.#conversation.afterReply.run(after)
  }

  contextOf(call: LaneCall): Call {
    return callContext(this.#conversation, call, callerBy(this.#conversation, this, call))
  }

  /** Notifications may still be written when the other side only writes no more. */
  closed(): DisconnectReason | undefined {
    const { phase, reason } = this.#conversation
    return phase === Phase.closed || reason?._tag !== "EndOfInput" ? reason : undefined
  }

  expired(call: Waiting): void {
    this.#conversation.cancel(call, this)
  }

  override hasRoom(isNested: boolean): boolean {
    return this.writes.calls < this.#conversation.limits.outbox &&
      (isNested || !this.#conversation.host.budget.isSpent())
  }

  override isHandedOver(place: number): boolean {
    return this.writes.isHandedOver(place)
  }

  override isCongested(): boolean {
    return this.writes.replies >= this.#conversation.limits.outbox
  }

  override isOverfull(): boolean {
    return this.writes.replies >= 2 * this.#conversation.limits.outbox
  }

  override isBlocked(): boolean {
    return (this.writes.isSending && this.writes.calls > 0) || this.#conversation.outgoing.isParked(this)
  }

  close(): void {
    this.writes.close()
    this.reads.stop()
  }

  /** A long text is not even parsed while its values have no room. */
  #hasRoomFor(weight: number): boolean {
    return !this.#conversation.theirs.mustAwait(weight) || this.#conversation.isHurried()
  }

  #take(decoded: Decoded, received: Received): void {
    const { limits } = this.#conversation
    if (typeof received !== "string") this.#conversation.takeBad(received, this)
    else this.#conversation.take(decoded, this)
    this.#badFrames = isBad(decoded) ? this.#badFrames + 1 : 0
    if (this.#badFrames >= limits.badFrames) this.#conversation.end({ _tag: "BadFrames" })
  }

  /**
   * Whether no text is held and none is unwritten. A text that a pause holds counts only after the end of the input.
   */
  get isFlushed(): boolean {
    const isRead = !this.reads.isBehind || (this.#conversation.isPaused && this.#conversation.reason === undefined)
    return isRead && this.writes.isEmpty
  }

  /** Runs again when what was read before the end has been handed on. */
  #onEnd(cause: Cause.Cause<TransportError>): void {
    this.#conversation.end(reasonOf(cause), this.reads.isBehind)
    if (!this.reads.isBehind) this.#conversation.endCalls()
    this.#conversation.step()
  }
}

const isBad = ({ batch }: Decoded): boolean =>
  !Array.isArray(batch) && "failure" in batch && batch.failure._tag === "ParseError"

const reasonOf = (cause: Cause.Cause<TransportError>): DisconnectReason =>
  cause.reasons.find(Cause.isFailReason)?.error.reason ?? { _tag: "Lost", cause: Cause.squash(cause) }
