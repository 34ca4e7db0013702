/**
 * How many calls run at once, on either side.
 *
 * ```ts run
 * import { Concurrency } from "@parley/middleware"
 * import { Router } from "@parley/peer"
 * import { Effect, Option } from "effect"
 *
 * let running = 0
 * let most = 0
 * const work = Effect.gen(function*() {
 *   most = Math.max(most, ++running)
 *   yield* Effect.yieldNow
 *   running--
 * })
 *
 * const program = Effect.gen(function*() {
 *   const router = yield* Router.make()
 *   yield* router.add("work", Concurrency.handler(2)(() => work))
 *   const calls = [1, 2, 3, 4].map((id) => ({ jsonrpc: "2.0", id, method: "work" }))
 *   console.log(Option.isSome(yield* router.answer(JSON.stringify(calls))), most) // => true 2
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import type { Caller } from "@parley/peer/Caller"
import type { Middleware } from "@parley/peer/Handler"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

/**
 * Runs at most so many calls at once of all handlers that this middleware wraps. A handler that waits for the other
 * side gives its place back, and does not take it again.
 *
 * @category serving
 * @since 0.1.0
 */
export const handler = (limit: number): Middleware => {
  const semaphore = Semaphore.makeUnsafe(limit)
  return (handler) => (call) =>
    // Unlike an acquisition, waiting for a place can be interrupted.
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(semaphore.take(1)), () => {
        const release = once(semaphore.release(1))
        const peer = around(call.peer, (effect) => Effect.andThen(release, effect))
        return Effect.ensuring(restore(Effect.suspend(() => handler({ ...call, peer }))), release)
      })
    )
}

/**
 * Lets at most so many requests of this caller wait at once; others wait for their turn. A batch counts as one.
 *
 * @category calling
 * @since 0.1.0
 */
export const caller = (limit: number) => (inner: Caller): Caller =>
  around(inner, Semaphore.makeUnsafe(limit).withPermit)

/** Changes how a caller waits for responses. */
const around = (inner: Caller, wait: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>): Caller => ({
  ...inner,
  request: (...call) => wait(inner.request(...call)),
  batch: (...call) => wait(inner.batch(...call))
})

const once = (effect: Effect.Effect<unknown>): Effect.Effect<void> => {
  let isDone = false
  return Effect.suspend(() => {
    if (isDone) return Effect.void
    isDone = true
    return Effect.asVoid(effect)
  })
}
