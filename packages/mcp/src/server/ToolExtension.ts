/**
 * The seam of extensions that belong to tools: how a tool names one, and what such an extension adds to a server.
 *
 * A tool has a typed option of an extension, a `ToolOption`, and with it requires the services of the extension. The server
 * serves the extension as soon as one of its features has an option of it. What the extension adds:
 *
 * - `capabilities`: what the server declares, by the revision and the caller, in either era;
 * - `methods`: the requests of clients, as every extension has them;
 * - `callTool`: a call may be answered in place of its tool, also by an outcome that is not final. The extension then runs the
 *   handler by itself, through `serve`, with a context of its own, whose questions go its own way
 *   (`ClientRequests.Questions`). Or the handler begins within the request, and goes on with the extension at
 *   `call.detach`, which is told what the handler has learned by then;
 * - `follow`: what a client that listens to a topic is told beside notifications that are published;
 * - `close`: the end of whatever the extension runs.
 *
 * The client's half of the seam is `ClientExtension`.
 *
 * ```ts run
 * import { McpMemoryClient, McpServer, McpTool } from "@parley/mcp"
 * import type { BoundExtension, ServedExtension, ToolOption } from "@parley/mcp/server/ToolExtension"
 * import { Effect } from "effect"
 *
 * // Answers each call of a tool that has the option with a constant, and never runs the tool.
 * const bound: BoundExtension = {
 *   methods: new Map(),
 *   notifications: new Map(),
 *   around: new Map(),
 *   permitted: (_topic, values) => Effect.succeed(values),
 *   callTool: ({ option }) =>
 *     typeof option === "string"
 *       ? { _tag: "Answered", answer: Effect.succeed({ content: [{ type: "text", text: option }] }) }
 *       : { _tag: "Served" }
 * }
 * const Canned: ServedExtension = {
 *   _tag: "McpExtension",
 *   info: { name: "com.example/canned" },
 *   era: undefined,
 *   settings: {},
 *   readClient: undefined,
 *   methods: new Map(),
 *   topics: new Map(),
 *   bind: () => bound
 * }
 * const canned = (value: string): ToolOption => ({ extension: Canned, value })
 *
 * const tool = McpTool.make("ask", { extensions: [canned("no")] }, () => Effect.succeed("yes"))
 * const program = Effect.gen(function*() {
 *   const { callTool } = yield* McpMemoryClient.make({ name: "me", version: "1.0.0" })
 *   console.log((yield* callTool("ask")).content) // => [ { type: 'text', text: 'no' } ]
 * })
 * const server = McpServer.layer({ name: "canned", version: "1.0.0", features: [tool] })
 * await program.pipe(Effect.scoped, Effect.provide(server), Effect.runPromise)
 * ```
 *
 * @since 0.1.0
 */
import type { Caller } from "@parley/peer/Caller"
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import type * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as ToolHandler from "../internal/server/feature/toolHandler.ts"
import type { McpContext } from "../McpContext.ts"
import type { ServerCapabilities } from "../payload/Capabilities.ts"
import type { CacheHint, ToolInfo } from "../payload/Listing.ts"
import type { CallToolResult } from "../payload/Results.ts"
import type { Learned } from "../server/ClientRequests.ts"
import type { ServerChanges } from "../server/ServerChanges.ts"
import type { Era } from "../wire/Revision.ts"
import type { RevisionCodec } from "../wire/RevisionCodec.ts"
import type { WireIssue } from "../wire/WireIssue.ts"

/**
 * The option of a tool that an extension declares.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolOption<out R = never> {
  /** The extension, which the server of the tool serves. */
  readonly extension: ServedExtension<R>
  /** The value of the option, for the extension. */
  readonly value: unknown
  /** The members that the entry of the tool in the list has because of it. */
  readonly info?: Pick<ToolInfo, "execution"> | undefined
}

/** The services that the options of a tool require. @category models @since 0.1.0 */
export type OptionRequirements<O> = O extends ToolOption<infer R> ? R : never

/** Serves a call of a tool: its arguments are JSON, as they came. @category models @since 0.1.0 */
export type Serve = (args: Schema.JsonObject, call: McpContext) => Effect.Effect<CallToolResult, Refusal>

/** How a call of a tool fails beside a result that says so. @category models @since 0.1.0 */
export type Refusal = ToolHandler.Refusal

/** The methods of an extension; `info` has its identifier. @category models @since 0.1.0 */
export interface AnyExtension {
  readonly _tag: "McpExtension"
  /** The identifier of the extension, as its name. */
  readonly info: { readonly name: string }
  /** The scopes that its methods need, all of them. */
  readonly scopes?: ReadonlyArray<string> | undefined
  /** Whether a call may know of it, beside what the server says. */
  readonly visible?: ((call: McpContext) => boolean | Effect.Effect<boolean>) | undefined
  /** Whether it only goes on with calls of tools: `visible` of the server is then asked about the tools alone. */
  readonly isOfTools?: boolean | undefined
}

/**
 * An extension with its handlers, without features of its own.
 *
 * @category models
 * @since 0.1.0
 */
export interface ServedExtension<out R = never> extends AnyExtension {
  /** The only era that has it; `undefined` where both do. */
  readonly era: Era | undefined
  /** The settings that the server declares; `undefined` where only clients declare the extension. */
  readonly settings: Schema.JsonObject | undefined
  /** Reads what a client declares of it; `undefined` where clients need not. */
  readonly readClient: ((declared: Schema.JsonObject) => WireIssue | undefined) | undefined
  /** Its methods, by their names on the wire. */
  readonly methods: ReadonlyMap<string, MethodRules>
  /** The topics that clients may listen to, by their keys in the filter of `subscriptions/listen`. */
  readonly topics: ReadonlyMap<string, Topic>
  /** Gives what serves it, with the services of a server. It is called once for each server. */
  readonly bind: (context: Context.Context<R>, host: ExtensionHost) => BoundExtension
}

