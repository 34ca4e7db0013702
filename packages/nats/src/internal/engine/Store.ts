/**
 * The stream that all nodes share: it keeps the last message of each subject for an hour.
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
import { Monotonic } from "@parley/transport/shared"
import type { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { NatsError } from "../connection/NatsError.ts"
import { Ensured } from "../jetstream/Ensured.ts"
import type { JetStream, StreamConfig } from "../jetstream/JetStream.ts"
import type { Stored } from "../jetstream/Stored.ts"
import { tokenOf } from "../jetstream/Subject.ts"

/** How long a record is kept without another write, in milliseconds: an hour. @internal */
export const lifetime = 3_600_000

/** The lease of a node of which nothing is known: that of `MeshNode` by default. @internal */
export const unknownLease = 3_000

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

/** The known state of the server, and since when. */
const Since = Schema.fromJsonString(Schema.Struct({
  /** The server, where it is alone: another at each start. */
  server: Schema.String,
  /** Whether another server was there before, or the same one with another stream. */
  isAgain: Schema.Boolean,
  /** Whether the records of before are gone. */
  isEmptied: Schema.Boolean
}))

type Since = typeof Since.Type

const decodeSince = Schema.decodeUnknownOption(Since)
const encodeSince = Schema.encodeSync(Since)

/** @internal */
export class Store {
  readonly #stream: JetStream
  readonly #name: string
  readonly #clock: Clock
  readonly #since: string
  readonly #time: string
  readonly #ensured: Ensured
  /** When the engine was found to have been away, in milliseconds of this machine. */
  #again = Number.NEGATIVE_INFINITY
  /** When it was found to have come back without its records. */
  #emptied = Number.NEGATIVE_INFINITY
  /** When the last answer came that was late, and how long it took. */
  #late = { at: Number.NEGATIVE_INFINITY, took: 0 }
  /** When it was written down last which server this is. */
  #told = 0

  constructor(stream: JetStream, { bytes, prefix, replicas, storage }: StoreOptions, clock: Clock) {
    this.#stream = stream
    this.#clock = clock
    this.#since = `${prefix}.mesh.since`
    this.#time = `${prefix}.mesh.clock`
    this.#name = `${prefix}_mesh`
    const config: StreamConfig = {
      name: this.#name,
      subjects: [`${prefix}.mesh.>`],
      storage,
      num_replicas: replicas,
      max_msgs_per_subject: 1,
      max_age: lifetime * 1_000_000,
      max_bytes: bytes,
      discard: "new"
    }
    this.#ensured = new Ensured(stream, config, (life, before) => this.#found(before !== undefined, life === before))
  }

