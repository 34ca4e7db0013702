/**
 * The tools of servers in the formats of the APIs of models, for programs that call such an API themselves. With Effect's
 * `LanguageModel`, use `McpClientToolkit`.
 *
 * - The tools of several servers have the name of their server and `_` before their own. A name is one that models take.
 * - Input schemas are written as models take them: OpenAI and Anthropic refuse choices at the root. The server still checks
 *   the arguments against its own schema.
 * - What a model does wrong is a result with `isError`, which the model reads: a name that nobody has, arguments that are no
 *   JSON, and all that the tool itself refuses. Where a server or its connection is at fault, the call fails.
 *
 * ```ts
 * import { type McpClient, ModelTools } from "@parley/mcp"
 * import { Effect } from "effect"
 *
 * declare const files: McpClient.McpClient
 * declare const search: McpClient.McpClient
 * declare const ask: (body: object) => Effect.Effect<{ readonly calls: ReadonlyArray<{ name: string; input: object }> }>
 *
 * export const turn = Effect.gen(function*() {
 *   const tools = yield* ModelTools.make({ files, search })
 *   const { calls } = yield* ask({ tools: tools.anthropic })
 *   return yield* Effect.forEach(calls, ({ input, name }) => Effect.map(tools.call(name, input), ModelTools.toAnthropic))
 * })
 * ```
 *
 * @since 0.1.0
 */
import { ErrorCode, Excerpt, JsonObject } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { RequestOptions } from "../client/ClientOptions.ts"
import type { McpCallError, McpToolError, ToolError } from "../client/McpClientError.ts"
import * as names from "../internal/host/names.ts"
import { parametersOf } from "../internal/host/parameters.ts"
import type { McpClient } from "../McpClient.ts"
import * as Content from "../payload/Content.ts"
import { type ToolInfo, visibilityOf } from "../payload/Listing.ts"
import type { CallToolResult } from "../payload/Results.ts"

/**
 * A tool for the Chat Completions API of OpenAI, and for the many APIs that are made like it.
 *
 * @category models
 * @since 0.1.0
 */
export interface OpenAiTool {
  readonly type: "function"
  readonly function: {
    readonly name: string
    readonly description: string
    readonly parameters: Schema.JsonObject
  }
}

/** A tool for the Responses API of OpenAI. @category models @since 0.1.0 */
export interface ResponsesTool {
  readonly type: "function"
  readonly name: string
  readonly description: string
  readonly parameters: Schema.JsonObject
  /** A strict schema names every property as required, which schemas of servers do not. */
  readonly strict: false
}

/** A tool for the Messages API of Anthropic. @category models @since 0.1.0 */
export interface AnthropicTool {
  readonly name: string
  readonly description: string
  readonly input_schema: Schema.JsonObject
}

/** A part of the result of a tool for the Messages API of Anthropic. @category models @since 0.1.0 */
export type AnthropicPart =
  | { readonly type: "text"; readonly text: string }
  | {
    readonly type: "image"
    readonly source: { readonly type: "base64"; readonly media_type: string; readonly data: string }
  }

/**
 * The tools that some servers have now. Make them again when they have changed.
 *
 * @category models
 * @since 0.1.0
 */
export interface ModelTools {
  readonly openai: ReadonlyArray<OpenAiTool>
  readonly responses: ReadonlyArray<ResponsesTool>
  readonly anthropic: ReadonlyArray<AnthropicTool>
  /** The server and the list entry of a tool, by the name that the model has for it. */
  readonly find: (name: string) => { readonly server: string; readonly info: ToolInfo } | undefined
  /**
   * Calls a tool by the name that the model has for it. The arguments are an object, or its JSON as OpenAI gives it; an empty
   * text is an object without members.
   */
  readonly call: (
    name: string,
    args?: string | object,
    options?: RequestOptions
  ) => Effect.Effect<CallToolResult, Exclude<McpToolError, ToolError>>
}

/**
 * How the tools are offered.
 *
 * @category models
 * @since 0.1.0
 */
export interface ModelToolsOptions {
  /** The text before the names of the tools of a server. By default its name and `_`, and none for a server named "". */
  readonly prefix?: ((server: string) => string) | undefined
  /** Tells whether a tool is offered. All are by default, but for those that only the pages of a server may call. */
  readonly filter?: ((tool: ToolInfo, server: string) => boolean) | undefined
}

interface Found {
  readonly name: string
  readonly server: string
  readonly client: McpClient
  readonly info: ToolInfo
}

