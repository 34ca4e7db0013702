/**
 * Items through a codec, as they are pulled.
 */
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** Those before one that does not fit come before its failure, however they are chunked. @internal */
export const make = <A, B, E, E2, R>(
  pull: Effect.Effect<NonEmptyReadonlyArray<A>, E, R>,
  codec: (item: A) => Exit.Exit<B, E2>
): Effect.Effect<NonEmptyReadonlyArray<B>, E | E2, R> => {
  let broken: Exit.Exit<never, E2> | undefined
  const mapAll = (items: ReadonlyArray<A>): Exit.Exit<NonEmptyReadonlyArray<B>, E2> => {
    const mapped: Array<B> = []
    for (const item of items) {
      const exit = codec(item)
      if (Exit.isFailure(exit)) {
        broken = Exit.failCause(exit.cause)
        if (mapped.length === 0) return broken
        break
      }
      mapped.push(exit.value)
    }
    // There was at least one item, and it did not end the loop.
    return Exit.succeed(mapped as unknown as NonEmptyReadonlyArray<B>)
  }
  return Effect.suspend(() => broken ?? Effect.flatMap(pull, mapAll))
}
