/**
 * A reader that follows a key of a journal. It is for a journal of your own.
 *
 * ```ts run
 * import { JournalFollower } from "@parley/mesh/shared"
 * import { Journal } from "@parley/mesh"
 * import { Effect, Stream } from "effect"
 *
 * const entries = ["one", "two"].map((text, index) => ({ position: index + 1, text }))
 * const read = (after: number) => Effect.succeed(Journal.itemsOf(after, entries.length, entries.slice(after)))
 *
 * // It reads again each second. `watching` is for a journal that tells of changes.
 * const pull = JournalFollower.make(1, read, Effect.sleep("1 second"))
 * const follow = Stream.fromPull(Effect.succeed(pull))
 *
 * console.log(await follow.pipe(Stream.take(1), Stream.runCollect, Effect.runPromise))
 * // => [ { _tag: 'Entry', position: 2, text: 'two' } ]
 * ```
 *
 * @since 0.1.0
 */
import { isReadonlyArrayNonEmpty, lastNonEmpty, type NonEmptyReadonlyArray } from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Pull from "effect/Pull"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Item } from "../Journal.ts"

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

/**
 * The means by which a journal tells of the changes of a key.
 *
 * @category models
 * @since 0.1.0
 */
export interface Watching<E> {
  /**
   * Calls a function each time that the key may have changed, until the Scope closes: with `true` where it was
   * dropped.
   */
  readonly watch: (onChange: (isDropped: boolean) => void) => Effect.Effect<void, E, Scope.Scope>
  /** The items behind a position, and `undefined` where the key was dropped. */
  readonly read: (after: number) => Effect.Effect<ReadonlyArray<Item> | undefined, E>
  /** Ends when it is time to read again without a change. By default there is no such time. */
  readonly again?: Effect.Effect<void> | undefined
}

/**
 * The items of a key behind a position, and those that come, for a journal that tells of changes. A change is heard also
 * while the reader is busy: a key that was dropped may be there again by then.
 *
 * @category constructors
 * @since 0.1.0
 */
export const watching = <E>(after: number, { again, read, watch }: Watching<E>): Stream.Stream<Item, E> =>
  Stream.suspend(() => {
    const changed = Latch.makeUnsafe()
    let wasDropped = false
    const watched = watch((isDropped) => {
      wasDropped ||= isDropped
      changed.openUnsafe()
    })
    const behind = (place: number) =>
      Effect.suspend(() => {
        changed.closeUnsafe()
        return wasDropped ? Effect.undefined : read(place)
      })
    const due = again === undefined ? changed.await : Effect.raceFirst(changed.await, again)
    return Stream.scoped(Stream.fromPull(Effect.as(watched, make(after, behind, due))))
  })
