/**
 * The entries of the lists of a server: tools, resources, templates of resources and prompts; and the pages of lists.
 *
 * ```ts run
 * import * as Listing from "@parley/mcp/payload/Listing"
 * import { Schema } from "effect"
 *
 * const decode = Schema.decodeUnknownSync(Listing.ToolInfo)
 * const tool = decode({ name: "now", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } })
 *
 * console.log(tool.annotations?.readOnlyHint) // => true
 * ```
 *
 * @since 0.1.0
 */
import { JsonObject } from "@parley/protocol/shared"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { isObject } from "../internal/Json.ts"
import { encoded, inCore, same, since } from "../internal/wire/History.ts"
import { Annotations, Icon, Meta } from "./Content.ts"

/**
 * How a tool behaves. A client must not trust it more than it trusts the server.
 *
 * @category models
 * @since 0.1.0
 */
export const ToolAnnotations = Schema.Struct({
  title: Schema.optionalKey(Schema.String),
  readOnlyHint: Schema.optionalKey(Schema.Boolean),
  destructiveHint: Schema.optionalKey(Schema.Boolean),
  idempotentHint: Schema.optionalKey(Schema.Boolean),
  openWorldHint: Schema.optionalKey(Schema.Boolean)
})

/** @category models @since 0.1.0 */
export type ToolAnnotations = typeof ToolAnnotations.Type

/**
 * Whether calls of a tool may be tasks of the core generation. Absent, they must not be.
 *
 * @category models
 * @since 0.1.0
 */
export const ToolExecution = Schema.Struct({
  taskSupport: Schema.optionalKey(Schema.Literals(["forbidden", "optional", "required"]))
})

/** @category models @since 0.1.0 */
export type ToolExecution = typeof ToolExecution.Type

const named = {
  name: Schema.String,
  title: since("2025-06-18", Schema.String),
  description: Schema.optionalKey(Schema.String),
  icons: since("2025-11-25", Schema.Array(Icon)),
  _meta: since("2025-06-18", Meta)
}

/**
 * A JSON Schema of an object, kept to the last keyword.
 *
 * @category models
 * @since 0.1.0
 */
export const ObjectSchema = Schema.StructWithRest(Schema.Struct({ type: Schema.Literal("object") }), [
  Schema.JsonObject
])

/** @category models @since 0.1.0 */
export type ObjectSchema = typeof ObjectSchema.Type

/** A schema of an object whose properties are objects: `true` and `false` become schemas that mean the same. */
const worded = (schema: Schema.JsonObject): Schema.JsonObject => {
  const properties = schema["properties"]
  if (!isObject(properties) || !Object.values(properties).some((property) => typeof property === "boolean")) {
    return schema
  }
  const objectOf = (property: Schema.Json) => property === true ? {} : property === false ? { not: {} } : property
  const objects = Object.entries(properties).map(([key, property]) => [key, objectOf(property)])
  return { ...schema, properties: Object.fromEntries(objects) }
}

const objectOutput = (schema: Schema.JsonObject) => schema["type"] === "object" ? worded(schema) : undefined

/**
 * A tool: its name, the JSON Schema of its arguments (an object) and, where it has one, of its structured result.
 *
 * @category models
 * @since 0.1.0
 */
export const ToolInfo = Schema.Struct({
  ...named,
  inputSchema: encoded(ObjectSchema, { "2024-11-05": worded, "2026-07-28": same }),
  outputSchema: encoded(Schema.optionalKey(Schema.JsonObject), { "2025-06-18": objectOutput, "2026-07-28": same }),
  annotations: since("2025-03-26", ToolAnnotations),
  execution: inCore(ToolExecution)
})

/** @category models @since 0.1.0 */
export type ToolInfo = typeof ToolInfo.Type

/** The callers of a tool: the model, the pages of its server, or both. @category models @since 0.1.0 */
export const Visibility = Schema.Array(Schema.Literals(["model", "app"]))

/** @category models @since 0.1.0 */
export type Visibility = typeof Visibility.Type

const decodeVisibility = Schema.decodeUnknownOption(Visibility)

