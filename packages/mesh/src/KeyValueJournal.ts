/**
 * The journal over a `KeyValueStore` of `effect/persistence`: another process, or this one started again, reads what was
 * appended. The texts are under `journal/<key>/<position>`, and what is known of them under `journal/<key>`, where the
 * key is written as in a URL.
 *
 * A text that is too old is not read any more, but takes room in the store until its key is appended to, or dropped. A key
 * that an owner with an epoch has dropped leaves that epoch, some 60 characters.
 *
 * A `KeyValueStore` has no compare-and-set. So a key must have one writer at a time, which a `Lease` of a `Mesh` ensures.
 * Epochs are checked, but two processes that write at the same moment may both succeed.
 *
 * ```ts run
 * import { Journal, KeyValueJournal } from "@parley/mesh"
 * import { Effect, Layer } from "effect"
 * import { KeyValueStore } from "effect/persistence"
 *
 * const program = Effect.gen(function*() {
 *   const journal = yield* Journal.Journal
 *   yield* journal.append("orders", "one", 0)
 *   console.log((yield* journal.last("orders"))?.text) // => one
 * })
 *
 * // `KeyValueStore.layerFileSystem` or `layerSql` keeps the texts when the process has ended.
 * const journal = Layer.provide(KeyValueJournal.layer({ age: 60_000 }), KeyValueStore.layerMemory)
 * await program.pipe(Effect.provide(journal), Effect.runPromise)
 * ```
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as KeyValueStore from "effect/persistence/KeyValueStore"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Fenced, Overloaded } from "./internal/MeshError.ts"
import * as Journal from "./Journal.ts"
import * as JournalFollower from "./shared/JournalFollower.ts"
import * as KeyedLock from "./shared/KeyedLock.ts"

/**
 * The options of a journal over a `KeyValueStore`.
 *
 * @category models
 * @since 0.1.0
 */
export interface KeyValueJournalOptions extends Journal.Bounds {
  /** How often a reader that follows looks for more. A second by default. */
  readonly interval?: Duration.Input | undefined
}

/** The facts about a key. */
const Known = Schema.Struct({
  epoch: Schema.Finite,
  /** The position of the first text that is kept, and of the last. */
  first: Schema.Int,
  last: Schema.Int,
  weight: Schema.Finite,
  /** Another each time that the key was dropped. */
  life: Schema.optionalKey(Schema.String)
})

type Known = typeof Known.Type

const nothing: Known = { epoch: 0, first: 1, last: 0, weight: 0 }

/** The facts of a key that begins another life. */
const begun = (): Known => ({ ...nothing, life: crypto.randomUUID().slice(0, 8) })

/** A text, and when it was appended. */
const Kept = Schema.Struct({ at: Schema.Finite, text: Schema.String })

