/** A journal over texts in SQLite. Its readers hear at once of what this process appends, and in time of what others do. */
import * as Journal from "@parley/mesh/Journal"
import { Fenced, Overloaded } from "@parley/mesh/Mesh"
import { JournalFollower } from "@parley/mesh/shared"
import type * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { LockQueue } from "./LockQueue.ts"
import type { Known, Texts } from "./Texts.ts"

/** @internal */
export const messageOf = (cause: unknown): string => cause instanceof Error ? cause.message : "it failed"

/** @internal */
export const make = (
  texts: Texts,
  clock: Clock.Clock,
  interval: Duration.Duration,
  queue: LockQueue
): Journal.Journal => {
  const watchers = new Map<string, Set<(isDropped: boolean) => void>>()

  const tell = (key: string) => {
    for (const onChange of [...watchers.get(key) ?? []]) onChange(false)
  }

  /** Runs something of SQLite, whose failures are those of another process that is busy, or of the disk. */
  const told = <A>(key: string, run: () => A): Effect.Effect<A, Overloaded> =>
    Effect.mapError(queue.run(run), (cause) => new Overloaded({ key, reason: `SQLite: ${messageOf(cause)}` }))

  const fenced = <A extends object>(
    key: string,
    epoch: number,
    change: () => A | { readonly newest: number } | undefined
  ): Effect.Effect<A | undefined, Fenced | Overloaded> =>
    Effect.flatMap(told(key, change), (done): Effect.Effect<A | undefined, Fenced> => {
      if (done !== undefined && "newest" in done) return Effect.fail(new Fenced({ key, epoch, newest: done.newest }))
      tell(key)
      return Effect.succeed(done)
    })

  const itemsOf = (
    key: string,
    known: Known | undefined,
    after: number,
    most?: number
  ): ReadonlyArray<Journal.Item> =>
    Journal.itemsOf(
      after,
      known?.last ?? 0,
      texts.behind(key, after, clock.currentTimeMillisUnsafe() - texts.age, most),
      most
    )

  const follow = (key: string, after: number): Stream.Stream<Journal.Item, Overloaded> =>
    Stream.suspend(() => {
      let born: string | undefined
      return JournalFollower.watching(after, {
        watch: (onChange) =>
          Effect.acquireRelease(
            Effect.sync(() => void watchers.set(key, (watchers.get(key) ?? new Set()).add(onChange))),
            () =>
              Effect.sync(() => {
                const set = watchers.get(key)
                if (set?.delete(onChange) === true && set.size === 0) watchers.delete(key)
              })
          ),
        read: (place) =>
          told(key, () => {
            const known = texts.known(key)
            // A key that is there again is another.
            if (born !== undefined && known?.born !== born) return undefined
            born = known?.born
            return itemsOf(key, known, place)
          }),
        again: clock.sleep(interval)
      })
    })

  return {
    append: (key, text, epoch, keep) =>
      Effect.map(
        fenced(key, epoch, () => texts.append(key, text, epoch, clock.currentTimeMillisUnsafe(), keep)),
        (done) => done?.position ?? 0
      ),
    fence: (key, epoch) =>
      Effect.asVoid(fenced(key, epoch, () => texts.fence(key, epoch, clock.currentTimeMillisUnsafe()))),
    last: (key) =>
      told(key, () => {
        const newest = texts.newest(key, clock.currentTimeMillisUnsafe() - texts.age)
        return newest && { _tag: "Entry", position: newest.position, text: newest.text }
      }),
    read: (key, after, most) => told(key, () => itemsOf(key, texts.known(key), after, most)),
    follow,
    drop: (key, epoch) =>
      Effect.asVoid(fenced(key, epoch, () => texts.drop(key, epoch, clock.currentTimeMillisUnsafe())))
  }
}
