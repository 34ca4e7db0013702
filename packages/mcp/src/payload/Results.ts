/**
 * What a server answers, and the one answer that is a question: `InputRequired`.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Implementation, ServerCapabilities } from "./Capabilities.ts"
import { Content, Meta, ResourceContents, Role } from "./Content.ts"
import { cacheFields } from "./Listing.ts"

/**
 * What a tool answers. `isError` is a failure that the model should see.
 *
 * @category models
 * @since 0.1.0
 */
export const CallToolResult = Schema.Struct({
  content: Schema.Array(Content),
  structuredContent: Schema.optionalKey(Schema.Json),
  isError: Schema.optionalKey(Schema.Boolean),
  _meta: Schema.optionalKey(Meta)
})

/** @category models @since 0.1.0 */
export type CallToolResult = typeof CallToolResult.Type

/** What reading a resource gives: several contents where it is a kind of folder. @category models @since 0.1.0 */
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

/** What a prompt becomes. @category models @since 0.1.0 */
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

/** How many completions one result may hold. @category models @since 0.1.0 */
export const maxCompletions = 100

/** What `initialize` answers. @category models @since 0.1.0 */
export const InitializeResult = Schema.Struct({
  protocolVersion: Schema.String,
  capabilities: ServerCapabilities,
  serverInfo: Implementation,
  instructions: Schema.optionalKey(Schema.String),
  _meta: Schema.optionalKey(Meta)
})

/** @category models @since 0.1.0 */
export type InitializeResult = typeof InitializeResult.Type

/** What `server/discover` answers. Who the server is stands in `_meta`. @category models @since 0.1.0 */
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

/** Tells a question from an answer. @category predicates @since 0.1.0 */
export const isInputRequired = (result: object): result is InputRequired =>
  // The member is there; what it holds is compared.
  Object.hasOwn(result, "resultType") && (result as Partial<InputRequired>).resultType === "input_required"
