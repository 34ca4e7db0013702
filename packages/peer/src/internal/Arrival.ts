/**
 * One text that a host answers: its reply, and the calls in it until their
 * handlers have ended.
 *
 * The reply is there when every request is answered and no notification holds it
 * back. A notification does so until its handler ends, or has taken too long;
 * what takes longer runs on behind the reply.
 */
import type * as Batch from "@parley/protocol/Batch"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { Call } from "../Handler.ts"
import type { Left } from "./AfterReply.ts"
import type * as Dispatcher from "./Dispatcher.ts"
import type { Inbound } from "./Inbound.ts"
import type * as Reply from "./Reply.ts"

/** @internal */
export interface Options {
  readonly dispatcher: Dispatcher.Dispatcher
  /** Handlers run with the services of who waits for the reply. */
  readonly context: Context.Context<never>
  /** Makes its calls, where that differs from text to text. */
  readonly callOf?: ((inbound: Inbound) => Call) | undefined
  /** The reply is there, or `undefined` for none. */
  readonly onEnd: (reply: string | undefined) => void
}

/** What a dispatcher does not do where each text has an answer of its own, and nothing else comes. @internal */
export const answering: Pick<
  Dispatcher.Options,
  "budget" | "isCongested" | "intercept" | "onEmpty" | "onProgress" | "onResponse" | "reply"
> = {
  budget: undefined,
  isCongested: () => false,
  intercept: () => false,
  onEmpty: () => false,
  onProgress: () => {},
  onResponse: () => {},
  reply: () => {}
}

/** @internal */
export class Arrival implements Reply.Sink {
  /** Whether nobody waits for its reply any more. */
  isGivenUp = false
  readonly #options: Options
  #reply: string | undefined = undefined
  #after: Array<Left> | undefined = undefined
  #onGone: (() => void) | undefined = undefined
  // One for the reading, so that calls that end while others are still read do not end it.
  #awaited = 1
  #running = 0

  constructor(options: Options) {
    this.#options = options
  }

  get callOf(): Options["callOf"] {
    return this.#options.callOf
  }

  fork<A, E>(effect: Effect.Effect<A, E>): Fiber.Fiber<A, E> {
    return Effect.runForkWith(this.#options.context)(effect)
  }

  settle(reply: string | undefined, after?: Reply.After) {
    if (reply !== undefined) this.#reply = reply
    if (after !== undefined) (this.#after ??= []).push(...after)
  }

  /** Takes a text, and gives what ends its calls when nobody waits for the reply any more, and waits for them. */
  take(batch: Batch.Batch, size: number): Effect.Effect<void> | undefined {
    const { dispatcher } = this.#options
    dispatcher.take(batch, size, this)
    this.#proceed()
    dispatcher.drain()
    if (this.#awaited === 0) return undefined
    return Effect.callback((resume) => {
      this.isGivenUp = true
      dispatcher.giveUp(this)
      if (this.#running === 0) return resume(Effect.void)
      this.#onGone = () => resume(Effect.void)
    })
  }

  /** A call is read. */
  enter() {
    this.#awaited++
    this.#running++
  }

  /** The reply waits for this call no more. */
  pass(inbound: Inbound) {
    if (!inbound.isAwaited) return
    inbound.isAwaited = false
    this.#proceed()
  }

  /** A call has ended. */
  leave(inbound: Inbound) {
    this.pass(inbound)
    if (--this.#running === 0) this.#onGone?.()
  }

  #proceed() {
    if (--this.#awaited > 0) return
    this.#options.onEnd(this.#reply)
    if (this.#after !== undefined) this.#options.dispatcher.follow(this.#after)
  }
}
