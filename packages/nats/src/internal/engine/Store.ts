/**
 * What all nodes share: one stream that keeps the last message of each subject for an hour.
 *
 * ```
 *   <prefix>.mesh.node.<node>   a beat: for how long the node lives, and the names that it serves
 *   <prefix>.mesh.key.<key>     who owns a key, and by which epoch
 *   <prefix>.mesh.since         the life of the server, and of this stream
 *   <prefix>.mesh.clock         nothing: its message tells what time it is at the server
 * ```
 *
 * All times are the server's: those of messages that it keeps. Writes say which message they follow, so that of two that
 * write at once, one is refused.
 *
 * An engine that was away itself gives owners a lease to come back. It was, where the connection was lost, the server has
 * started again, the stream is another, or an answer was late. The last three are written down for all nodes.
 */
import * as Monotonic from "@parley/transport/Monotonic"
import type { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { NatsError } from "../../NatsError.ts"
import { isStreamMissing, type JetStream, type Stored, type StreamConfig } from "../jetstream/JetStream.ts"
import { tokenOf } from "../jetstream/Subject.ts"

/** How long a record is kept that nobody writes again, in milliseconds: an hour. @internal */
export const lifetime = 3_600_000

/** An answer that is later than this may mean that the engine stood still, in milliseconds. */
const late = 500

/** @internal */
export interface StoreOptions {
  readonly prefix: string
  readonly storage: "file" | "memory"
  readonly replicas: number
  /** The most bytes of all records. */
  readonly bytes: number
}

/** What is known of the server since when. */
const Since = Schema.fromJsonString(Schema.Struct({
  /** The server, where it is alone: another at each start. */
  server: Schema.String,
  /** Whether there was another server or another stream before. */
  isAgain: Schema.Boolean
}))

const decodeSince = Schema.decodeUnknownOption(Since)
const encodeSince = Schema.encodeSync(Since)

/** @internal */
export class Store {
  readonly #stream: JetStream
  readonly #config: StreamConfig
  readonly #clock: Clock
  readonly #since: string
  readonly #time: string
  readonly #lock = Semaphore.makeUnsafe(1)
  /** How often the stream may have become another. */
  #losses = 1
  /** For how many of those it was looked at. */
  #seen = 0
  /** When the stream was made that this node knows. */
  #life: number | undefined
  /** When the engine was found to have been away, in milliseconds of this machine. */
  #again = Number.NEGATIVE_INFINITY
  /** When the last answer came that was late, and how long it took. */
  #late = { at: Number.NEGATIVE_INFINITY, took: 0 }
  /** When it was written down last which server this is. */
  #told = 0

  constructor(stream: JetStream, { bytes, prefix, replicas, storage }: StoreOptions, clock: Clock) {
    this.#stream = stream
    this.#clock = clock
    this.#since = `${prefix}.mesh.since`
    this.#time = `${prefix}.mesh.clock`
    this.#config = {
      name: `${prefix}_mesh`,
      subjects: [`${prefix}.mesh.>`],
      storage,
      num_replicas: replicas,
      max_msgs_per_subject: 1,
      max_age: lifetime * 1_000_000,
      max_bytes: bytes,
      discard: "new"
    }
  }

  /** Milliseconds of this machine, which only go on. */
  get now(): number {
    return Monotonic.now(this.#clock)
  }

  /** Another number each time that what was heard of the stream may be too old. */
  get generation(): number {
    return this.#seen
  }

  /** Whether the engine was away within this time, so that its silence says nothing of its nodes. */
  wasAway(milliseconds: number): boolean {
    const since = this.now - milliseconds
    return this.#again > since || (this.#late.at > since && this.#late.took > milliseconds / 2)
  }

  /** Hears of the life of the server, and of the connection. */
  get heard(): Effect.Effect<void, NatsError, Scope.Scope> {
    const { client } = this.#stream
    return Effect.andThen(
      client.watch((state) => {
        if (state === "disconnected") this.#losses++
      }),
      client.subscribe(this.#since, (message) => {
        this.#told = this.now
        if (Option.getOrUndefined(decodeSince(message.string()))?.isAgain === true) this.#again = this.now
      })
    )
  }

  /** The stream is there, and it is known which it is. */
  readonly ready: Effect.Effect<void, NatsError> = Effect.suspend(() =>
    this.#seen === this.#losses ? Effect.void : this.#lock.withPermit(this.#found)
  )

  /** The last message of a subject. */
  get(subject: string): Effect.Effect<Stored | undefined, NatsError> {
    return this.#done(this.#last(subject))
  }

  /** The message with a sequence, where it is still the last of its subject. */
  at(seq: number): Effect.Effect<Stored | undefined, NatsError> {
    return this.#done(this.#stream.get(this.#config.name, { seq }))
  }

  /** The first message of some subjects from a sequence on. */
  next(subject: string, seq: number): Effect.Effect<Stored | undefined, NatsError> {
    return this.#done(this.#stream.get(this.#config.name, { seq, next_by_subj: subject }))
  }

  /** Writes behind a message, and gives the sequence; `undefined` where that is not the last of the subject. */
  put(subject: string, value: object, after: number): Effect.Effect<number | undefined, NatsError> {
    return this.#done(this.#stream.put(subject, JSON.stringify(value), after))
  }

  /** What time it is at the server, in microseconds. What is read behind this was there then, or is newer. */
  get micros(): Effect.Effect<number, NatsError> {
    return this.#done(this.#measured)
  }

  /** Which server this is must not be forgotten. */
  get kept(): Effect.Effect<void, NatsError> {
    return Effect.suspend(() => {
      if (this.now - this.#told < lifetime / 3) return Effect.void
      return this.#done(this.#tell(false, undefined))
    })
  }

  #done<A>(effect: Effect.Effect<A, NatsError>): Effect.Effect<A, NatsError> {
    return Effect.suspend(() => {
      const start = this.now
      return Effect.catchIf(Effect.andThen(this.ready, effect), isStreamMissing, () => {
        this.#losses++
        return Effect.andThen(this.ready, effect)
      }).pipe(Effect.onExit(() =>
        Effect.sync(() => {
          const at = this.now
          if (at - start > late) this.#late = { at, took: at - start }
        })
      ))
    })
  }

  #last(subject: string): Effect.Effect<Stored | undefined, NatsError> {
    return this.#stream.get(this.#config.name, { last_by_subj: subject })
  }

  get #measured(): Effect.Effect<number, NatsError> {
    return Effect.andThen(
      this.#stream.put(this.#time, "", undefined),
      Effect.map(this.#last(this.#time), (stored) => stored?.micros ?? 0)
    )
  }

  #tell(isAgain: boolean, after: number | undefined): Effect.Effect<void, NatsError> {
    return Effect.suspend(() => {
      const { isCluster, id } = this.#stream.client.server()
      this.#told = this.now
      return this.#stream.put(this.#since, encodeSince({ server: isCluster ? "" : id, isAgain }), after)
    })
  }

  readonly #found: Effect.Effect<void, NatsError> = Effect.suspend(() => {
    const losses = this.#losses
    return this.#seen === losses ? Effect.void : Effect.gen({ self: this }, function*() {
      const { id, isCluster } = this.#stream.client.server()
      const life = yield* this.#stream.ensure(this.#config)
      const stored = yield* this.#last(this.#since)
      const since = Option.getOrUndefined(decodeSince(stored?.text))
      const isOther = since !== undefined && since.server !== (isCluster ? "" : id)
      const isAgain = isOther || (this.#life !== undefined && this.#life !== life && since?.isAgain !== true)
      if (since === undefined || isAgain) {
        yield* this.#tell(isAgain, stored?.seq ?? 0)
        if (isAgain) this.#again = this.now
      } else if (since.isAgain) {
        const age = (yield* this.#measured) - (stored?.micros ?? 0)
        this.#again = Math.max(this.#again, this.now - age / 1_000)
      }
      // The connection was away, and what was sent meanwhile was not heard.
      if (this.#life !== undefined) this.#again = this.now
      this.#life = life
      this.#seen = losses
    })
  })
}

/** The subject of a thing. @internal */
export const subjectOf = (prefix: string, kind: "node" | "key", name: string): string =>
  `${prefix}.mesh.${kind}.${tokenOf(name)}`
