/**
 * The methods of a client, which its parts make together.
 */
import { Excerpt } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { BoundClientExtension } from "../../../client/ClientExtension.ts"
import type {
  CompletionRef,
  MethodOptions,
  RequestOptions,
  ToolEvent,
  ToolOptions,
  TypedToolOptions
} from "../../../client/ClientOptions.ts"
import type { McpAskedError, McpCallError, McpToolError } from "../../../client/McpClientError.ts"
import type { McpClientTransport } from "../../../client/McpClientTransport.ts"
import type { PromptInfo, ResourceInfo, ResourceTemplateInfo, ToolInfo, ToolPage } from "../../../payload/Listing.ts"
import type { LogLevel } from "../../../payload/LogLevel.ts"
import type { CallToolResult, CompleteResult, DiscoverResult, ReadResourceResult } from "../../../payload/Results.ts"
import * as Uri from "../../../shared/Uri.ts"
import type { RevisionCodec } from "../../../wire/RevisionCodec.ts"
import type { Decoder } from "../../../wire/WireIssue.ts"
import * as InputRounds from "../answers/InputRounds.ts"
import * as ChangeStreams from "../changes/ChangeStreams.ts"
import * as Interest from "../changes/Interest.ts"
import * as Notices from "../changes/Notices.ts"
import * as ListReader from "../lists/ListReader.ts"
import * as ResultCache from "../lists/ResultCache.ts"
import * as ClientConfig from "../negotiation/ClientConfig.ts"
import * as ClientSession from "../negotiation/ClientSession.ts"
import * as failures from "../negotiation/failures.ts"
import * as Negotiation from "../negotiation/Negotiation.ts"
import * as Sender from "../requests/Sender.ts"
import * as ToolCalls from "./ToolCalls.ts"

/** @internal */
export interface Parts {
  readonly transport: McpClientTransport
  readonly session: ClientSession.ClientSession
  readonly sender: Sender.Sender
  readonly notices: Notices.Notices
  readonly cache: ResultCache.ResultCache
  readonly rounds: InputRounds.InputRounds
  readonly list: ReturnType<typeof ListReader.make>
  readonly config: ClientConfig.ClientConfig
  readonly log: (message: string) => void
  readonly callTool: BoundClientExtension["callTool"]
}

/** @internal */
export type Methods = ReturnType<typeof make>

/** How many reports of progress a slow reader of a stream may be behind. */
const mostProgress = 64

