/** What carries texts: the interfaces first, then what implements them. @since 0.1.0 */
export * as ChildProcessTransport from "./ChildProcessTransport.ts"
export * as FramedTransport from "./FramedTransport.ts"
export * as Listener from "./Listener.ts"
export * as MemoryTransport from "./MemoryTransport.ts"
export * as SocketTransport from "./SocketTransport.ts"
export * as StdioTransport from "./StdioTransport.ts"
export * as Transport from "./Transport.ts"
export * as TransportError from "./TransportError.ts"
