/**
 * Makes calls again that failed for a reason that may pass, on either side.
 *
 * A request is sent a second time only when the first was surely not sent, when
 * the other side said that it did not start it, or when its caller says that it is
 * idempotent: the second half of promise 9. No option overrides this rule; `while`
 * and the schedule only narrow it.
 *
 * ```ts run
 * import { Exchange } from "@parley/peer/shared"
 * import { Retry } from "@parley/middleware"
 * import { Caller } from "@parley/peer"
 * import { Effect, Schedule } from "effect"
 *
 * let posts = 0
 * const exchange: Exchange.Exchange = {
 *   post: (_, take) =>
 *     ++posts === 1
 *       ? Effect.fail(new Caller.Disconnected({ reason: { _tag: "Closed" }, sent: false }))
 *       : Effect.as(take(`{"jsonrpc":"2.0","id":${posts},"result":"done"}`) ?? Effect.void, "answer")
 * }
 *
 * const program = Effect.gen(function*() {
 *   const caller = (yield* Exchange.makeCaller(exchange)).pipe(Retry.caller({ schedule: Schedule.recurs(3) }))
 *   console.log(yield* caller.request("work"), posts) // => done 2
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import { type Caller, type CallError, isShutDown } from "@parley/peer/Caller"
import { ErrorResponse } from "@parley/peer/ErrorResponse"
import type { Call, Handler, Middleware } from "@parley/peer/Handler"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type * as Schema from "effect/Schema"
import { exitOf } from "./internal/exitOf.ts"

/**
 * When a caller makes a request again.
 *
 * @category models
 * @since 0.1.0
 */
export interface RetryCallerOptions<R = never> {
  /** How often, and after which delays. It sees each failure, and may itself fail with an error of a caller. */
  readonly schedule: Schedule.Schedule<unknown, CallError, CallError, R>
  /** Which failures are worth another try, of those that allow it. All of them by default. */
  readonly while?: ((error: CallError) => boolean) | undefined
  /**
   * The codes with which the peer says that it has no room now, such as `dialect.overloadCode`. None by default: the
   * range where it stands has other codes, too.
   */
  readonly overloadCodes?: ReadonlyArray<number> | undefined
}

/**
 * Makes requests again that failed with `Disconnected`, `Overloaded`, `RequestTimeout` or one of the `overloadCodes`, or
 * that the other side ended because it shuts down. Those that may have been started are made again only when their
 * options say `idempotent`.
 *
 * Each try has the whole timeout of the call, and what an earlier one reported as progress is not taken back. A request
 * that has had a partial result is not made again, or it would have that twice.
 *
 * A batch is sent again as a whole, and only when nothing of it was sent; one with notifications never is, because
 * nothing tells whether they went out. Notifications are not sent again either: they would lose their place in the
 * order.
 *
 * **When to use**
 *
 * Over a caller that can get better, such as one that connects again. A peer whose connection has ended stays ended.
 *
 * @category calling
 * @since 0.1.0
 */
export const caller =
  ({ overloadCodes = [], schedule, while: isWorth = () => true }: RetryCallerOptions) => (inner: Caller): Caller => {
    const mayPass = (error: CallError, idempotent: boolean) =>
      (idempotent || isUnsent(error)) && isTransient(error, overloadCodes) && isWorth(error)
    return {
      ...inner,
      request: (method, params, options) => {
        const { idempotent = false, onPartialResult } = options ?? {}
        if (onPartialResult === undefined) {
          const effect = inner.request(method, params, options)
          return again(effect, schedule, (error) => mayPass(error, idempotent) ? error : undefined)
        }
        return Effect.suspend(() => {
          let begun = false
          const noting = (value: Schema.Json) => {
            begun = true
            onPartialResult(value)
          }
          return again(
            inner.request(method, params, { ...options, onPartialResult: noting }),
            schedule,
            (error) => !begun && mayPass(error, idempotent) ? error : undefined
          )
        })
      },
      batch: (members, options) => {
        const effect = inner.batch(members, options)
        if (members.some(({ notification }) => notification === true)) return effect
        const checked = Effect.flatMap(effect, (outcomes) => {
          const error = unsentIn(outcomes)
          return error === undefined
            ? Effect.succeed(outcomes)
            : Effect.fail({ _tag: "Unsent" as const, error, outcomes })
        })
        const retried = again(checked, schedule, (failure) => {
          const error = failure._tag === "Unsent" ? failure.error : failure
          return mayPass(error, false) ? error : undefined
        })
        return Effect.catchTag(retried, "Unsent", ({ outcomes }) => Effect.succeed(outcomes))
      }
    }
  }

/**
 * `caller` for a schedule that requires services, which are taken from here.
 *
 * @category calling
 * @since 0.1.0
 */
