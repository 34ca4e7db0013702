/**
 * The results of a server, and the one result that is a question: `InputRequired`.
 *
 * ```ts run
 * import * as Results from "@parley/mcp/payload/Results"
 *
 * const answer: Results.CallToolResult = { content: [{ type: "text", text: "noon" }] }
 * const question: Results.InputRequired = {
 *   resultType: "input_required",
 *   inputRequests: { roots: { method: "roots/list" } }
 * }
 *
 * console.log(Results.isInputRequired(answer), Results.isInputRequired(question)) // => false true
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Implementation, ServerCapabilities } from "./Capabilities.ts"
import { answered, Content, Meta, ResourceContents, Role } from "./Content.ts"
import { cacheFields } from "./Listing.ts"

/**
 * The result of a tool. With `isError` it is a failure that the model should see.
 *
 * @category models
 * @since 0.1.0
 */
export const CallToolResult = Schema.Struct(answered)

/** @category models @since 0.1.0 */
export type CallToolResult = typeof CallToolResult.Type

/** The result of `resources/read`: several contents where the resource is a kind of folder. @category models @since 0.1.0 */
export const ReadResourceResult = Schema.Struct({
  contents: Schema.Array(ResourceContents),
  ...cacheFields,
  _meta: Schema.optionalKey(Meta)
})

/** @category models @since 0.1.0 */
export type ReadResourceResult = typeof ReadResourceResult.Type

/** One message of a prompt. @category models @since 0.1.0 */
export const PromptMessage = Schema.Struct({ role: Role, content: Content })

/** @category models @since 0.1.0 */
export type PromptMessage = typeof PromptMessage.Type

/** The result of `prompts/get`: the messages of the prompt. @category models @since 0.1.0 */
export const GetPromptResult = Schema.Struct({
  description: Schema.optionalKey(Schema.String),
  messages: Schema.Array(PromptMessage),
  _meta: Schema.optionalKey(Meta)
})

/** @category models @since 0.1.0 */
export type GetPromptResult = typeof GetPromptResult.Type

/** Values that complete what was typed: at most `maxCompletions` travel. @category models @since 0.1.0 */
export const CompleteResult = Schema.Struct({
  completion: Schema.Struct({
    values: Schema.Array(Schema.String),
    total: Schema.optionalKey(Schema.Int),
    hasMore: Schema.optionalKey(Schema.Boolean)
  }),
  _meta: Schema.optionalKey(Meta)
})

/** @category models @since 0.1.0 */
export type CompleteResult = typeof CompleteResult.Type

/** The most completions that one result may have. @category models @since 0.1.0 */
export const maxCompletions = 100

/** The result of `initialize`. @category models @since 0.1.0 */
export const InitializeResult = Schema.Struct({
  protocolVersion: Schema.String,
  capabilities: ServerCapabilities,
  serverInfo: Implementation,
  instructions: Schema.optionalKey(Schema.String),
  _meta: Schema.optionalKey(Meta)
})

/** @category models @since 0.1.0 */
export type InitializeResult = typeof InitializeResult.Type

/** The result of `server/discover`. The name and version of the server are in `_meta`. @category models @since 0.1.0 */
export const DiscoverResult = Schema.Struct({
  supportedVersions: Schema.Array(Schema.String),
  capabilities: ServerCapabilities,
  instructions: Schema.optionalKey(Schema.String),
  ...cacheFields,
  _meta: Schema.optionalKey(Meta)
})

/** @category models @since 0.1.0 */
export type DiscoverResult = typeof DiscoverResult.Type

/** One question inside a result. @category models @since 0.1.0 */
export const InputRequest = Schema.Struct({
  method: Schema.Literals(["sampling/createMessage", "elicitation/create", "roots/list"]),
  params: Schema.optionalKey(Schema.JsonObject)
})

/** @category models @since 0.1.0 */
export type InputRequest = typeof InputRequest.Type

/**
 * The server needs answers before it can go on: the client sends the request
 * again, with the answers by key and with `requestState` as it was.
 *
 * @category models
 * @since 0.1.0
 */
export const InputRequired = Schema.Struct({
  resultType: Schema.Literal("input_required"),
  inputRequests: Schema.optionalKey(Schema.Record(Schema.String, InputRequest)),
  requestState: Schema.optionalKey(Schema.String),
  _meta: Schema.optionalKey(Meta)
}).check(
  Schema.makeFilter(({ inputRequests, requestState }) =>
    inputRequests !== undefined || requestState !== undefined || "has neither inputRequests nor requestState"
  )
)

/** @category models @since 0.1.0 */
export type InputRequired = typeof InputRequired.Type

/**
 * The questions of one round, at most. A server asks further ones in the next round, and a client refuses a round with more.
 *
 * @category constants
 * @since 0.1.0
 */
export const mostInputRequests = 64

/** Tells whether a result is a question. @category predicates @since 0.1.0 */
export const isInputRequired = (result: object): result is InputRequired =>
  // The member is there; what it holds is compared.
  Object.hasOwn(result, "resultType") && (result as Partial<InputRequired>).resultType === "input_required"
