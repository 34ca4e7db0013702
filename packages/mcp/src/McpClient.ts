/**
 * A client of one MCP server, in whatever revision the two have in common.
 *
 * ```
 *   connect ──probe or pinned──→ modern: every request stands alone
 *      └──── initialize ───────→ legacy: a session, made again when it expires
 * ```
 *
 * This file owns what the client looks like; `internal/client` has its parts: the
 * handshake, requests with their rounds, lists, tools, subscriptions, logs.
 *
 * ```ts run
 * import { McpClient, McpMemoryClient, McpServer, McpTool } from "@parley/mcp"
 * import { Effect, Layer, Schema } from "effect"
 *
 * const sum = { a: Schema.Finite, b: Schema.Finite }
 * const add = McpTool.make("add", { params: sum, result: Schema.Finite }, ({ a, b }) => Effect.succeed(a + b))
 *
 * const program = Effect.gen(function*() {
 *   const client = yield* McpClient.McpClient
 *   console.log(yield* client.callTool("add", { a: 1, b: 2 }, { result: Schema.Finite })) // => 3
 * })
 *
 * const client = McpMemoryClient.layer({ name: "me", version: "1.0.0" })
 * const server = McpServer.layer({ name: "sums", version: "1.0.0", features: [add] })
 * await Effect.runPromise(Effect.provide(program, Layer.provide(client, server)))
 * ```
 *
 * @since 0.1.0
 */
import type { DisconnectReason } from "@parley/peer/Caller"
import { Transport } from "@parley/transport/Transport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { ClientExtension, ExtensionRequirements } from "./client/ClientExtension.ts"
import type {
  ClientOptions,
  CompletionRef,
  MethodOptions,
  RequestOptions,
  ToolEvent,
  ToolOptions,
  TypedToolOptions
} from "./client/ClientOptions.ts"
import type { McpAskedError, McpCallError, McpConnectError, McpToolError } from "./client/McpClientError.ts"
import * as McpClientTransport from "./client/McpClientTransport.ts"
import type { ListChanged, Notified, Resumed, Subscribed, Updated } from "./client/McpEvent.ts"
import type { McpHandlers, Requirements } from "./client/McpHandlers.ts"
import * as Client from "./internal/client/calls/Client.ts"
import type { Implementation, ServerCapabilities } from "./payload/Capabilities.ts"
import type { PromptInfo, ResourceInfo, ResourceTemplateInfo, ToolInfo } from "./payload/Listing.ts"
import type { LogLevel } from "./payload/LogLevel.ts"
import type {
  CallToolResult,
  CompleteResult,
  DiscoverResult,
  GetPromptResult,
  ReadResourceResult
} from "./payload/Results.ts"
import type { LegacyRevision, Revision } from "./wire/Revision.ts"

export type {
  CallOption,
  ClientOptions,
  CompletionRef,
  MethodOptions,
  Progress,
  RequestOptions,
  ToolEvent,
  ToolOptions,
  TypedToolOptions
} from "./client/ClientOptions.ts"

/**
 * One server, as its client sees it.
 *
 * @category services
 * @since 0.1.0
 */
export interface McpClient {
  /** The revision in use. */
  readonly protocolVersion: Revision
  /** The name and version that the server gives; `undefined` until it has done so. */
  readonly serverInfo: Implementation | undefined
  /**
   * The capabilities that the server declares. `undefined` only where `protocolVersion` pins a modern revision, until
   * `discover`: such a client asks for nothing before its first call.
   */
  readonly capabilities: ServerCapabilities | undefined
  /** The instructions that the server gives for its use; `undefined` where there are none. */
  readonly instructions: string | undefined
  /** Waits until no more requests can be made. */
  readonly disconnected: Effect.Effect<DisconnectReason>

  /** Asks a server of the modern era for its identity, revisions and capabilities, and takes them over. */
  readonly discover: Effect.Effect<DiscoverResult, McpCallError>
  /** Asks for a sign of life. The modern era has none. */
  readonly ping: Effect.Effect<void, McpCallError>

