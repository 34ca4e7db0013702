/**
 * Connections over NATS, for both directions: calls back, progress and cancellation. A client greets on a subject, and one
 * process of a queue group has it from then on.
 *
 * ```ts
 * import { NatsClient, NatsTransport } from "@parley/nats"
 * import { Peer, Router, Server } from "@parley/peer"
 * import { Effect, Layer } from "effect"
 *
 * const nats = NatsClient.layer({ servers: "127.0.0.1:4222" })
 *
 * export const server = Server.run.pipe(
 *   Effect.provide(Router.layer({ now: () => Effect.succeed(0) })),
 *   Effect.provide(Layer.provide(NatsTransport.layerListener({ subject: "clock" }), nats))
 * )
 * export const now = Effect.flatMap(Peer.Peer, (peer) => peer.request("now")).pipe(
 *   Effect.provide(Layer.provide(Peer.layer(), NatsTransport.layerTransport({ subject: "clock" }))),
 *   Effect.provide(nats)
 * )
 * ```
 *
 * @since 0.1.0
 */
export {
  layerTransport,
  makeTransport,
  type NatsKeepAlive,
  type NatsTransportOptions
} from "./internal/conversation/NatsLine.ts"
export { layerListener, makeListener, type NatsListenerOptions } from "./internal/conversation/NatsListener.ts"