/**
 * The facts about a method beside its handler.
 *
 * @category models
 * @since 0.1.0
 */
export interface MethodRules {
  /** The param that the header `Mcp-Name` repeats; `undefined` where requests have no such header. */
  readonly named: string | undefined
  /** For how long, and by whom, a result may be kept; `undefined` where it does not say. */
  readonly cache: CacheHint | undefined
}

/**
 * A topic that clients may listen to.
 *
 * @category models
 * @since 0.1.0
 */
export interface Topic {
  /** The notification, by its name on the wire. */
  readonly method: string
  /** The param whose values a client names; `undefined` where it asks for every notification of the topic. */
  readonly key: string | undefined
}

/**
 * The parts of a server that its extensions need.
 *
 * @category models
 * @since 0.1.0
 */
export interface ExtensionHost {
  /** The name of the server. */
  readonly server: string
  /** Tells clients of changes. */
  readonly changes: ServerChanges
  /** How long a legacy client may take to answer a question. */
  readonly askTimeout: Duration.Input
  /** A tool of the server, with its option of the extension; `undefined` where there is no such tool. */
  readonly toolOf: (name: string) => { readonly serve: Serve; readonly option: unknown } | undefined
  /** The answer that a refusal of a tool becomes in a revision: a result, which the model sees, or the error of the request. */
  readonly answerTo: (codec: RevisionCodec, refusal: Refusal) => CallToolResult | ErrorResponse
}

/**
 * A call as an extension serves it: with the ways to its client.
 *
 * @category models
 * @since 0.1.0
 */
export interface ExtensionCall extends McpContext {
  /** Asks and tells the client while the call is served. */
  readonly peer: Caller
  /** Gives the way to the client for what belongs to no request; `undefined` while nobody reads what it sends. */
  readonly line: () => Caller | undefined
}

/**
 * A call of a tool.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolCall {
  /** The context of the call. */
  readonly call: ExtensionCall
  /** The params, as they came. */
  readonly params: Schema.JsonObject
  /** The name of the tool. */
  readonly tool: string
  /** The arguments, as they came. */
  readonly arguments: Schema.JsonObject
  /** The tool's option of the extension; `undefined` where it has none. */
  readonly option: unknown
  /** Runs the handler, with any context. */
  readonly serve: Serve
}

/**
 * The way in which an extension serves a call of a tool: as if it were not there; with an answer of its own, such as a
 * handle of what goes on, or a refusal; or by the handler, until this asks to `detach`. `detached` then answers the request,
 * and starts the handler again with what it has learned.
 *
 * @category models
 * @since 0.1.0
 */
export type ToolOutcome =
  | { readonly _tag: "Served" }
  | { readonly _tag: "Answered"; readonly answer: Effect.Effect<Schema.JsonObject, ErrorResponse> }
  | {
    readonly _tag: "Detachable"
    readonly detached: (learned: Learned) => Effect.Effect<Schema.JsonObject, ErrorResponse>
  }

/**
 * Runs a request of the core, and gives the result of its feature as the revision writes it, still without `resultType`.
 * With another context, the handler asks that context, and not the client.
 *
 * @category models
 * @since 0.1.0
 */
export type Run = (as?: McpContext) => Effect.Effect<Schema.JsonObject, ErrorResponse>

/**
 * The handlers that serve an extension.
 *
 * @category models
 * @since 0.1.0
 */
export interface BoundExtension {
  /** The handlers of methods, by their names on the wire: from params to the result as JSON. */
  readonly methods: ReadonlyMap<
    string,
    (params: Schema.JsonObject, call: ExtensionCall) => Effect.Effect<Schema.JsonObject, ErrorResponse>
  >
  /** The handlers of notifications, by their names on the wire. */
  readonly notifications: ReadonlyMap<string, (params: Schema.JsonObject, call: McpContext) => Effect.Effect<void>>
  /** The wrappers around the features that serve methods of the core, by the names of these. */
  readonly around: ReadonlyMap<string, (call: McpContext, run: Run) => Effect.Effect<Schema.JsonObject, ErrorResponse>>
  /** The values of a topic's key that a call may listen to. A failure refuses to listen at all. */
  readonly permitted: (topic: string, values: ReadonlyArray<string>, call: McpContext) => Effect.Effect<
    ReadonlyArray<string>,
    ErrorResponse
  >
  /**
   * Runs while a client listens to values of a topic, and sends its notifications by `tell`, which takes their params. They
   * are sent beside those that are published.
   */
  readonly follow?:
    | ((
      topic: string,
      values: ReadonlyArray<string>,
      call: McpContext,
      tell: (params: Schema.JsonObject) => Effect.Effect<void>
    ) => Effect.Effect<void>)
    | undefined
  /** The capabilities that the server declares for it beside its settings. The principal is known in the legacy era only. */
  readonly capabilities?: ((codec: RevisionCodec, principal: string | undefined) => ServerCapabilities) | undefined
  /** Says how a call of any tool of the server is served. The first extension that does not leave it to the tool decides. */
  readonly callTool?: ((call: ToolCall) => ToolOutcome) | undefined
  /** Ends what it runs, when its server ends. */
  readonly close?: Effect.Effect<void> | undefined
}
