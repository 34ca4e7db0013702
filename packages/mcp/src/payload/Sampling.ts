/**
 * A request of a server to the model of a client: to give the next message of a conversation.
 *
 * In the legacy era this is a request of the server, in the modern one a member of a result; the records are the same.
 *
 * ```ts run
 * import { Content } from "@parley/mcp"
 * import * as Sampling from "@parley/mcp/payload/Sampling"
 *
 * const request: Sampling.SampleRequest = {
 *   messages: [{ role: "user", content: Content.text("Name a river.") }],
 *   maxTokens: 100,
 *   modelPreferences: { speedPriority: 1 }
 * }
 *
 * console.log(request.messages.flatMap(Sampling.blocks)) // => [ { type: 'text', text: 'Name a river.' } ]
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { since } from "../internal/wire/History.ts"
import { Meta, Role, SampleContent } from "./Content.ts"
import { ToolInfo } from "./Listing.ts"

/** One message of a conversation with a model. @category models @since 0.1.0 */
export const SampleMessage = Schema.Struct({
  role: Role,
  content: Schema.Union([SampleContent, Schema.Array(SampleContent)]),
  _meta: Schema.optionalKey(Meta)
})

/** @category models @since 0.1.0 */
export type SampleMessage = typeof SampleMessage.Type

const weight = Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })))

/** The model that the server would like: names to match, and what matters to it (0 to 1). @category models @since 0.1.0 */
export const ModelPreferences = Schema.Struct({
  hints: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.optionalKey(Schema.String) }))),
  costPriority: weight,
  speedPriority: weight,
  intelligencePriority: weight
})

/** @category models @since 0.1.0 */
export type ModelPreferences = typeof ModelPreferences.Type

const ToolMode = Schema.Literals(["auto", "required", "none"])

/** A conversation that the client's model is asked to go on with. @category models @since 0.1.0 */
export const SampleRequest = Schema.Struct({
  messages: Schema.Array(SampleMessage),
  maxTokens: Schema.Int,
  systemPrompt: Schema.optionalKey(Schema.String),
  modelPreferences: Schema.optionalKey(ModelPreferences),
  includeContext: Schema.optionalKey(Schema.Literals(["none", "thisServer", "allServers"])),
  temperature: Schema.optionalKey(Schema.Finite),
  stopSequences: Schema.optionalKey(Schema.Array(Schema.String)),
  metadata: Schema.optionalKey(Schema.JsonObject),
  tools: Schema.optionalKey(Schema.Array(ToolInfo)),
  toolChoice: since("2025-11-25", Schema.Struct({ mode: Schema.optionalKey(ToolMode) })),
  _meta: Schema.optionalKey(Meta)
})

/** @category models @since 0.1.0 */
export type SampleRequest = typeof SampleRequest.Type

/** The message of the model, the name of the model, and why it stopped. @category models @since 0.1.0 */
export const SampleResult = Schema.Struct({
  role: Role,
  content: Schema.Union([SampleContent, Schema.Array(SampleContent)]),
  model: Schema.String,
  stopReason: Schema.optionalKey(Schema.String),
  _meta: Schema.optionalKey(Meta)
})

/** @category models @since 0.1.0 */
export type SampleResult = typeof SampleResult.Type

/** The blocks of a message, whether it holds one or several. @category accessors @since 0.1.0 */
export const blocks = ({ content }: SampleMessage | SampleResult): ReadonlyArray<SampleContent> =>
  isSeveral(content) ? content : [content]

const isSeveral = (content: SampleContent | ReadonlyArray<SampleContent>): content is ReadonlyArray<SampleContent> =>
  Array.isArray(content)
