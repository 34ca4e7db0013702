/**
 * A lane that is written by a function of its host, one text after the other, as the events that answer a post are. It may
 * be that of one text of the other side, whose answer it collects.
 *
 * Calls wait for their turn while a text is under way. A cancellation does not wait: there is at most one for each call.
 *
 * The answer is there when every request is answered and no notification holds it back. A notification does so until its
 * handler ends, or has taken too long; then the handler goes on behind the answer. Handlers may send by the lane until the
 * answer is there, where the host gave a way. The calls of the text are kept until their handlers have ended.
 */
import type { ErrorObject } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Caller } from "../../Caller.ts"
import type { Waiting } from "../../Correlator.ts"
import type { Call } from "../../Handler.ts"
import { callContext, callerBy, noPeer } from "../conversation/CallContext.ts"
import type { Conversation } from "../conversation/Conversation.ts"
import { Intake } from "../conversation/Intake.ts"
import type { CallEvent, Lane, LaneCall, OnWritten, Share } from "../conversation/Lane.ts"
import type { Decoded, TextReader } from "../conversation/TextReader.ts"
import type { Deferral } from "../incoming/IncomingCall.ts"
import { bounded, Traffic } from "../room/Room.ts"
import { type Fork, withoutHolder } from "../runtime/Host.ts"

/** Takes a text, and ends when it is written, or cannot be any more. @category models @since 0.1.0 */
export type Send = (text: string) => Effect.Effect<void>

/**
 * How a text was answered: by the text of a reply, or by none. Where that is the reply to a single request which failed,
 * its error.
 *
 * @category models
 * @since 0.1.0
 */
export interface Answer {
  readonly text: string | undefined
  readonly error: ErrorObject.ErrorObject | undefined
}

const unanswered: Answer = { text: undefined, error: undefined }

/** The parts of a lane that collects an answer, beside its conversation and its way. @internal */
export interface Options {
  /**
   * Handlers run with the services of the fiber that waits for the answer, where those are not the ones of the host, and
   * without the holder of its connection.
   */
  readonly context?: Context.Context<never> | undefined
  /** The `from` of its calls. */
  readonly from?: unknown
  /** Runs when the answer is there, before it is given. */
  readonly onAnswer?: (() => void) | undefined
}

/** Calls wait while any text is under way, and are counted as texts. A text that stands alone has nothing to wait for. */
const amongOthers = bounded({ calls: 1, mayWait: true })
const alone = bounded({ calls: 1 })

interface Text {
  readonly text: string
  readonly onWritten: OnWritten | undefined
}

/** @internal */
export class HostLane implements Lane {
  readonly traffic: Traffic
  readonly answers = undefined
  readonly fork: Fork | undefined
  readonly #conversation: Conversation
  readonly #send: Send | undefined
  readonly #from: unknown
  readonly #onAnswer: (() => void) | undefined
  #texts: Array<Text> | undefined = undefined
  #isGivenUp = false
  #reply: Answer = unanswered
  #after: Array<Deferral> | undefined = undefined
  #resume: ((answer: Effect.Effect<Answer>) => void) | undefined = undefined
  #onGone: (() => void) | undefined = undefined
  // One for the reading, so that calls that end while others are still read do not end it.
  #awaited = 1
  #running = 0

  constructor(conversation: Conversation, send: Send | undefined, options?: Options) {
    this.#conversation = conversation
    this.#send = send
    this.#from = options?.from
    this.#onAnswer = options?.onAnswer
    this.fork = options?.context && Effect.runForkWith(withoutHolder(options.context))
    this.traffic = new Traffic(conversation.connection === undefined ? alone : amongOthers)
  }

  write(text: string, _share: Share, onWritten?: OnWritten): number {
    ;(this.#texts ??= []).push({ text, onWritten })
    this.traffic.calls++
    this.#turn()
    return 0
  }

  expired(call?: Waiting): Effect.Effect<void> {
    if (call !== undefined) this.#conversation.cancel(call, this)
    return Effect.void
  }

  contextOf(call: LaneCall): Call {
    const made = callContext(this.#conversation, call, this.#peerFor(call), this.#send !== undefined)
    return this.#from === undefined ? made : { ...made, from: this.#from }
  }

  settle(reply?: string, after?: ReadonlyArray<Deferral>, error?: ErrorObject.ErrorObject): void {
    if (reply !== undefined) this.#reply = { text: reply, error }
    if (after === undefined) return
    if (this.#awaited === 0) return this.#conversation.theirs.runBehind(after)
    const all = this.#after ??= []
    for (const deferral of after) all.push(deferral)
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

  /** Takes the text when there is room, and waits for the answer. An interruption ends the calls, and waits for them. */
  answer(text: string | Decoded, reader: TextReader): Effect.Effect<Answer> {
    return Effect.callback((resume) => {
      const conversation = this.#conversation
      const intake = new Intake(conversation, reader)
      this.#resume = resume
      let isTaking = false
      const leave = intake.whenRoom(intake.arrival(text, this), (text) => {
        isTaking = true
        intake.take(text, this)
        isTaking = false
        this.#proceed()
        conversation.step()
      })
      if (leave === undefined) return this.#awaited === 0 ? undefined : this.#giveUp()
      const end = Effect.suspend(() => leave() || this.#awaited === 0 ? Effect.void : this.#giveUp())
      // A text is taken as a whole, also where the first step of a handler interrupts this.
      return Effect.suspend(() => isTaking ? Effect.andThen(Effect.yieldNow, end) : end)
    })
  }

  /** The other side for a handler: it can notify if the host can send, and listen and ask if more than one text comes. */
  #peerFor(call: LaneCall): Caller {
    const { connection, listen } = this.#conversation
    if (this.#send === undefined) return connection === undefined ? noPeer : { ...noPeer, listen }
    const peer = callerBy(this.#conversation, this, call)
    return connection === undefined ? { ...noPeer, notify: peer.notify } : peer
  }

  #giveUp(): Effect.Effect<void> {
    return Effect.callback((resume) => {
      this.#isGivenUp = true
      this.#conversation.theirs.giveUp(this)
      this.#close()
      if (this.#running === 0) return resume(Effect.void)
      this.#onGone = () => resume(Effect.void)
    })
  }

  #proceed(): void {
    if (--this.#awaited > 0) return
    const { theirs } = this.#conversation
    this.#close()
    if (this.#isGivenUp) theirs.skip(this.#after)
    this.#onAnswer?.()
    const answer = Effect.succeed(this.#reply)
    if (this.#after === undefined || this.#isGivenUp) return this.#resume?.(answer)
    this.#conversation.hold()
    this.#resume?.(answer)
    theirs.runBehind(this.#after)
    this.#conversation.release()
  }

  /** Stops writing. Calls of ours that were written go on waiting. */
  #close(): void {
    this.traffic.isClosed = true
    if (this.traffic.parked !== undefined) this.#conversation.outgoing.admit([this])
  }

  /** Sends the texts in their order, each when the one before has ended. */
  #turn(): void {
    while (!this.traffic.isSending) {
      const text = this.#texts?.shift()
      if (text === undefined) return
      this.traffic.isSending = true
      this.#conversation.hold()
      const fiber = this.#conversation.host.fork(Effect.suspend(() => this.#send?.(text.text) ?? Effect.void))
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
    this.traffic.isSending = false
    this.traffic.calls--
    if (Exit.isFailure(exit) && Cause.hasDies(exit.cause)) {
      this.#conversation.host.log("the `send` of a session failed", exit.cause)
    }
    onWritten?.(Exit.void)
    this.#conversation.release()
  }
}
