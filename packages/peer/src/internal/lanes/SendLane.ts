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
import type { Waiting } from "../../Correlator.ts"
import type { Call } from "../../Handler.ts"
import type { Conversation } from "../conversation/Conversation.ts"
import type { Lane, LaneCall, OnWritten, Share } from "../conversation/Lane.ts"
import { Traffic } from "../room/Room.ts"

/** Takes a text, and ends when it is written, or cannot be any more. @internal */
export type Send = (text: string) => Effect.Effect<void>

interface Text {
  readonly text: string
  readonly onWritten: OnWritten | undefined
}

/** @internal */
export class SendLane implements Lane {
  readonly traffic: Traffic
  readonly answers = undefined
  protected readonly conversation: Conversation
  readonly #send: Send
  #texts: Array<Text> | undefined = undefined
  #isSending = false

  constructor(conversation: Conversation, send: Send, mayWait = false) {
    this.conversation = conversation
    this.#send = send
    // Calls wait while any text is under way, and are counted as texts.
    this.traffic = new Traffic({ calls: 1, mayWait })
  }

  write(text: string, _share: Share, onWritten?: OnWritten): number {
    ;(this.#texts ??= []).push({ text, onWritten })
    this.traffic.calls++
    this.#turn()
    return 0
  }

  expired(call?: Waiting): Effect.Effect<void> {
    if (call !== undefined) this.conversation.cancel(call, this)
    return Effect.void
  }

  /** No calls come by it: nothing has to be answered. */
  settle(): void {}

  contextOf(_call: LaneCall): Call {
    throw new Error("no call comes by a lane that only sends")
  }

  /** Stops writing. Calls of ours that were written go on waiting. */
  close(): void {
    this.traffic.isClosed = true
    this.conversation.outgoing.admit([this])
  }

  /** Sends the texts in their order, each when the one before has ended. */
  #turn(): void {
    while (!this.#isSending) {
      const text = this.#texts?.shift()
      if (text === undefined) return
      this.#isSending = true
      this.conversation.hold()
      const fiber = this.conversation.host.fork(Effect.suspend(() => this.#send(text.text)))
      const exit = fiber.pollUnsafe()
      if (exit !== undefined) this.#sent(text, exit)
      else {
        fiber.addObserver((exit) => {
          this.#sent(text, exit)
          this.#turn()
        })
      }
    }
  }

  #sent({ onWritten }: Text, exit: Exit.Exit<void>): void {
    this.#isSending = false
    this.traffic.calls--
    if (Exit.isFailure(exit) && Cause.hasDies(exit.cause)) {
      this.conversation.host.log("the `send` of a session failed", exit.cause)
    }
    onWritten?.(Exit.void)
    this.conversation.release()
  }
}
