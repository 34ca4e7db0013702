/**
 * JSON-RPC over a subject of NATS, by request and reply: a server answers the texts of the subject in a queue group, so
 * that any number of processes share the calls, and a client publishes each call as a message of its own.
 *
 * ```ts
 * import { NatsClient, NatsRpc } from "@parley/nats"
 * import { Caller, Router } from "@parley/peer"
 * import { Effect, Layer } from "effect"
 *
 * const nats = NatsClient.layer({ servers: "127.0.0.1:4222" })
 * const server = NatsRpc.layerServer({ subject: "clock" }).pipe(
 *   Layer.provide(Router.layer({ now: () => Effect.succeed(0) })),
 *   Layer.provide(nats)
 * )
 * const client = Layer.provide(NatsRpc.layerClient({ subject: "clock" }), nats)
 *
 * export const now = Caller.Caller.use((caller) => caller.request("now")).pipe(
 *   Effect.provide(Layer.merge(server, client))
 * )
 * ```
 *
 * @since 0.1.0
 */
export { layerClient, makeClient, type NatsClientOptions } from "./internal/rpc/NatsCaller.ts"
export { makeExchange, type NatsExchangeOptions } from "./internal/rpc/NatsExchange.ts"
export {
  type Answer,
  layerServer,
  type NatsServerOptions,
  serve,
  serveWith,
  type Serving
} from "./internal/rpc/NatsService.ts"
