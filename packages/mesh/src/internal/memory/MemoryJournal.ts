/**
 * The journal in memory. All keys share one bound: beyond it, the key that was written to longest ago loses its texts
 * first.
 *
 * ```ts run
 * import { MemoryNodes } from "@parley/mesh"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const journal = yield* MemoryNodes.makeJournal({ count: 2 })
 *   for (const text of ["one", "two", "three"]) yield* journal.append("orders", text, 0)
 *   for (const item of yield* journal.read("orders", 0)) console.log(item)
 *   // => { _tag: 'Gap', after: 0, before: 2 }
 *   // => { _tag: 'Entry', position: 2, text: 'two' }
 *   // => { _tag: 'Entry', position: 3, text: 'three' }
 * })
 *
 * await Effect.runPromise(program)
 * ```
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import * as Journal from "../../Journal.ts"
import * as JournalFollower from "../../shared/JournalFollower.ts"
import { Log, Logs } from "../Logs.ts"
import { Fenced } from "../MeshError.ts"

/**
 * The options of a journal in memory.
 *
 * @category models
 * @since 0.1.0
 */
export interface MemoryJournalOptions extends Journal.Bounds {
  /** The weight of all keys together, each of which counts 256 beside its texts. 64 Mi by default. */
  readonly total?: number | undefined
}

/**
 * A journal in memory. Its time is that of the `Clock` of this effect.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeJournal = (options: MemoryJournalOptions = {}): Effect.Effect<Journal.Journal> =>
  Effect.map(Clock.Clock, (clock) => makeJournalWith(clock, options))

/** A journal in memory with this clock. @category constructors @since 0.1.0 */
export const makeJournalWith = (clock: Clock.Clock, options: MemoryJournalOptions = {}): Journal.Journal => {
  const { age = Journal.bounds.age, count = Journal.bounds.count, total = 67_108_864, weight = Journal.bounds.weight } =
    options
  const logs = new Logs({ age, count, total, weight })

  const by = <A>(key: string, epoch: number, run: (now: number) => A): Effect.Effect<A, Fenced> =>
    Effect.suspend(() => {
      const newest = logs.epochOf(key) ?? epoch
      return epoch < newest
        ? Effect.fail(new Fenced({ key, epoch, newest }))
        : Effect.succeed(run(clock.currentTimeMillisUnsafe()))
    })

  const read = (key: string, after: number, most?: number): Effect.Effect<ReadonlyArray<Journal.Item>> =>
    Effect.sync(() => (logs.get(key) ?? nothing).read(after, clock.currentTimeMillisUnsafe() - age, most))

  const follow = (key: string, after: number): Stream.Stream<Journal.Item> =>
    JournalFollower.watching(after, {
      watch: (onChange) =>
        Effect.acquireRelease(
          Effect.sync(() => logs.watch(key, onChange)),
          () => Effect.sync(() => logs.unwatch(key, onChange))
        ),
      read: (place) => read(key, place)
    })

  return {
    append: (key, text, epoch, keep) => by(key, epoch, (now) => logs.append(key, text, epoch, now, keep)),
    fence: (key, epoch) => by(key, epoch, (now) => logs.fence(key, epoch, now)),
    last: (key) => Effect.sync(() => logs.get(key)?.newest(clock.currentTimeMillisUnsafe() - age)),
    read,
    follow,
    drop: (key, epoch) => by(key, epoch, () => logs.drop(key, epoch))
  }
}

/** A journal in memory. A new layer at each call. @category layers @since 0.1.0 */
export const layerJournal = (options: MemoryJournalOptions = {}): Layer.Layer<Journal.Journal> =>
  Layer.effect(Journal.Journal, makeJournal(options))

/** A key that nobody has written to. */
const nothing = new Log(0)
