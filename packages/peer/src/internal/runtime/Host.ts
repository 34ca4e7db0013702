/**
 * The effects of a conversation: it forks handlers, logs, sets deadlines and
 * counts on a budget. It has no others. A login changes the context in which it
 * forks, so that a handler finds the principal of its start for as long as it runs.
 *
 * A conversation may be made in the handler of another one, and serves other clients than that: its handlers never find
 * the `Holder` of the other connection, which they would log in.
 */
import type * as Limits from "@parley/protocol/Limits"
import { Excerpt } from "@parley/protocol/shared"
import * as Handshake from "@parley/transport/Handshake"
import { Budget } from "@parley/transport/shared"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"
import type * as Scope from "effect/Scope"
import { DeadlineQueue } from "../timer/DeadlineQueue.ts"

/** Forks an effect that needs nothing. */
export type Fork = <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>

/**
 * Writes a line to our log: a warning, or for debugging only where the cause is `Cause.empty`. The peer never sees it,
 * but the line may quote what the peer sent.
 */
export type Log = (message: string, cause: Cause.Cause<unknown>) => void

/** The cause of a warning whose line says everything. @internal */
export const unexplained: Cause.Cause<never> = Cause.fromReasons<never>([])

/** Characters of a line. A method alone may be as long as a frame. */
const longestLine = 1_024

/** A line of our log, and its cause, in which nothing is hidden. @internal */
export const warning = (message: string, cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Effect.logWarning(Excerpt.line(message, longestLine), Excerpt.cause(cause))

/**
 * It works in the context of the fiber that made it. Its timers are made when they are first used, because there is one
 * for each session, and for each text that is answered by itself.
 */
export class Host implements Handshake.Holder {
  fork: Fork
  readonly budget: Budget.Budget
  #context: Context.Context<never>
  #timers: DeadlineQueue | undefined = undefined
  #isDebugging: boolean | undefined = undefined

  constructor(
    context: Context.Context<never>,
    limits: Pick<Limits.Limits, "budget">,
    budget = Context.get(context, Budget.Budget) ?? Budget.make(limits.budget)
  ) {
    this.#context = withoutHolder(context)
    this.fork = Effect.runForkWith(this.#context)
    this.budget = budget
  }

  /** Lets the handlers of a connection log its client in. */
  holding(): this {
    this.#context = Context.add(this.#context, Handshake.Holder, this)
    this.fork = Effect.runForkWith(this.#context)
    return this
  }

  hold(login: Context.Context<never> | undefined): void {
    const handshake = Context.get(this.#context, Handshake.Current)
    const next = login === undefined ? handshake : Handshake.withLogin(handshake, login)
    this.fork = Effect.runForkWith(Context.add(this.#context, Handshake.Current, next))
  }

  get timers(): DeadlineQueue {
    return this.#timers ??= new DeadlineQueue(this.#context)
  }

  readonly log: Log = (message, cause) => {
    if (cause !== Cause.empty) return void this.fork(warning(message, cause))
    this.#isDebugging ??= !LogLevel.isGreaterThan(Context.get(this.#context, References.MinimumLogLevel), "Debug")
    // The other side can cause such a line with each text: a fiber that finds the level too low would cost too much.
    if (this.#isDebugging) this.fork(Effect.logDebug(Excerpt.line(message, longestLine)))
  }
}

/** A context in which nothing can log in the connection whose handler had it. @internal */
export const withoutHolder = (context: Context.Context<never>): Context.Context<never> =>
  Context.get(context, Handshake.Holder) === undefined ? context : Context.add(context, Handshake.Holder, undefined)

/**
 * The context of a side that we call: nobody has authorized it, and the principal of those that we call it for is not its
 * own.
 *
 * @internal
 */
export const withoutHandshake = (context: Context.Context<never>): Context.Context<never> =>
  Context.add(context, Handshake.Current, undefined)

/** Starts what works in the context of the fiber that makes it, and closes it with the Scope. @internal */
export const acquired = <A>(
  start: (context: Context.Context<never>) => A,
  close: (made: A) => Effect.Effect<unknown>
): Effect.Effect<A, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.contextWith((context: Context.Context<never>) => Effect.sync(() => start(context))),
    close
  )

/** The exit that an effect is, or `undefined`. @internal */
export const exitOf = <A, E, R>(effect: Effect.Effect<A, E, R>): Exit.Exit<A, E> | undefined => {
  // The same as `Exit.isExit`, five times as fast: this is asked several times per call.
  const prototype = Object.getPrototypeOf(effect)
  // An exit of this effect has its types.
  return prototype === success || prototype === failure ? effect as Exit.Exit<A, E> : undefined
}

const success = Object.getPrototypeOf(Exit.void)
const failure = Object.getPrototypeOf(Exit.die(undefined))
