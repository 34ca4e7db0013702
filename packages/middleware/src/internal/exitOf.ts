import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** The exit that an effect is, or `undefined`. */
export const exitOf = <A, E, R>(effect: Effect.Effect<A, E, R>): Exit.Exit<A, E> | undefined =>
  // An exit of this effect has its types.
  Exit.isExit(effect) ? effect as Exit.Exit<A, E> : undefined
