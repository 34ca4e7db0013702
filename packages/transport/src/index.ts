/** Transports carry texts: the interfaces first, then their implementations. @since 0.1.0 */
export * as FramedTransport from "./FramedTransport.ts"
export * as Handshake from "./Handshake.ts"
export * as Listener from "./Listener.ts"
export * as MemoryTransport from "./MemoryTransport.ts"
export * as MessagePortTransport from "./MessagePortTransport.ts"
export * as Transport from "./Transport.ts"
export * as WebSocketTransport from "./WebSocketTransport.ts"
