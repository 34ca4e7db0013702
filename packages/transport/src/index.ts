/** Where connections are accepted. @since 0.1.0 */
export * as Listener from "./Listener.ts"
export * as Transport from "./Transport.ts"
export * as TransportError from "./TransportError.ts"