  /** The tools, page by page on demand. */
  readonly tools: Stream.Stream<ToolInfo, McpCallError>
  /** All tools. */
  readonly listTools: (options?: RequestOptions) => Effect.Effect<ReadonlyArray<ToolInfo>, McpCallError>
  /** The resources, page by page on demand. */
  readonly resources: Stream.Stream<ResourceInfo, McpCallError>
  /** All resources. */
  readonly listResources: (options?: RequestOptions) => Effect.Effect<ReadonlyArray<ResourceInfo>, McpCallError>
  /** The resource templates, page by page on demand. */
  readonly resourceTemplates: Stream.Stream<ResourceTemplateInfo, McpCallError>
  /** All resource templates. */
  readonly listResourceTemplates: (
    options?: RequestOptions
  ) => Effect.Effect<ReadonlyArray<ResourceTemplateInfo>, McpCallError>
  /** The prompts, page by page on demand. */
  readonly prompts: Stream.Stream<PromptInfo, McpCallError>
  /** All prompts. */
  readonly listPrompts: (options?: RequestOptions) => Effect.Effect<ReadonlyArray<PromptInfo>, McpCallError>

  /**
   * Calls a tool. A result with `isError` is the failure `ToolError`. Where the server listed the tool with an output
   * schema, the client checks the structured content against it.
   */
  readonly callTool: {
    <A, P = Schema.JsonObject>(
      name: string,
      args: P,
      options: TypedToolOptions<A, P>
    ): Effect.Effect<A, McpToolError>
    <P = Schema.JsonObject>(
      name: string,
      args?: P,
      options?: ToolOptions<P>
    ): Effect.Effect<CallToolResult, McpToolError>
  }
  /** Calls a tool; the stream gives its progress, and at last its result. Ending the stream early cancels the call. */
  readonly streamTool: <P = Schema.JsonObject>(
    name: string,
    args?: P,
    options?: Omit<ToolOptions<P>, "onProgress">
  ) => Stream.Stream<ToolEvent, McpToolError>
  /** Reads a resource. */
  readonly readResource: (
    uri: string,
    options?: RequestOptions
  ) => Effect.Effect<ReadResourceResult, McpAskedError>
  /** Gets a prompt with its arguments filled in. */
  readonly getPrompt: (
    name: string,
    args?: { readonly [name: string]: string },
    options?: RequestOptions
  ) => Effect.Effect<GetPromptResult, McpAskedError>
  /** Asks for values that an argument may be completed to, given those that are known already. */
  readonly complete: (
    ref: CompletionRef,
    argument: { readonly name: string; readonly value: string },
    known?: { readonly [name: string]: string },
    options?: RequestOptions
  ) => Effect.Effect<CompleteResult, McpCallError>

  /**
   * Asks for log messages of this level and above; they go to the logger. In the modern era every later request says
   * the level, and `undefined` asks for none.
   */
  readonly setLogLevel: (level: LogLevel | undefined) => Effect.Effect<void, McpCallError>
  /**
   * Subscribes to a resource while the stream runs. Where the subscription ended, the client subscribes again and the
   * stream gives `Resumed`.
   */
  readonly subscribe: (uri: string) => Stream.Stream<Subscribed | Updated | Resumed, McpCallError>
  /** The changes of the lists while the stream runs. */
  readonly changes: Stream.Stream<Subscribed | ListChanged | Resumed, McpCallError>
  /** Tells the server that the roots have changed. Nothing is sent where the revision has no such notification. */
  readonly notifyRootsChanged: Effect.Effect<void, McpCallError>

  /**
   * Sends a request of any method, such as one of an extension. The client adds the `_meta` of the revision to the params,
   * and gives the result as it came.
   */
  readonly request: (
    method: string,
    params?: Schema.JsonObject,
    options?: MethodOptions
  ) => Effect.Effect<Schema.Json, McpCallError>
  /** Sends a notification of any method: the client of an `McpExtension` writes those that servers hear. */
  readonly notify: (method: string, params?: Schema.JsonObject) => Effect.Effect<void, McpCallError>
  /**
   * Listens to notifications of extensions while the stream runs: `listen` of an `McpExtension` asks for them. `filter` has
   * the members of `subscriptions/listen`; in the legacy era the server sends what it sends.
   */
  readonly listen: (
    filter: Schema.JsonObject,
    methods: ReadonlyArray<string>
  ) => Stream.Stream<Subscribed | Notified | Resumed, McpCallError>
  /**
   * The interface of an extension that the client uses, by the identifier of that: `TaskClient.of` of `@parley/mcp-tasks`
   * gives it its type. `undefined` for others.
   */
  readonly extension: (identifier: string) => unknown
}

