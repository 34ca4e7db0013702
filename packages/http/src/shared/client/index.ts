/**
 * Modules that the packages of Parley share for clients, apart from the others, because they load a client of HTTP.
 *
 * @since 0.1.0
 */
export * as AnswerReader from "./AnswerReader.ts"
export * as HttpExchange from "./HttpExchange.ts"
export * as HttpFetcher from "./HttpFetcher.ts"
