/**
 * Requests to JetStream in its own protocol: `$JS.API` takes and answers JSON. Each request ends within the `timeout` of
 * the connection.
 *
 * Newer servers answer requests that Debian's 2.9 does not know. Those here are known to both.
 */
import { headers as makeHeaders, type MsgHdrs } from "@nats-io/transport-node"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { NatsClient } from "../../NatsClient.ts"
import { NatsError } from "../connection/NatsError.ts"
import { Room } from "../Room.ts"
import { newInbox } from "../Status.ts"
import { Batch } from "./Batch.ts"
import { microsOf, type Stored, textOf } from "./Stored.ts"

/**
 * How a stream keeps its messages. Times are nanoseconds.
 *
 * @internal
 */
export interface StreamConfig {
  readonly name: string
  readonly subjects: ReadonlyArray<string>
  readonly storage: "file" | "memory"
  readonly num_replicas: number
  readonly max_msgs_per_subject: number
  readonly max_age: number
  readonly max_bytes: number
  /** The message to drop when there is no room: the oldest, or the new one. */
  readonly discard: "old" | "new"
}

const Reply = Schema.fromJsonString(Schema.Struct({
  error: Schema.optionalKey(Schema.Struct({
    code: Schema.Int,
    err_code: Schema.optionalKey(Schema.Int),
    description: Schema.optionalKey(Schema.String)
  })),
  seq: Schema.optionalKey(Schema.Int),
  name: Schema.optionalKey(Schema.String),
  num_pending: Schema.optionalKey(Schema.Int),
  delivered: Schema.optionalKey(Schema.Struct({ consumer_seq: Schema.Int })),
  created: Schema.optionalKey(Schema.String),
  config: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  message: Schema.optionalKey(Schema.Struct({
    seq: Schema.Int,
    time: Schema.String,
    data: Schema.optionalKey(Schema.String),
    hdrs: Schema.optionalKey(Schema.String)
  }))
}))

/** @internal */
export type Reply = typeof Reply.Type

const decodeReply = Schema.decodeUnknownOption(Reply)

/** Error codes of JetStream. */
const noStream = 10_059
const noMessage = 10_037
const wrongSequence = new Set([10_071, 10_164])

/** @internal */
export class JetStream {
  readonly client: NatsClient
  readonly #room: Room

  constructor(client: NatsClient) {
    this.client = client
    this.#room = new Room(client)
  }

  /** Asks the API of JetStream. */
  api(name: string, body?: unknown): Effect.Effect<Reply, NatsError> {
    const subject = `$JS.API.${name}`
    const text = body === undefined ? "" : JSON.stringify(body)
    return Effect.catchReason(this.#asked(subject, text), "NatsError", "Nobody", () =>
      Effect.fail(
        new NatsError({
          subject,
          reason: { _tag: "Refused", code: 503, detail: "this server has no JetStream, which `jetstream {}` enables" }
        })
      ))
  }

  /** Makes a stream, or one that is there already as it is wanted. Gives when it was made, in microseconds. */
  ensure(config: StreamConfig): Effect.Effect<number, NatsError> {
    const made = this.api(`STREAM.CREATE.${config.name}`, {
      ...config,
      retention: "limits",
      max_consumers: -1,
      max_msgs: -1,
      max_msg_size: -1,
      duplicate_window: Math.min(config.max_age, 120_000_000_000)
    })
    return Effect.catchIf(this.api(`STREAM.INFO.${config.name}`), isStreamMissing, () => made).pipe(
      Effect.flatMap((reply) =>
        isLike(config, reply.config ?? {})
          ? Effect.succeed(reply)
          : this.api(`STREAM.UPDATE.${config.name}`, { ...reply.config, ...config })
      ),
      Effect.map(({ created = "" }) => microsOf(created))
    )
  }

