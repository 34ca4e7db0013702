/**
 * A reader that follows a key of a journal, for those who write a journal of their own.
 *
 * @since 0.1.0
 */
import { isReadonlyArrayNonEmpty, lastNonEmpty, type NonEmptyReadonlyArray } from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import type { Item } from "./Journal.ts"

/**
 * Gives the items behind a position, and those that come. `read` gives the items behind a position, and `undefined` where
 * the key was dropped; `changed` ends when it is time to read again. `Stream.fromPull` makes `follow` of it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <E>(
  after: number,
  read: (after: number) => Effect.Effect<ReadonlyArray<Item> | undefined, E>,
  changed: Effect.Effect<void>
): Pull.Pull<NonEmptyReadonlyArray<Item>, E> => {
  let place = after
  const pull: Pull.Pull<NonEmptyReadonlyArray<Item>, E> = Effect.flatMap(
    Effect.suspend(() => read(place)),
    (items) => {
      if (items === undefined) return Cause.done()
      if (!isReadonlyArrayNonEmpty(items)) return Effect.andThen(changed, pull)
      const last = lastNonEmpty(items)
      place = last._tag === "Entry" ? last.position : last.before - 1
      return Effect.succeed(items)
    }
  )
  return pull
}
