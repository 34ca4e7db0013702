/**
 * The changes of keys that are followed in this process. One connection waits for those of all keys, while there are any.
 *
 * An append to a key writes a change only if the key has a mark. A mark is set before its follower reads, and is renewed.
 * Whenever a change may have been missed, all followers read again.
 */
import type * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as Redis from "effect/persistence/Redis"
import * as Schedule from "effect/Schedule"
import * as scripts from "./journalScripts.ts"
import type { Failure, Line } from "./Line.ts"

/** @internal */
export interface ChangesOptions {
  readonly redis: Redis.Redis["Service"]
  readonly line: Line
  /** Milliseconds that Redis may take to answer. */
  readonly timeout: number
  /** The stream of changes. */
  readonly stream: string
  readonly markOf: (key: string) => string
  readonly fork: (effect: Effect.Effect<unknown>) => Fiber.Fiber<unknown>
}

/** Hears that a key may have changed, and whether it was dropped. */
type OnChange = (isDropped: boolean) => void

interface Follower {
  /** The last change before it began: only what came behind concerns it. `undefined` while that is not known. */
  from: string | undefined
  /** A change that dropped the key, which came meanwhile. */
  dropped: string
  readonly onChange: OnChange
}

/** @internal */
export class Changes {
  readonly #options: ChangesOptions
  readonly #followers = new Map<string, Set<Follower>>()
  #life: Fiber.Fiber<unknown> | undefined

  constructor(options: ChangesOptions) {
    this.#options = options
  }

  /** Has a function called each time that the key may have changed, from now on. */
  watch(key: string, onChange: OnChange): Effect.Effect<() => void, Failure> {
    return Effect.suspend(() => {
      const follower: Follower = { from: undefined, dropped: "", onChange }
      const followers = this.#followers.get(key) ?? new Set()
      this.#followers.set(key, followers.add(follower))
      const unwatch = () => {
        if (followers.delete(follower) && followers.size === 0) this.#followers.delete(key)
        if (this.#followers.size === 0) this.close()
      }
      const marked = Effect.map(this.#mark([key]), (last) => {
        follower.from = last
        if (isBehind(follower.dropped, last)) onChange(true)
        return unwatch
      })
      return Effect.onError(marked, () => Effect.sync(unwatch))
    })
  }

  /** Starts to listen, where it does not. */
  listen() {
    if (this.#life !== undefined || this.#followers.size === 0) return
    this.#life = this.#options.fork(
      Effect.repeat(Effect.exit(this.#listening), Schedule.jittered(Schedule.spaced(pause)))
    )
  }

  close() {
    this.#life?.interruptUnsafe()
    this.#life = undefined
  }

  /** Sets the marks of keys, and gives the last change before. */
  #mark(keys: ReadonlyArray<string>): Effect.Effect<string, Failure> {
    const { line, markOf, stream } = this.#options
    return Effect.map(
      line.eval<string | null>(scripts.follow, [stream, ...keys.map(markOf)], () => [String(marked)]),
      (last) => last ?? ""
    )
  }

  get #listening(): Effect.Effect<never, Redis.RedisError | Failure | Cause.TimeoutError> {
    const { redis, stream, timeout } = this.#options
    return Effect.scoped(Effect.flatMap(redis.reserve, (connection) => {
      let last = ""
      const read = Effect.suspend(() =>
        connection.send<Entries>("XRANGE", stream, last === "" ? "-" : `(${last}`, "+", "COUNT", String(page))
      )
      const more = Effect.suspend(() =>
        connection.send("XREAD", "BLOCK", String(timeout * blocks), "COUNT", "1", "STREAMS", stream, last || "0")
      )
      let wasFull = false
      const once = Effect.timeout(
        Effect.flatMap(read, (entries) => {
          for (const [id, [, key, , dropped]] of entries) this.#heard(id, key, dropped === "1")
          last = entries.at(-1)?.[0] ?? last
          // Those that come faster than they are read may be gone before.
          if (wasFull && entries.length < page) this.#missed()
          wasFull = entries.length === page
          return entries.length > 0 ? Effect.void : Effect.asVoid(more)
        }),
        timeout * (blocks + 1)
      )
      const renewing = Effect.forever(Effect.andThen(
        Effect.sleep(Duration.millis(marked / 3)),
        this.#renewed
      ))
      return Effect.flatMap(this.#renewed, (newest) => {
        last = newest
        return Effect.raceFirst(Effect.forever(once), renewing)
      })
    }))
  }

  /** Sets all marks again, and has all read again. */
  get #renewed(): Effect.Effect<string, Failure> {
    const keys = [...this.#followers.keys()]
    const parts: Array<ReadonlyArray<string>> = [[]]
    while (keys.length > 0) parts.push(keys.splice(0, atOnce))
    return Effect.map(Effect.forEach(parts, (part) => this.#mark(part)), ([last = ""]) => {
      this.#missed()
      return last
    })
  }

  #heard(id: string, key: string, isDropped: boolean) {
    for (const follower of [...this.#followers.get(key) ?? []]) {
      const { from, onChange } = follower
      if (from !== undefined) {
        if (isBehind(id, from)) onChange(isDropped)
      } else if (isDropped) follower.dropped = id
    }
  }

  #missed() {
    for (const followers of [...this.#followers.values()]) {
      for (const { onChange } of [...followers]) onChange(false)
    }
  }
}

type Entries = ReadonlyArray<readonly [id: string, fields: readonly [string, string, string, string]]>

/** Whether a change has come behind another; the empty one is before all. */
const isBehind = (id: string, from: string): boolean => {
  const [time = 0, place = 0] = id.split("-").map(Number)
  const [fromTime = 0, fromPlace = 0] = from.split("-").map(Number)
  return time > fromTime || (time === fromTime && place > fromPlace)
}

/** Milliseconds until a connection is opened again that has broken. */
const pause = 500

/** Milliseconds that a mark is there. */
const marked = 60_000

/** Marks that are set at once. */
const atOnce = 256

/** Changes that are read at once. */
const page = 1_024

/** How many times `timeout` one command waits for changes. */
const blocks = 5
