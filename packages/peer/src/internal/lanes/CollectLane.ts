/**
 * The lane of one text that a host answers: it collects the reply, and keeps the
 * calls of the text until their handlers have ended.
 *
 * The answer is there when every request is answered and no notification holds it
 * back. A notification does so until its handler ends, or has taken too long;
 * then the handler goes on behind the answer. Until the answer is there, handlers
 * may send by the lane, where the host gave a way.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { Call } from "../../Handler.ts"
import { aloneContext, callContext, callerBy, callerWithin, oneWayContext } from "../conversation/CallContext.ts"
import type { Conversation } from "../conversation/Conversation.ts"
import type { LaneCall } from "../conversation/Lane.ts"
import type { Decoded } from "../conversation/TextReader.ts"
import type { After, Deferral } from "../incoming/Sink.ts"
import { type Send, SendLane } from "./SendLane.ts"

/** @internal */
export interface Options {
  readonly conversation: Conversation
  /** Handlers run with the services of the fiber that waits for the answer. */
  readonly context: Context.Context<never>
  /** Sends what handlers have to say before the answer, where there is a way. */
  readonly send: Send | undefined
  /** Whether the text is a conversation of its own, so that nothing comes before or after it. */
  readonly isAlone: boolean
  /** Takes the answer, or `undefined` for none. */
  readonly onEnd: (reply: string | undefined) => void
}

/** @internal */
export class CollectLane extends SendLane {
  readonly #options: Options
  #isGivenUp = false
  #reply: string | undefined = undefined
  #after: Array<Deferral> | undefined = undefined
  #onGone: (() => void) | undefined = undefined
  // One for the reading, so that calls that end while others are still read do not end it.
  #awaited = 1
  #running = 0

  constructor(options: Options) {
    super(options.conversation, options.send ?? (() => Effect.void))
    this.#options = options
  }

  override fork<A, E>(effect: Effect.Effect<A, E>): Fiber.Fiber<A, E> {
    return Effect.runForkWith(this.#options.context)(effect)
  }

  override get canWait(): boolean {
    return !this.#options.isAlone
  }

  override get isGivenUp(): boolean {
    return this.#isGivenUp
  }

  override contextOf(call: LaneCall): Call {
    const { isAlone, send } = this.#options
    if (isAlone) return aloneContext(this.conversation, call, send !== undefined)
    return send === undefined
      ? oneWayContext(this.conversation, call)
      : callContext(this.conversation, call, callerWithin(this.conversation, call, callerBy(this.conversation, this)))
  }

  override settle(reply?: string, after?: After): void {
    if (reply !== undefined) this.#reply = reply
    if (after === undefined) return
    if (this.#awaited > 0) (this.#after ??= []).push(...after)
    else this.conversation.afterReply.run(after)
  }

  /**
   * Takes the text. Gives an effect for when nobody waits for the answer any more, which ends the calls and waits for
   * them; `undefined` where the answer is there.
   */
  take(text: Decoded): Effect.Effect<void> | undefined {
    const { conversation } = this
    conversation.intake.take(text, this)
    this.#proceed()
    conversation.step()
    if (this.#awaited === 0) return undefined
    return Effect.callback((resume) => {
      this.#isGivenUp = true
      conversation.theirs.giveUp(this)
      this.close()
      if (this.#running === 0) return resume(Effect.void)
      this.#onGone = () => resume(Effect.void)
    })
  }

  override enter(): void {
    this.#awaited++
    this.#running++
  }

  override pass(call: LaneCall): void {
    if (!call.isAwaited) return
    call.isAwaited = false
    this.#proceed()
  }

  override leave(call: LaneCall): void {
    this.pass(call)
    if (--this.#running === 0) this.#onGone?.()
  }

  #proceed(): void {
    if (--this.#awaited > 0) return
    this.close()
    if (this.#isGivenUp) this.conversation.afterReply.skip(this.#after)
    if (this.#after === undefined || this.#isGivenUp) return this.#options.onEnd(this.#reply)
    this.conversation.hold()
    this.#options.onEnd(this.#reply)
    this.conversation.afterReply.run(this.#after)
    this.conversation.release()
  }
}
