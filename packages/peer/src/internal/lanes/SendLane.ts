/**
 * A lane that is written by a function of its host, one text after the other, as
 * the events that answer a post are.
 *
 * Calls wait for their turn while a text is under way. A cancellation does not
 * wait: there is at most one for each call.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { DisconnectReason } from "../../CallerError.ts"
import type { Waiting } from "../../Correlator.ts"
import type { Call } from "../../Handler.ts"
import type { Conversation } from "../conversation/Conversation.ts"
import { Lane, type LaneCall, type OnWritten, type Share } from "../conversation/Lane.ts"

/** Takes a text, and ends when it is written, or cannot be any more. @internal */
export type Send = (text: string) => Effect.Effect<void>

interface Text {
  readonly text: string
  readonly onWritten: OnWritten | undefined
}

/** @internal */
export class SendLane extends Lane {
  protected readonly conversation: Conversation
  readonly #send: Send
  #texts: Array<Text> | undefined = undefined
  #isSending = false
  #isTurning = false
  #isClosed = false

  constructor(conversation: Conversation, send: Send) {
    super()
    this.conversation = conversation
    this.#send = send
  }

  fork<A, E>(effect: Effect.Effect<A, E>): Fiber.Fiber<A, E> {
    return this.conversation.host.fork(effect)
  }

  write(text: string, _share: Share, onWritten?: OnWritten): number {
    ;(this.#texts ??= []).push({ text, onWritten })
    this.#turn()
    return 0
  }

  override hasRoom(): boolean {
    return !this.#isSending && (this.#texts === undefined || this.#texts.length === 0)
  }

  closed(): DisconnectReason | undefined {
    return this.#isClosed ? { _tag: "Closed" } : this.conversation.reason
  }

  expired(call: Waiting): void {
    this.conversation.cancel(call, this)
  }

  /** No calls come by it: nothing has to be answered. */
  settle(): void {}

  contextOf(_call: LaneCall): Call {
    throw new Error("no call comes by a lane that only sends")
  }

  /** Stops writing. Calls of ours that were written go on waiting. */
  close(): void {
    this.#isClosed = true
    this.conversation.outgoing.admit([this])
  }

  #begin({ onWritten, text }: Text): void {
    this.#isSending = true
    this.conversation.hold()
    this.conversation.host.fork(Effect.suspend(() => this.#send(text))).addObserver((exit) => {
      this.#isSending = false
      if (Exit.isFailure(exit) && Cause.hasDies(exit.cause)) {
        this.conversation.host.log("the `send` of a session failed", exit.cause)
      }
      onWritten?.(Exit.void)
      this.#turn()
      this.conversation.release()
    })
  }

  /** Sends the texts in their order. A text that is sent at once re-enters this method. */
  #turn(): void {
    if (this.#isTurning) return
    this.#isTurning = true
    while (!this.#isSending) {
      const text = this.#texts?.shift()
      if (text === undefined) break
      this.#begin(text)
    }
    this.#isTurning = false
  }
}