  /**
   * Publishes a message that a stream keeps, and gives its sequence; with `after`, only if that is the sequence of the last
   * message of this subject, where 0 stands for none. `undefined` where it is not.
   */
  put(
    subject: string,
    text: string | Uint8Array,
    after: number | undefined,
    fields: Readonly<Record<string, string>> = {}
  ): Effect.Effect<number | undefined, NatsError> {
    const headers = makeHeaders()
    if (after !== undefined) headers.append("Nats-Expected-Last-Subject-Sequence", `${after}`)
    for (const [name, value] of Object.entries(fields)) headers.append(name, value)
    return this.#asked(subject, text, headers).pipe(
      Effect.map(({ seq }) => seq),
      Effect.catchIf(isConflict, () => Effect.undefined)
    )
  }

  /** A message of a stream: the last of a subject, that with a sequence, or the next of a subject from one on. */
  get(
    stream: string,
    query: { readonly last_by_subj: string } | { readonly seq: number; readonly next_by_subj?: string }
  ): Effect.Effect<Stored | undefined, NatsError> {
    const subject = `STREAM.MSG.GET.${stream}`
    return this.api(subject, query).pipe(
      Effect.flatMap(({ message }) =>
        message === undefined ? Effect.fail(unreadable(subject)) : Effect.succeed({
          seq: message.seq,
          micros: microsOf(message.time),
          text: textOf(message.data),
          headers: textOf(message.hdrs)
        })
      ),
      Effect.catchIf(isMessageMissing, () => Effect.undefined)
    )
  }

  /** Forgets the messages of a subject before a sequence. */
  purge(stream: string, subject: string, before: number): Effect.Effect<void, NatsError> {
    return Effect.asVoid(this.api(`STREAM.PURGE.${stream}`, { filter: subject, seq: before }))
  }

  /** All messages of a subject from a sequence on, or those up to one that is enough. */
  all(
    stream: string,
    subject: string,
    from: number,
    isEnough?: (stored: Stored) => boolean
  ): Effect.Effect<ReadonlyArray<Stored>, NatsError> {
    const { client } = this
    const create = `CONSUMER.CREATE.${stream}`
    return Effect.scoped(Effect.gen({ self: this }, function*() {
      const inbox = newInbox()
      const batch = new Batch(isEnough)
      yield* client.watch((state) => {
        if (state !== "connected") batch.fail(new NatsError({ subject, reason: { _tag: "Disconnected" } }))
      })
      yield* client.subscribe(inbox, (message) => batch.take(message))
      const reply = yield* this.api(create, {
        stream_name: stream,
        config: {
          deliver_subject: inbox,
          deliver_policy: "by_start_sequence",
          opt_start_seq: Math.max(1, from),
          filter_subject: subject,
          ack_policy: "none",
          replay_policy: "instant",
          mem_storage: true,
          num_replicas: 1,
          // Nobody hears it any more when this is done, and then it goes.
          inactive_threshold: 5_000_000_000
        }
      })
      const { delivered, name = "", num_pending = 0 } = reply
      yield* Effect.addFinalizer(() => Effect.ignore(client.publish(`$JS.API.CONSUMER.DELETE.${stream}.${name}`, "")))
      return yield* Effect.timeoutOrElse(batch.complete(num_pending + (delivered?.consumer_seq ?? 0)), {
        duration: client.timeout,
        orElse: () =>
          Effect.fail(new NatsError({ subject, reason: { _tag: "TimedOut", milliseconds: client.timeout } }))
      })
    }))
  }

  #asked(subject: string, data: string | Uint8Array, headers?: MsgHdrs): Effect.Effect<Reply, NatsError> {
    const asked = this.#room.waited(overhead + data.length, this.client.request(subject, data, headers))
    return Effect.flatMap(asked, (message) => {
      const reply = Option.getOrUndefined(decodeReply(message.string()))
      if (reply === undefined) return Effect.fail(unreadable(subject))
      const { error } = reply
      if (error === undefined) return Effect.succeed(reply)
      const { code, description = "an error without a text", err_code = code } = error
      return Effect.fail(new NatsError({ subject, reason: { _tag: "Refused", code: err_code, detail: description } }))
    })
  }
}

/** The weight of a request beside its data, about. */
const overhead = 256

const unreadable = (subject: string): NatsError =>
  new NatsError({ subject, reason: { _tag: "Invalid", detail: "the server answers what is no answer of JetStream" } })

const hasCode = (codes: { readonly has: (code: number) => boolean }) => ({ reason }: NatsError): boolean =>
  reason._tag === "Refused" && codes.has(reason.code)

const isConflict = hasCode(wrongSequence)
const isMessageMissing = hasCode(new Set([noMessage]))

/** Whether there is no such stream. @internal */
export const isStreamMissing = (error: NatsError): boolean => isMissing(error) || error.reason._tag === "Nobody"

const isMissing = hasCode(new Set([noStream]))

/** Whether a stream is already what it should be. */
const isLike = (config: StreamConfig, there: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(config).every(([name, value]) => JSON.stringify(there[name]) === JSON.stringify(value))
