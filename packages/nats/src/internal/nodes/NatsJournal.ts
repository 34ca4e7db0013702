/**
 * The journal of NATS: each key is a subject of one JetStream stream. A message names the one that it follows, and the
 * server refuses it where that is not the newest any more. So an owner with an older epoch is refused, even while others
 * write.
 *
 * - `count`, `weight` and `age` bound exactly what a reader sees. The server may keep half as much again of a key before it
 *   purges.
 * - A text larger than a message is split over several.
 * - A key that was dropped leaves a message of some 400 bytes for twice the `age`: it refuses older epochs meanwhile.
 * - `age` compares the clock of the reader with that of the server.
 *
 * It needs a server from 2.9 on.
 *
 * ```ts
 * import { Journal } from "@parley/mesh"
 * import { NatsClient, NatsNodes } from "@parley/nats"
 * import { Effect, Layer } from "effect"
 *
 * const journal = Layer.provide(
 *   NatsNodes.layerJournal({ prefix: "shop", age: 3_600_000 }),
 *   NatsClient.layer({ servers: "127.0.0.1:4222" })
 * )
 *
 * export const program = Effect.gen(function*() {
 *   const { append, last } = yield* Journal.Journal
 *   yield* append("orders", "one", 0)
 *   return yield* last("orders")
 * }).pipe(Effect.provide(journal))
 * ```
 *
 * @since 0.1.0
 */
import * as Journal from "@parley/mesh/Journal"
import { Fenced, type Overloaded } from "@parley/mesh/Mesh"
import { KeyedLock } from "@parley/mesh/shared"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { NatsClient } from "../../NatsClient.ts"
import { NatsError } from "../connection/NatsError.ts"
import { JetStream } from "../jetstream/JetStream.ts"
import * as Subject from "../jetstream/Subject.ts"
import type { Head } from "../journal/Facts.ts"
import { follow } from "../journal/Following.ts"
import { Heads } from "../journal/Heads.ts"
import { itemsOf } from "../journal/Items.ts"
import { Log } from "../journal/Log.ts"
import { overloaded, told } from "../Told.ts"

/**
 * The options of a journal.
 *
 * @category models
 * @since 0.1.0
 */
export interface NatsJournalOptions extends Journal.Bounds {
  /** The beginning of the names of its subjects and of its stream: letters, digits, `-` and `_`. `parley` by default. */
  readonly prefix?: string | undefined
  /** Where the server keeps the texts. `file` by default: they are there when it starts again. */
  readonly storage?: "file" | "memory" | undefined
  /** On how many servers of a cluster. 1 by default. */
  readonly replicas?: number | undefined
  /** Bytes of the texts of all keys. 1 Gi by default; beyond it, the oldest go. */
  readonly total?: number | undefined
}

/** How often a text is tried while other processes write the same key. */
const attempts = 64

/**
 * A journal over a connection, until the Scope closes. Fails where the server cannot be reached, or has no JetStream or no
 * room for as many bytes.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeJournal = (
  client: NatsClient,
  options: NatsJournalOptions = {}
): Effect.Effect<Journal.Journal, NatsError, Scope.Scope> =>
  Effect.gen(function*() {
    const { prefix = "parley", replicas = 1, storage = "file", total = 1_073_741_824 } = options
    const { age = Journal.bounds.age, count = Journal.bounds.count, weight = Journal.bounds.weight } = options
    if (!Subject.isPrefix(prefix)) return yield* Effect.fail(Subject.refusalOfPrefix(prefix))
    const clock = yield* Clock.Clock
    const log = new Log(new JetStream(client), { age, bytes: total, count, prefix, replicas, storage, weight })
    const heads = new Heads(log)
    const locked = KeyedLock.make()
    yield* log.ensured.watched
    yield* log.ensured.ready

    /** Since when texts are not too old, in milliseconds. */
    const since = () => clock.currentTimeMillisUnsafe() - age

    /** Writes behind the newest message of a key; again, where another process has written meanwhile. */
    const by = (
      key: string,
      epoch: number,
      write: (head: Head) => Effect.Effect<Head | undefined, NatsError>
    ): Effect.Effect<Head, Fenced | Overloaded> => {
      const tried = (left: number): Effect.Effect<Head, Fenced | NatsError> =>
        Effect.flatMap(heads.newest(key, epoch), (head): Effect.Effect<Head, Fenced | NatsError> => {
          const { epoch: newest } = head.facts
          if (epoch < newest) return Effect.fail(new Fenced({ key, epoch, newest }))
          return Effect.flatMap(heads.moved(key, write(head)), (next) => {
            if (next !== undefined) return Effect.succeed(next)
            if (left > 1) return tried(left - 1)
            const detail = `others have written it ${attempts} times meanwhile`
            return Effect.fail(new NatsError({ subject: log.subjectOf(key), reason: { _tag: "Invalid", detail } }))
          })
        })
      return Effect.mapError(
        locked(key, tried(attempts)),
        (error) => error._tag === "Fenced" ? error : overloaded(key, error)
      )
    }

    return {
      append: (key, text, epoch, keep = count) => {
        const weight = Journal.weightOf(text)
        const write = (head: Head) =>
          Effect.flatMap(log.append(key, head, text, { epoch, keep, weight }), (next) =>
            next === undefined
              ? Effect.undefined
              : Effect.orElseSucceed(log.trimmed(key, next), () => next))
        return Effect.map(by(key, epoch, write), ({ facts }) => facts.last)
      },
      fence: (key, epoch) => Effect.asVoid(by(key, epoch, (head) => log.fence(key, head, epoch))),
      last: (key) =>
        told(
          key,
          Effect.map(log.newest(key), (newest): Journal.Entry | undefined =>
            newest === undefined || newest.at < since()
              ? undefined
              : { _tag: "Entry", position: newest.position, text: newest.text })
        ),
      read: (key, after, most) =>
        told(
          key,
          Effect.map(
            Effect.suspend(() => log.behind(key, { after, most, since: since() })),
            (behind) => itemsOf(behind, after, most)
          )
        ),
      follow: (key, after) => follow({ client, log, key, after, since }),
      drop: (key, epoch) =>
        Effect.asVoid(
          by(key, epoch, (head) => head.seq === 0 && epoch === 0 ? Effect.succeed(head) : log.drop(key, head, epoch))
        )
    }
  })

/** A journal over the `NatsClient`. A new layer at each call. @category layers @since 0.1.0 */
export const layerJournal = (options: NatsJournalOptions = {}): Layer.Layer<Journal.Journal, NatsError, NatsClient> =>
  Layer.effect(Journal.Journal, Effect.flatMap(NatsClient, (client) => makeJournal(client, options)))
