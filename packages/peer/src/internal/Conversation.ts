/**
 * What a session has while something runs in it: what came in, the calls that
 * wait, and who listens. It is made when a text comes, and let go when nothing is
 * left, so that an idle session costs next to nothing.
 */
import type { Dialect } from "@parley/protocol/Dialect"
import type { Limits } from "@parley/protocol/Limits"
import * as Message from "@parley/protocol/Message"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { DisconnectReason } from "../CallerError.ts"
import * as Correlator from "../Correlator.ts"
import type { Call } from "../Handler.ts"
import type { Lookup } from "../Router.ts"
import * as Arrival from "./Arrival.ts"
import * as Dispatcher from "./Dispatcher.ts"
import type { Inbound } from "./Inbound.ts"
import * as Interceptor from "./Interceptor.ts"
import * as Reply from "./Reply.ts"
import * as Sweeper from "./Sweeper.ts"

/** @internal */
export interface Options {
  readonly dialect: Dialect
  readonly limits: Limits
  readonly router: Lookup
  readonly context: Context.Context<never>
  /** The id of the call of ours that was made last. */
  readonly lastId: number
  /** Makes the call of a text that came without a lane. */
  readonly callOf: (inbound: Inbound) => Call
  /** A handler has ended, or the inbox has become shorter. */
  readonly onProgress: () => void
}

/** @internal */
export class Conversation {
  readonly dispatcher: Dispatcher.Dispatcher
  readonly limits: Limits
  readonly log: Reply.Log
  /** Who is about to use it, and must find the same one. */
  held = 0
  readonly #options: Options
  readonly #sweeper: Sweeper.Sweeper
  #correlator: Correlator.Registry | undefined = undefined
  #interceptor: Interceptor.Interceptor | undefined = undefined

  constructor(options: Options) {
    const { callOf, context, dialect, limits, router } = options
    this.#options = options
    this.limits = limits
    this.#sweeper = Sweeper.lazy(context)
    this.log = Reply.logWith(context)
    this.dispatcher = Dispatcher.make({
      ...Arrival.answering,
      dialect,
      limits,
      sweeper: this.#sweeper,
      fork: Effect.runForkWith(context),
      log: this.log,
      handlerOf: (method) => router.handlerOf(method),
      isConcurrent: (method) => router.isConcurrent(method),
      callOf: (inbound) => (inbound.arrival?.callOf ?? callOf)(inbound),
      onResponse: (response) => this.#settle(response),
      onEmpty: ({ id, rule }) => this.#correlator?.refuse(new Message.InvalidResponse({ id, rule })) === true,
      intercept: (notification) => this.interceptor().intercept(notification),
      onProgress: options.onProgress
    })
  }

  correlator(): Correlator.Registry {
    return this.#correlator ??= Correlator.makeWith({
      sweeper: this.#sweeper,
      lastId: this.#options.lastId,
      // Each call knows the lane that it went by.
      onTimeout: () => {},
      onDefect: (defect) => this.log("who waited for a response threw", Cause.die(defect))
    })
  }

  interceptor(): Interceptor.Interceptor {
    return this.#interceptor ??= Interceptor.make({
      dialect: this.#options.dialect,
      correlator: {
        progress: (id, params) => this.#correlator?.progress(id, params) === true,
        partialResult: (id, value) => this.#correlator?.partialResult(id, value) === true
      },
      cancel: this.dispatcher.cancel,
      log: this.log
    })
  }

  /** How many calls of ours wait. */
  waiting(): number {
    return this.#correlator?.size() ?? 0
  }

  /** Whether a call of ours waits for nothing but its response. */
  isHurried(): boolean {
    return this.#correlator !== undefined && this.#correlator.size() > this.#correlator.streaming()
  }

  /** Whether no handler runs, and nothing behind a reply. */
  isQuiet(): boolean {
    return this.dispatcher.isIdle() && this.dispatcher.following() === 0
  }

  /** Whether nothing is left of it. */
  isOver(): boolean {
    return this.held === 0 && this.isQuiet() && this.waiting() === 0 && this.#interceptor?.isListening() !== true
  }

  /** The id of the call of ours that was made last. */
  lastId(): number {
    return this.#correlator?.lastId() ?? this.#options.lastId
  }

  close(reason: DisconnectReason) {
    this.#correlator?.close(reason, Correlator.isWritten)
    this.#interceptor?.end(reason)
    this.dispatcher.interruptAll()
  }

  #settle(response: Message.Success | Message.Failure | Message.InvalidResponse) {
    const isKnown = response._tag === "InvalidResponse"
      ? this.#correlator?.refuse(response)
      : this.#correlator?.settle(response)
    if (isKnown === true) return
    this.log(`dropped a response that no call waits for: id ${JSON.stringify(response.id)}`, Cause.empty)
  }
}
