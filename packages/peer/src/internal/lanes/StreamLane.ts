/**
 * The lane of a connection: one transport, read and written by one conversation.
 */
import { framingOf, type Transport } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { Caller } from "../../Caller.ts"
import type { Waiting } from "../../Correlator.ts"
import type { Call } from "../../Handler.ts"
import { callContext, callerBy } from "../conversation/CallContext.ts"
import type { Conversation } from "../conversation/Conversation.ts"
import type { Lane, LaneCall, OnWritten, Share } from "../conversation/Lane.ts"
import type { After } from "../incoming/Sink.ts"
import type { Waits } from "../room/Room.ts"
import { Traffic } from "../room/Traffic.ts"
import { ReadLoop } from "./ReadLoop.ts"
import { WriteQueue } from "./WriteQueue.ts"

/** @internal */
export class StreamLane implements Lane {
  readonly traffic: Traffic
  readonly answers = undefined
  readonly tally = undefined
  readonly caller: Caller
  readonly writes: WriteQueue
  readonly reads: ReadLoop
  readonly #conversation: Conversation

  constructor(conversation: Conversation, transport: Transport) {
    const { outbox } = conversation.limits
    this.#conversation = conversation
    this.traffic = new Traffic({ calls: outbox, replies: outbox, mayWait: true, isStream: true })
    this.traffic.handedOver = 0
    this.traffic.silentFraming = framingOf(transport)
    this.caller = callerBy(conversation, this)
    this.writes = new WriteQueue(conversation, transport, this.traffic)
    this.reads = new ReadLoop(conversation, this, this.writes, transport)
  }

  fork<A, E>(effect: Effect.Effect<A, E>): Fiber.Fiber<A, E> {
    return this.#conversation.host.fork(effect)
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

  expired(call?: Waiting): Effect.Effect<void> {
    if (call !== undefined) this.#conversation.cancel(call, this)
    return Effect.void
  }

  /** What waits on it. */
  get waits(): Waits {
    const { room, theirs } = this.#conversation
    const { parked } = this.traffic
    const writing = parked === undefined || parked.size === 0 ? undefined : room.mayWrite(this, parked.isWindowed)
    return { reading: this.reads.wait, starting: theirs.wait, writing }
  }

  close(): void {
    this.writes.close()
    this.reads.stop()
  }

  /**
   * Whether no text is held and none is unwritten. A text that a pause holds counts only after the end of the input.
   */
  get isFlushed(): boolean {
    const isRead = !this.reads.isBehind || (this.#conversation.room.isPaused && this.#conversation.reason === undefined)
    return isRead && this.writes.isEmpty
  }
}
