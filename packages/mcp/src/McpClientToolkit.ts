/**
 * The tools of a server as an Effect AI toolkit, so that a `LanguageModel` can use them.
 *
 * The model gets the result of a tool as text and files, not as their JSON. It also gets the failure of a tool, unless
 * `failureMode` is `error`.
 *
 * ```ts
 * import { McpClient, McpClientToolkit } from "@parley/mcp"
 * import { Effect } from "effect"
 * import { LanguageModel } from "effect/ai"
 *
 * // Lets a model answer a question with the help of a server's tools.
 * export const answer = (question: string) =>
 *   Effect.gen(function*() {
 *     const client = yield* McpClient.McpClient
 *     const toolkit = yield* McpClientToolkit.make(client, {
 *       prefix: "library_",
 *       needsApproval: ({ annotations }) => annotations?.readOnlyHint !== true
 *     })
 *     return yield* LanguageModel.generateText({ prompt: question, toolkit })
 *   })
 * ```
 *
 * @since 0.1.0
 */
import { AuthorizationError } from "@parley/oauth/AuthorizationError"
import * as Caller from "@parley/peer/Caller"
import * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as McpClientError from "./client/McpClientError.ts"
import { textOf } from "./host/ModelTools.ts"
import * as names from "./internal/host/names.ts"
import type { McpClient } from "./McpClient.ts"
import * as Content from "./payload/Content.ts"
import { type ToolInfo, visibilityOf } from "./payload/Listing.ts"
import { CallToolResult } from "./payload/Results.ts"

/**
 * The errors of a call of a tool, as a Schema.
 *
 * @category errors
 * @since 0.1.0
 */
export const Failure = Schema.Union([
  McpClientError.ToolError,
  McpClientError.TaskError,
  McpClientError.ProtocolError,
  McpClientError.UnsupportedCapability,
  McpClientError.SessionExpired,
  McpClientError.InvalidResult,
  McpClientError.InputRefused,
  AuthorizationError,
  Caller.RequestTimeout,
  Caller.Disconnected,
  Caller.InvalidResponse,
  Caller.HttpStatusError,
  Caller.Overloaded,
  Caller.InvalidArguments
])

/** @category errors @since 0.1.0 */
export type Failure = typeof Failure.Type

/**
 * A tool of a server, as a model is offered it.
 *
 * @category models
 * @since 0.1.0
 */
export type ModelTool<Mode extends Tool.FailureMode = "return"> = Tool.Tool<string, {
  readonly parameters: typeof Schema.Unknown
  readonly success: typeof CallToolResult
  readonly failure: typeof Failure
  readonly failureMode: Mode
}>

/**
 * How the tools are offered.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpClientToolkitOptions<Mode extends Tool.FailureMode = "return"> {
  /** A prefix of every name, which tells the tools of several servers apart. */
  readonly prefix?: string | undefined
  /** Tells whether a tool is offered. All are by default. */
  readonly filter?: ((tool: ToolInfo) => boolean) | undefined
  /** Tells whether a person has to agree to calls of a tool. None needs that by default. */
  readonly needsApproval?: ((tool: ToolInfo) => boolean) | undefined
  /**
   * `return` by default: the model sees the failure of a tool, and can do something about it. `error` fails the effect
   * that runs the model.
   */
  readonly failureMode?: Mode | undefined
}

/**
 * The tools that the server has now, ready to be called. Make it again when they have changed.
 *
 * A name that models would refuse is written with `_` in the place of what they refuse, and cut to 64 characters; one
 * that is taken then gets a number.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <Mode extends Tool.FailureMode = "return">(
  client: McpClient,
  options: McpClientToolkitOptions<Mode> = {}
): Effect.Effect<
  Toolkit.WithHandler<Record<string, ModelTool<Mode>>>,
  McpClientError.McpCallError
> => {
  const made = build(client, { ...options, failureMode: options.failureMode ?? "return" })
  // The tools hold the mode; only their type names the other mode.
  return made as unknown as Effect.Effect<
    Toolkit.WithHandler<Record<string, ModelTool<Mode>>>,
    McpClientError.McpCallError
  >
}

type Built = McpClientToolkitOptions<Tool.FailureMode> & { readonly failureMode: Tool.FailureMode }

const build = (client: McpClient, options: Built) =>
  Effect.flatMap(client.listTools(), (infos) => {
    const tools: Array<ModelTool> = []
    const handlers: Record<string, (params: unknown) => Effect.Effect<CallToolResult, Failure>> = {}
    const nameOf = names.make()
    for (const info of infos) {
      // MCP Apps: a tool that only the pages of its server may call is not offered to a model.
      if (!visibilityOf(info).includes("model") || options.filter?.(info) === false) continue
      const name = nameOf(`${options.prefix ?? ""}${info.name}`)
      tools.push(toolOf(name, info, options))
      handlers[name] = (params) => client.callTool(info.name, params)
    }
    const toolkit = Toolkit.make(...tools)
    return Effect.flatMap(toolkit.toHandlers(handlers), (context) => Effect.provideContext(toolkit, context))
  })

const toolOf = (name: string, info: ToolInfo, { failureMode, needsApproval }: Built): ModelTool => {
  const { annotations: hints, description, inputSchema } = info
  const title = info.title ?? hints?.title
  const tool = Tool.dynamic(name, {
    description,
    parameters: inputSchema,
    success: CallToolResult,
    failure: Failure,
    // The type names one mode for both.
    failureMode: failureMode as "return",
    needsApproval: needsApproval?.(info) === true,
    toModelOutput: (result: CallToolResult) => partsOf(result)
  })
    // The schema is the server's, and need not be of the kind that models check strictly.
    .annotate(Tool.Strict, false)
    .annotate(Tool.Readonly, hints?.readOnlyHint ?? false)
    .annotate(Tool.Destructive, hints?.destructiveHint ?? true)
    .annotate(Tool.Idempotent, hints?.idempotentHint ?? false)
    .annotate(Tool.OpenWorld, hints?.openWorldHint ?? true)
  return title === undefined ? tool : tool.annotate(Tool.Title, title)
}

/** The part of a result that a model sees: its content, or its structured content where there is no content. */
const partsOf = ({ content, structuredContent }: CallToolResult): ReadonlyArray<Prompt.ToolModelOutputPart> => {
  const parts = content.map(partOf)
  return parts.length === 0 && structuredContent !== undefined ? [text(JSON.stringify(structuredContent))] : parts
}

const partOf = (block: Content.Content): Prompt.ToolModelOutputPart => {
  switch (block.type) {
    case "text":
      return text(block.text)
    case "image":
    case "audio":
      return Prompt.filePart({ mediaType: block.mimeType, data: block.data })
    case "resource_link":
      return text(textOf(block))
    case "resource":
      return Content.isText(block.resource)
        ? text(block.resource.text)
        : Prompt.filePart({
          mediaType: block.resource.mimeType ?? "application/octet-stream",
          fileName: block.resource.uri,
          data: block.resource.blob
        })
  }
}

const text = (text: string): Prompt.TextPart => Prompt.textPart({ text })
