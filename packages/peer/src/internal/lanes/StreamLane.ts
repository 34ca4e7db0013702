/**
 * The lane of a connection: one transport, read and written by one conversation.
 */
import { framingOf, type Transport } from "@parley/transport/Transport"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { Caller } from "../../Caller.ts"
import type { DisconnectReason } from "../../CallerError.ts"
import type { Waiting } from "../../Correlator.ts"
import type { Call } from "../../Handler.ts"
import { callContext, callerBy, callerOf } from "../conversation/CallContext.ts"
import type { Conversation } from "../conversation/Conversation.ts"
import { Lane, type LaneCall, type OnWritten, type Share } from "../conversation/Lane.ts"
import * as Phase from "../conversation/Phase.ts"
import type { After } from "../incoming/Sink.ts"
import { ReadLoop } from "./ReadLoop.ts"
import { WriteQueue } from "./WriteQueue.ts"

/** @internal */
export class StreamLane extends Lane {
  readonly caller: Caller
  readonly writes: WriteQueue
  readonly reads: ReadLoop
  readonly #conversation: Conversation
  readonly #transport: Transport

  constructor(conversation: Conversation, transport: Transport) {
    super()
    this.#conversation = conversation
    this.#transport = transport
    this.caller = callerOf(conversation, (call) => callerBy(conversation, this, call))
    this.writes = new WriteQueue(conversation, transport)
    this.reads = new ReadLoop(conversation, this, this.writes, transport)
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

  override get silentFraming(): string | undefined {
    return this.reads.hasHeard ? undefined : framingOf(this.#transport)
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

  /**
   * Whether no text is held and none is unwritten. A text that a pause holds counts only after the end of the input.
   */
  get isFlushed(): boolean {
    const isRead = !this.reads.isBehind || (this.#conversation.isPaused && this.#conversation.reason === undefined)
    return isRead && this.writes.isEmpty
  }
}
