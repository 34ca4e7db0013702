/** NATS: a connection, nodes of a mesh, and journals. @since 0.1.0 */
export * as NatsClient from "./NatsClient.ts"
export * as NatsEngine from "./NatsEngine.ts"
export * as NatsError from "./NatsError.ts"
export * as NatsJournal from "./NatsJournal.ts"
export * as NatsNodes from "./NatsNodes.ts"
export * as NatsOptions from "./NatsOptions.ts"
