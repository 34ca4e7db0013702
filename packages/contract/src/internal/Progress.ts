/**
 * The progress of a call as a stream beside its result.
 *
 * ```ts run
 * import { Contract } from "@parley/contract"
 * import { Effect, Stream } from "effect"
 *
 * // In place of a call: `client.build({}, { onProgress })`.
 * const build = (onProgress: (params: { readonly percent: number }) => void) =>
 *   Effect.sync(() => {
 *     onProgress({ percent: 50 })
 *     onProgress({ percent: 100 })
 *     return "built"
 *   })
 *
 * const program = Effect.gen(function*() {
 *   const { progress, result } = yield* Contract.progress(build)
 *   console.log(yield* Stream.runCollect(progress)) // => [ { percent: 50 }, { percent: 100 } ]
 *   console.log(yield* result) // => built
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { StreamOptions } from "./Client.ts"
import * as Items from "./client/items.ts"
import type { Lagged } from "./ContractError.ts"

/**
 * A call that is under way.
 *
 * @category models
 * @since 0.1.0
 */
export interface Running<out A, out E> {
  /** The params of each progress notification, in the order of the wire. It ends when the call has. */
  readonly progress: Stream.Stream<Schema.Json, Lagged>
  /** Waits for the result. */
  readonly result: Effect.Effect<A, E>
}

/**
 * Makes a call that reports progress: `run` is given the function to pass as its `onProgress`. Closing the Scope
 * interrupts the call. The latest 64 reports are kept for a slow consumer, unless the options say otherwise.
 *
 * @category constructors
 * @since 0.1.0
 */
export const progress = <A, E, R>(
  run: (onProgress: (params: Schema.Json) => void) => Effect.Effect<A, E, R>,
  options?: Pick<StreamOptions, "capacity"> & { readonly strategy?: "sliding" | "dropping" | "fail" }
): Effect.Effect<Running<A, E>, never, R | Scope.Scope> =>
  Effect.suspend(() => {
    const items = Items.make<Schema.Json, never>(
      "progress",
      { capacity: 64, strategy: "sliding", ...options },
      () => () => {}
    )
    const call = Effect.ensuring(
      run((params) => items.push([params])),
      Effect.sync(() => items.end(Exit.fail(Cause.Done())))
    )
    return Effect.map(Effect.forkScoped(call, { startImmediately: true }), (fiber) => ({
      progress: Stream.fromPull(Effect.succeed(items.pull)),
      result: Fiber.join(fiber)
    }))
  })
