/**
 * The client of one transport: its parts, joined, and the methods that they make.
 */
import * as CallClock from "@parley/peer/CallClock"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import * as Router from "@parley/peer/Router"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import type {
  CompletionRef,
  MethodOptions,
  Options,
  RequestOptions,
  ToolEvent,
  ToolOptions,
  TypedToolOptions
} from "../../../client/ClientOptions.ts"
import type { McpAskedError, McpCallError, McpToolError } from "../../../client/McpClientError.ts"
import type { McpClientTransport, Open } from "../../../client/McpClientTransport.ts"
import type { McpHandlers, Requirements } from "../../../client/McpHandlers.ts"
import type { ClientExtension, ExtensionRequirements } from "../../../extension/ClientExtension.ts"
import type { PromptInfo, ResourceInfo, ResourceTemplateInfo, ToolInfo, ToolPage } from "../../../payload/Listing.ts"
import type { LogLevel } from "../../../payload/LogLevel.ts"
import type { CallToolResult, CompleteResult, DiscoverResult, ReadResourceResult } from "../../../payload/Results.ts"
import type { Decoder } from "../../../wire/Codec.ts"
import * as McpDialect from "../../../wire/McpDialect.ts"
import type { RevisionCodec } from "../../../wire/RevisionCodec.ts"
import { isObject } from "../../Json.ts"
import * as Operation from "../../telemetry/operation.ts"
import * as SessionTime from "../../telemetry/session.ts"
import * as Answers from "../answers/Answers.ts"
import * as AnswerTasks from "../answers/AnswerTasks.ts"
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
import * as ClientTasks from "../tasks/ClientTasks.ts"
import * as Extensions from "./Extensions.ts"
import * as ObservedTransport from "./ObservedTransport.ts"
import * as Sender from "./Sender.ts"
import * as ToolCalls from "./ToolCalls.ts"

/** @internal */
export const make = Effect.fnUntraced(function*<
  H extends McpHandlers<unknown>,
  X extends ClientExtension<unknown>,
  E,
  R2
>(
  options: Options<H, X>,
  open: Open<E, R2>
) {
  const context = yield* Effect.context<Requirements<H> | ExtensionRequirements<X>>()
  const scope = yield* Effect.scope
  const fork = Effect.runForkWith(context)
  const log = (message: string) => void fork(Effect.logWarning(message))
  const config = ClientConfig.make(options, log)
  // Each handler requires some of the services that all of them require together.
  const handlers = (options.handlers ?? {}) as McpHandlers<Requirements<H>>
  const answer = Answers.make(handlers, context)
  const answerTasks = AnswerTasks.make({
    capabilities: config.capabilities("legacy").tasks,
    answer: (codec, method, params) => CallClock.stopDuring(clock, answer(codec, method, params)),
    notify: (method, params) => opened.notify(method, params),
    scope
  })
  const clock = yield* CallClock.make
  const extensions = Extensions.make(options.extensions ?? [], context)

  let spoken: RevisionCodec | undefined
  let session: ClientSession.ClientSession | undefined

  const place: Operation.Place = {
    get network() {
      return opened.network ?? {}
    },
    isTimed: options.metrics === true,
    session: () => opened.session?.(),
    revision: () => spoken?.revision
  }

  const router = yield* Router.make({
    fallback: (call) => {
      const { id, method, params } = call
      // A server whose revision asks inside results sends no requests of its own.
      if (id !== undefined && spoken?.features.clientRequests === "requests" && spoken.clientServes(method)) {
        const asTask = answerTasks(spoken, method, params)
        const answered = Operation.serve(place, call, () => false, asTask ?? answer(spoken, method, params))
        // A question does not say which call it belongs to, so no call runs out while one is answered.
        return method === "ping" || asTask !== undefined ? answered : CallClock.stopDuring(clock, answered)
      }
      const hear = id === undefined ? extensions.hear.get(method) : undefined
      if (hear !== undefined) return hear(params)
      const other = options.router?.handlerOf(method)
      if (other !== undefined) return other(call)
      // No revision has a notification that none of a listener, an extension and the router takes.
      if (id === undefined) return Effect.void
      return method === "ping" && spoken === undefined
        ? Effect.succeed({})
        : Effect.fail(ErrorResponse.methodNotFound(method))
    }
  })

  const opened = yield* open({
    router,
    dialect: options.strict === true ? McpDialect.make(() => spoken) : McpDialect.makeClient(() => spoken),
    limits: options.limits,
    timeout: config.timeout,
    clock,
    onSessionExpired: () => {
      if (session === undefined || (opened.kind === "process" && session.streams === 0)) return
      fork(Effect.forkIn(Effect.ignore(session.renew(session.count())), scope))
    }
  })

  const ended = SessionTime.begin("client", place, context)
  if (ended !== undefined) yield* Scope.addFinalizer(scope, Effect.sync(ended))

  const settled: McpClientTransport = {
    ...opened,
    // A server may ask as soon as it hears that we are there.
    settle: (codec) =>
      Effect.suspend(() => {
        spoken = codec
        return opened.settle(codec)
      })
  }
  // Calls pay nothing where nobody will look.
  const isObserved = place.isTimed || context.mapUnsafe.has(Tracer.Tracer.key)
  const transport = isObserved ? ObservedTransport.make(place, settled) : settled

  const notices = yield* Notices.make(transport, extensions.notifications)
  const made = session = yield* ClientSession.make(transport, config, clock, scope)
  const sender = Sender.make(transport, config, made, clock)
  const cache = ResultCache.make(config.cached, notices)
  const { log: takeLog } = handlers
  Notices.writeLogs(
    notices,
    made,
    context,
    takeLog === undefined ? undefined : (message) => Effect.provideContext(takeLog(message), context)
  )
  notices.on("notifications/elicitation/complete", (params) => {
    const id = isObject(params) ? params["elicitationId"] : undefined
    if (typeof id !== "string" || handlers.elicitComplete === undefined) return
    fork(Effect.forkIn(handlers.elicitComplete(id), scope))
  })

  const methods = methodsOf({
    transport,
    session: made,
    sender,
    notices,
    cache,
    rounds: InputRounds.make(sender, made, answer, config.rounds, extensions.results),
    answer,
    clock,
    config,
    list: ListReader.make(sender, made, cache),
    log
  })

  const level = methods.sayLogLevel
  made.onRenewed.add(() => void fork(Effect.forkIn(level, scope)))
  yield* level
  return methods
})

