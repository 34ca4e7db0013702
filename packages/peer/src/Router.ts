/**
 * Method name to handler. Several contracts share one, and methods come and go
 * with their Scope.
 *
 * A `Router` also answers by itself, a text in and a text or nothing out, for any
 * host that has a wire of its own. A `Peer` asks it for handlers instead, and
 * adds order, cancellation and calls in the other direction.
 *
 * @since 0.1.0
 */
import * as Dialect from "@parley/protocol/Dialect"
import * as Limits from "@parley/protocol/Limits"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { ErrorResponse } from "./ErrorResponse.ts"
import type { Handler } from "./Handler.ts"
import * as Arrival from "./internal/Arrival.ts"
import * as Dispatcher from "./internal/Dispatcher.ts"
import { exitOf } from "./internal/Immediate.ts"
import * as OneWay from "./internal/OneWay.ts"
import * as Reply from "./internal/Reply.ts"
import * as Sweeper from "./internal/Sweeper.ts"

/**
 * The router has a handler for the method already.
 *
 * @category errors
 * @since 0.1.0
 */
export class MethodTaken extends Schema.TaggedError<MethodTaken>()("MethodTaken", { method: Schema.String }) {
  override get message(): string {
    return `there is a handler for ${this.method} already`
  }
}

/**
 * Handlers by the name of their method.
 *
 * @category models
 * @since 0.1.0
 */
export type Handlers<R = never> = { readonly [method: string]: Handler<ErrorResponse, R> }

/**
 * What a method may be given.
 *
 * @category models
 * @since 0.1.0
 */
export interface MethodOptions {
  /**
   * When requests of the method start: after the handlers of the notifications before them (the default), or as soon
   * as they are read. Both obey the limits.
   */
  readonly order?: "afterNotifications" | "concurrent" | undefined
}

/**
 * What a router may be given.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** Serves what no handler is added for. Without it, requests are answered -32601 and notifications dropped. */
  readonly fallback?: Handler | undefined
  /** The rules of `answer`. `Dialect.jsonRpc` by default. */
  readonly dialect?: Dialect.Dialect | undefined
  /** The bounds of `answer`. */
  readonly limits?: Partial<Limits.Limits> | undefined
}

/**
 * What one answer may be given.
 *
 * @category models
 * @since 0.1.0
 */
export interface AnswerOptions {
  /**
   * Takes what handlers send before the answer: progress, partial results, and notifications through `call.peer`. They
   * wait until it ends. Without it nothing of that can be sent.
   */
  readonly send?: ((text: string) => Effect.Effect<void>) | undefined
}

/**
 * Finds what serves a method: what a `Peer` and a `Session` need of a router.
 *
 * @category models
 * @since 0.1.0
 */
export interface Lookup {
  /** The handler of a method, or the fallback. */
  readonly handlerOf: (method: string) => Handler | undefined
  /** Whether requests of a method need not wait for the notifications before them. */
  readonly isConcurrent: (method: string) => boolean
}

/**
 * Method name to handler.
 *
 * @category services
 * @since 0.1.0
 */
export class Router extends Context.Service<Router, {
  /** Serves a method until the Scope closes. What the handler requires is taken from here. */
  readonly add: <R = never>(
    method: string,
    handler: Handler<ErrorResponse, R>,
    options?: MethodOptions | undefined
  ) => Effect.Effect<void, MethodTaken, R | Scope.Scope>

  /** Serves several methods, all or none. */
  readonly addAll: <R = never>(
    handlers: Handlers<R>,
    options?: MethodOptions | undefined
  ) => Effect.Effect<void, MethodTaken, R | Scope.Scope>

  /** The handler of a method, or the fallback. */
  readonly handlerOf: Lookup["handlerOf"]

  /** Whether requests of a method need not wait for the notifications before them. */
  readonly isConcurrent: Lookup["isConcurrent"]

  /**
   * Answers a text: the text of the reply, or nothing for notifications and responses. Requests of a batch run at
   * once, each after the notifications before it if its method has that order; a notification delays the answer by `Limits.notification` at most.
   * There is no other side to call back; with `send`, it can be sent to until the answer is there. An interruption
   * interrupts the handlers, and waits for them.
   */
  readonly answer: (
    text: string,
    options?: AnswerOptions | undefined
  ) => Effect.Effect<Option.Option<string>>
}>()("@parley/peer/Router") {}

/**
 * An empty router.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: Options = {}): Effect.Effect<Router["Service"]> =>
  Effect.sync(() => makeUnscoped(options))

/**
 * A router with these handlers. A new layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <R = never>(
  handlers: Handlers<R> = {},
  options: Options = {}
): Layer.Layer<Router, MethodTaken, Exclude<R, Scope.Scope>> =>
  Layer.effect(Router, Effect.tap(make(options), (router) => router.addAll(handlers)))

const makeUnscoped = ({ dialect = Dialect.jsonRpc, fallback, limits }: Options): Router["Service"] => {
  const handlers = new Map<string, Handler>()
  const concurrent = new Set<string>()
  const bounds = Limits.make(limits)
  const decode = Reply.decoder(dialect, bounds)

  const addAll: Router["Service"]["addAll"] = <R>(added: Handlers<R>, options?: MethodOptions) =>
    Effect.asVoid(Effect.acquireRelease(
      Effect.contextWith((context: Context.Context<R>) => {
        const entries = Object.entries(added)
        const taken = entries.find(([method]) => handlers.has(method))
        if (taken !== undefined) return Effect.fail(new MethodTaken({ method: taken[0] }))
        for (const [method, handler] of entries) {
          handlers.set(method, provided(handler, context))
          if (options?.order === "concurrent") concurrent.add(method)
        }
        return Effect.succeed(entries)
      }),
      (entries) =>
        Effect.sync(() => {
          for (const [method] of entries) {
            handlers.delete(method)
            concurrent.delete(method)
          }
        })
    ))

  const handlerOf = (method: string) => handlers.get(method) ?? fallback

  const isConcurrent = (method: string) => concurrent.has(method)

  const answer: Router["Service"]["answer"] = (text, options) =>
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.callback((resume) => {
        const way = options?.send === undefined ? undefined : OneWay.make(dialect, options.send, OneWay.stillThere)
        const dispatcher = Dispatcher.make({
          dialect,
          limits: bounds,
          sweeper: Sweeper.lazy(context),
          fork: Effect.runForkWith(context),
          handlerOf,
          isConcurrent,
          log: Reply.logWith(context),
          callOf: way === undefined
            ? OneWay.callOf
            : (inbound) => ({ ...OneWay.callOf(inbound), ...way.membersOf(inbound) }),
          ...Arrival.answering
        })
        const arrival = new Arrival.Arrival({
          dispatcher,
          context,
          onEnd: (reply) => {
            way?.close()
            resume(Effect.succeed(Option.fromUndefinedOr(reply)))
          }
        })
        const giveUp = arrival.take(decode(text), text.length)
        return way === undefined || giveUp === undefined ? giveUp : Effect.andThen(Effect.sync(way.close), giveUp)
      })
    )

  return {
    add: (method, handler, options) => addAll({ [method]: handler }, options),
    addAll,
    handlerOf,
    isConcurrent,
    answer
  }
}

/** Effects that require nothing more are run as they are, and an exit is no effect to run. */
const provided = <R>(handler: Handler<ErrorResponse, R>, context: Context.Context<R>): Handler => (call) => {
  const effect = handler(call)
  return exitOf(effect) ?? Effect.provideContext(effect, context)
}
