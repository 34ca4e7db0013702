/**
 * Modules that the packages of Parley share. Programs have no reason to import them, and they may change in any
 * release.
 *
 * @since 0.1.0
 */
export * as BadFrame from "./BadFrame.ts"
export * as Envelope from "./Envelope.ts"
export * as ErrorCode from "./ErrorCode.ts"
export * as ErrorObject from "./ErrorObject.ts"
export * as ErrorReply from "./ErrorReply.ts"
export * as RequestId from "./RequestId.ts"
export * as Stackless from "./Stackless.ts"
export * as Bytes from "./text/Bytes.ts"
export * as Charset from "./text/Charset.ts"
export * as ExactNumber from "./text/ExactNumber.ts"
export * as Excerpt from "./text/Excerpt.ts"
export * as JsonObject from "./text/JsonObject.ts"
export * as Relayed from "./text/Relayed.ts"
export * as SourceText from "./text/SourceText.ts"
export * as Splice from "./text/Splice.ts"
export * as Utf8 from "./text/Utf8.ts"
export * as Weight from "./text/Weight.ts"
export * as Written from "./text/Written.ts"