/**
 * The callers that a tool names for hosts with MCP Apps, in `_meta.ui.visibility`; both, where it names none. A host
 * must not offer to its model what is for pages alone.
 *
 * @category accessors
 * @since 0.1.0
 */
export const visibilityOf = ({ _meta = {} }: Pick<ToolInfo, "_meta">): Visibility =>
  Option.getOrElse(decodeVisibility(JsonObject.member(_meta["ui"], "visibility")), () => ["model", "app"])

/** A resource: where it is, and its size in bytes where that is known. @category models @since 0.1.0 */
export const ResourceInfo = Schema.Struct({
  ...named,
  uri: Schema.String,
  mimeType: Schema.optionalKey(Schema.String),
  size: Schema.optionalKey(Schema.Int),
  annotations: Schema.optionalKey(Annotations)
})

/** @category models @since 0.1.0 */
export type ResourceInfo = typeof ResourceInfo.Type

/** Resources by a URI template of RFC 6570. @category models @since 0.1.0 */
export const ResourceTemplateInfo = Schema.Struct({
  ...named,
  uriTemplate: Schema.String,
  mimeType: Schema.optionalKey(Schema.String),
  annotations: Schema.optionalKey(Annotations)
})

/** @category models @since 0.1.0 */
export type ResourceTemplateInfo = typeof ResourceTemplateInfo.Type

/** One argument of a prompt: always a string, required only where it says so. @category models @since 0.1.0 */
export const PromptArgument = Schema.Struct({
  name: Schema.String,
  title: since("2025-06-18", Schema.String),
  description: Schema.optionalKey(Schema.String),
  required: Schema.optionalKey(Schema.Boolean)
})

/** @category models @since 0.1.0 */
export type PromptArgument = typeof PromptArgument.Type

/** A prompt and its arguments. @category models @since 0.1.0 */
export const PromptInfo = Schema.Struct({
  ...named,
  arguments: Schema.optionalKey(Schema.Array(PromptArgument))
})

/** @category models @since 0.1.0 */
export type PromptInfo = typeof PromptInfo.Type

/**
 * Whether a cache may share a copy of a result (`public`), or keep it for one caller (`private`).
 *
 * @category models
 * @since 0.1.0
 */
export const CacheScope = Schema.Literals(["public", "private"])

/** @category models @since 0.1.0 */
export type CacheScope = typeof CacheScope.Type

/** For how many milliseconds a result may be kept, and by whom. @category models @since 0.1.0 */
export interface CacheHint extends Required<Schema.Struct.Type<typeof cacheFields>> {}

/**
 * The members of a cache hint in a result; absent where the revision has no hints. A negative time is read and written
 * as 0.
 *
 * @category models
 * @since 0.1.0
 */
export const cacheFields = {
  /** Milliseconds for which the result may be kept. */
  ttlMs: Schema.optionalKey(Schema.Int),
  /** Whether a copy may be shared between callers. */
  cacheScope: Schema.optionalKey(CacheScope)
}

const paged = {
  nextCursor: Schema.optionalKey(Schema.String),
  ...cacheFields,
  _meta: Schema.optionalKey(Meta)
}

/** Some of the tools, and where the next page starts. @category models @since 0.1.0 */
export const ToolPage = Schema.Struct({ tools: Schema.Array(ToolInfo), ...paged })

/** @category models @since 0.1.0 */
export type ToolPage = typeof ToolPage.Type

/** Some of the resources, and where the next page starts. @category models @since 0.1.0 */
export const ResourcePage = Schema.Struct({ resources: Schema.Array(ResourceInfo), ...paged })

/** @category models @since 0.1.0 */
export type ResourcePage = typeof ResourcePage.Type

/** Some of the templates, and where the next page starts. @category models @since 0.1.0 */
export const ResourceTemplatePage = Schema.Struct({ resourceTemplates: Schema.Array(ResourceTemplateInfo), ...paged })

/** @category models @since 0.1.0 */
export type ResourceTemplatePage = typeof ResourceTemplatePage.Type

/** Some of the prompts, and where the next page starts. @category models @since 0.1.0 */
export const PromptPage = Schema.Struct({ prompts: Schema.Array(PromptInfo), ...paged })

/** @category models @since 0.1.0 */
export type PromptPage = typeof PromptPage.Type
