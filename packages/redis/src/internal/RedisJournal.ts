/**
 * The journal in Redis: a stream for each key, whose ids are the positions, and a hash with what is known of it. Each
 * operation is one script: its checks and its writes are atomic.
 *
 * The texts of a key are forgotten when nothing was appended to it for `age`, and its epoch and last position a day later;
 * so is the epoch of a key that was dropped. Where Redis evicts the texts, they are a gap. Where it evicts the hash, the
 * epoch of the newest text is still known, but not that of a later fence, nor that of a dropped key: with `maxmemory`, give
 * Redis the policy `noeviction`. A Redis that comes back empty knows none of it.
 *
 * ```ts
 * import * as NodeRedis from "@effect/platform-node/NodeRedis"
 * import { Journal } from "@parley/mesh"
 * import { RedisNodes } from "@parley/redis"
 * import { Effect, Layer } from "effect"
 *
 * const journal = Layer.provide(
 *   RedisNodes.layerJournal({ prefix: "{shop}:", age: 3_600_000 }),
 *   NodeRedis.layer({ url: "redis://127.0.0.1:6379" })
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
import { JournalFollower } from "@parley/mesh/shared"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redis from "effect/persistence/Redis"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Changes } from "./Changes.ts"
import * as scripts from "./journalScripts.ts"
import { Line } from "./Line.ts"
import type * as RedisEngine from "./RedisEngine.ts"
import * as Settings from "./Settings.ts"
import { told } from "./Told.ts"

/**
 * The options of a journal in Redis.
 *
 * @category models
 * @since 0.1.0
 */
export interface RedisJournalOptions extends Omit<RedisEngine.RedisEngineOptions, "lease">, Journal.Bounds {}

/**
 * A journal in the `Redis` of the context, until the Scope closes. Its time is that of the server. It takes one connection
 * of the pool, and another while somebody follows.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeJournal = (
  options: RedisJournalOptions = {}
): Effect.Effect<Journal.Journal, never, Redis.Redis | Scope.Scope> =>
  Effect.gen(function*() {
    const redis = yield* Redis.Redis
    const context = Context.omit(Redis.Redis)(yield* Effect.context<Redis.Redis | Scope.Scope>())
    const settings = Settings.of(options)
    const { prefix, timeout } = settings
    const line = new Line(redis, Object.values(scripts), settings, context)
    const changes = new Changes({
      redis,
      line,
      timeout,
      stream: `${prefix}changes`,
      markOf: (key) => `${prefix}followed/${key}`,
      fork: Effect.runForkWith(context)
    })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        changes.close()
        line.close()
      })
    )
    return over(line, changes, prefix, options)
  })

/** A journal in the `Redis`. A new layer at each call. @category layers @since 0.1.0 */
export const layerJournal = (options: RedisJournalOptions = {}): Layer.Layer<Journal.Journal, never, Redis.Redis> =>
  Layer.effect(Journal.Journal, makeJournal(options))

