/**
 * How asking the client may fail, beside the ways in which any call may.
 *
 * ```ts
 * import { ClientRequestError, McpTool } from "@parley/mcp"
 * import { Effect, Schema } from "effect"
 *
 * // A client that cannot be asked gets an answer all the same.
 * export const greet = McpTool.make(
 *   "greet",
 *   { description: "Greets you." },
 *   (_, call) =>
 *     call.elicit("name", { message: "Who are you?", fields: { name: Schema.String } }).pipe(
 *       Effect.map((answer) => answer._tag === "Accepted" ? `Hello, ${answer.content.name}` : "Hello"),
 *       Effect.catchIf(ClientRequestError.isUnanswered, () => Effect.succeed("Hello, whoever you are"))
 *     )
 * )
 * ```
 *
 * @since 0.1.0
 */
import type { CallError } from "@parley/peer/Caller"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { Excerpt } from "@parley/protocol/shared"
import * as Schema from "effect/Schema"
import * as McpError from "../wire/McpError.ts"

/**
 * The client cannot be asked this: it did not declare what the question needs, or its revision has no words for it.
 * Nothing was sent.
 *
 * @category errors
 * @since 0.1.0
 */
export class ClientCapabilityMissing extends Schema.TaggedError<ClientCapabilityMissing>()("ClientCapabilityMissing", {
  /** The method that would have been called, as in `elicitation/create`. */
  method: Schema.String,
  /** The capabilities that a client declares who can be asked this, as they stand in an error's `data`. */
  requiredCapabilities: Schema.JsonObject,
  /** The reason, in words. */
  issue: Schema.String
}) {
  override get message(): string {
    return `the client cannot be asked by ${this.method}: ${Excerpt.line(this.issue)}`
  }
}

/**
 * The client answered, but not what was asked: it is no result of the method, or the Schema of the form refuses it.
 *
 * The same key may be asked again: the client is then asked anew.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidAnswer extends Schema.TaggedError<InvalidAnswer>()("InvalidAnswer", {
  /** The key of the question. */
  key: Schema.String,
  method: Schema.String,
  /** The issues of the answer, each with its path. */
  issues: Schema.Array(Schema.Struct({
    path: Schema.Array(Schema.Union([Schema.String, Schema.Finite])),
    message: Schema.String
  }))
}) {
  override get message(): string {
    const issues = this.issues.map(({ message, path }) => path.length === 0 ? message : `${path.join(".")}: ${message}`)
    return `the answer to ${JSON.stringify(this.key)} does not fit ${this.method}: ${Excerpt.line(issues.join("; "))}`
  }
}

/** The reasons for which there is no answer, though no call has failed. @category errors @since 0.1.0 */
export type Unanswered = ClientCapabilityMissing | InvalidAnswer

/** How asking may fail. @category errors @since 0.1.0 */
export type ClientRequestError = Unanswered | CallError

/** Tells whether an error says that there is no answer. @category predicates @since 0.1.0 */
export const isUnanswered = (error: unknown): error is Unanswered =>
  error instanceof ClientCapabilityMissing || error instanceof InvalidAnswer

/**
 * The error that is sent where a handler does not catch this one: -32021 with the capabilities that are missing, or -32602
 * with the issues under the key of the question in `inputResponses`.
 *
 * @category converting
 * @since 0.1.0
 */
export const toErrorResponse = (error: Unanswered): ErrorResponse.ErrorResponse =>
  error._tag === "ClientCapabilityMissing"
    ? McpError.missingClientCapability(error.requiredCapabilities)
    : McpError.invalidParams({
      issues: error.issues.map(({ message, path }) => ({ path: ["inputResponses", error.key, ...path], message }))
    })
