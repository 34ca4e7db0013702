/** NATS: a connection, JSON-RPC over it, nodes of a mesh, and journals. @since 0.1.0 */
export * as NatsClient from "./NatsClient.ts"
export * as NatsNodes from "./NatsNodes.ts"
export * as NatsRpc from "./NatsRpc.ts"
export * as NatsTransport from "./NatsTransport.ts"
