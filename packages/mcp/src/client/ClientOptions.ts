/**
 * The options of a client and of its calls.
 *
 * ```ts
 * import type { ClientOptions, ToolOptions } from "@parley/mcp/client/ClientOptions"
 * import { Schema } from "effect"
 *
 * export const options: ClientOptions = {
 *   name: "me",
 *   version: "1.0.0",
 *   timeout: "10 seconds"
 * }
 *
 * export const research: ToolOptions<{ readonly since: Date }> = {
 *   params: Schema.Struct({ since: Schema.DateFromString }),
 *   onProgress: ({ message }) => console.log(message)
 * }
 * ```
 *
 * @since 0.1.0
 */
import type { Router } from "@parley/peer/Router"
import type * as Limits from "@parley/protocol/Limits"
import type * as Duration from "effect/Duration"
import type * as Schema from "effect/Schema"
import type { Implementation } from "../payload/Capabilities.ts"
import type { LogLevel } from "../payload/LogLevel.ts"
import type { CallToolResult } from "../payload/Results.ts"
import type { Revision } from "../wire/Revision.ts"
import type { ClientExtension } from "./ClientExtension.ts"
import type { McpHandlers } from "./McpHandlers.ts"
import type { Progress, ToolOptions } from "./RequestOptions.ts"

export type { CallOption, MethodOptions, Progress, RequestOptions, ToolOptions } from "./RequestOptions.ts"

/**
 * The options of a client.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClientOptions<
  H extends McpHandlers<unknown> = McpHandlers,
  X extends ClientExtension<unknown> = ClientExtension
> {
  /** The name of the client, for programs. */
  readonly name: string
  /** The version of the client. */
  readonly version: string
  /** The name that people are shown. */
  readonly title?: string | undefined
  /** A sentence on the client, for people. */
  readonly description?: string | undefined
  /** A page about the client. */
  readonly websiteUrl?: string | undefined
  /** Pictures of the client that servers may show. */
  readonly icons?: Implementation["icons"]
  /**
   * The revision to speak. `auto` by default: the client asks with `server/discover` for a modern revision, and sends
   * `initialize` where there is none. A revision that is named is used as it is; a modern one without asking.
   */
  readonly protocolVersion?: Revision | "auto" | undefined
  /** The requests that the server may make. */
  readonly handlers?: H | undefined
  /**
   * The extensions that are used, each made by `use` of its `McpExtension`, or such as `TaskClient.use` of
   * `@parley/mcp-tasks`. Two with one name are a defect.
   */
  readonly extensions?: ReadonlyArray<X> | undefined
  /** Serves requests and notifications of the server that are neither of MCP nor of `extensions`. */
  readonly router?: Router | undefined
  /** How long a request waits without progress. 30 seconds by default. The time stands still while a handler answers. */
  readonly timeout?: Duration.Input | undefined
  /** How long a request waits however much progress there is. 10 minutes by default. */
  readonly maxTimeout?: Duration.Input | undefined
  /**
   * How long the first answer may take. The default is 60 seconds, because a package runner may have to install the server.
   * Over HTTP it is 30 seconds for `server/discover`, and 5 for `initialize`.
   */
  readonly initializeTimeout?: Duration.Input | undefined
  /**
   * How long the probe may take before `initialize` is tried, too. 2 seconds by default. Over HTTP the client waits for an
   * answer.
   */
  readonly probe?: Duration.Input | undefined
  /**
   * Called where a server has answered `initialize` and not the probe before it. With a `probe` of 0 the next client of the
   * same server sends both at once, so that it does not wait for an answer that is not to come.
   */
  readonly onSilent?: (() => void) | undefined
  /** Asks for log messages of this level and above from the beginning. */
  readonly logLevel?: LogLevel | undefined
  /**
   * Whether results of tools are checked against the output schemas that the server lists. `true` by default; a gateway
   * that passes results on leaves that to its clients.
   */
  readonly checkResults?: boolean | undefined
  /**
   * Keeps the digits of numbers for whoever sends on what came, or prints it as JSON. A number of a result or a question is
   * a double, which is infinite beyond the range of doubles, and `JSON.stringify` writes the text that came. By default
   * numbers are rounded, and a result with one beyond that range is refused.
   */
  readonly keepDigits?: boolean | undefined
  /** How many results are kept for as long as the server allows. 256 by default; 0 keeps none. */
  readonly cacheSize?: number | undefined
  /** How often the server may ask for input in one call. 16 by default. */
  readonly maxInputRounds?: number | undefined
  /**
   * Refuses every result that differs from its revision, and answers malformed messages with an error. By default the
   * client reads null as an absent member, leaves out entries of lists and of content that do not fit, and drops malformed
   * messages. The log says so.
   */
  readonly strict?: boolean | undefined
  /**
   * Records `mcp.client.operation.duration` of what the client asks, `mcp.server.operation.duration` of what it answers to
   * the server, and `mcp.client.session.duration`. `false` by default. Spans need no option: they follow the tracer.
   */
  readonly metrics?: boolean | undefined
  /** The bounds of the transport. */
  readonly limits?: Partial<Limits.Limits> | undefined
}

/**
 * The options of a call of a tool, with a Schema for its structured content.
 *
 * @category models
 * @since 0.1.0
 */
export interface TypedToolOptions<A, P = Schema.JsonObject> extends ToolOptions<P> {
  /** Decodes the structured content, which must be there. */
  readonly result: Schema.Codec<A, unknown>
}

/**
 * An element of the stream of a tool's call: progress, and at last the result.
 *
 * @category models
 * @since 0.1.0
 */
export type ToolEvent =
  | { readonly _tag: "Progress"; readonly progress: Progress }
  | { readonly _tag: "Result"; readonly result: CallToolResult }

/**
 * The subject of a completion: an argument of a prompt, or a variable of a resource template.
 *
 * @category models
 * @since 0.1.0
 */
export type CompletionRef =
  | { readonly _tag: "Prompt"; readonly name: string }
  | { readonly _tag: "Template"; readonly uri: string }
