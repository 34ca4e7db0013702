/**
 * How much may be asked of one server: calls at once, calls in a time, and none while it fails.
 */
import type { McpContext } from "@parley/mcp/McpContext"
import { Shares } from "@parley/mcp/shared"
import * as McpError from "@parley/mcp/wire/McpError"
import type * as ErrorResponse from "@parley/peer/ErrorResponse"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import * as RateLimiter from "effect/persistence/RateLimiter"
import * as Scope from "effect/Scope"
import type { Budget as Options, Rate } from "../../Policy.ts"
import * as Origin from "./origin.ts"

/**
 * Runs a call within the bounds, or fails at once. `alive` ends when the server has shown that it works, before it has
 * answered.
 *
 * @internal
 */
export type Budget = <A>(
  call: Pick<McpContext, "party" | "principal">,
  effect: Effect.Effect<A, ErrorResponse.ErrorResponse>,
  alive?: Effect.Effect<void>
) => Effect.Effect<A, ErrorResponse.ErrorResponse>

/** @internal */
export const make = Effect.fnUntraced(function*(
  server: string,
  { breaker, calls, callsPerPrincipal, rate, ratePerPrincipal }: Options,
  /** Whether the account of one principal may fail while those of others do not. */
  hasAccounts: boolean
): Effect.fn.Return<Budget, never, Scope.Scope> {
  const atOnce = calls === undefined && callsPerPrincipal === undefined
    ? undefined
    : within(server, new Shares.Shares(calls ?? Infinity, callsPerPrincipal ?? Infinity))
  const ofAll = rate && (yield* limited(server, rate))
  const ofOne = ratePerPrincipal && (yield* limited(server, ratePerPrincipal))
  const unbroken = breaker && (yield* broken(server, breaker))
  // A call that one of these refuses takes nothing of those behind: what one caller may not have, the others keep.
  return (call, effect, alive) => {
    const own = `of ${call.principal ?? ""}`
    const counted = ofAll === undefined ? effect : Effect.andThen(ofAll("all"), effect)
    const spent = ofOne === undefined ? counted : Effect.andThen(ofOne(own), counted)
    const checked = unbroken === undefined ? spent : unbroken(hasAccounts ? own : "all", spent, alive)
    return atOnce === undefined ? checked : atOnce(call, checked)
  }
})

const within = (server: string, shares: Shares.Shares): Budget => ({ party }, effect) =>
  Effect.suspend(() => {
    const full = shares.fullFor(party)
    if (full === undefined) {
      shares.take(party)
      return Effect.ensuring(effect, Effect.sync(() => shares.give(party)))
    }
    return Effect.fail(Origin.full(shares, full, `calls of the server ${server}`))
  })

/** How many keys a store has before another takes its place: it forgets none. */
const mostKeys = 4_096

/** A store of keys, which another one replaces in time. */
const bounded = <S>(fresh: Effect.Effect<S, never, Scope.Scope>) =>
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    let store = yield* fresh
    const keys = new Set<string>()
    return (key: string): Effect.Effect<S> =>
      Effect.suspend(() => {
        if (keys.size < mostKeys || keys.has(key)) {
          keys.add(key)
          return Effect.succeed(store)
        }
        return Effect.map(Scope.provide(fresh, scope), (another) => {
          keys.clear()
          keys.add(key)
          return store = another
        })
      })
  })

const limited = Effect.fnUntraced(function*(server: string, { limit, window }: Rate) {
  const limiterOf = yield* bounded(Effect.provide(RateLimiter.make, RateLimiter.layerStoreMemory))
  return (key: string): Effect.Effect<void, ErrorResponse.ErrorResponse> =>
    Effect.flatMap(
      limiterOf(key),
      (limiter) => limiter.consume({ algorithm: "token-bucket", onExceeded: "fail", key, limit, window })
    ).pipe(
      Effect.matchEffect({
        onSuccess: () => Effect.void,
        onFailure: ({ reason }) =>
          Effect.fail(
            Origin.overloaded(
              `No more than ${limit} calls of the server ${server} in ${seconds(window)} s${
                key === "all" ? "" : " for one caller"
              }: try again in ${reason._tag === "RateLimitExceeded" ? seconds(reason.retryAfter) : 1} s`
            )
          )
      })
    )
})

