/**
 * Keeps the state of legacy HTTP sessions, so that another process, or the same one
 * started again, can go on with them.
 *
 * Without one, a server keeps its sessions in its own memory. With one, a process
 * that gets a request of a session which no process holds goes on with that session;
 * calls that ran in another process are lost. Where the
 * processes have a `Mesh`, requests of a session that another one holds are forwarded
 * to it, and a `Journal` beside the mesh is the store where there is no other.
 * Without a `Mesh` no process knows which one holds a session: requests of one session
 * should then go to the same process for as long as that lives, and an answer that
 * reaches another process than the one that asked is refused with status 409.
 *
 * ```ts
 * import { McpHttp, McpServer, SessionStore } from "@parley/mcp"
 * import { Effect, Layer } from "effect"
 * import { KeyValueStore } from "effect/persistence"
 *
 * // Sessions that go on when the process is started again with the same store.
 * const store = Layer.provide(SessionStore.layerKeyValue, KeyValueStore.layerMemory)
 *
 * export const endpoint = Effect.gen(function*() {
 *   const server = yield* McpServer.make({ name: "clock", version: "1.0.0", features: [] })
 *   return yield* McpHttp.endpoint(server)
 * }).pipe(Effect.provide(store))
 * ```
 *
 * @since 0.1.0
 */
import * as Journal from "@parley/mesh/Journal"
import type { Overloaded } from "@parley/mesh/Mesh"
import * as Message from "@parley/protocol/Message"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as KeyValueStore from "effect/persistence/KeyValueStore"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { fence, loggedAs } from "../internal/http/session/Events.ts"
import { ConnectionRecord } from "../server/Connection.ts"

/**
 * The state of a session.
 *
 * @category models
 * @since 0.1.0
 */
export const SessionRecord = Schema.Struct({
  /** The name of the server that began it. No server of another name takes it up. */
  server: Schema.optionalKey(Schema.String),
  /** The principal that it belongs to; absent where the endpoint has no `authorize`. */
  principal: Schema.optionalKey(Schema.String),
  /** The state of its connection, from which another process goes on. */
  connection: ConnectionRecord,
  /** When it was used last, in milliseconds of the clock; written about once a minute. */
  used: Schema.Finite
})

/** @category models @since 0.1.0 */
export type SessionRecord = typeof SessionRecord.Type

/**
 * Keeps sessions by their ids. A session that cannot be kept is logged. Where a session cannot be read, the store fails with
 * `Overloaded`, and the client comes again; it may also say that the session is not there, and the client begins another.
 *
 * Of processes that have a `Mesh`, one holds a session at a time, by a lease whose epoch it tells; it is 0 without a mesh.
 *
 * @category services
 * @since 0.1.0
 */
export interface SessionStore {
  /** The session of an id, if it is kept. */
  readonly get: (id: string) => Effect.Effect<Option.Option<SessionRecord>, Overloaded>
  /** A process has the session now, by this epoch. A store that knows epochs refuses what earlier ones write from now on. */
  readonly fence: (id: string, epoch: number) => Effect.Effect<void, Overloaded>
  /** Keeps a session. `false` where it was refused, because another process has the session by now. */
  readonly put: (id: string, record: SessionRecord, epoch: number) => Effect.Effect<boolean>
  /** Forgets a session. `false` where it may still be there. */
  readonly remove: (id: string, epoch: number) => Effect.Effect<boolean>
}

/** The service of a `SessionStore`. @category services @since 0.1.0 */
export const SessionStore: Context.Service<SessionStore, SessionStore> = Context.Service(
  "@parley/mcp/http/SessionStore"
)

/**
 * Keeps sessions in a `Journal`, under keys that begin with `mcp/session/`, for as long as it keeps texts. It refuses what
 * an earlier owner of a session still writes, also when the session is over.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeJournal = (journal: Journal.Journal): SessionStore => {
  const logged = loggedAs("a session")
  const write = (id: string, text: string, epoch: number) =>
    Effect.matchEffect(journal.append(keyOf(id), text, epoch, 1), {
      onSuccess: () => Effect.succeed(true),
      onFailure: (error) => error._tag === "Fenced" ? Effect.succeed(false) : Effect.fail(error)
    })
  return {
    get: (id) =>
      Effect.map(
        journal.last(keyOf(id)),
        (last) => last === undefined ? Option.none() : decode(last.text)
      ),
    fence: (id, epoch) => fence(journal, keyOf(id), epoch),
    put: (id, record, epoch) => logged(write(id, JSON.stringify(record), epoch), true),
    remove: (id, epoch) => logged(write(id, over, epoch), false)
  }
}

/** Keeps sessions in the `Journal`. @category layers @since 0.1.0 */
export const layerJournal: Layer.Layer<SessionStore, never, Journal.Journal> = Layer.effect(
  SessionStore,
  Effect.map(Journal.Journal, makeJournal)
)

/**
 * Keeps sessions in a `KeyValueStore` of `effect/persistence`, under keys that begin with `mcp/session/`. A session that
 * was not used for a day is gone when it is asked for. The store knows no epochs.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerKeyValue: Layer.Layer<SessionStore, never, KeyValueStore.KeyValueStore> = Layer.effect(
  SessionStore,
  Effect.gen(function*() {
    const store = yield* KeyValueStore.KeyValueStore
    const logged = loggedAs("a session")
    const records = KeyValueStore.toSchemaStore(store, SessionRecord)
    const remove = (id: string) => logged(Effect.as(records.remove(keyOf(id)), true), false)
    const get = Effect.fnUntraced(function*(id: string) {
      const record = yield* logged(records.get(keyOf(id)), Option.none<SessionRecord>())
      if (Option.isNone(record) || (yield* Clock.currentTimeMillis) - record.value.used < dayMillis) return record
      yield* remove(id)
      return Option.none()
    })
    return {
      get,
      fence: () => Effect.void,
      put: (id, record) => logged(Effect.as(records.set(keyOf(id), record), true), true),
      remove
    }
  })
)

const keyOf = (id: string) => `mcp/session/${id}`

/** The last text of a session that is over. */
const over = ""

const decode = (text: string): Option.Option<SessionRecord> =>
  Option.flatMap(Result.getSuccess(Message.parse(text)), decodeRecord)

const decodeRecord = Schema.decodeUnknownOption(SessionRecord)

const dayMillis = 86_400_000
