/**
 * Method name to handler. Several contracts share one, and methods come and go
 * with their Scope.
 *
 * A `Router` also answers by itself, a text in and a text or nothing out, for any
 * host that has a wire of its own. A `Peer` asks it for handlers instead, and
 * adds order, cancellation and calls in the other direction.
 *
 * ```ts run
 * import { Router } from "@parley/peer"
 * import { Effect, Option } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const router = yield* Router.make()
 *   yield* router.addAll({
 *     echo: ({ params }) => Effect.succeed(params ?? null),
 *     ping: () => Effect.succeed("pong")
 *   })
 *   console.log(Option.getOrThrow(yield* router.answer(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)))
 *   // => {"jsonrpc":"2.0","id":1,"result":"pong"}
 *   console.log(Option.isNone(yield* router.answer(`{"jsonrpc":"2.0","method":"ping"}`))) // => true
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import * as Dialect from "@parley/protocol/Dialect"
import * as Limits from "@parley/protocol/Limits"
import { Excerpt } from "@parley/protocol/shared"
import { Budget } from "@parley/transport/shared"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type { ErrorResponse } from "./ErrorResponse.ts"
import { type Handler, type Lookup, withoutCall } from "./Handler.ts"
import { TextReader } from "./internal/conversation/TextReader.ts"
import * as Alone from "./internal/lanes/Alone.ts"
import { exitOf } from "./internal/runtime/Host.ts"

/**
 * The router has a handler for the method already.
 *
 * @category errors
 * @since 0.1.0
 */
