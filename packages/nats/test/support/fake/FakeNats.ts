/** A server of NATS in memory, whose time is that of the test, and connections to it. */
import { headers as makeHeaders, type Msg, type MsgHdrs } from "@nats-io/transport-node"
import { type NatsClient, NatsError, type Reason, type State } from "@parley/nats/NatsClient"
import { Clock, Effect } from "effect"
import { type FakeConfig, type FakeMessage, FakeStream, matches } from "./FakeStream.ts"

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

interface Subscription {
  readonly subject: string
  readonly onMessage: (message: Msg) => void
}

interface Connection {
  state: State
  readonly subscriptions: Set<Subscription>
  readonly watchers: Set<(state: State) => void>
}

const messageOf = (subject: string, data: Uint8Array, headers?: MsgHdrs, reply = ""): Msg =>
  ({
    subject,
    data,
    headers,
    reply,
    string: () => decoder.decode(data),
    json: () => JSON.parse(decoder.decode(data))
  }) as Msg

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64")

const timeOf = (micros: number): string =>
  `${new Date(Math.floor(micros / 1_000)).toISOString().slice(0, 19)}.${`${micros % 1_000_000}`.padStart(6, "0")}Z`

const refused = (code: number, description: string) => ({ error: { code: 400, err_code: code, description } })

export class FakeNats {
  readonly #clock: Clock.Clock
  readonly #maxPayload: number
  readonly #connections = new Set<Connection>()
  readonly #streams = new Map<string, FakeStream>()
  #id = 1
  #isUp = true
  #micros = 0

  constructor(clock: Clock.Clock, maxPayload: number) {
    this.#clock = clock
    this.#maxPayload = maxPayload
  }

  static readonly make = (maxPayload = 1_048_576) => Effect.map(Clock.Clock, (clock) => new FakeNats(clock, maxPayload))

  get connected(): Effect.Effect<{ readonly client: NatsClient; readonly cut: (isCut: boolean) => void }> {
    return this.connectedWith(Number.POSITIVE_INFINITY)
  }

  /** Connects a client that has so many bytes under way at most. */
  connectedWith(
    pending: number
  ): Effect.Effect<{ readonly client: NatsClient; readonly cut: (isCut: boolean) => void }> {
    return Effect.sync(() => {
      const connection: Connection = {
        state: this.#isUp ? "connected" : "disconnected",
        subscriptions: new Set(),
        watchers: new Set()
      }
      this.#connections.add(connection)
      return {
        client: this.#clientOf(connection, pending),
        cut: (isCut) => this.#change(connection, isCut ? "disconnected" : "connected")
      }
    })
  }

  stop() {
    this.#isUp = false
    for (const connection of this.#connections) this.#change(connection, "disconnected")
  }

  start(isEmpty: boolean) {
    this.#isUp = true
    this.#id++
    if (isEmpty) this.#streams.clear()
    for (const connection of this.#connections) this.#change(connection, "connected")
  }

  #change(connection: Connection, state: State) {
    connection.state = state
    for (const onChange of [...connection.watchers]) onChange(state)
  }

  /** A time of its own for each message. */
  #now(): number {
    this.#micros = Math.max(this.#micros + 1, Math.floor(this.#clock.currentTimeMillisUnsafe() * 1_000))
    return this.#micros
  }