/**
 * A client whose server has declared its capabilities, in the handshake or in its answer to `server/discover`.
 *
 * @category services
 * @since 0.1.0
 */
export interface IntroducedClient extends McpClient {
  readonly capabilities: ServerCapabilities
}

/**
 * The option `protocolVersion`, whose type decides what the client knows when it is made.
 *
 * @category models
 * @since 0.1.0
 */
export interface RevisionOption<V extends Revision | "auto"> {
  readonly protocolVersion?: V | undefined
}

/**
 * The client that `make` returns for its option `protocolVersion`. Only a client of a pinned modern revision may know no
 * capabilities.
 *
 * @category models
 * @since 0.1.0
 */
export type ClientOf<V extends Revision | "auto"> = [V] extends [LegacyRevision | "auto"] ? IntroducedClient : McpClient

/** The service of a `McpClient`. @category services @since 0.1.0 */
export const McpClient: Context.Service<McpClient, McpClient> = Context.Service("@parley/mcp/McpClient")

/**
 * A client over a transport. The effect succeeds when the handshake is done; the client ends with the Scope.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <
  E,
  R2,
  H extends McpHandlers<unknown> = McpHandlers,
  X extends ClientExtension<unknown> = never,
  V extends Revision | "auto" = "auto"
>(
  open: McpClientTransport.Open<E, R2>,
  options: ClientOptions<H, X> & RevisionOption<V>
): Effect.Effect<ClientOf<V>, McpConnectError | E, Requirements<H> | ExtensionRequirements<X> | R2 | Scope.Scope> =>
  Effect.map(
    Client.make(options, open),
    ({ transport, promptList, resourceList, session, templateList, toolList, ...rest }) => {
      const client: McpClient = {
        get protocolVersion() {
          return session.agreed().codec.revision
        },
        get serverInfo() {
          return session.agreed().serverInfo
        },
        get capabilities() {
          return session.agreed().capabilities
        },
        get instructions() {
          return session.agreed().instructions
        },
        disconnected: transport.disconnected,
        tools: toolList.stream,
        listTools: toolList.all,
        resources: resourceList.stream,
        listResources: resourceList.all,
        resourceTemplates: templateList.stream,
        listResourceTemplates: templateList.all,
        prompts: promptList.stream,
        listPrompts: promptList.all,
        discover: rest.discover,
        ping: rest.ping,
        // Both overloads run the same code; only their options differ.
        callTool: rest.callTool as McpClient["callTool"],
        streamTool: rest.streamTool,
        readResource: rest.readResource,
        getPrompt: rest.getPrompt,
        complete: rest.complete,
        setLogLevel: rest.setLogLevel,
        subscribe: rest.subscribe,
        changes: rest.changes,
        notifyRootsChanged: rest.notifyRootsChanged,
        request: rest.request,
        notify: rest.notify,
        listen: rest.listen,
        extension: rest.extension
      }
      // The negotiation leaves the capabilities out only for a pinned modern revision.
      return client as ClientOf<V>
    }
  )

/**
 * The client of a program that uses one server, over the Transport. A new layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <H extends McpHandlers<unknown> = McpHandlers, X extends ClientExtension<unknown> = never>(
  options: ClientOptions<H, X>
): Layer.Layer<
  McpClient,
  McpConnectError,
  Exclude<Requirements<H> | ExtensionRequirements<X>, Scope.Scope> | Transport
> =>
  Layer.effect(
    McpClient,
    Effect.flatMap(Transport, (transport) => make(McpClientTransport.fromTransport(transport), options))
  )