/**
 * A journal over a `KeyValueStore`. Its time is that of the `Clock` of this effect.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  store: KeyValueStore.KeyValueStore,
  options: KeyValueJournalOptions = {}
): Effect.Effect<Journal.Journal> => Effect.map(Clock.Clock, (clock) => over(store, clock, options))

const over = (
  store: KeyValueStore.KeyValueStore,
  clock: Clock.Clock,
  options: KeyValueJournalOptions
): Journal.Journal => {
  const { age = Journal.bounds.age, count = Journal.bounds.count, weight = Journal.bounds.weight } = options
  const interval = Duration.fromInputUnsafe(options.interval ?? "1 second")
  const knowns = KeyValueStore.toSchemaStore(store, Known)
  const texts = KeyValueStore.toSchemaStore(store, Kept)
  const locked = KeyedLock.make()

  const known = (key: string) => Effect.map(knowns.get(nameOf(key)), Option.getOrUndefined)

  /** Runs what an owner does, while no other of this process does something with the key. */
  const by = <A>(
    key: string,
    epoch: number,
    run: (known: Known) => Effect.Effect<A, KeyValueError>
  ): Effect.Effect<A, Fenced | Overloaded> =>
    locked(
      key,
      Effect.flatMap(told(key, known(key)), (known = begun()): Effect.Effect<A, Fenced | Overloaded> =>
        epoch < known.epoch ? Effect.fail(new Fenced({ key, epoch, newest: known.epoch })) : told(key, run(known)))
    )

  /** The facts that are left when the oldest texts are gone that are too many or too old. */
  const shrunk = (key: string, known: Known, most: number, now: number): Effect.Effect<Known, KeyValueError> =>
    Effect.suspend(() => {
      const { first, last } = known
      if (first >= last) return Effect.succeed(known)
      const name = nameOf(key, first)
      const isTooMuch = last - first >= most || known.weight > weight
      return Effect.flatMap(texts.get(name), (oldest) => {
        const isOver = isTooMuch || Option.isNone(oldest) || oldest.value.at < now - age
        if (!isOver) return Effect.succeed(known)
        const gone = Option.isNone(oldest) ? 0 : Journal.weightOf(oldest.value.text)
        const left = { ...known, first: first + 1, weight: known.weight - gone }
        return Effect.andThen(texts.remove(name), shrunk(key, left, most, now))
      })
    })

  const append = (key: string, text: string, epoch: number, keep = count) =>
    by(key, epoch, (known) =>
      Effect.gen(function*() {
        const at = clock.currentTimeMillisUnsafe()
        const position = known.last + 1
        yield* texts.set(nameOf(key, position), { at, text })
        const grown = { ...known, epoch, last: position, weight: known.weight + Journal.weightOf(text) }
        yield* knowns.set(nameOf(key), yield* shrunk(key, grown, Math.min(count, keep), at))
        return position
      }))

  const itemsOf = Effect.fnUntraced(function*(
    key: string,
    { first, last }: Known,
    after: number,
    most: number = Number.POSITIVE_INFINITY
  ) {
    const behind: Array<Omit<Journal.Entry, "_tag">> = []
    const since = clock.currentTimeMillisUnsafe() - age
    for (let position = Math.max(after + 1, first); position <= last && behind.length < most; position++) {
      const kept = Option.getOrUndefined(yield* texts.get(nameOf(key, position)))
      // Another process may have forgotten it meanwhile.
      if (kept !== undefined && kept.at >= since) behind.push({ position, text: kept.text })
    }
    return Journal.itemsOf(after, last, behind, most)
  })

  const read = (key: string, after: number, most?: number) =>
    told(key, Effect.flatMap(known(key), (known = nothing) => itemsOf(key, known, after, most)))

  const last = (key: string): Effect.Effect<Journal.Entry | undefined, Overloaded> =>
    told(
      key,
      Effect.flatMap(known(key), (known) => {
        if (known === undefined || known.last === 0) return Effect.undefined
        const position = known.last
        return Effect.map(texts.get(nameOf(key, position)), (found): Journal.Entry | undefined => {
          const kept = Option.getOrUndefined(found)
          const isThere = kept !== undefined && kept.at >= clock.currentTimeMillisUnsafe() - age
          return isThere ? { _tag: "Entry", position, text: kept.text } : undefined
        })
      })
    )

  const follow = (key: string, after: number): Stream.Stream<Journal.Item, Overloaded> =>
    Stream.suspend(() => {
      let seen: string | undefined
      const behind = (place: number) =>
        told(
          key,
          Effect.flatMap(known(key), (known) => {
            // A key without facts was dropped as well, if it had some.
            if (seen !== undefined && seen !== (known && lifeOf(known))) return Effect.undefined
            if (known !== undefined) seen = lifeOf(known)
            return itemsOf(key, known ?? nothing, place)
          })
        )
      return Stream.fromPull(Effect.succeed(JournalFollower.make(after, behind, clock.sleep(interval))))
    })

  return {
    append,
    fence: (key, epoch) => by(key, epoch, (known) => knowns.set(nameOf(key), { ...known, epoch })),
    last,
    read,
    follow,
    drop: (key, epoch) =>
      by(key, epoch, () =>
        Effect.andThen(
          store.clearPrefix(`${nameOf(key)}/`),
          epoch === 0
            ? knowns.remove(nameOf(key))
            : knowns.set(nameOf(key), { ...begun(), epoch })
        ))
  }
}

/** A journal over the `KeyValueStore`. A new layer at each call. @category layers @since 0.1.0 */
export const layer = (
  options: KeyValueJournalOptions = {}
): Layer.Layer<Journal.Journal, never, KeyValueStore.KeyValueStore> =>
  Layer.effect(Journal.Journal, Effect.flatMap(KeyValueStore.KeyValueStore, (store) => make(store, options)))

/** The life of a key; an older version wrote none. */
const lifeOf = ({ life = "" }: Known): string => life

const nameOf = (key: string, position?: number): string =>
  `journal/${encodeURIComponent(key)}${position === undefined ? "" : `/${position}`}`

type KeyValueError = KeyValueStore.KeyValueStoreError | Schema.SchemaError

/** Turns a failure of the store into one that a caller can act on. */
const told = <A>(key: string, effect: Effect.Effect<A, KeyValueError>): Effect.Effect<A, Overloaded> =>
  Effect.mapError(
    effect,
    ({ message }) => new Overloaded({ key, reason: `the store of the journal failed: ${message}` })
  )