const over = (line: Line, changes: Changes, prefix: string, options: RedisJournalOptions): Journal.Journal => {
  const { age = Journal.bounds.age, count = Journal.bounds.count, weight = Journal.bounds.weight } = options
  const [heaviest, kept, known] = [String(weight), String(age), String(age + factsKept)]
  const textsOf = (key: string) => `${prefix}texts/${key}`
  const own = (key: string) => [`${prefix}facts/${key}`, textsOf(key)]
  const all = (key: string) => [...own(key), `${prefix}followed/${key}`, `${prefix}changes`]

  /** Runs a script that refuses older epochs. */
  const by = (
    key: string,
    epoch: number,
    lua: string,
    keys: ReadonlyArray<string>,
    args: ReadonlyArray<string>,
    weight = 0
  ): Effect.Effect<number, Fenced | Overloaded> => {
    const done = line.eval<readonly [0 | 1, string]>(lua, keys, () => [String(epoch), ...args], weight)
    return Effect.flatMap(told(key, done), ([isDone, number]) =>
      isDone === 1
        ? Effect.succeed(Number(number))
        : Effect.fail(new Fenced({ key, epoch, newest: Number(number) })))
  }

  /** One page of what is behind a position: others are served between two of them. */
  const page = (key: string, after: number, most: number): Effect.Effect<Reply, Overloaded> =>
    told(
      key,
      line.eval<Reply>(scripts.read, own(key), () => [`${Math.min(after + 1, farthest)}-0`, kept, String(most)])
    )

  /** The items behind a position, and since when the key is known. Texts that are too old count towards no bound. */
  const behind = (
    key: string,
    after: number,
    most: number = Number.POSITIVE_INFINITY
  ): Effect.Effect<Read, Overloaded> => {
    const size = Math.min(most, pageSize)
    return Effect.flatMap(page(key, after, size), (first) => {
      const [last, born, since] = first
      const texts: Array<Text> = []
      let newest = 0
      const read = ([, life, , more]: Reply, size: number): Effect.Effect<Read, Overloaded> => {
        // A key that was dropped between two pages is another: what is left of this one is a gap.
        const isOther = life !== born
        const young = isOther ? [] : more.filter(([, [, , , at]]) => Number(at) >= Number(since))
        for (const [id, [, text]] of young) texts.push({ position: positionOf(id), text })
        const end = isOther ? undefined : more.at(-1)
        if (end !== undefined) newest = positionOf(end[0])
        if (end === undefined || more.length < size || texts.length >= most) {
          return Effect.succeed({
            life: born ?? undefined,
            items: Journal.itemsOf(after, Math.max(Number(last ?? 0), newest), texts, most)
          })
        }
        // Behind texts that are too old there may be many more.
        const next = young.length === 0 ? pageSize : Math.min(most - texts.length, pageSize)
        return Effect.flatMap(page(key, newest, next), (reply) => read(reply, next))
      }
      return read(first, size)
    })
  }

  const follow = (key: string, after: number): Stream.Stream<Journal.Item, Overloaded> =>
    Stream.suspend(() => {
      let known: string | undefined
      return JournalFollower.watching(after, {
        watch: (onChange) =>
          Effect.asVoid(Effect.acquireRelease(
            Effect.tap(told(key, changes.watch(key, onChange)), () => Effect.sync(() => changes.listen())),
            (unwatch) => Effect.sync(unwatch)
          )),
        read: (place) =>
          Effect.map(behind(key, place), ({ items, life }) => {
            if (known !== undefined && life !== known) return undefined
            known = life
            return items
          })
      })
    })

  return {
    append: (key, text, epoch, keep = count) => {
      const weight = Journal.weightOf(text)
      const most = String(Math.min(count, keep))
      const args = [key, mostChanges, changesKept, text, String(weight), most, heaviest, kept, known]
      return by(key, epoch, scripts.append, all(key), args, text.length)
    },
    fence: (key, epoch) => Effect.asVoid(by(key, epoch, scripts.fence, own(key), [known])),
    read: (key, after, most) => Effect.map(behind(key, after, most), ({ items }) => items),
    last: (key) =>
      Effect.map(
        told(key, line.eval<readonly [id: string, text: string] | null>(scripts.newest, [textsOf(key)], () => [kept])),
        (newest) => newest === null ? undefined : { _tag: "Entry", position: positionOf(newest[0]), text: newest[1] }
      ),
    follow,
    drop: (key, epoch) => Effect.asVoid(by(key, epoch, scripts.drop, all(key), [key, mostChanges, changesKept, known]))
  }
}

interface Read {
  /** Differs each time that the key was forgotten; `undefined` while nothing is known of it. */
  readonly life: string | undefined
  readonly items: ReadonlyArray<Journal.Item>
}

type Text = Omit<Journal.Entry, "_tag">

/** The last position, when the key was written to first, since when texts are kept, and the texts. */
type Reply = readonly [
  last: string | null,
  born: string | null,
  since: string,
  entries: ReadonlyArray<readonly [id: string, fields: readonly [string, string, string, string, ...Array<string>]]>
]

/** Entries that one script reads. */
const pageSize = 128

/** Milliseconds that the facts of a key are kept for longer than its texts. */
const factsKept = 86_400_000

/** The position of an entry. */
const positionOf = (id: string): number => Number(id.slice(0, id.indexOf("-")))

/** The last position that a number holds. */
const farthest = Number.MAX_SAFE_INTEGER

/** How many changes are kept for those who follow, at most, and for how many milliseconds. */
const [mostChanges, changesKept] = ["16384", "3600000"]
