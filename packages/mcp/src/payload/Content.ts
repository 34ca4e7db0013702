/**
 * The content that tools, prompts, resources and models give: text, images, sound, resources, links, and calls of tools.
 *
 * Everything here is JSON: bytes are base64 strings. The records are those of the
 * newest revision; the `RevisionCodec` of an older one replaces what that revision lacks
 * by what it has. Members that no record names are kept.
 *
 * ```ts run
 * import { Content } from "@parley/mcp"
 *
 * console.log(Content.text("noon", { annotations: { audience: ["user"] } }))
 * // => { type: 'text', text: 'noon', annotations: { audience: [ 'user' ] } }
 * console.log(Content.image(new Uint8Array([1, 2, 3]), "image/png"))
 * // => { type: 'image', data: 'AQID', mimeType: 'image/png' }
 * console.log(Content.bytesOf(Content.blobContents("file:///a", "AQID"))) // => Uint8Array(3) [ 1, 2, 3 ]
 * ```
 *
 * @since 0.1.0
 */
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isObject } from "../internal/Json.ts"
import { encoded, same, since } from "../internal/wire/History.ts"

/** The speaker of a message: a person or a model. @category models @since 0.1.0 */
export const Role = Schema.Literals(["user", "assistant"])

/** @category models @since 0.1.0 */
export type Role = typeof Role.Type

/**
 * For whom something is, how important it is (0 to 1), and when it last changed (ISO 8601).
 *
 * @category models
 * @since 0.1.0
 */
export const Annotations = Schema.Struct({
  audience: Schema.optionalKey(Schema.Array(Role)),
  priority: Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))),
  lastModified: since("2025-06-18", Schema.String)
})

/** @category models @since 0.1.0 */
export type Annotations = typeof Annotations.Type

/**
 * A picture for a person to look at: an `https:` or `data:` URI, sizes such as `48x48` or `any`.
 *
 * @category models
 * @since 0.1.0
 */
export const Icon = Schema.Struct({
  src: Schema.String,
  mimeType: Schema.optionalKey(Schema.String),
  sizes: Schema.optionalKey(Schema.Array(Schema.String)),
  theme: Schema.optionalKey(Schema.Literals(["light", "dark"]))
})

/** @category models @since 0.1.0 */
export type Icon = typeof Icon.Type

/** The `_meta` of a record: whatever its sender puts there, by key. @category models @since 0.1.0 */
export const Meta = Schema.JsonObject

/** @category models @since 0.1.0 */
export type Meta = typeof Meta.Type

/**
 * What stands in the place of content that a revision lacks: a text that says what is missing. A client shows it, a model
 * reads it, and nobody takes it for the thing itself.
 */
const note = (text: string, annotations?: Annotations): TextContent => ({
  type: "text",
  text,
  ...(annotations === undefined ? {} : { annotations })
})

/** How many bytes a base64 text stands for. */
const bytes = (data: string): number => Math.floor(data.replace(padding, "").length * 3 / 4)

/** Looked for once in each run of equals signs, and not once from each of its characters: strangers may choose the text. */
const padding = /(?<!=)=+$/

const marked = {
  /** For whom it is, how important it is, and when it last changed. */
  annotations: Schema.optionalKey(Annotations),
  /** Additions of the sender, by key. */
  _meta: since("2025-06-18", Meta)
}

/** Text as a content block. @category models @since 0.1.0 */
export const TextContent = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String, ...marked })

/** @category models @since 0.1.0 */
export type TextContent = typeof TextContent.Type

const media = { data: Schema.String, mimeType: Schema.String, ...marked }

/** A picture: base64 and its media type. @category models @since 0.1.0 */
export const ImageContent = Schema.Struct({ type: Schema.Literal("image"), ...media })

/** @category models @since 0.1.0 */
export type ImageContent = typeof ImageContent.Type

/** Sound: base64 and its media type. @category models @since 0.1.0 */
export const AudioContent = encoded(Schema.Struct({ type: Schema.Literal("audio"), ...media }), {
  "2024-11-05": ({ annotations, data, mimeType }) =>
    note(`[audio ${mimeType}, ${bytes(data)} bytes, not sent]`, annotations),
  "2025-03-26": same
})

/** @category models @since 0.1.0 */
export type AudioContent = typeof AudioContent.Type

/** A link to a resource: its list entry, without its content. @category models @since 0.1.0 */
export const ResourceLink = encoded(
  Schema.Struct({
    type: Schema.Literal("resource_link"),
    uri: Schema.String,
    name: Schema.String,
    title: Schema.optionalKey(Schema.String),
    description: Schema.optionalKey(Schema.String),
    mimeType: Schema.optionalKey(Schema.String),
    size: Schema.optionalKey(Schema.Int),
    icons: since("2025-11-25", Schema.Array(Icon)),
    ...marked
  }),
  {
    "2024-11-05": ({ annotations, description, name, title = name, uri }) =>
      note(`[resource ${title}: ${uri}${description === undefined ? "" : ` (${description})`}]`, annotations),
    "2025-06-18": same
  }
)

/** @category models @since 0.1.0 */
export type ResourceLink = typeof ResourceLink.Type

const located = {
  uri: Schema.String,
  mimeType: Schema.optionalKey(Schema.String),
  _meta: since("2025-06-18", Meta)
}

/** The content of a resource that is text. @category models @since 0.1.0 */
export const TextResourceContents = Schema.Struct({ ...located, text: Schema.String })

/** @category models @since 0.1.0 */
export type TextResourceContents = typeof TextResourceContents.Type

