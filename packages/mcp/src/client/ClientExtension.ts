/**
 * An extension as a client uses it. `McpExtension` makes it from a declaration and its handlers.
 *
 * An extension may also be written by itself, with the seam that `ToolExtension` is for servers. It then says which
 * capabilities it declares in which era, makes calls of tools, whose answer may be of a kind of its own that it follows to
 * its end, and serves requests of servers. `ClientHost` has the parts of the client that it needs for this.
 *
 * ```ts
 * import { McpExtension, McpClient } from "@parley/mcp"
 * import type { ClientExtension } from "@parley/mcp/client/ClientExtension"
 *
 * const Weather = McpExtension.make("com.example/weather", { client: {} })
 *
 * // `use` of each extension makes one.
 * const extensions: ReadonlyArray<ClientExtension> = [Weather.use()]
 *
 * export const client = McpClient.layer({ name: "host", version: "1.0.0", extensions })
 * ```
 *
 * @since 0.1.0
 */
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import type * as Message from "@parley/protocol/Message"
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { ClientCapabilities, ServerCapabilities } from "../payload/Capabilities.ts"
import type { CacheHint, ToolInfo } from "../payload/Listing.ts"
import type { CallToolResult, InputRequest, InputRequired } from "../payload/Results.ts"
import type { Era } from "../wire/Revision.ts"
import type { RevisionCodec } from "../wire/RevisionCodec.ts"
import type { Decoder } from "../wire/WireIssue.ts"
import type { CallClock } from "./CallClock.ts"
import type {
  InputRefused,
  InvalidResult,
  McpAskedError,
  McpCallError,
  McpToolError,
  ToolError
} from "./McpClientError.ts"
import type { Notified, Resumed, Subscribed } from "./McpEvent.ts"
import type { McpHandlers } from "./McpHandlers.ts"
import type { MethodOptions, Progress, RequestOptions, ToolOptions } from "./RequestOptions.ts"

/**
 * An extension with its handlers.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClientExtension<out R = never> {
  readonly _tag: "McpClientExtension"
  /** The identifier of the extension. */
  readonly identifier: string
  /** The only era that has it; `undefined` where both do. */
  readonly era: Era | undefined
  /** The settings that the client declares; `undefined` where only servers declare the extension. */
  readonly settings: Schema.JsonObject | undefined
  /** The notifications of servers, by their names on the wire. */
  readonly notifications: ReadonlySet<string>
  /** The capabilities that the client declares for it in an era beside its settings, and beside those of its handlers. */
  readonly capabilities?: ((era: Era, handlers: McpHandlers<unknown>) => ClientCapabilities) | undefined
  /**
   * Gives what handles them, with the services of a client. It is called once for each client, before that is connected: the
   * host may be used from the first message on.
   */
  readonly bind: (context: Context.Context<R>, host: ClientHost) => BoundClientExtension
}

/** The services that extensions require. @category models @since 0.1.0 */
export type ExtensionRequirements<X> = X extends ClientExtension<infer R> ? R : never

/**
 * The handlers of an extension.
 *
 * @category models
 * @since 0.1.0
 */
export interface BoundClientExtension {
  /** The handlers of notifications, by their names on the wire. */
  readonly hear: ReadonlyMap<string, (params: Message.Params | undefined) => Effect.Effect<void>>
  /** The readers of results, by the method of the core and the `resultType`. */
  readonly results: ReadonlyMap<string, ReadonlyMap<string, ReadResult>>
  /** Serves a request of a server of the legacy era; `undefined` leaves it to the client. */
  readonly serve?: ((request: ServerRequest) => Effect.Effect<Schema.JsonObject, ErrorResponse> | undefined) | undefined
  /** Makes the calls of tools. Of the extensions of a client, one may do so. */
  readonly callTool?: ((call: ClientToolCall) => Effect.Effect<CallToolResult, McpToolError>) | undefined
  /** The interface of the extension for programs, which `extension` of the client gives them. */
  readonly service?: unknown
}

/**
 * A request of a server.
 *
 * @category models
 * @since 0.1.0
 */
export interface ServerRequest {
  /** The codec of the revision in use. */
  readonly codec: RevisionCodec
  /** The method, such as `elicitation/create`. */
  readonly method: string
  /** The params, as they came. */
  readonly params: Schema.Json | undefined
  /** Answers it with these params by the handlers of the client, while calls do not run out. */
  readonly answer: (params: Schema.Json | undefined) => Effect.Effect<Schema.JsonObject, ErrorResponse>
}

