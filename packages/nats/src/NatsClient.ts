/**
 * A connection to NATS, as a service: a layer opens it, opens it again when it is lost, and drains it when the layer
 * ends.
 *
 * - Nothing is buffered while the connection is away: what is published then fails with `Disconnected`.
 * - `pending` bounds the bytes that are under way to the server, and beyond it publishing fails with `Full`. When `flushed`
 *   ends, the server has received what was published before.
 * - A server that is silent for longer than `timeout` is left, and the next is tried. Waiting operations have failed then.
 * - Subscriptions come back with the connection. Messages that were published meanwhile are not received.
 *
 * ```ts
 * import { NatsClient } from "@parley/nats"
 * import { Effect } from "effect"
 *
 * export const program = Effect.gen(function*() {
 *   const { publish, subscribe } = yield* NatsClient.NatsClient
 *   yield* subscribe("greetings", (message) => console.log(message.string()))
 *   yield* publish("greetings", "hello")
 * }).pipe(Effect.scoped, Effect.provide(NatsClient.layer()))
 * ```
 *
 * @since 0.1.0
 */
import { connect, type Msg, type MsgHdrs, type NatsConnection, type Status } from "@nats-io/transport-node"
import { Excerpt } from "@parley/protocol/shared"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Dial from "./internal/connection/Dial.ts"
import { NatsError, type Reason } from "./internal/connection/NatsError.ts"
import type { NatsOptions, Server } from "./internal/connection/NatsOptions.ts"
import { Written } from "./internal/connection/Written.ts"

export type { Credentials, NatsOptions, Server, Tls } from "./internal/connection/NatsOptions.ts"

export { describe, NatsError, Reason } from "./internal/connection/NatsError.ts"

/**
 * The parts of a message beside its subject and its text.
 *
 * @category models
 * @since 0.1.0
 */
export interface Envelope {
  /** The subject of answers. Where nobody hears the message, the server answers there with the status 503. */
  readonly reply?: string | undefined
  readonly headers?: MsgHdrs | undefined
}

/** Whether a connection is there. @category models @since 0.1.0 */
export type State = "connected" | "disconnected" | "closed"

/**
 * A connection to NATS.
 *
 * @category services
 * @since 0.1.0
 */
export interface NatsClient {
  /** The connection of `@nats-io/transport-node`. Messages that it publishes do not count towards `pending`. */
  readonly connection: NatsConnection
  /** How long an answer may take, in milliseconds. */
  readonly timeout: number
  readonly state: () => State
  /** The server, as it is or was when it was connected last. */
  readonly server: () => Server
  /** Calls a function each time that the state has changed, until the Scope closes. */
  readonly watch: (onChange: (state: State) => void) => Effect.Effect<void, never, Scope.Scope>
  /**
   * Calls a function each time that the server has forbidden a message to a subject, until the Scope closes: `publish` has
   * ended by then.
   */
  readonly watchForbidden: (
    subject: string,
    onForbidden: (error: NatsError) => void
  ) => Effect.Effect<void, never, Scope.Scope>

  /** Publishes a message. Messages leave in the order of the calls; whether they have arrived is not known when this ends. */
  readonly publish: (
    subject: string,
    data: string | Uint8Array,
    envelope?: Envelope
  ) => Effect.Effect<void, NatsError>
  /** Publishes a message at once, or gives the error. */
  readonly publishUnsafe: (
    subject: string,
    data: string | Uint8Array,
    envelope?: Envelope
  ) => NatsError | undefined
  /** Ends when the server has taken what was published before, and what it has answered to that was heard. */
  readonly flushed: Effect.Effect<void, NatsError>
  /** Publishes a message, and gives the first answer. Fails with `Nobody` where nobody hears it. */
  readonly request: (subject: string, data: string | Uint8Array, headers?: MsgHdrs) => Effect.Effect<Msg, NatsError>
  /**
   * Calls a function with each message of a subject, until the Scope closes. The function does not wait. Of the subscribers
   * with the same queue, one gets each message; when its Scope closes, it handles what it was given before.
   */
  readonly subscribe: (
    subject: string,
    onMessage: (message: Msg) => void,
    queue?: string
  ) => Effect.Effect<void, NatsError, Scope.Scope>
}

/** The service of a `NatsClient`. @category services @since 0.1.0 */
export const NatsClient: Context.Service<NatsClient, NatsClient> = Context.Service("@parley/nats/NatsClient")