const broken = Effect.fnUntraced(function*(
  server: string,
  { cooldown, failures }: NonNullable<Options["breaker"]>
) {
  const breakerOf = yield* bounded(Effect.provide(
    CircuitBreaker.make({ tripPolicy: CircuitBreaker.consecutive(failures), openDuration: cooldown }),
    CircuitBreaker.layerStoreMemory()
  ))
  return <A>(
    key: string,
    effect: Effect.Effect<A, ErrorResponse.ErrorResponse>,
    alive: Effect.Effect<void> | undefined
  ): Effect.Effect<A, ErrorResponse.ErrorResponse> =>
    Effect.catch(
      Effect.flatMap(breakerOf(key), (breaker) => {
        const counted = <A>(effect: Effect.Effect<A, ErrorResponse.ErrorResponse>) =>
          breaker.execute(effect, { key, classify: healthOf })
        return alive === undefined ? counted(effect) : untilAlive(effect, alive, counted)
      }),
      (error) =>
        Effect.fail(
          error._tag === "ErrorResponse" ? error : Origin.refusal(McpError.upstreamFailed(
            server,
            `has failed ${failures} times in a row, and is left alone${
              error.reason._tag === "CircuitOpen"
                ? ` for ${seconds(error.reason.retryAfter)} s`
                : " until it answers a call"
            }`
          ))
        )
    )
})

/** Counts a call only until its server has shown that it works: its client may then be asked, and take its time. */
const untilAlive = <A, E, E2>(
  effect: Effect.Effect<A, E>,
  alive: Effect.Effect<void>,
  counted: (effect: Effect.Effect<unknown, E>) => Effect.Effect<unknown, E2>
): Effect.Effect<A, E | E2> =>
  Effect.suspend(() => {
    let call: Fiber.Fiber<A, E> | undefined
    const begun = Effect.flatMap(Effect.forkChild(effect, { startImmediately: true }), (fiber) => {
      call = fiber
      return Effect.raceFirst(Fiber.join(fiber), alive)
    })
    // One that was not admitted has failed.
    const ended = Effect.suspend(() => Fiber.join(call!))
    return Effect.onInterrupt(
      Effect.andThen(counted(begun), ended),
      () => call === undefined ? Effect.void : Fiber.interrupt(call)
    )
  })

/** An error that the server itself answers with is a sign of health. */
const healthOf = (exit: Exit.Exit<unknown, ErrorResponse.ErrorResponse>): CircuitBreaker.Outcome => {
  if (Exit.isSuccess(exit)) return CircuitBreaker.success
  if (Exit.hasInterrupts(exit)) return CircuitBreaker.ignored
  const error = errorOf(exit)
  if (error === undefined) return CircuitBreaker.success
  if (Origin.isRefusal(error)) return CircuitBreaker.ignored
  return Origin.isFailure(error) ? CircuitBreaker.failure() : CircuitBreaker.success
}

/** The error that a call has ended with. @internal */
export const errorOf = (
  exit: Exit.Exit<unknown, ErrorResponse.ErrorResponse>
): ErrorResponse.ErrorResponse | undefined =>
  Exit.isSuccess(exit)
    ? undefined
    : exit.cause.reasons.flatMap((reason) => reason._tag === "Fail" ? [reason.error] : [])[0]

/** Whole seconds, and at least one. */
const seconds = (duration: Duration.Input): number =>
  Math.max(1, Math.ceil(Duration.toMillis(Duration.fromInputUnsafe(duration)) / 1_000))
