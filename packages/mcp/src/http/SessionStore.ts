/**
 * Where what is known of legacy HTTP sessions is kept, so that another process,
 * or the same one started again, can go on with them.
 *
 * Without one, a server keeps its sessions in memory and for itself. With one, a
 * process that gets a request of a session which no process holds goes on with it,
 * from what was agreed on; calls that ran elsewhere are not taken along. Where the
 * processes have a `Mesh`, requests of a session that another one holds are forwarded
 * to it. Without a `Mesh` nobody knows who holds what: requests of one session should
 * then go to the same process for as long as that lives, and an answer that reaches
 * another process than the one that asked is refused with status 409.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as KeyValueStore from "effect/persistence/KeyValueStore"
import * as Schema from "effect/Schema"
import { loggedAs } from "../internal/http/server/storage.ts"
import { ConnectionRecord } from "../server/Connection.ts"

/**
 * What is known of a session.
 *
 * @category models
 * @since 0.1.0
 */
export const SessionRecord = Schema.Struct({
  /** Who it belongs to; absent where nobody in particular may call. */
  principal: Schema.optionalKey(Schema.String),
  connection: ConnectionRecord,
  /** When it was used last, in milliseconds of the clock; written about once a minute. */
  used: Schema.Finite
})

/** @category models @since 0.1.0 */
export type SessionRecord = typeof SessionRecord.Type

/**
 * Keeps sessions by their ids. What cannot be kept or read is logged, and as if it were not there.
 *
 * @category services
 * @since 0.1.0
 */
export interface SessionStore {
  readonly get: (id: string) => Effect.Effect<Option.Option<SessionRecord>>
  readonly put: (id: string, record: SessionRecord) => Effect.Effect<void>
  readonly remove: (id: string) => Effect.Effect<void>
}

/** The service of a `SessionStore`. @category services @since 0.1.0 */
export const SessionStore: Context.Service<SessionStore, SessionStore> = Context.Service(
  "@parley/mcp/http/SessionStore"
)

/**
 * Keeps sessions in a `KeyValueStore` of `effect/persistence`, under keys that begin with `mcp/session/`. What was not
 * used for a day is gone when it is asked for.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerKeyValue: Layer.Layer<SessionStore, never, KeyValueStore.KeyValueStore> = Layer.effect(
  SessionStore,
  Effect.gen(function*() {
    const store = yield* KeyValueStore.KeyValueStore
    const records = KeyValueStore.toSchemaStore(store, SessionRecord)
    const remove = (id: string) => logged(records.remove(keyOf(id)), undefined)
    const get = Effect.fnUntraced(function*(id: string) {
      const record = yield* logged(records.get(keyOf(id)), Option.none<SessionRecord>())
      if (Option.isNone(record) || (yield* Clock.currentTimeMillis) - record.value.used < dayMillis) return record
      yield* remove(id)
      return Option.none()
    })
    return { get, put: (id, record) => logged(records.set(keyOf(id), record), undefined), remove }
  })
)

const keyOf = (id: string) => `mcp/session/${id}`

const dayMillis = 86_400_000

const logged = loggedAs("a session")
