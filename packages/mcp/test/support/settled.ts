import { Effect } from "effect"

/** Lets all go on that can, also what ends behind an answer. */
export const settled: Effect.Effect<void> = Effect.asVoid(Effect.repeat(Effect.yieldNow, { times: 200 }))
