/**
 * Accepts conversations over NATS, each for one client and both directions.
 *
 * Processes that listen on one subject with one queue share the clients: NATS picks one of them for each conversation. One
 * that has as many connections as `Limits.connections` refuses, and the client may try again.
 *
 * ```ts
 * import { McpServer } from "@parley/mcp"
 * import { NatsClient, NatsTransport } from "@parley/nats"
 * import { Effect, Layer } from "effect"
 *
 * const listener = Layer.provide(
 *   NatsTransport.layerListener({ subject: "clock" }),
 *   NatsClient.layer({ servers: "127.0.0.1:4222" })
 * )
 * const server = McpServer.layer({ name: "clock", version: "1.0.0", features: [] })
 *
 * // Clients reach it by `NatsTransport` and the same subject.
 * export const main = McpServer.listen.pipe(Effect.provide(Layer.merge(server, listener)))
 * ```
 *
 * @since 0.1.0
 */
import type { Msg } from "@nats-io/transport-node"
import * as Limits from "@parley/protocol/Limits"
import * as Listeners from "@parley/transport/Listener"
import type * as Transport from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { NatsClient } from "../../NatsClient.ts"
import * as OpenError from "../OpenError.ts"
import * as Replies from "../Replies.ts"
import * as Status from "../Status.ts"
import * as Line from "./Line.ts"
import type * as NatsLine from "./NatsLine.ts"
import * as Packet from "./Packet.ts"

/**
 * The subject on which clients begin conversations, and the options of these.
 *
 * @category models
 * @since 0.1.0
 */
export interface NatsListenerOptions extends NatsLine.NatsTransportOptions {
  /** The queue whose members share the clients. The default is `parley`. */
  readonly queue?: string | undefined
}

/**
 * Listens until the Scope closes. Its address is of the form `nats://127.0.0.1:4222/bank?conversation`. Fails with `Open`
 * when the subject is none, or the server forbids it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeListener: (
  options: NatsListenerOptions
) => Effect.Effect<Listeners.Listener, Transport.TransportError, NatsClient | Scope.Scope> = Effect.fnUntraced(
  function*(options) {
    const client = yield* NatsClient
    const { connections } = Limits.make(options.limits)
    const { queue = "parley", subject } = options
    const replies = Replies.make(options)
    const fork = Effect.runForkWith(yield* Effect.context())
    // It closes first: while conversations end, new ones go to other members of the queue.
    const door = yield* Scope.fork(yield* Effect.scope)
    const arrivals = yield* Scope.provide(Listeners.arrivals(connections), door)
    const onMessage = (message: Msg) => {
      const wanted = replies.of(message)
      if (wanted === "refused") return void fork(replies.tell(subject, message))
      if (wanted === undefined) return
      const reply = wanted.subject
      const refuse = (reason: string) => Effect.ignore(client.publish(reply, Packet.abort(reason)))
      const packet = Packet.decode(message.data)
      const hello = packet === undefined ? Result.fail("it is no packet of a conversation") : Packet.helloOf(packet)
      if (Result.isFailure(hello)) return void fork(refuse(hello.failure))
      const arrival: Listeners.Arrival = {
        open: accept(client, options, { subject: reply, hello: hello.success }),
        refuse: refuse("as many connections are open as are taken here")
      }
      if (!Queue.offerUnsafe(arrivals, arrival)) fork(arrival.refuse)
    }
    yield* client.subscribe(Line.doorOf(subject), onMessage, queue).pipe(
      Effect.mapError(OpenError.make),
      Scope.provide(door)
    )
    return Listeners.make({
      address: `${Status.addressOf(client, subject)}?conversation`,
      accept: Queue.take(arrivals),
      connections,
      stop: Scope.close(door, Exit.void)
    })
  }
)

/**
 * A listener that lasts as long as the Layer. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerListener = (
  options: NatsListenerOptions
): Layer.Layer<Listeners.Listener, Transport.TransportError, NatsClient> =>
  Layer.effect(Listeners.Listener, makeListener(options))

const accept = Effect.fnUntraced(function*(client: NatsClient, options: NatsListenerOptions, other: Line.Other) {
  const line = yield* Line.make(client, options, () => {})
  const link = line.begin(other)
  yield* line.greet(other.subject)
  return yield* line.transport(link)
})
