/**
 * A session: what is the same for all its lanes, and what it has while something
 * runs in it.
 *
 * Thousands of them wait for a next text that may never come. So what they share
 * is on the prototype, and everything else is made when it is needed.
 */
import * as Dialect from "@parley/protocol/Dialect"
import * as Limits from "@parley/protocol/Limits"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { Caller, NotificationListener } from "../Caller.ts"
import { Disconnected, type DisconnectReason } from "../CallerError.ts"
import type { Call } from "../Handler.ts"
import type * as Session from "../Session.ts"
import * as Arrival from "./Arrival.ts"
import * as CallTime from "./CallTime.ts"
import * as Conversation from "./Conversation.ts"
import type { Inbound } from "./Inbound.ts"
import * as LaneCaller from "./LaneCaller.ts"
import * as OneWay from "./OneWay.ts"
import * as Pauses from "./Pauses.ts"
import * as Reply from "./Reply.ts"

/** @internal */
export class LiveSession implements LaneCaller.Host {
  /** Why it is over, if so. */
  over: DisconnectReason | undefined = undefined
  readonly #options: Session.Options
  readonly #context: Context.Context<never>
  /** Present while something runs. */
  #conversation: Conversation.Conversation | undefined = undefined
  #connection: object | undefined = undefined
  #pauses: Pauses.Pauses | undefined = undefined
  #onQuiet: Array<() => void> | undefined = undefined
  #lastId = 0

  constructor(options: Session.Options, context: Context.Context<never>) {
    this.#options = options
    this.#context = context
  }

  get dialect(): Dialect.Dialect {
    return this.#options.dialect ?? Dialect.jsonRpc
  }

  get limits(): Limits.Limits {
    const { limits } = this.#options
    return limits === undefined ? defaults : Limits.make(limits)
  }

  get timeout(): number {
    return CallTime.fromOptions(this.#options.timeout)
  }

  get connection(): object {
    return this.#connection ??= Object.freeze({})
  }

  answer(text: string | Session.Decoded, lane: Session.Lane | undefined): Effect.Effect<Option.Option<string>> {
    return Effect.contextWith((context: Context.Context<never>) =>
      this.#pauses?.isPaused() === true
        ? Effect.andThen(this.#pauses.goAhead, this.#take(text, lane, context))
        : this.#take(text, lane, context)
    )
  }

  caller(lane: Session.Lane): Caller["Service"] {
    return LaneCaller.make(this, lane.send).caller
  }

  running(): number {
    return this.#conversation?.dispatcher.size() ?? 0
  }

  waiting(): number {
    return this.#conversation?.waiting() ?? 0
  }

  close(): Effect.Effect<void> {
    return Effect.callback((resume) => {
      this.#end({ _tag: "Closed" })
      if (this.#conversation === undefined || this.#conversation.isQuiet()) return resume(Effect.void)
      ;(this.#onQuiet ??= []).push(() => resume(Effect.void))
    })
  }

  wake(): Conversation.Conversation {
    if (this.#conversation !== undefined) return this.#conversation
    this.#conversation = new Conversation.Conversation({
      dialect: this.dialect,
      limits: this.limits,
      router: this.#options.router,
      context: this.#context,
      lastId: this.#lastId,
      callOf: (inbound) => this.#callOf(inbound),
      onProgress: () => this.rest()
    })
    if (this.over !== undefined) this.#conversation.close(this.over)
    return this.#conversation
  }

  rest() {
    if (this.#onQuiet !== undefined && this.#conversation?.isQuiet() === true) {
      for (const resume of this.#onQuiet.splice(0)) resume()
    }
    if (this.#conversation?.isOver() !== true) return
    this.#lastId = this.#conversation.lastId()
    this.#conversation = undefined
  }

  hold<A, E, R>(use: (conversation: Conversation.Conversation) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        const conversation = this.wake()
        conversation.held++
        return conversation
      }),
      use,
      (conversation) =>
        Effect.sync(() => {
          conversation.held--
          this.rest()
        })
    )
  }

  gone(): DisconnectReason | undefined {
    return this.over
  }

  fork(effect: Effect.Effect<void>) {
    return Effect.runForkWith(this.#context)(effect)
  }

  listen(method: string, listener: NotificationListener): Effect.Effect<void, Disconnected, Scope.Scope> {
    return Effect.suspend(() =>
      this.over === undefined
        ? this.hold((conversation) => conversation.interceptor().listen(method, listener))
        : Effect.fail(new Disconnected({ reason: this.over, sent: false }))
    )
  }

  pause(): () => void {
    this.#pauses ??= Pauses.make(() =>
      this.over === undefined && this.#pauses?.isPaused() === true && this.#conversation?.isHurried() !== true
    )
    return this.#pauses.pause()
  }

  onCall() {
    this.#pauses?.proceed()
  }

  #take(text: string | Session.Decoded, lane: Session.Lane | undefined, context: Context.Context<never>) {
    return Effect.callback<Option.Option<string>>((resume) => {
      const { dispatcher, limits } = this.wake()
      const way = lane === undefined ? undefined : LaneCaller.make(this, lane.send)
      const arrival = new Arrival.Arrival({
        dispatcher,
        context,
        callOf: way?.callsOf(dispatcher),
        onEnd: (reply) => {
          way?.close()
          resume(Effect.succeed(Option.fromUndefinedOr(reply)))
        }
      })
      const giveUp = typeof text === "string"
        ? arrival.take(Reply.decoder(this.dialect, limits)(text), text.length)
        : arrival.take(text.batch, text.size)
      if (dispatcher.isOverrun()) this.#end({ _tag: "Overrun" })
      return way === undefined || giveUp === undefined ? giveUp : Effect.ensuring(giveUp, Effect.sync(way.close))
    })
  }

  /** A call of a text that came without a lane. */
  #callOf(inbound: Inbound): Call {
    return {
      ...OneWay.callOf(inbound),
      peer: { ...OneWay.noPeer, listen: (method, listener) => this.listen(method, listener) },
      connection: this.connection,
      afterReply: (effect, otherwise) => void (inbound.after ??= []).push({ effect, otherwise })
    }
  }

  #end(reason: DisconnectReason) {
    if (this.over !== undefined) return
    this.over = reason
    this.#conversation?.close(reason)
    this.#pauses?.proceed()
    this.rest()
  }
}

/** Most sessions have the bounds that all have. */
const defaults = Limits.make()
