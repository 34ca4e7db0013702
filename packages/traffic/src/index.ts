/** What passes through transports: shown, recorded, and passed on. @since 0.1.0 */
export * as Recorder from "./Recorder.ts"
export * as Redaction from "./Redaction.ts"
export * as Relay from "./Relay.ts"
export * as Tap from "./Tap.ts"
