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
import * as Option from "effect/Option"
import type { Call } from "../../Handler.ts"
import { callContext, callerBy, noPeer } from "../conversation/CallContext.ts"
import type { Conversation } from "../conversation/Conversation.ts"
import { Intake } from "../conversation/Intake.ts"
import type { CallEvent, LaneCall } from "../conversation/Lane.ts"
import type { Decoded, TextReader } from "../conversation/TextReader.ts"
import type { Deferral } from "../incoming/IncomingCall.ts"
import type { Fork } from "../runtime/Host.ts"
import { type Send, SendLane } from "./SendLane.ts"

/** @internal */
export interface Options {
  readonly conversation: Conversation
  /** Handlers run with the services of the fiber that waits for the answer. */
  readonly context: Context.Context<never>
  /** Sends what handlers have to say before the answer, where there is a way. */
  readonly send: Send | undefined
  /** Runs when the answer is there, before it is given. */
  readonly onAnswer?: (() => void) | undefined
}

/** @internal */
export class CollectLane extends SendLane {
  readonly fork: Fork
  readonly #options: Options
  #isGivenUp = false
  #reply: string | undefined = undefined
  #after: Array<Deferral> | undefined = undefined
  #resume: ((answer: Effect.Effect<Option.Option<string>>) => void) | undefined = undefined
  #onGone: (() => void) | undefined = undefined
  // One for the reading, so that calls that end while others are still read do not end it.
  #awaited = 1
  #running = 0

  constructor(options: Options) {
    // A text that is answered by itself has nothing to wait for.
    super(options.conversation, options.send ?? (() => Effect.void), options.conversation.connection !== undefined)
    this.fork = Effect.runForkWith(options.context)
    this.#options = options
  }

  override contextOf(call: LaneCall): Call {
    const { conversation } = this
    const { send } = this.#options
    const { listen, notify, ...asks } = callerBy(conversation, this, call)
    // A handler can notify where there is a way, and listen and ask where more than one text comes.
    const isAlone = conversation.connection === undefined
    const peer = {
      ...noPeer,
      ...(!isAlone && { listen }),
      ...(send !== undefined && { notify }),
      ...(!isAlone && send !== undefined && asks)
    }
    return callContext(conversation, call, peer, send !== undefined)
  }

  override settle(reply?: string, after?: ReadonlyArray<Deferral>): void {
    if (reply !== undefined) this.#reply = reply
    if (after === undefined) return
    if (this.#awaited > 0) (this.#after ??= []).push(...after)
    else this.conversation.theirs.runBehind(after)
  }

  /** Takes the text when there is room, and waits for the answer. An interruption ends the calls, and waits for them. */
  answer(text: string | Decoded, reader: TextReader): Effect.Effect<Option.Option<string>> {
    return Effect.callback((resume) => {
      const { conversation } = this
      const intake = new Intake(conversation, reader)
      this.#resume = resume
      const leave = intake.whenRoom(intake.arrival(text, this), (text) => {
        intake.take(text, this)
        this.#proceed()
        conversation.step()
      })
      if (leave === undefined) return this.#awaited === 0 ? undefined : this.#giveUp()
      return Effect.suspend(() => leave() || this.#awaited === 0 ? Effect.void : this.#giveUp())
    })
  }

  onCall(call: LaneCall, event: CallEvent): void {
    if (event === "read") {
      this.#awaited++
      this.#running++
      return
    }
    if (call.isAwaited) {
      call.isAwaited = false
      this.#proceed()
    }
    if (event === "ended" && --this.#running === 0) this.#onGone?.()
  }

  #giveUp(): Effect.Effect<void> {
    return Effect.callback((resume) => {
      this.#isGivenUp = true
      this.conversation.theirs.giveUp(this)
      this.close()
      if (this.#running === 0) return resume(Effect.void)
      this.#onGone = () => resume(Effect.void)
    })
  }

  #proceed(): void {
    if (--this.#awaited > 0) return
    this.close()
    if (this.#isGivenUp) this.conversation.theirs.skip(this.#after)
    this.#options.onAnswer?.()
    const answer = Effect.succeed(Option.fromUndefinedOr(this.#reply))
    if (this.#after === undefined || this.#isGivenUp) return this.#resume?.(answer)
    this.conversation.hold()
    this.#resume?.(answer)
    this.conversation.theirs.runBehind(this.#after)
    this.conversation.release()
  }
}