/** The content of a resource that is bytes, in base64. @category models @since 0.1.0 */
export const BlobResourceContents = Schema.Struct({ ...located, blob: Schema.String })

/** @category models @since 0.1.0 */
export type BlobResourceContents = typeof BlobResourceContents.Type

/** The content of a resource. @category models @since 0.1.0 */
export const ResourceContents = Schema.Union([TextResourceContents, BlobResourceContents])

/** @category models @since 0.1.0 */
export type ResourceContents = typeof ResourceContents.Type

/** A resource with its content. @category models @since 0.1.0 */
export const EmbeddedResource = Schema.Struct({
  type: Schema.Literal("resource"),
  resource: ResourceContents,
  ...marked
})

/** @category models @since 0.1.0 */
export type EmbeddedResource = typeof EmbeddedResource.Type

/** A content block of the answer of a tool or a prompt. @category models @since 0.1.0 */
export const Content = Schema.Union([TextContent, ImageContent, AudioContent, ResourceLink, EmbeddedResource])

/** @category models @since 0.1.0 */
export type Content = typeof Content.Type

const onlyObject = (json: Schema.Json): Schema.JsonObject | undefined => isObject(json) ? json : undefined

/** The members of what a tool answers: to its caller, and to the model that wished the call. @internal */
export const answered = {
  content: Schema.Array(Content),
  structuredContent: encoded(Schema.optionalKey(Schema.Json), { "2025-06-18": onlyObject, "2026-07-28": same }),
  isError: Schema.optionalKey(Schema.Boolean),
  _meta: Schema.optionalKey(Meta)
}

/** A model's wish to call a tool. @category models @since 0.1.0 */
export const ToolUseContent = encoded(
  Schema.Struct({
    type: Schema.Literal("tool_use"),
    id: Schema.String,
    name: Schema.String,
    input: Schema.JsonObject,
    _meta: Schema.optionalKey(Meta)
  }),
  {
    "2024-11-05": ({ input, name }) => note(`[call of tool ${name}: ${JSON.stringify(input)}]`),
    "2025-11-25": same
  }
)

/** @category models @since 0.1.0 */
export type ToolUseContent = typeof ToolUseContent.Type

/** The answer of a tool to the model that called it. @category models @since 0.1.0 */
export const ToolResultContent = encoded(
  Schema.Struct({ type: Schema.Literal("tool_result"), toolUseId: Schema.String, ...answered }),
  {
    "2024-11-05": ({ content, toolUseId }) => note(`[result of tool call ${toolUseId}: ${JSON.stringify(content)}]`),
    "2025-11-25": same
  }
)

/** @category models @since 0.1.0 */
export type ToolResultContent = typeof ToolResultContent.Type

/** A content block of a message to or from a model. @category models @since 0.1.0 */
export const SampleContent = Schema.Union([
  TextContent,
  ImageContent,
  AudioContent,
  ToolUseContent,
  ToolResultContent
])

/** @category models @since 0.1.0 */
export type SampleContent = typeof SampleContent.Type

/** The members that every content block may have. @category models @since 0.1.0 */
export interface Marks extends Schema.Struct.Type<typeof marked> {}

const base64 = (data: Uint8Array | string): string => typeof data === "string" ? data : Base64.encode(data)

/** Text as a content block. @category constructors @since 0.1.0 */
export const text = (value: string, marks?: Marks): TextContent => ({ type: "text", text: value, ...marks })

/** A picture as a content block: bytes, or base64. @category constructors @since 0.1.0 */
export const image = (data: Uint8Array | string, mimeType: string, marks?: Marks): ImageContent => ({
  type: "image",
  data: base64(data),
  mimeType,
  ...marks
})

/** Sound as a content block: bytes, or base64. @category constructors @since 0.1.0 */
export const audio = (data: Uint8Array | string, mimeType: string, marks?: Marks): AudioContent => ({
  type: "audio",
  data: base64(data),
  mimeType,
  ...marks
})

/** The content of a resource, from its text. @category constructors @since 0.1.0 */
export const textContents = (uri: string, text: string, mimeType?: string): TextResourceContents =>
  mimeType === undefined ? { uri, text } : { uri, mimeType, text }

/** The content of a resource, from its bytes or their base64. @category constructors @since 0.1.0 */
export const blobContents = (uri: string, blob: Uint8Array | string, mimeType?: string): BlobResourceContents =>
  mimeType === undefined ? { uri, blob: base64(blob) } : { uri, mimeType, blob: base64(blob) }

/** A resource with its content as a content block. @category constructors @since 0.1.0 */
export const resource = (contents: ResourceContents, marks?: Marks): EmbeddedResource => ({
  type: "resource",
  resource: contents,
  ...marks
})

/** A link to a resource as a content block. @category constructors @since 0.1.0 */
export const link = (options: Omit<ResourceLink, "type">): ResourceLink => ({ type: "resource_link", ...options })

/** Tells whether the content of a resource is text. @category predicates @since 0.1.0 */
export const isText = (contents: ResourceContents): contents is TextResourceContents => Object.hasOwn(contents, "text")

/**
 * The content of a resource, as bytes: the UTF-8 of its text, or its Base64 decoded; `undefined` where that is none.
 *
 * @category accessors
 * @since 0.1.0
 */
export const bytesOf = (contents: ResourceContents): Uint8Array | undefined =>
  isText(contents)
    ? new TextEncoder().encode(contents.text)
    : Result.getOrUndefined(Base64.decode(contents.blob))
