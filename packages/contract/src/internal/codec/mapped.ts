/**
 * Items through a codec, as they are pulled.
 */
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/**
 * The items before one that does not fit are given before its failure, however they are chunked. A pull that is
 * interrupted leaves the rest to the next pull.
 */
export const make = <A, B, E, E2, R>(
  pull: Effect.Effect<NonEmptyReadonlyArray<A>, E, R>,
  codec: (item: A) => Effect.Effect<B, E2>
): Effect.Effect<NonEmptyReadonlyArray<B>, E | E2, R> => {
  let broken: Exit.Exit<never, E2> | undefined
  let pulled: ReadonlyArray<A> = []
  /** The number of pulled items that are done: mapped, or refused. */
  let at = 0
  let mapped: Array<B> = []

  const take = (): Exit.Exit<NonEmptyReadonlyArray<B>, E2> => {
    if (mapped.length === 0 && broken !== undefined) return broken
    // At least one item was pulled, and if none was mapped, the first was refused.
    const items = mapped as unknown as NonEmptyReadonlyArray<B>
    pulled = []
    mapped = []
    return Exit.succeed(items)
  }

  const keep = (item: Exit.Exit<B, E2>) => {
    at++
    if (Exit.isSuccess(item)) mapped.push(item.value)
    else broken = Exit.failCause(item.cause)
  }

  const mapAll = (): Effect.Effect<NonEmptyReadonlyArray<B>, E2> => {
    while (at < pulled.length && broken === undefined) {
      // It is there, by the line above.
      const item = codec(pulled[at] as A)
      if (!Exit.isExit(item)) {
        return Effect.flatMap(Effect.exit(item), (exit) => {
          keep(exit)
          return mapAll()
        })
      }
      // An exit of this effect has its types.
      keep(item as Exit.Exit<B, E2>)
    }
    return take()
  }

  const next = Effect.flatMap(pull, (items) => {
    pulled = items
    at = 0
    return mapAll()
  })
  return Effect.suspend(() => broken ?? (pulled.length > 0 ? mapAll() : next))
}
