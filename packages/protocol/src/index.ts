/** The messages of JSON-RPC 2.0: reading, writing and framing them, as values. @since 0.1.0 */
export * as Batch from "./Batch.ts"
export * as Dialect from "./Dialect.ts"
export * as Framing from "./Framing.ts"
export * as Limits from "./Limits.ts"
export * as Message from "./Message.ts"