export const makeCaller = <R>(options: RetryCallerOptions<R>) => (inner: Caller): Effect.Effect<Caller, never, R> =>
  Effect.contextWith((context: Context.Context<R>) =>
    Effect.succeed(caller({ ...options, schedule: provided(options.schedule, context) })(inner))
  )

/**
 * When a handler is run again.
 *
 * @category models
 * @since 0.1.0
 */
export interface RetryHandlerOptions<E = never, R = never> {
  /** How often, and after which delays. */
  readonly schedule: Schedule.Schedule<unknown, ErrorResponse, E, R>
  /** Which failures may pass. */
  readonly while: (error: ErrorResponse) => boolean
}

/**
 * Runs a handler again that failed with an `ErrorResponse` for a reason that may pass. The caller waits meanwhile, and
 * the handler repeats what it did before it failed.
 *
 * @category serving
 * @since 0.1.0
 */
export const handler =
  <E2 = never, R2 = never>(options: RetryHandlerOptions<E2, R2>): Middleware<E2, R2> => (handler) => {
    const transient = (error: unknown) => error instanceof ErrorResponse && options.while(error) ? error : undefined
    const attempt = once(handler)
    return (call) => {
      const effect = attempt(call)
      const exit = exitOf(effect)
      // A handler that has succeeded already needs no fiber.
      if (exit !== undefined && Exit.isSuccess(exit)) return exit
      return again(effect, options.schedule, transient, () => attempt(call))
    }
  }

/** Runs a handler so that what it leaves to run after its reply is left only when it succeeds. */
const once = <E, R>(handler: Handler<E, R>): Handler<E, R> => (call) => {
  const left: Array<Parameters<Call["afterReply"]>> = []
  const end = (exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> | undefined => {
    if (left.length === 0) return undefined
    if (Exit.isFailure(exit)) {
      return Effect.forEach(left, ([, otherwise]) => otherwise ?? Effect.void, { discard: true })
    }
    for (const each of left) call.afterReply(...each)
    return undefined
  }
  const effect = handler({ ...call, afterReply: (...each) => void left.push(each) })
  const exit = exitOf(effect)
  if (exit === undefined || (Exit.isFailure(exit) && left.length > 0)) return Effect.onExitPrimitive(effect, end)
  end(exit)
  return exit
}

/** Whether the peer cannot have seen the request, or says that it did not start it. */
const isUnsent = (error: CallError): boolean =>
  error._tag === "Overloaded" || (error._tag === "Disconnected" && !error.sent)

const isTransient = (error: CallError, overloadCodes: ReadonlyArray<number>): boolean => {
  switch (error._tag) {
    case "Disconnected":
      // A call without another side will never have one.
      return error.reason._tag !== "NoPeer"
    case "Overloaded":
    case "RequestTimeout":
      return true
    case "RemoteError":
      // Dialects have codes of their own for the end of a side. The mark beside the code is the same in all of them.
      return overloadCodes.includes(error.code) || isShutDown(error, { shutDownCode: error.code })
    default:
      return false
  }
}

/** The error of a batch of which every member failed before it was sent. */
const unsentIn = (outcomes: ReadonlyArray<Result.Result<unknown, CallError> | undefined>): CallError | undefined => {
  const errors = outcomes.flatMap((outcome) =>
    outcome !== undefined && Result.isFailure(outcome) ? [outcome.failure] : []
  )
  return errors.length === outcomes.length && errors.every(isUnsent) ? errors[0] : undefined
}

/**
 * Runs an effect again, as the schedule says, while its failure gives the schedule an input. `Effect.retry` is the
 * same and starts the schedule before the first try, which every call would pay for.
 */
const again = <A, E, R, I, E2, R2>(
  effect: Effect.Effect<A, E, R>,
  schedule: Schedule.Schedule<unknown, I, E2, R2>,
  transient: (error: E) => I | undefined,
  next: () => Effect.Effect<A, E, R> = () => effect
): Effect.Effect<A, E | E2, R | R2> => {
  const recover = (error: E, starting = Schedule.toStepWithSleep(schedule)): Effect.Effect<A, E | E2, R | R2> => {
    const input = transient(error)
    if (input === undefined) return Effect.fail(error)
    return Effect.flatMap(starting, (step) =>
      Pull.matchEffect(step(input), {
        onSuccess: () => Effect.catch(Effect.suspend(next), (error) => recover(error, Effect.succeed(step))),
        onFailure: Effect.failCause,
        onDone: () => Effect.fail(error)
      }))
  }
  return Effect.catch(effect, (error) => recover(error))
}

const provided = <O, I, E, R>(
  schedule: Schedule.Schedule<O, I, E, R>,
  context: Context.Context<R>
): Schedule.Schedule<O, I, E> =>
  Schedule.fromStep(Effect.map(
    Effect.provideContext(Schedule.toStep(schedule), context),
    (step) => (now: number, input: I) => Effect.provideContext(step(now, input), context)
  ))