/**
 * A call of a tool that an extension makes.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClientToolCall {
  /** The name of the tool. */
  readonly tool: string
  /** The options of the call. */
  readonly options: ToolOptions | undefined
  /**
   * Makes the call, in as many rounds as it takes, and gives the result that the decoder reads: that of the core, or one of a
   * kind of its own. `more` has members beside the name and the arguments, and a token by which to ask for progress.
   */
  readonly send: <A extends object>(
    decoder: (codec: RevisionCodec) => Decoder<CallToolResult | InputRequired | A>,
    more?: { readonly params?: Schema.JsonObject | undefined; readonly progressToken?: string | undefined }
  ) => Effect.Effect<CallToolResult | A, McpAskedError>
  /** Holds a result against the tool, and fails where it says that the tool failed. */
  readonly check: (result: CallToolResult) => Effect.Effect<CallToolResult, ToolError | InvalidResult>
}

/** A page of a list. @category models @since 0.1.0 */
export interface Page extends Partial<CacheHint> {
  /** The cursor of the next page. */
  readonly nextCursor?: string
}

/**
 * The parts of a client that its extensions need.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClientHost {
  /** The codec of the revision in use. */
  readonly codec: () => RevisionCodec
  /** The capabilities of the server; `undefined` where it was not asked for them. */
  readonly capabilities: () => ServerCapabilities | undefined
  /** The capabilities that the client declares in an era. */
  readonly declared: (era: Era) => ClientCapabilities
  /** How often a server may ask in one call. */
  readonly maxInputRounds: number
  /** The life of the client. */
  readonly scope: Scope.Scope
  /** The time of the calls of the client, which stands still while a handler answers. */
  readonly clock: CallClock
  /** Sends a request. One that is open-ended waits for ever, and asks for no progress. */
  readonly request: (
    method: string,
    params: Schema.JsonObject,
    options?: MethodOptions & { readonly isOpenEnded?: boolean | undefined }
  ) => Effect.Effect<Schema.Json, McpCallError>
  /** Runs again a request that changes nothing by being sent twice, where the line fails or is silent. */
  readonly retried: <A>(request: Effect.Effect<A, McpCallError>) => Effect.Effect<A, McpCallError>
  /** Sends a notification. */
  readonly notify: (method: string, params: Schema.JsonObject) => Effect.Effect<void, McpCallError>
  /** Reads the result of a method, as strictly as the client does. */
  readonly read: <A>(method: string, decode: Decoder<A>, json: Schema.Json) => Result.Result<A, InvalidResult>
  /** Answers a question that was asked inside a call of a method, by the handlers of the client. */
  readonly answer: (method: string, question: InputRequest) => Effect.Effect<Schema.JsonObject, InputRefused>
  /** A tool of the server, which is listed for it where it is not known. */
  readonly tool: (name: string) => Effect.Effect<ToolInfo | undefined>
  /** A call of a tool, for an entry of the extension's own. */
  readonly toolCall: <P>(
    tool: string,
    args: P | undefined,
    options: ToolOptions<P> | undefined
  ) => ClientToolCall
  /** Reads the result of a call of a tool that came another way, and holds it against the tool, if that is known. */
  readonly check: (tool: string, json: Schema.Json) => Effect.Effect<CallToolResult, McpToolError>
  /** Hears a notification that the core or the extension has, until the function that it gives is called. */
  readonly hear: (method: string, hear: (params: Message.Params | undefined) => void) => () => void
  /** Hears progress by a token that goes on behind the response of its call, until the function that it gives is called. */
  readonly hearProgress: (token: string, hear: (progress: Progress) => void) => () => void
  /** Listens, as `McpClient.listen` does. */
  readonly listen: (
    filter: Schema.JsonObject,
    methods: ReadonlyArray<string>
  ) => Stream.Stream<Subscribed | Notified | Resumed, McpCallError>
  /** Reads a list of the server, page by page. */
  readonly list: <P extends Page, A>(options: {
    readonly method: string
    readonly decoder: (codec: RevisionCodec) => Decoder<P>
    readonly entries: (page: P) => ReadonlyArray<A>
  }) => {
    readonly stream: Stream.Stream<A, McpCallError>
    readonly all: (options?: RequestOptions) => Effect.Effect<ReadonlyArray<A>, McpCallError>
  }
}

/**
 * Turns a result of the extension into the result that a caller waits for, as JSON.
 *
 * @category models
 * @since 0.1.0
 */
export type ReadResult = (json: Schema.JsonObject, call: ResultCall) => Effect.Effect<Schema.Json, McpAskedError>

/**
 * A call that was answered with a result of an extension, for the reader of that result.
 *
 * @category models
 * @since 0.1.0
 */
export interface ResultCall {
  /** The method that was called, such as `tools/call`. */
  readonly method: string
  /** The params of the call. */
  readonly params: Schema.JsonObject
  /** The options of the call. */
  readonly options: RequestOptions | undefined
  /** Sends a request, as `McpClient.request` does. */
  readonly request: (
    method: string,
    params?: Schema.JsonObject,
    options?: MethodOptions
  ) => Effect.Effect<Schema.Json, McpCallError>
  /** Answers what the server asks, with the handlers of the client: the answers, by the keys of the questions. */
  readonly answer: (
    questions: { readonly [key: string]: InputRequest }
  ) => Effect.Effect<Schema.JsonObject, InputRefused>
}