  #clientOf(connection: Connection, most: number): NatsClient {
    let pending = 0
    const failed = (subject: string, reason: Reason) => new NatsError({ subject, reason })
    const refusal = (subject: string, size: number): NatsError | undefined => {
      if (connection.state !== "connected") return failed(subject, { _tag: "Disconnected" })
      return size <= this.#maxPayload
        ? undefined
        : failed(subject, { _tag: "TooLarge", bytes: size, most: this.#maxPayload })
    }
    const publishUnsafe: NatsClient["publishUnsafe"] = (subject, data, { headers, reply } = {}) => {
      const bytes = typeof data === "string" ? encoder.encode(data) : data
      const error = refusal(subject, bytes.length + (headers === undefined ? 0 : String(headers).length))
      if (error !== undefined) return error
      if (pending > 0 && pending + bytes.length > most) return failed(subject, { _tag: "Full", pending: most })
      pending += bytes.length
      if (!this.#deliver(subject, bytes, headers, reply) && reply !== undefined) {
        this.#deliver(reply, new Uint8Array(), makeHeaders(503, "No Responders"))
      }
      return undefined
    }
    const added = <A>(set: Set<A>, value: A) =>
      Effect.acquireRelease(Effect.sync(() => void set.add(value)), () => Effect.sync(() => void set.delete(value)))
    /** The server takes its time, and the connection may be away by then. */
    const answered = <A>(subject: string, size: number, answer: () => A): Effect.Effect<A, NatsError> =>
      Effect.suspend(() => {
        const error = refusal(subject, size)
        if (error !== undefined) return Effect.fail(error)
        return Effect.andThen(
          Effect.yieldNow,
          Effect.suspend(() =>
            connection.state === "connected"
              ? Effect.succeed(answer())
              : Effect.fail(failed(subject, { _tag: "Disconnected" }))
          )
        )
      })
    return {
      get connection(): never {
        throw new Error("it is not there")
      },
      timeout: 5_000,
      state: () => connection.state,
      server: () => ({ id: `server-${this.#id}`, version: "2.9.10", maxPayload: this.#maxPayload, isCluster: false }),
      watch: (onChange) => added(connection.watchers, onChange),
      watchForbidden: () => Effect.void,
      publish: (subject, data, envelope) =>
        Effect.suspend(() => {
          const error = publishUnsafe(subject, data, envelope)
          return error === undefined ? Effect.void : Effect.fail(error)
        }),
      publishUnsafe,
      flushed: answered("server", 0, () => void (pending = 0)),
      request: (subject, data, headers) => {
        const bytes = typeof data === "string" ? encoder.encode(data) : data
        return Effect.flatMap(
          answered(subject, bytes.length, () => this.#answer(subject, bytes, headers)),
          (answer) =>
            answer === undefined
              ? Effect.fail(failed(subject, { _tag: "Nobody" }))
              : Effect.succeed(messageOf("answer", encoder.encode(JSON.stringify(answer))))
        )
      },
      subscribe: (subject, onMessage) =>
        Effect.andThen(
          added(connection.subscriptions, { subject, onMessage }),
          answered(subject, 0, () => undefined)
        )
    }
  }

  #deliver(subject: string, data: Uint8Array, headers?: MsgHdrs, reply?: string): boolean {
    let isHeard = false
    for (const { state, subscriptions } of this.#connections) {
      if (state !== "connected") continue
      for (const subscription of [...subscriptions]) {
        if (!matches(subscription.subject, subject)) continue
        isHeard = true
        subscription.onMessage(messageOf(subject, data, headers, reply))
      }
    }
    return isHeard
  }

  #answer(subject: string, data: Uint8Array, headers: MsgHdrs | undefined): object | undefined {
    if (subject.startsWith("$JS.API.")) {
      const [, , ...tokens] = subject.split(".")
      return this.#api(tokens.slice(0, -1).join("."), tokens.at(-1) ?? "", decoder.decode(data))
    }
    const stream = [...this.#streams.values()].find(({ config }) =>
      config.subjects.some((pattern) => matches(pattern, subject))
    )
    if (stream === undefined) return undefined
    this.#deliver(subject, data, headers)
    const after = headers?.get("Nats-Expected-Last-Subject-Sequence") ?? ""
    const message = { subject, data, headers: headers === undefined ? "" : String(headers), micros: this.#now() }
    const done = stream.put(message, after === "" ? undefined : Number(after))
    return "seq" in done
      ? { stream: stream.config.name, ...done }
      : refused(10_071, `wrong last sequence: ${done.last}`)
  }

  #api(what: string, name: string, text: string): object {
    const body = text === "" ? {} : JSON.parse(text)
    if (what === "STREAM.CREATE") this.#streams.set(name, new FakeStream(body as FakeConfig, this.#now()))
    const stream = this.#streams.get(name)
    if (stream === undefined) return refused(10_059, "stream not found")
    const messages = stream.messages(this.#now())
    switch (what) {
      case "STREAM.MSG.GET": {
        const { last_by_subj: last, next_by_subj: next, seq } = body
        const found = last !== undefined
          ? messages.findLast(({ subject }) => subject === last)
          : messages.find((message) =>
            next === undefined ? message.seq === seq : message.seq >= seq && matches(next, message.subject)
          )
        return found === undefined ? refused(10_037, "no message found") : { message: shown(found) }
      }
      case "STREAM.PURGE":
        stream.purge(body.filter, body.seq)
        return { success: true }
      case "CONSUMER.CREATE": {
        const { deliver_subject: to, filter_subject: filter, opt_start_seq: from } = body.config
        const all = messages.filter(({ seq, subject }) => seq >= from && matches(filter, subject))
        for (const { data, headers, micros, seq } of all) {
          const reply = `$JS.ACK.${name}.consumer.1.${seq}.1.${micros}000.0`
          this.#deliver(to, data, parsed(headers), reply)
        }
        return { name: "consumer", num_pending: 0, delivered: { consumer_seq: all.length, stream_seq: 0 } }
      }
      default:
        return { created: timeOf(stream.created), config: stream.config }
    }
  }
}

const shown = ({ data, headers, micros, seq, subject }: FakeMessage) => ({
  seq,
  subject,
  time: timeOf(micros),
  data: base64(data),
  hdrs: base64(encoder.encode(headers))
})

const parsed = (text: string): MsgHdrs => {
  const fields = makeHeaders()
  for (const line of text.split("\r\n").slice(1)) {
    const at = line.indexOf(": ")
    if (at !== -1) fields.append(line.slice(0, at), line.slice(at + 2))
  }
  return fields
}
