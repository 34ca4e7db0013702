/** JSON-RPC over HTTP. @since 0.1.0 */
export * as AnswerReader from "./AnswerReader.ts"
export * as EventStream from "./EventStream.ts"
export * as HttpCaller from "./HttpCaller.ts"
export * as HttpExchange from "./HttpExchange.ts"
export * as HttpRoute from "./HttpRoute.ts"
export * as MediaType from "./MediaType.ts"
export * as PostRules from "./PostRules.ts"