/**
 * A connection, until the Scope closes. Fails where no server takes it: with `Unreachable`, `Unauthorized`, or `Invalid`
 * where an option is wrong.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: NatsOptions = {}): Effect.Effect<NatsClient, NatsError, Scope.Scope> =>
  Effect.suspend(() => {
    const timeout = Duration.toMillis(Duration.fromInputUnsafe(options.timeout ?? "2 seconds"))
    const { servers = "127.0.0.1:4222" } = options
    const place = Dial.placeOf(servers)
    const opened = Effect.flatMap(
      Effect.try({
        try: () => Dial.optionsOf(options, timeout),
        catch: (error) => failed(place, { _tag: "Invalid", detail: Dial.textOf(error) })
      }),
      (options) =>
        Effect.tryPromise({
          try: () => connect(options),
          catch: (error) => failed(place, Dial.refusalOf(error, timeout))
        })
    )
    return Effect.flatMap(
      Effect.acquireRelease(opened, (connection) => end(connection, timeout)),
      (connection) => over(connection, place, timeout, options.pending ?? 67_108_864)
    )
  })

/** A connection. A new layer at each call. @category layers @since 0.1.0 */
export const layer = (options: NatsOptions = {}): Layer.Layer<NatsClient, NatsError> =>
  Layer.effect(NatsClient, make(options))

const over = (
  connection: NatsConnection,
  place: string,
  timeout: number,
  most: number
): Effect.Effect<NatsClient, never, Scope.Scope> =>
  Effect.contextWith((context: Context.Context<never>) => {
    const fork = Effect.runForkWith(context)
    const watchers = new Set<(state: State) => void>()
    const forbidden = new Set<{ readonly subject: string; readonly onForbidden: (error: NatsError) => void }>()
    const written = new Written(
      Math.min(enough, most / 4),
      () => connection.flush(),
      () => change("disconnected")
    )
    /** The requests that are not answered, and their bytes. */
    const waiting = new Set<(exit: Exit.Exit<Msg, NatsError>) => void>()
    let asked = 0
    /** What the server has complained of last: an attempt to connect repeats it. */
    let complaint: string | undefined
    let state: State = "connected"
    let server = serverOf(connection, undefined)

    const change = (next: State) => {
      if (state === next || state === "closed") return
      state = next
      if (next === "connected") {
        server = serverOf(connection, server)
        complaint = undefined
        fork(Effect.logInfo(`the connection to NATS at ${Excerpt.line(place)} is back`))
      } else {
        const error = failed(place, { _tag: next === "closed" ? "Closed" : "Disconnected" })
        written.lose(error)
        for (const end of [...waiting]) end(Exit.fail(error))
        if (next === "disconnected") fork(Effect.logWarning(`the connection to NATS at ${Excerpt.line(place)} is away`))
      }
      for (const onChange of [...watchers]) onChange(next)
    }

    const on = (status: Status) => {
      switch (status.type) {
        case "disconnect":
          return change("disconnected")
        case "reconnect":
          return change("connected")
        case "error": {
          for (const { onForbidden, subject } of [...forbidden]) {
            if (Dial.forbids(status.error, subject)) onForbidden(failed(subject, Dial.reasonOf(status.error, timeout)))
          }
          const said = Dial.textOf(status.error)
          if (said === complaint) return undefined
          complaint = said
          return fork(Effect.logWarning(`NATS at ${Excerpt.line(place)} says: ${Excerpt.line(said)}`))
        }
        case "close":
          return change("closed")
        default:
          return undefined
      }
    }

    /** Why nothing can be sent now. */
    const refusal = (subject: string, bytes: number): Reason | undefined => {
      if (state === "closed" || connection.isClosed() || connection.isDraining()) return { _tag: "Closed" }
      if (state === "disconnected") return { _tag: "Disconnected" }
      if (subject.length > longest) return { _tag: "Invalid", detail: `a subject has at most ${longest} characters` }
      if (bytes > server.maxPayload) return { _tag: "TooLarge", bytes, most: server.maxPayload }
      const pending = written.pending + asked
      return pending > 0 && pending + bytes > most ? { _tag: "Full", pending: most } : undefined
    }

    const publishUnsafe: NatsClient["publishUnsafe"] = (subject, data, { headers, reply } = {}) => {
      const bytes = typeof data === "string" ? encoder.encode(data) : data
      const length = bytes.length + lengthOf(headers)
      const reason = refusal(subject, length)
      if (reason !== undefined) return failed(subject, reason)
      try {
        connection.publish(subject, bytes, {
          ...(reply === undefined ? {} : { reply }),
          ...(headers === undefined ? {} : { headers })
        })
      } catch (error) {
        return failed(subject, Dial.reasonOf(error, timeout))
      }
      written.add(length + subject.length + overhead)
      return undefined
    }

    const request: NatsClient["request"] = (subject, data, headers) =>
      Effect.callback((resume) => {
        const bytes = typeof data === "string" ? encoder.encode(data) : data
        const length = bytes.length + lengthOf(headers)
        const reason = refusal(subject, length)
        if (reason !== undefined) return resume(Exit.fail(failed(subject, reason)))
        const end = (exit: Exit.Exit<Msg, NatsError>) => {
          if (!waiting.delete(end)) return
          asked -= length
          resume(exit)
        }
        waiting.add(end)
        asked += length
        connection.request(subject, bytes, { timeout, ...(headers === undefined ? {} : { headers }) }).then(
          (message) => end(Exit.succeed(message)),
          (error) => end(Exit.fail(failed(subject, Dial.reasonOf(error, timeout))))
        )
      })

    const subscribe: NatsClient["subscribe"] = (subject, onMessage, queue) =>
      Effect.flatMap(
        Effect.acquireRelease(
          Effect.suspend(() => {
            const reason = Dial.isSubject(subject) ? refusal(subject, 0) : noSubject
            if (reason !== undefined) return Effect.fail(failed(subject, reason))
            const heard: { error?: unknown } = {}
            const subscription = connection.subscribe(subject, {
              ...(queue === undefined ? {} : { queue }),
              callback: (error, message) => {
                if (error === null) onMessage(message)
                else heard.error = error
              }
            })
            written.add(subject.length + overhead)
            return Effect.succeed({ heard, subscription })
          }),
          // What the server has given to this member of a queue, it has given to no other.
          ({ subscription }) =>
            queue === undefined
              ? Effect.sync(() => subscription.unsubscribe())
              : Effect.ignoreCause(Effect.timeoutOption(Effect.promise(() => subscription.drain()), timeout))
        ),
        ({ heard }) =>
          Effect.flatMap(written.flushed, () =>
            heard.error === undefined
              ? Effect.void
              : Effect.fail(failed(subject, Dial.reasonOf(heard.error, timeout))))
      )

    void (async () => {
      for await (const status of connection.status()) on(status)
    })()

    /** Pings, and leaves a server of which nothing was heard for some pings in a row. */
    const watchdog = Effect.gen(function*() {
      let heard = -1
      for (let silent = 0;;) {
        yield* Effect.sleep(timeout / pings)
        const now = connection.stats().inBytes + written.taken
        silent = state === "connected" && now === heard ? silent + 1 : 0
        heard = now
        if (silent === pings) cut(connection)
        else if (state === "connected") written.ping()
      }
    })

    return Effect.as(
      Effect.forkScoped(watchdog),
      {
        connection,
        timeout,
        state: () => state,
        server: () => server,
        watch: (onChange) => added(watchers, onChange),
        watchForbidden: (subject, onForbidden) => added(forbidden, { subject, onForbidden }),
        publish: (subject, data, envelope) =>
          Effect.suspend(() => {
            const error = publishUnsafe(subject, data, envelope)
            return error === undefined ? Effect.void : Effect.fail(error)
          }),
        publishUnsafe,
        flushed: Effect.suspend(() => {
          const reason = refusal(place, 0)
          return reason === undefined || reason._tag === "Full" ? written.flushed : Effect.fail(failed(place, reason))
        }),
        request,
        subscribe
      } satisfies NatsClient
    )
  })

