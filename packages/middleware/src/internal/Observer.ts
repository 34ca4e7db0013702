/**
 * Tells an observer of the beginning and the end of each call: those that a
 * handler serves, and the requests that a caller makes.
 */
import type { Caller, Member } from "@parley/peer/Caller"
import type { Middleware } from "@parley/peer/Handler"
import type { RequestId } from "@parley/protocol/shared"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/** A call, as far as both sides know it. @internal */
export interface Observed extends Pick<Member, "method" | "params"> {
  /** The id of a request that is served. */
  readonly id?: RequestId.RequestId | undefined
}

/** Watches one call. @internal */
export interface Watcher<A = Schema.Json | void> {
  readonly begin?: (fiber: Fiber.Fiber<unknown, unknown>) => void
  /** Runs after every `begin`, once, however the call ends. The time is in nanoseconds. */
  readonly end: (
    exit: Exit.Exit<A, unknown>,
    nanoseconds: number,
    fiber: Fiber.Fiber<unknown, unknown>
  ) => Effect.Effect<void> | undefined
}

/** Gives each call its watcher. @internal */
export type Observer = (call: Observed) => Watcher

/** Observes requests and notifications. @internal */
export const handler = (observer: Observer): Middleware => (handler) => (call) =>
  watched(() => handler(call), observer(call))

/** Observes requests, each member of a batch as one. @internal */
export const caller = (observer: Observer) => (inner: Caller): Caller => ({
  ...inner,
  request: (method, params, options) =>
    watched(() => inner.request(method, params, options), observer({ method, params })),
  batch: (members, options) => watched(() => inner.batch(members, options), ofBatch(observer, members))
})

type Outcomes = ReadonlyArray<Result.Result<Schema.Json, unknown> | undefined>

const ofBatch = (observer: Observer, members: ReadonlyArray<Member>): Watcher<Outcomes> => {
  const watchers = members.map((member) => member.notification === true ? undefined : observer(member))
  return {
    begin: (fiber) => watchers.forEach((watcher) => watcher?.begin?.(fiber)),
    end: (exit, nanoseconds, fiber) => {
      const ends = watchers.map((watcher, index) => watcher?.end(memberExit(exit, index), nanoseconds, fiber))
      return Effect.forEach(ends, (end) => end ?? Effect.void, { discard: true })
    }
  }
}

/** How a member of a batch ended, which ends as the batch does where it has no outcome of its own. */
const memberExit = (batch: Exit.Exit<Outcomes, unknown>, index: number): Exit.Exit<Schema.Json | void, unknown> => {
  if (Exit.isFailure(batch)) return Exit.failCause(batch.cause)
  const outcome = batch.value[index]
  return outcome === undefined ? Exit.void : Result.match(outcome, { onFailure: Exit.fail, onSuccess: Exit.succeed })
}

const watched = <A extends B, B, E, R>(
  run: () => Effect.Effect<A, E, R>,
  watcher: Watcher<B>
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const clock = fiber.getRef(Clock.Clock)
    let start: bigint | undefined
    return Effect.onExitPrimitive(
      // `begin` runs where `end` is sure to follow: a fiber may be interrupted between any two steps.
      Effect.suspend(() => {
        start = clock.monotonicTimeNanosUnsafe()
        watcher.begin?.(fiber)
        return run()
      }),
      (exit) =>
        start === undefined ? undefined : watcher.end(exit, Number(clock.monotonicTimeNanosUnsafe() - start), fiber)
    )
  })
