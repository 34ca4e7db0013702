/**
 * A journal keeps texts under keys, in the order in which they were appended, for as long as there is room. A reader that
 * comes later gets the texts that are still there, and a gap in place of those that are not.
 *
 * The texts of a key have positions, from 1 on, without a gap. A writer says by which epoch of a `Lease` it appends:
 * once a newer epoch was seen, an owner that has stood still and wakes up is refused.
 *
 * `MemoryNodes` keeps them in memory, `KeyValueJournal` in a `KeyValueStore`.
 *
 * ```ts run
 * import { Journal, MemoryNodes } from "@parley/mesh"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const journal = yield* Journal.Journal
 *   yield* journal.append("orders", "one", 1)
 *   yield* journal.append("orders", "two", 1)
 *   console.log(yield* journal.read("orders", 1)) // => [ { _tag: 'Entry', position: 2, text: 'two' } ]
 *   // A new owner has a newer epoch. What the earlier one still writes is refused.
 *   yield* journal.fence("orders", 2)
 *   console.log((yield* Effect.flip(journal.append("orders", "three", 1)))._tag) // => Fenced
 * })
 *
 * await program.pipe(Effect.provide(MemoryNodes.layerJournal()), Effect.runPromise)
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Fenced, Overloaded } from "./internal/MeshError.ts"
import * as Weight from "./internal/Weight.ts"

/**
 * A text that was appended.
 *
 * @category models
 * @since 0.1.0
 */
export interface Entry {
  readonly _tag: "Entry"
  /** Its place under its key: 1 for the first text, and one more for each that follows. */
  readonly position: number
  /** The text itself. */
  readonly text: string
}

/**
 * A gap: the texts between two positions are gone. They were too old, too many, or of an earlier life of the journal.
 *
 * @category models
 * @since 0.1.0
 */
export interface Gap {
  readonly _tag: "Gap"
  /** The position before the gap. */
  readonly after: number
  /** The position behind the gap. */
  readonly before: number
}

/** An item of a key, as a reader sees it. @category models @since 0.1.0 */
export type Item = Entry | Gap

/**
 * Keeps texts under keys, in the order in which they were appended.
 *
 * @category services
 * @since 0.1.0
 */
export interface Journal {
  /**
   * Appends a text, and gives its position. An owner without a lease has the epoch 0. Of the texts of the key, no more than
   * `keep` are kept then, this one among them: 1 where only the last state of something counts.
   */
  readonly append: (
    key: string,
    text: string,
    epoch: number,
    keep?: number
  ) => Effect.Effect<number, Fenced | Overloaded>
  /** Refuses epochs before this one from now on: what a new owner does before it reads. */
  readonly fence: (key: string, epoch: number) => Effect.Effect<void, Fenced | Overloaded>
  /** The newest text, unless it is too old or was never there. */
  readonly last: (key: string) => Effect.Effect<Entry | undefined, Overloaded>
  /**
   * The texts behind a position, in order, behind the gap if there is one; 0 is before the first. No more than `most` items
   * are given, all by default; texts that are too old are none of them.
   */
  readonly read: (key: string, after: number, most?: number) => Effect.Effect<ReadonlyArray<Item>, Overloaded>
  /**
   * The texts behind a position, and those that come, until the key is dropped. A slow reader blocks no writer and takes no
   * memory: it gets a gap.
   */
  readonly follow: (key: string, after: number) => Stream.Stream<Item, Overloaded>
  /**
   * Forgets a key, with its positions: the next text of the key is the first. Its epoch stays for as long as that of a
   * `fence`, unless it is 0: what an earlier owner still writes is refused, and cannot bring the key back.
   */
  readonly drop: (key: string, epoch: number) => Effect.Effect<void, Fenced | Overloaded>
}

/** The service of a `Journal`. @category services @since 0.1.0 */
export const Journal: Context.Service<Journal, Journal> = Context.Service("@parley/mesh/Journal")

/**
 * Bounds of a journal. Beyond them the oldest texts go first, but never the newest of a key that was just appended.
 *
 * @category models
 * @since 0.1.0
 */
export interface Bounds {
  /** How many texts of one key are kept. 16,384 by default. */
  readonly count?: number | undefined
  /** The weight of the texts of one key: their characters, and 256 for each. 4 Mi by default. */
  readonly weight?: number | undefined
  /** How long a text is kept, in milliseconds of the clock. A day by default. */
  readonly age?: number | undefined
}

/** The default bounds. @category models @since 0.1.0 */
export const bounds: Required<{ readonly [K in keyof Bounds]: number }> = {
  count: 16_384,
  weight: 4_194_304,
  age: 86_400_000
}

/**
 * The items behind a position, up to the last, or as many as `most`: these texts, and gaps where others were. It is for a
 * journal of your own.
 *
 * @category constructors
 * @since 0.1.0
 */
export const itemsOf = (
  after: number,
  last: number,
  texts: Iterable<Omit<Entry, "_tag">>,
  most: number = Number.POSITIVE_INFINITY
): ReadonlyArray<Item> => {
  if (after > last) return [{ _tag: "Gap", after, before: last + 1 }]
  const items: Array<Item> = []
  let place = after
  for (const { position, text } of texts) {
    if (position > place + 1) items.push({ _tag: "Gap", after: place, before: position })
    if (items.length >= most) return items
    items.push({ _tag: "Entry", position, text })
    place = position
    if (items.length >= most) return items
  }
  if (place < last) items.push({ _tag: "Gap", after: place, before: last + 1 })
  return items
}

/** The weight of a text: its characters, and about as much as it costs beside them. @category models @since 0.1.0 */
export const weightOf: (text: string) => number = Weight.weightOf
