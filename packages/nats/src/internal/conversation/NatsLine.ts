/**
 * A conversation over NATS, for both directions: the transport of a client.
 *
 * The client greets on `SUBJECT.conversation`, where one process of a queue group answers. From then on each side has a
 * subject of its own, and texts go both ways as a stream. NATS has no back-pressure and may lose messages, so the
 * conversation adds what a transport promises:
 *
 * - Packets have numbers. Where one is lost, both sides end with `Lost`.
 * - A side grants what may be on its way to it, 256 KiB. So a reader that does not read makes the sender wait, and no
 *   server drops a client that is slow.
 * - A text of any size up to `Limits.frame` is carried in pieces, whatever `max_payload` is.
 * - Each side beats. One that was killed is found by the next packet, one that is silent ends the conversation with
 *   `KeepAlive`.
 *
 * A short cut of the connection to NATS ends the conversation only if something was lost by it.
 *
 * ```ts
 * import { McpClient } from "@parley/mcp"
 * import { NatsClient, NatsTransport } from "@parley/nats"
 * import { Effect, Layer } from "effect"
 *
 * const client = McpClient.layer({ name: "me", version: "1.0.0" }).pipe(
 *   Layer.provide(NatsTransport.layerTransport({ subject: "clock", keepAlive: { interval: "5 seconds" } })),
 *   Layer.provide(NatsClient.layer({ servers: "127.0.0.1:4222" }))
 * )
 *
 * export const tools = Effect.flatMap(McpClient.McpClient, ({ listTools }) => listTools()).pipe(Effect.provide(client))
 * ```
 *
 * @since 0.1.0
 */
import type { Msg } from "@nats-io/transport-node"
import * as Limits from "@parley/protocol/Limits"
import { Transport, type TransportError } from "@parley/transport/Transport"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { NatsClient } from "../../NatsClient.ts"
import { NatsError } from "../connection/NatsError.ts"
import * as OpenError from "../OpenError.ts"
import * as Replies from "../Replies.ts"
import * as Status from "../Status.ts"
import * as Line from "./Line.ts"
import type { Link } from "./Link.ts"
import * as Packet from "./Packet.ts"

/**
 * The beats of a side.
 *
 * @category models
 * @since 0.1.0
 */
export interface NatsKeepAlive {
  /** A side that has sent nothing for this long beats, and after an hour at the latest. The default is 10 seconds. */
  readonly interval?: Duration.Input | undefined
  /** How long the other side may be silent beyond two of its intervals. The default is 20 seconds. */
  readonly timeout?: Duration.Input | undefined
}

/**
 * Where the conversation begins, and how it is kept.
 *
 * @category models
 * @since 0.1.0
 */
export interface NatsTransportOptions {
  /** The subject of the service, as in `bank.accounts`. */
  readonly subject: string
  /**
   * The subjects at which the other side may want what we send, with the wildcards of NATS: `_INBOX.>` for the inboxes of
   * clients. A conversation of another one is refused. By default, any but those below `$`.
   */
  readonly replies?: string | ReadonlyArray<string> | undefined
  /** The beats by which each side finds out that the other is gone. */
  readonly keepAlive?: NatsKeepAlive | undefined
  /** `frame` bounds a text, `partialFrame` the time that one may take to come, and `handshake` the beginning. */
  readonly limits?: Partial<Limits.Limits> | undefined
}

/**
 * Begins a conversation, closed with the Scope. Fails with `Open` when nobody listens, when all processes have as many
 * connections as they take, or when no answer comes within `Limits.handshake`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeTransport: (
  options: NatsTransportOptions
) => Effect.Effect<Transport, TransportError, NatsClient | Scope.Scope> = Effect.fnUntraced(
  function*(options) {
    const client = yield* NatsClient
    const { handshake } = Limits.make(options.limits)
    const door = Line.doorOf(options.subject)
    const replies = Replies.make(options)
    const begun = Deferred.makeUnsafe<Link, TransportError>()
    const line = yield* Line.make(
      client,
      options,
      (message) =>
        void Deferred.doneUnsafe(
          begun,
          Result.match(greeted(message, door, replies), {
            onSuccess: (other) => Exit.succeed(line.begin(other)),
            onFailure: (cause) => Exit.fail(OpenError.make(cause))
          })
        )
    )
    yield* client.watchForbidden(door, (error) => void Deferred.doneUnsafe(begun, Exit.fail(OpenError.make(error))))
    yield* line.greet(door)
    const link = yield* Effect.timeoutOrElse(Deferred.await(begun), {
      duration: handshake,
      orElse: () =>
        Effect.fail(
          OpenError.make(new Error(`nobody at ${door} has answered within ${handshake} ms, the limit \`handshake\``))
        )
    })
    return yield* line.transport(link)
  }
)

/**
 * A conversation that lasts as long as the Layer. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerTransport = (
  options: NatsTransportOptions
): Layer.Layer<Transport, TransportError, NatsClient> => Layer.effect(Transport, makeTransport(options))

/** The other side, by the first message that comes, or why there is none. */
const greeted = (message: Msg, door: string, replies: Replies.Replies): Result.Result<Line.Other, Error> => {
  if (Status.isNobody(message)) return Result.fail(new NatsError({ subject: door, reason: { _tag: "Nobody" } }))
  const packet = Packet.decode(message.data)
  if (packet === undefined) return Result.fail(new Error(`the answer of ${door} is no packet of a conversation`))
  if (packet.kind === "abort") return Result.fail(new Error(`${door} refuses: ${Packet.textOf(packet)}`))
  const reply = replies.of(message)
  if (reply === "refused") {
    return Result.fail(new Error(`the answer of ${door} names a subject that the option \`replies\` does not allow`))
  }
  const subject = reply?.subject
  if (subject === undefined) return Result.fail(new Error(`the answer of ${door} names no subject`))
  return Result.mapBoth(Packet.helloOf(packet), {
    onSuccess: (hello) => ({ hello, subject }),
    onFailure: (why) => new Error(`the answer of ${door} cannot be understood: ${why}`)
  })
}
