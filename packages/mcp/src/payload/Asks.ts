/**
 * What a server asks of a client, and the answers: a person's input, a model's words, the roots of the work.
 *
 * In one era these are requests of the server, in the other members of a
 * result; the records are the same.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Meta, Role, SampleContent } from "./Content.ts"
import { ObjectSchema, ToolInfo } from "./Listing.ts"

/**
 * A form for a person: a JSON Schema of an object whose properties are strings,
 * numbers, booleans, choices of strings, or several such choices.
 *
 * @category models
 * @since 0.1.0
 */
export const ElicitForm = Schema.Struct({
  message: Schema.String,
  requestedSchema: ObjectSchema,
  _meta: Schema.optionalKey(Meta)
})

/** @category models @since 0.1.0 */
export type ElicitForm = typeof ElicitForm.Type

/** A page that a person is asked to open. @category models @since 0.1.0 */
export const ElicitUrl = Schema.Struct({
  message: Schema.String,
  url: Schema.String,
  elicitationId: Schema.optionalKey(Schema.String),
  _meta: Schema.optionalKey(Meta)
})

/** @category models @since 0.1.0 */
export type ElicitUrl = typeof ElicitUrl.Type

/** What a field of a form may hold. @category models @since 0.1.0 */
export const FieldValue = Schema.Union([
  Schema.String,
  Schema.Finite,
  Schema.Boolean,
  Schema.Array(Schema.String)
])

/** @category models @since 0.1.0 */
export type FieldValue = typeof FieldValue.Type

/** What the person did, and what they filled in where they accepted a form. @category models @since 0.1.0 */
export const ElicitResult = Schema.Struct({
  action: Schema.Literals(["accept", "decline", "cancel"]),
  content: Schema.optionalKey(Schema.Record(Schema.String, FieldValue)),
  _meta: Schema.optionalKey(Meta)
})

/** @category models @since 0.1.0 */
export type ElicitResult = typeof ElicitResult.Type

/** One message of a conversation with a model. @category models @since 0.1.0 */
export const SampleMessage = Schema.Struct({
  role: Role,
  content: Schema.Union([SampleContent, Schema.Array(SampleContent)]),
  _meta: Schema.optionalKey(Meta)
})

/** @category models @since 0.1.0 */
export type SampleMessage = typeof SampleMessage.Type

const weight = Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })))

/** Which model the server would like: names to match, and what matters to it (0 to 1). @category models @since 0.1.0 */
export const ModelPreferences = Schema.Struct({
  hints: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.optionalKey(Schema.String) }))),
  costPriority: weight,
  speedPriority: weight,
  intelligencePriority: weight
})

/** @category models @since 0.1.0 */
export type ModelPreferences = typeof ModelPreferences.Type

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
  toolChoice: Schema.optionalKey(Schema.Struct({
    mode: Schema.optionalKey(Schema.Literals(["auto", "required", "none"]))
  })),
  _meta: Schema.optionalKey(Meta)
})

/** @category models @since 0.1.0 */
export type SampleRequest = typeof SampleRequest.Type

/** What the model said, which model it was, and why it stopped. @category models @since 0.1.0 */
export const SampleResult = Schema.Struct({
  role: Role,
  content: Schema.Union([SampleContent, Schema.Array(SampleContent)]),
  model: Schema.String,
  stopReason: Schema.optionalKey(Schema.String),
  _meta: Schema.optionalKey(Meta)
})

/** @category models @since 0.1.0 */
export type SampleResult = typeof SampleResult.Type

/** A place the client works in: a `file:` URI. @category models @since 0.1.0 */
export const Root = Schema.Struct({
  uri: Schema.String,
  name: Schema.optionalKey(Schema.String),
  _meta: Schema.optionalKey(Meta)
})

/** @category models @since 0.1.0 */
export type Root = typeof Root.Type

/** The places the client works in. @category models @since 0.1.0 */
export const RootsResult = Schema.Struct({ roots: Schema.Array(Root), _meta: Schema.optionalKey(Meta) })

/** @category models @since 0.1.0 */
export type RootsResult = typeof RootsResult.Type

/** The blocks of a message, whether it holds one or several. @category accessors @since 0.1.0 */
export const blocks = ({ content }: SampleMessage | SampleResult): ReadonlyArray<SampleContent> =>
  isSeveral(content) ? content : [content]

const isSeveral = (content: SampleContent | ReadonlyArray<SampleContent>): content is ReadonlyArray<SampleContent> =>
  Array.isArray(content)
