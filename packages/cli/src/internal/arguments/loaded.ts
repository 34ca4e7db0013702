/**
 * A command whose module is loaded when it runs, so that help and usage errors do not wait for it.
 */
import * as Effect from "effect/Effect"

type Run<I, A, E, R> = (input: I) => Effect.Effect<A, E, R>

export const loaded = <I, A, E, R>(load: () => Promise<Run<I, A, E, R>>): Run<I, A, E, R> => (input) =>
  Effect.flatMap(Effect.promise(load), (run) => run(input))