/** @internal */
export const make = (parts: Parts) => {
  const { cache, callTool: extended, transport, list, log, notices, config, sender, rounds, session } = parts
  const isLasting = transport.kind !== "connection"
  const listening = ChangeStreams.listenStreams({ session, sender, notices, isLasting, patience: config.timeout })

  const tools: ToolCalls.ToolCalls = ToolCalls.make({
    session,
    rounds,
    notices,
    hasHeaders: transport.kind === "http",
    checksResults: config.checkResults,
    isStrict: config.isStrict,
    log,
    callTool: extended,
    refresh: Effect.suspend(() => {
      cache.forget("tools/list")
      return toolList.all()
    })
  })

  const toolList: ListReader.ListReader<ToolInfo> = list({
    method: "tools/list",
    decoder: ({ decode }) => decode.toolPage,
    entries: (page: ToolPage, isFirst) => tools.take(page, isFirst)
  })
  const resourceList: ListReader.ListReader<ResourceInfo> = list({
    method: "resources/list",
    decoder: ({ decode }) => decode.resourcePage,
    entries: ({ resources }) => resources
  })
  const templateList: ListReader.ListReader<ResourceTemplateInfo> = list({
    method: "resources/templates/list",
    decoder: ({ decode }) => decode.resourceTemplatePage,
    entries: ({ resourceTemplates }) => resourceTemplates
  })
  const promptList: ListReader.ListReader<PromptInfo> = list({
    method: "prompts/list",
    decoder: ({ decode }) => decode.promptPage,
    entries: ({ prompts }) => prompts
  })

  /** A method whose result never asks for input. */
  const simple = <A>(
    method: string,
    params: Schema.JsonObject | undefined,
    options: RequestOptions | undefined,
    decoder: (codec: RevisionCodec) => Decoder<A>
  ): Effect.Effect<A, McpCallError> =>
    Effect.flatMap(
      sender.ask(method, params, options),
      (json) => Effect.fromResult(session.read(method, decoder(session.agreed().codec), json))
    )

  const discover: Effect.Effect<DiscoverResult, McpCallError> = Effect.tap(
    simple("server/discover", undefined, undefined, ({ decode }) => decode.discoverResult),
    (result) => Effect.sync(() => session.update(Negotiation.fromDiscovery(session.agreed().codec, result)))
  )

  const callTool = <A, P>(
    name: string,
    args?: P,
    options?: ToolOptions<P> | TypedToolOptions<A, P>
  ): Effect.Effect<A | CallToolResult, McpToolError> => {
    const called = tools.call(name, args, options)
    return options !== undefined && "result" in options
      ? Effect.flatMap(called, ToolCalls.decodeContent(options))
      : called
  }

  const streamTool = <P>(name: string, args?: P, options?: Omit<ToolOptions<P>, "onProgress">) =>
    Stream.callback<ToolEvent, McpToolError>((queue) =>
      Effect.matchCauseEffect(
        tools.call(name, args, {
          ...options,
          onProgress: (progress) => void Queue.offerUnsafe(queue, { _tag: "Progress", progress })
        }),
        {
          onFailure: (cause) => Queue.failCause(queue, cause),
          onSuccess: (result) => {
            Queue.offerUnsafe(queue, { _tag: "Result", result })
            return Queue.end(queue)
          }
        }
      ), { bufferSize: mostProgress, strategy: "sliding" })

  const readResource = (uri: string, options?: RequestOptions): Effect.Effect<ReadResourceResult, McpAskedError> =>
    Effect.flatMap(Effect.all([Clock.Clock, cache.identity]), ([clock, identity]) => {
      const isCacheable = options?.meta === undefined
      // A server may tell hosts apart by their case, so that only encodings are one.
      const name = Uri.encoded(uri)
      const kept = isCacheable
        // Only this function keeps values under this method.
        ? cache.get("resources/read", name, clock.currentTimeMillisUnsafe(), identity) as ReadResourceResult | undefined
        : undefined
      if (kept !== undefined) return Effect.succeed(kept)
      const since = cache.changes()
      return rounds<ReadResourceResult>(
        "resources/read",
        { uri },
        options,
        ({ decode }) => decode.readResourceResult,
        (result) => isCacheable ? cache.keep("resources/read", name, result, since, identity) : Effect.void
      )
    })

  const getPrompt = (name: string, args?: { readonly [name: string]: string }, options?: RequestOptions) =>
    rounds(
      "prompts/get",
      args === undefined ? { name } : { name, arguments: args },
      options,
      ({ decode }) => decode.getPromptResult
    )

  const complete = (
    ref: CompletionRef,
    argument: { readonly name: string; readonly value: string },
    known?: { readonly [name: string]: string },
    options?: RequestOptions
  ): Effect.Effect<CompleteResult, McpCallError> =>
    Effect.suspend(() => {
      const { decode, encode } = session.agreed().codec
      const params = encode.completeParams({
        ref: ref._tag === "Prompt" ? { type: "ref/prompt", name: ref.name } : { type: "ref/resource", uri: ref.uri },
        argument,
        ...(known !== undefined && { context: { arguments: known } })
      })
      return simple("completion/complete", params, options, () => decode.completeResult)
    })

  const setLogLevel = (level: LogLevel | undefined): Effect.Effect<void, McpCallError> =>
    Effect.suspend(() => {
      session.logLevel = level
      // A session cannot be told to log nothing.
      return session.agreed().codec.features.logLevelPer === "request" || level === undefined
        ? Effect.void
        : Effect.asVoid(sender.ask("logging/setLevel", { level }))
    })

  /** Tells a new session the level that was asked for. A server that never logs needs not be told. */
  const sayLogLevel = Effect.suspend(() =>
    session.logLevel === undefined ? Effect.void : setLogLevel(session.logLevel).pipe(
      Effect.catchTag("UnsupportedCapability", () => Effect.void),
      Effect.catch((error) =>
        Effect.logWarning(
          "`logging/setLevel` failed, and the server does not know which log messages are wanted",
          Excerpt.cause(Cause.fail(error))
        )
      )
    )
  )

  const inSession = ChangeStreams.sessionStreams({ session, sender, notices })

  const following = <A>(interest: Interest.Interest<A>, uri?: string) =>
    Stream.suspend(() =>
      session.agreed().codec.features.subscriptions === "session" ? inSession(interest, uri) : listening(interest)
    )

  const notifyRootsChanged = Effect.suspend(() => {
    const method = "notifications/roots/list_changed"
    return session.agreed().codec.serverHears(method)
      ? Effect.mapError(transport.notify(method), (error) => failures.fromLine(method, error))
      : Effect.void
  })

  return {
    session,
    transport,
    discover,
    ping: Effect.asVoid(sender.ask("ping")),
    toolList,
    resourceList,
    templateList,
    promptList,
    callTool,
    streamTool,
    tools,
    readResource,
    getPrompt,
    complete,
    setLogLevel,
    sayLogLevel,
    subscribe: (uri: string) => following(Interest.resource(uri), uri),
    changes: following(Interest.changes),
    listen: (filter: Schema.JsonObject, methods: ReadonlyArray<string>) =>
      Stream.suspend(() => {
        const unknown = methods.find((method) => !notices.has(method))
        return unknown === undefined
          ? following(Interest.extension(filter, methods))
          : Stream.die(new TypeError(`the client uses no extension with the notification ${unknown}`))
      }),
    notifyRootsChanged,
    request: (method: string, params?: Schema.JsonObject, options?: MethodOptions) =>
      sender.send(method, params, options),
    notify: sender.notify
  }
}