/**
 * Lists the tools of servers, whose clients it takes by the names of the servers.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  clients: { readonly [server: string]: McpClient },
  { filter, prefix = (server) => server === "" ? "" : `${server}_` }: ModelToolsOptions = {}
): Effect.Effect<ModelTools, McpCallError> =>
  Effect.map(
    Effect.forEach(
      Object.entries(clients),
      ([server, client]) => Effect.map(client.listTools(), (tools) => ({ server, client, tools })),
      { concurrency: "unbounded" }
    ),
    (listed) => {
      const nameOf = names.make()
      const all = listed.flatMap(({ client, server, tools }) =>
        tools
          .filter((info) => visibilityOf(info).includes("model") && filter?.(info, server) !== false)
          .map((info): Found => ({ name: nameOf(prefix(server) + info.name), server, client, info }))
      )
      const byName = new Map(all.map((found) => [found.name, found]))
      const shown = all.map(({ info, name }) => ({
        name,
        description: describe(info),
        parameters: parametersOf(info.inputSchema)
      }))
      return {
        openai: shown.map((tool) => ({ type: "function", function: tool })),
        responses: shown.map((tool) => ({ type: "function", ...tool, strict: false })),
        anthropic: shown.map(({ parameters, ...tool }) => ({ ...tool, input_schema: parameters })),
        find: (name) => byName.get(name),
        call: (name, args = {}, options) => called(byName, name, args, options)
      }
    }
  )

/** A model knows a tool by nothing else. It reads what a person does not see, so that is written out. */
const describe = ({ annotations, description, name, title = annotations?.title ?? name }: ToolInfo): string =>
  Excerpt.lines((description ?? title).slice(0, longestDescription))

/** Characters of a description: the context of a model is small, and a server writes as much as it wants. */
const longestDescription = 16_384

const called = (
  byName: ReadonlyMap<string, Found>,
  name: string,
  args: string | object,
  options: RequestOptions | undefined
): Effect.Effect<CallToolResult, Exclude<McpToolError, ToolError>> => {
  const found = byName.get(name)
  if (found === undefined) return refused(`There is no tool ${Excerpt.quoted(name)}.`)
  const given = typeof args === "string" ? parsed(args) : args
  if (!JsonObject.isObject(given)) return refused("The arguments of a tool are one JSON object.")
  if (isDeeper(given, mostNested)) return refused(`The arguments of a tool nest at most ${mostNested} levels.`)
  return Effect.catch(
    found.client.callTool(found.info.name, given, options),
    (error) =>
      error._tag === "ToolError"
        ? Effect.succeed(error.result)
        // Servers of older revisions refuse arguments so.
        : error._tag === "ProtocolError" && error.code === ErrorCode.InvalidParams
        ? refused(Excerpt.line(error.message))
        : Effect.fail(error)
  )
}

/** Levels of arguments: a server may be unable to read more, and could not say of which call it is. */
const mostNested = 256

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === "object" && value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)))

const parsed = (text: string): unknown => {
  if (text.trim() === "") return {}
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const refused = (text: string): Effect.Effect<CallToolResult> =>
  Effect.succeed({ content: [Content.text(text)], isError: true })

/**
 * The content of a result as one text, as OpenAI takes it of a tool: what is no text is named. The structured content stands
 * for a result without content.
 *
 * @category conversions
 * @since 0.1.0
 */
export const toText = ({ content, structuredContent }: CallToolResult): string =>
  content.length === 0 && structuredContent !== undefined
    ? JSON.stringify(structuredContent)
    : content.map(textOf).join("\n")

/**
 * The content of a result as Anthropic takes it of a tool: texts, and images of the kinds that its models see. Of a failure,
 * the API takes texts only, and at least one.
 *
 * @category conversions
 * @since 0.1.0
 */
export const toAnthropic = (
  result: CallToolResult
): { readonly content: ReadonlyArray<AnthropicPart>; readonly is_error: boolean } => {
  const isError = result.isError === true
  const content = (result.content.length === 0 ? [Content.text(toText(result))] : result.content)
    .map((block): AnthropicPart =>
      block.type === "image" && images.has(block.mimeType) && !isError
        ? { type: "image", source: { type: "base64", media_type: block.mimeType, data: block.data } }
        : { type: "text", text: textOf(block) }
    )
    // The API refuses texts without a character.
    .filter((part) => part.type !== "text" || part.text.trim() !== "")
  return { content: isError && content.length === 0 ? [failed] : content, is_error: isError }
}

/** The text of a failure that brings none. */
const failed: AnthropicPart = { type: "text", text: "The tool failed without saying why." }

const images: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"])

/**
 * A block of content as one text: what is no text is named.
 *
 * @category conversions
 * @since 0.1.0
 */
export const textOf = (block: Content.Content): string => {
  switch (block.type) {
    case "text":
      return block.text
    case "image":
    case "audio":
      return `[${block.type}, ${block.mimeType}]`
    case "resource_link": {
      const { description, name, title, uri } = block
      return `${title ?? name}: ${uri}${description === undefined ? "" : `\n${description}`}`
    }
    case "resource":
      return Content.isText(block.resource)
        ? block.resource.text
        : `[resource ${block.resource.uri}, ${block.resource.mimeType ?? "application/octet-stream"}]`
  }
}