/** Pings in a `timeout`. One of them may wait behind much that the server has to say, or be sent by a busy process. */
const pings = 3

/** Bytes under way of which the server is asked whether it has taken them: little beside what may be under way. */
const enough = 65_536

const encoder = new TextEncoder()

/** The server would only say so to all of the connection, and let who subscribes wait for ever. */
const noSubject: Reason = { _tag: "Invalid", detail: "this is no subject" }

/** What a message costs beside its text, its headers and its subject. */
const overhead = 64

/**
 * Characters of a subject. A server ends a connection whose line with a subject, its reply and two lengths is longer than
 * 4,096.
 */
const longest = 3_500

const lengthOf = (headers: MsgHdrs | undefined): number => {
  if (headers === undefined) return 0
  // The version and its line, the empty line, and of each field what is between and behind.
  let length = 12
  for (const [name, values] of headers) for (const value of values) length += 4 + name.length + value.length
  return length
}

/** A member of a set, until the Scope closes. */
const added = <A>(set: Set<A>, member: A): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.sync(() => void set.add(member)), () => Effect.sync(() => void set.delete(member)))

const failed = (subject: string, reason: Reason): NatsError => new NatsError({ subject, reason })

const serverOf = ({ info }: NatsConnection, last: Server | undefined): Server =>
  info === undefined ? last ?? { id: "", version: "", maxPayload: 1_048_576, isCluster: false } : {
    id: info.server_id,
    version: info.version,
    maxPayload: info.max_payload,
    isCluster: info.cluster !== undefined
  }

/** Sends what is under way, then closes; at once where that takes too long. */
const end = (connection: NatsConnection, timeout: number): Effect.Effect<void> =>
  Effect.suspend(() => connection.isClosed() ? Effect.void : Effect.promise(() => connection.drain())).pipe(
    Effect.timeoutOption(timeout),
    Effect.ignoreCause,
    Effect.andThen(Effect.promise(() => {
      cut(connection)
      return connection.close()
    }))
  )

/**
 * Ends the socket. Nats.js itself would first wait until the server has taken what was written, which one that stands
 * still never does.
 */
const cut = (connection: NatsConnection): void => {
  // Its type says nothing of the socket below.
  const { protocol } = connection as unknown as Inner
  protocol?.transport?.socket?.destroy()
}

interface Inner {
  readonly protocol?: { readonly transport?: { readonly socket?: { readonly destroy: () => void } } }
}
