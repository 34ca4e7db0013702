/**
 * Effects that need no fiber, because they have succeeded already.
 */
import type * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"

/** What `Exit.isExit` and `Exit.isSuccess` say too, for a tenth of their price: this is asked at each step of a call. */
export const isSuccess = <A, E, R>(effect: Effect.Effect<A, E, R>): effect is Exit.Success<A> =>
  // Only exits have this tag: errors that can be yielded have the names of their classes.
  (effect as { readonly _tag?: unknown })._tag === "Success"