  /** Milliseconds of this machine, which only go on. */
  get now(): number {
    return Monotonic.now(this.#clock)
  }

  /** Another number each time that what was heard of the stream may be too old. */
  get generation(): number {
    return this.#ensured.generation
  }

  /**
   * By how many milliseconds a node may have been silent for longer than its lease, since the engine stood still or was
   * away: by any, until a lease after it was back.
   */
  grace(lease: number): number {
    const since = this.now - lease
    if (this.#again > since) return Number.POSITIVE_INFINITY
    return this.#late.at > since ? this.#late.took : 0
  }

  /** Whether the stream was made after a claim with this epoch: then it is unknown whether another claim has followed. */
  isYoungerThan(epoch: number): boolean {
    return epoch < (this.#ensured.life ?? 0)
  }

  /** Whether it has come back without its records within this time. */
  wasEmptied(milliseconds: number): boolean {
    return this.#emptied > this.now - milliseconds
  }

  /** Hears of the life of the server, and of the connection. */
  get heard(): Effect.Effect<void, NatsError, Scope.Scope> {
    return Effect.andThen(
      this.#ensured.watched,
      this.#stream.client.subscribe(this.#since, (message) => {
        this.#told = this.now
        const since = Option.getOrUndefined(decodeSince(message.string()))
        if (since !== undefined) this.#note(since, 0)
      })
    )
  }

  /** The stream is there, and it is known which it is. */
  get ready(): Effect.Effect<void, NatsError> {
    return this.#ensured.ready
  }

  /** The last message of a subject. */
  get(subject: string): Effect.Effect<Stored | undefined, NatsError> {
    return this.#done(this.#last(subject))
  }

  /** The message with a sequence, where it is still the last of its subject. */
  at(seq: number): Effect.Effect<Stored | undefined, NatsError> {
    return this.#done(this.#stream.get(this.#name, { seq }))
  }

  /** The first message of some subjects from a sequence on. */
  next(subject: string, seq: number): Effect.Effect<Stored | undefined, NatsError> {
    return this.#done(this.#stream.get(this.#name, { seq, next_by_subj: subject }))
  }

  /** Writes behind a message, and gives the sequence; `undefined` where that is not the last of the subject. */
  put(subject: string, value: object, after: number): Effect.Effect<number | undefined, NatsError> {
    return this.#done(this.#stream.put(subject, JSON.stringify(value), after))
  }

  /** The time of the server, in microseconds. A message that is read after this existed then, or is newer. */
  get micros(): Effect.Effect<number, NatsError> {
    return this.#done(this.#measured)
  }

  /** Which server this is must not be forgotten. */
  get kept(): Effect.Effect<void, NatsError> {
    return Effect.suspend(() => {
      if (this.now - this.#told < lifetime / 3) return Effect.void
      return this.#done(this.#tell({ isAgain: false, isEmptied: false }, undefined))
    })
  }

  #done<A>(effect: Effect.Effect<A, NatsError>): Effect.Effect<A, NatsError> {
    return Effect.suspend(() => {
      const start = this.now
      return Effect.onExit(this.#ensured.done(effect), () =>
        Effect.sync(() => {
          const at = this.now
          if (at - start > late) this.#late = { at, took: at - start }
        }))
    })
  }

  #last(subject: string): Effect.Effect<Stored | undefined, NatsError> {
    return this.#stream.get(this.#name, { last_by_subj: subject })
  }

  get #measured(): Effect.Effect<number, NatsError> {
    return Effect.andThen(
      this.#stream.put(this.#time, "", undefined),
      Effect.map(this.#last(this.#time), (stored) => stored?.micros ?? 0)
    )
  }

  /** Writes down which server this is. */
  #tell(since: Omit<Since, "server">, after: number | undefined): Effect.Effect<void, NatsError> {
    return Effect.suspend(() => {
      this.#told = this.now
      return this.#stream.put(this.#since, encodeSince({ server: this.#server, ...since }), after)
    })
  }

  #note({ isAgain, isEmptied }: Omit<Since, "server">, age: number) {
    const at = this.now - age
    if (isAgain) this.#again = Math.max(this.#again, at)
    if (isEmptied) this.#emptied = Math.max(this.#emptied, at)
  }

  get #server(): string {
    const { id, isCluster } = this.#stream.client.server()
    return isCluster ? "" : id
  }

  /** The stream was looked at: for the first time, or again, and then it may be another. */
  #found(isKnown: boolean, isSame: boolean): Effect.Effect<void, NatsError> {
    return Effect.gen({ self: this }, function*() {
      const stored = yield* this.#last(this.#since)
      const since = Option.getOrUndefined(decodeSince(stored?.text))
      const isOther = since !== undefined && since.server !== this.#server
      const isEmptied = isKnown && !isSame
      const isAgain = isOther || (isEmptied && since?.isEmptied !== true)
      if (since === undefined || isAgain) yield* this.#tell({ isAgain, isEmptied }, stored?.seq ?? 0)
      else if (since.isAgain) {
        this.#note(since, ((yield* this.#measured) - (stored?.micros ?? 0)) / 1_000)
      }
      // If the connection was lost, messages that were sent in the meantime did not arrive.
      this.#note({ isAgain: isAgain || isKnown, isEmptied }, 0)
    })
  }
}

/** The subject of a thing. @internal */
export const subjectOf = (prefix: string, kind: "node" | "key", name: string): string =>
  `${prefix}.mesh.${kind}.${tokenOf(name)}`