export class MethodTaken extends Schema.TaggedError<MethodTaken>()("MethodTaken", { method: Schema.String }) {
  override get message(): string {
    return `the router has a handler for ${Excerpt.line(this.method)} already: each method has one`
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
 * The options of a method.
 *
 * @category models
 * @since 0.1.0
 */
export interface HandlerOptions {
  /**
   * When requests of the method start: after the handlers of the notifications before them (the default), or as soon
   * as they are read. Both obey the limits.
   */
  readonly order?: "afterNotifications" | "concurrent" | undefined
  /**
   * Keeps the digits of numbers in the params: a number that JavaScript would write otherwise is an `ExactNumber`. The
   * text of such a call is parsed twice for that.
   */
  readonly exact?: boolean | undefined
}

/**
 * The options of a router.
 *
 * @category models
 * @since 0.1.0
 */
export interface RouterOptions {
  /**
   * Serves the methods that have no handler. Without it, their requests are answered -32601 and their notifications
   * dropped.
   */
  readonly fallback?: Handler | undefined
  /** The rules of `answer`. `Dialect.jsonRpc` by default. */
  readonly dialect?: Dialect.Dialect | undefined
  /** The bounds of `answer`. */
  readonly limits?: Partial<Limits.Limits> | undefined
}

/**
 * The options of one answer.
 *
 * @category models
 * @since 0.1.0
 */
export interface AnswerOptions {
  /**
   * Takes what handlers send before the answer: progress, partial results, and notifications through `call.peer`. They
   * wait until it ends. Without it they can send nothing.
   */
  readonly send?: ((text: string) => Effect.Effect<void>) | undefined
  /**
   * The budget that the calls of the text count on, beside others of their host. The default is the budget in the
   * context, or one that all texts of the router share.
   */
  readonly budget?: Budget.Budget | undefined
  /**
   * Calls a function at each step of a host that shuts down, at once for those that it has taken, and gives how to stop
   * that. When it `begins`, requests that have not started are refused, and handlers hear of it by `call.draining`. When
   * its time is `over`, handlers that run are interrupted, and their requests are answered -32000 "Shutting down".
   */
  readonly onDraining?: Alone.OnDraining | undefined
}

export { type DrainStep, type OnDraining } from "./internal/lanes/Alone.ts"

/**
 * Method name to handler.
 *
 * @category services
 * @since 0.1.0
 */
export interface Router extends Lookup {
  /** Serves a method until the Scope closes. The handler gets the services that it requires from this context. */
  readonly add: <R = never>(
    method: string,
    handler: Handler<ErrorResponse, R>,
    options?: HandlerOptions | undefined
  ) => Effect.Effect<void, MethodTaken, R | Scope.Scope>

  /** Serves several methods, all or none. */
  readonly addAll: <R = never>(
    handlers: Handlers<R>,
    options?: HandlerOptions | undefined
  ) => Effect.Effect<void, MethodTaken, R | Scope.Scope>

  /** The methods whose params keep the digits of their numbers. */
  readonly exact: NonNullable<Lookup["exact"]>

  /**
   * Answers a text: the text of the reply, or nothing for notifications and responses. Requests of a batch run at once,
   * each after the notifications before it if its method has that order; a notification delays the answer by
   * `Limits.notification` at most. Handlers cannot call the other side back. With `send` they can notify it until the
   * answer is there. An interruption interrupts the handlers, and waits for them.
   */
  readonly answer: (text: string, options?: AnswerOptions | undefined) => Effect.Effect<Option.Option<string>>
}

/** The service of a `Router`. @category services @since 0.1.0 */
export const Router: Context.Service<Router, Router> = Context.Service("@parley/peer/Router")

/**
 * Identifies a `Router` whose handlers may call the other side back. What serves connections requires this one, and is
 * content with every `Router`; what answers posts or texts requires a `Router`, so that it does not compile with handlers
 * that call back.
 *
 * @category services
 * @since 0.1.0
 */
export interface DuplexRouter extends Router {
  readonly "~@parley/peer/DuplexRouter": never
}

/** The service of a `Router` for connections: the same as `Router`, by another type. @category services @since 0.1.0 */
export const DuplexRouter: Context.Service<DuplexRouter, Router> = Context.Service("@parley/peer/Router")

/**
 * Identifies what handlers require that call the other side back: a way back. `layer` provides it and gives a
 * `DuplexRouter` then.
 *
 * @category services
 * @since 0.1.0
 */
export interface CallsBack {
  readonly "~@parley/peer/CallsBack": never
}

/**
 * Says that all wires of a router have a way back, where it is not made by `layer`. There is nothing that could check it.
 *
 * @category layers
 * @since 0.1.0
 */
// Only the types know it.
export const layerCallsBack: Layer.Layer<CallsBack> = Layer.empty as unknown as Layer.Layer<CallsBack>

/** The router of handlers that require this. @category models @since 0.1.0 */
export type RouterOf<R> = [Extract<R, CallsBack>] extends [never] ? Router : DuplexRouter

/**
 * An empty router. When the Scope closes, handlers of notifications that still run behind an `answer` are interrupted.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: RouterOptions = {}): Effect.Effect<Router, never, Scope.Scope> =>
  Effect.map(FiberSet.make<void>(), (all) => start(options, (rest) => FiberSet.addUnsafe(all, rest)))

/**
 * A router with these handlers: a record of them, or the layers of contracts (`Layer.mergeAll` joins several). Each
 * call makes a router of its own, so that what two servers serve never mixes. Where a handler calls back, it is a
 * `DuplexRouter`, which serves connections only.
 *
 * A service that is provided inside of the layers of contracts is built anew for each router. Provide services that are
 * to be shared outside.
 *
 * @category layers
 * @since 0.1.0
 */
export function layer<A, E, R>(
  handlers: Layer.Layer<A, E, R>,
  options?: RouterOptions | undefined
): Layer.Layer<RouterOf<R> | A, E, Exclude<R, Router | CallsBack>>
export function layer<R = never>(
  handlers: Handlers<R>,
  options?: RouterOptions | undefined
): Layer.Layer<Router, MethodTaken, Exclude<R, Scope.Scope>>
export function layer<R>(
  handlers: Layer.Layer<never, MethodTaken, R> | Handlers<R>,
  options?: RouterOptions
): Layer.Layer<Router, MethodTaken, Exclude<R, Router> | Exclude<R, Scope.Scope>> {
  const made = make(options)
  return isLayer(handlers)
    // Fresh, because layers that two routers are given would be built for the first one only.
    ? Layer.fresh(Layer.provideMerge(handlers, Layer.effect(Router, made)))
    : Layer.effect(Router, Effect.tap(made, (router) => router.addAll(handlers)))
}

const isLayer = <A, E, R>(handlers: Layer.Layer<A, E, R> | object): handlers is Layer.Layer<A, E, R> =>
  Layer.isLayer(handlers)

const start = (
  { dialect = Dialect.jsonRpc, fallback, limits }: RouterOptions,
  overstaying: Alone.AloneOptions["overstaying"]
): Router => {
  const methods = new Map<string, HandlerOptions & { readonly handler: Handler }>()
  const exact = new Set<string>()
  const bounds = Limits.make(limits)
  const reader = new TextReader(dialect, bounds)
  /** The budget that all texts that are answered at the same time share. */
  let budget: Budget.Budget | undefined

  const addAll: Router["addAll"] = <R>(added: Handlers<R>, options?: HandlerOptions) =>
    Effect.asVoid(Effect.acquireRelease(
      Effect.contextWith((context: Context.Context<R>) => {
        const services = withoutCall(context)
        const entries = Object.entries(added)
        const taken = entries.find(([method]) => methods.has(method))
        if (taken !== undefined) return Effect.fail(new MethodTaken({ method: taken[0] }))
        for (const [method, handler] of entries) {
          methods.set(method, { order: options?.order, handler: provided(handler, services) })
          if (options?.exact === true) exact.add(method)
        }
        return Effect.succeed(entries)
      }),
      (entries) =>
        Effect.sync(() =>
          entries.forEach(([method]) => {
            methods.delete(method)
            exact.delete(method)
          })
        )
    ))

  const lookup = {
    handlerOf: (method: string) => methods.get(method)?.handler ?? fallback,
    isConcurrent: (method: string) => methods.get(method)?.order === "concurrent",
    exact
  }

  const rules = { router: lookup, dialect, limits: bounds, reader, overstaying }

  const answer: Router["answer"] = (text, { budget: given, onDraining, send } = {}) =>
    Effect.flatMap(Budget.Budget, (known) => {
      const shared = given?.share() ?? known ?? (budget ??= Budget.make(bounds.budget))
      return Effect.map(
        Alone.answer(text, { ...rules, send, onDraining, budget: shared }),
        ({ text }) => Option.fromUndefinedOr(text)
      )
    })

  return {
    add: (method, handler, options) => addAll({ [method]: handler }, options),
    addAll,
    ...lookup,
    answer
  }
}

/** Resources that a handler acquires are released when its call ends (promise 24). An exit has acquired none. */
const provided = <R>(handler: Handler<ErrorResponse, R>, context: Context.Context<R>): Handler => (call) => {
  const effect = handler(call)
  return exitOf(effect) ?? Effect.suspend(() => {
    const scope = Scope.makeUnsafe()
    return Effect.onExitPrimitive(
      Effect.provideContext(effect, Context.add(context, Scope.Scope, scope)),
      (exit) => scope.state._tag === "Empty" ? undefined : Scope.close(scope, exit)
    )
  })
}