/** @internal */
export interface Parts {
  readonly transport: McpClientTransport
  readonly session: ClientSession.ClientSession
  readonly sender: Sender.Sender
  readonly notices: Notices.Notices
  readonly cache: ResultCache.ResultCache
  readonly rounds: InputRounds.InputRounds
  readonly list: ReturnType<typeof ListReader.make>
  readonly answer: Answers.Answer
  readonly clock: CallClock.CallClock
  readonly config: ClientConfig.ClientConfig
  readonly log: (message: string) => void
}

/** How many reports of progress a slow reader of a stream may be behind. */
const mostProgress = 64

/** @internal */
export const methodsOf = (parts: Parts) => {
  const { cache, transport, list, log, notices, config, sender, rounds, session } = parts
  const isLasting = transport.kind !== "connection"
  const listening = ChangeStreams.listenStreams({ session, sender, notices, isLasting, patience: config.timeout })

  const tasks = ClientTasks.make({
    ...parts,
    isLasting,
    listen: listening,
    check: (subject, json) => tools.check(subject, json)
  })

  const tools: ToolCalls.ToolCalls = ToolCalls.make({
    session,
    rounds,
    notices,
    hasHeaders: transport.kind === "http",
    checksResults: config.checkResults,
    log,
    tasks,
    declaresTasks: config.tasks.declares,
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
    Clock.clockWith((clock) => {
      const isCacheable = options?.meta === undefined
      const kept = isCacheable
        // Only this function keeps values under this method.
        ? cache.get("resources/read", uri, clock.currentTimeMillisUnsafe()) as ReadResourceResult | undefined
        : undefined
      if (kept !== undefined) return Effect.succeed(kept)
      const since = cache.changes()
      return rounds<ReadResourceResult>(
        "resources/read",
        { uri },
        options,
        ({ decode }) => decode.readResourceResult,
        (result) => {
          if (!isCacheable) return
          cache.set("resources/read", uri, result, result.ttlMs ?? 0, clock.currentTimeMillisUnsafe(), since)
        }
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
          Cause.fail(error)
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
    startTool: tools.start,
    task: tasks.task,
    taskList: tasks.list,
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
