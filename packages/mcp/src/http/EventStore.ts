/**
 * Where the events of legacy HTTP streams are kept, so that a client whose stream
 * broke can come back for what it missed (`Last-Event-ID`).
 *
 * An id names its stream and its place there: `<stream>_<n>`, with 0 for the place
 * before the first event.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as KeyValueStore from "effect/persistence/KeyValueStore"
import * as Schema from "effect/Schema"
import { idOf, loggedAs, MemoryEvents, placeOf, weightOf } from "../internal/http/server/storage.ts"

/**
 * An event that was kept.
 *
 * @category models
 * @since 0.1.0
 */
export interface StoredEvent {
  readonly id: string
  readonly data: string
}

/**
 * Keeps the events of sessions' streams. What cannot be kept or read is logged, and as if it were not there.
 *
 * @category services
 * @since 0.1.0
 */
export interface EventStore {
  /** Keeps an event. The events of a stream come one after the other, their places without a gap. */
  readonly put: (session: string, event: StoredEvent) => Effect.Effect<void>
  /** The events behind the one of this id, in order; nothing where they are not kept, or no more, or never were. */
  readonly after: (session: string, id: string) => Effect.Effect<Option.Option<ReadonlyArray<StoredEvent>>>
  /** Forgets a session. */
  readonly drop: (session: string) => Effect.Effect<void>
}

/** The service of a `EventStore`. @category services @since 0.1.0 */
export const EventStore: Context.Service<EventStore, EventStore> = Context.Service("@parley/mcp/http/EventStore")

/**
 * Bounds, in characters, of what is kept in memory; an event counts 256 beside its own. Beyond them the oldest events go
 * first.
 *
 * @category models
 * @since 0.1.0
 */
export interface MemoryOptions {
  /** Of one session. The default is 4 Mi: a few large results. */
  readonly session?: number | undefined
  /** Of all together. The default is 64 Mi. */
  readonly total?: number | undefined
}

/**
 * Keeps events in memory. A client whose event is gone cannot resume, and its call fails.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeMemory = ({ session = ofSession, total = 67_108_864 }: MemoryOptions = {}): EventStore => {
  const events = new MemoryEvents(session, total)
  return {
    put: (session, { data, id }) => Effect.sync(() => events.put(session, id, data)),
    after: (session, id) => Effect.sync(() => Option.fromUndefinedOr(events.after(session, id))),
    drop: (session) => Effect.sync(() => events.drop(session))
  }
}

/**
 * Keeps events in a `KeyValueStore` of `effect/persistence`, so that another process can replay them: one key for each,
 * `mcp/event/<session>/<id>`. Of what one process has written in one session it keeps the newest 4 Mi characters,
 * where an event counts 256 beside its own; the end of the session removes them all.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerKeyValue: Layer.Layer<EventStore, never, KeyValueStore.KeyValueStore> = Layer.effect(
  EventStore,
  Effect.map(KeyValueStore.KeyValueStore, (store) => {
    const lengths = KeyValueStore.toSchemaStore(store, Schema.Finite)
    const keyOf = (session: string, name: string) => `mcp/event/${session}/${name}`
    const written = new Map<string, Written>()
    const put = Effect.fnUntraced(function*(session: string, { data, id }: StoredEvent) {
      const [stream, place] = placeOf(id)
      const key = keyOf(session, id)
      yield* store.set(key, data)
      yield* lengths.set(keyOf(session, stream), place)
      const own = written.get(session) ?? { size: 0, events: [] }
      written.set(session, own)
      const [longest] = written.keys()
      if (written.size > sessions && longest !== undefined) written.delete(longest)
      const size = weightOf(data)
      own.size += size
      own.events.push({ key, size })
      while (own.size > ofSession && own.events.length > 1) {
        const oldest = own.events.shift()
        if (oldest === undefined) break
        own.size -= oldest.size
        yield* store.remove(oldest.key)
      }
    })
    const after = Effect.fnUntraced(function*(session: string, id: string) {
      const [stream, place] = placeOf(id)
      const length = Option.getOrElse(yield* lengths.get(keyOf(session, stream)), () => -1)
      if (place > length) return Option.none<ReadonlyArray<StoredEvent>>()
      const events: Array<StoredEvent> = []
      for (let next = place + 1; next <= length; next++) {
        const data = yield* store.get(keyOf(session, idOf(stream, next)))
        if (data === undefined) return Option.none<ReadonlyArray<StoredEvent>>()
        events.push({ id: idOf(stream, next), data })
      }
      return Option.some<ReadonlyArray<StoredEvent>>(events)
    })
    return {
      put: (session, event) => logged(put(session, event), undefined),
      after: (session, id) => logged(after(session, id), Option.none()),
      drop: (session) =>
        Effect.suspend(() => {
          written.delete(session)
          return logged(store.clearPrefix(keyOf(session, "")), undefined)
        })
    }
  })
)

/** What one process has written in one session, the oldest first. */
interface Written {
  size: number
  readonly events: Array<{ readonly key: string; readonly size: number }>
}

/** Sessions of which it is known what was written: they may go on elsewhere without a word. */
const sessions = 10_000

/** Characters of the events of one session. */
const ofSession = 4_194_304

const logged = loggedAs("an event")
