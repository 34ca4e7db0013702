/**
 * Makes a server from its options, and puts the server's middleware and its spans around the handling of messages.
 */
import * as SealedState from "@parley/oauth/SealedState"
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import { type Call, type Handler, type Lookup, type Middleware, withoutCall } from "@parley/peer/Handler"
import { Excerpt } from "@parley/protocol/shared"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { memoize } from "effect/Function"
import type * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import type { Implementation } from "../../../payload/Capabilities.ts"
import type { ToolInfo } from "../../../payload/Listing.ts"
import type { Connection } from "../../../server/Connection.ts"
import type { Feature } from "../../../server/Feature.ts"
import type { ServerChanges } from "../../../server/ServerChanges.ts"
import type * as ServerDefinition from "../../../server/ServerDefinition.ts"
import type { ExtensionRequirements, ServerExtension } from "../../../server/ServerExtension.ts"
import type { ExtensionHost, ServedExtension } from "../../../server/ToolExtension.ts"
import * as Caller from "../../../shared/Caller.ts"
import * as McpDialect from "../../../wire/McpDialect.ts"
import * as Revision from "../../../wire/Revision.ts"
import * as RevisionCodec from "../../../wire/RevisionCodec.ts"
import type { Subject } from "../../telemetry/attributes.ts"
import * as Operation from "../../telemetry/operation.ts"
import { Relays } from "../changes/Relays.ts"
import { restored } from "../changes/restored.ts"
import { Watchers } from "../changes/Watcher.ts"
import { featuresOf, Mounts } from "../composition/Mounts.ts"
import { ConnectionState } from "../dispatch/ConnectionState.ts"
import { Exchange, LoneConnection } from "../dispatch/Exchange.ts"
import { allowed, responseOf, toolResultOf } from "../dispatch/refusal.ts"
import { routes, serve } from "../dispatch/serve.ts"
import { bind as bindExtension, Extensions } from "../extensions/Extensions.ts"
import { isExit, isSuccess, lasting } from "../feature/handler.ts"
import { bind, type Bound, listOf, Offer } from "./Offer.ts"
import { kindsOf, principalsOf, type ServerState } from "./ServerState.ts"

/** @internal */
export const make = <F extends Feature<unknown>, R2, R3, X extends ServerExtension<unknown>>(
  options: ServerDefinition.ServerOptions<F, R2, R3, X>
): Effect.Effect<ServerDefinition.McpServer, never, Required<F, R2, R3, X>> =>
  Effect.map(build(options), ({ server }) => server)

/** A server whose extensions end with the Scope, before the services that they use. @internal */
export const makeScoped = <F extends ServerDefinition.Feature<unknown>, R2, R3, X extends ServerExtension<unknown>>(
  options: ServerDefinition.ServerOptions<F, R2, R3, X>
): Effect.Effect<ServerDefinition.McpServer, never, Required<F, R2, R3, X> | Scope.Scope> =>
  Effect.flatMap(
    build(options),
    ({ server, state }) => Effect.as(Effect.addFinalizer(() => state.extensions.close), server)
  )

const build = <F extends ServerDefinition.Feature<unknown>, R2, R3, X extends ServerExtension<unknown>>(
  options: ServerDefinition.ServerOptions<F, R2, R3, X>
) =>
  Effect.flatMap(
    SealedState.make(options.requestState),
    (sealed) =>
      Effect.contextWith((all: Context.Context<Required<F, R2, R3, X>>) =>
        Effect.sync(() => {
          const context = withoutCall(lasting(all))
          const pageSize = pageSizeOf(options.pageSize)
          const state = stateOf(options, pageSize, sealed, context)
          const wrapped = wrapping(options.middleware, context, options.metrics === true)
          return { state, server: service(state, wrapped, pageSize) }
        })
      )
  )

type Required<F, R2, R3, X> = ServerDefinition.Requirements<F> | R2 | R3 | ExtensionRequirements<X>

const defaultPageSize = 1_000

const defaultSubscriptions = 1_024

/** Throws where pages would never come to the end of a list. */
const pageSizeOf = (pageSize = defaultPageSize): number => {
  if (Number.isInteger(pageSize) && pageSize > 0) return pageSize
  throw new TypeError(`a page of a list cannot have ${pageSize} entries`)
}

const stateOf = <F extends Feature<unknown>, R2, R3, X extends ServerExtension<unknown>>(
  options: ServerDefinition.ServerOptions<F, R2, R3, X>,
  pageSize: number,
  sealed: SealedState.SealedState,
  context: Context.Context<Required<F, R2, R3, X>>
): ServerState => {
  const { description, icons, instructions, name, title, version, websiteUrl } = options
  const revisions = options.protocolVersions ?? Revision.all
  const eras = new Set(revisions.map(Revision.era))
  const info = {
    name,
    version,
    ...(title === undefined ? undefined : { title }),
    ...(description === undefined ? undefined : { description }),
    ...(websiteUrl === undefined ? undefined : { websiteUrl }),
    ...(icons === undefined ? undefined : { icons })
  }
  const told = () => options.identity?.() ?? info
  const encoded = memoize((codec: RevisionCodec.RevisionCodec) =>
    memoize((told: Implementation) => codec.encode.implementation(told))
  )
  const serverInfo = (codec: RevisionCodec.RevisionCodec) => encoded(codec)(told())
  const ttlMs = options.cache?.ttlMs ?? 0
  const listsPermitted = options.listOnlyPermitted === true
  const watchers = new Watchers()
  const fork = Effect.runForkWith(context)
  const relays = new Relays(name, watchers, fork)
  const extensions = options.extensions ?? []
  const state: ServerState = {
    info,
    told,
    instructions: typeof instructions === "function" ? instructions : () => instructions,
    protocolVersions: [...Revision.ofEra("modern", revisions), ...Revision.ofEra("legacy", revisions)],
    era: eras.size === 1 ? [...eras][0] : undefined,
    offer: new Offer(
      [
        ...options.features.map((feature) => bind(feature, context)),
        ...extensions.flatMap((extension) => required(extension).features.map((feature) => bind(feature, context)))
      ],
      pageSize,
      { logging: {}, ...options.capabilities }
    ),
    principals: new Set(options.principals?.map(({ key }) => key)),
    mounts: new Mounts(
      pageSize,
      (name, why) =>
        void fork(
          why === "taken"
            ? Effect.logWarning(`there is a ${Excerpt.line(name)} already, so that of a mounted server is not offered`)
            : why === "owned"
            ? Effect.logWarning(`another mounted server owns ${Excerpt.line(name)}, so it is not offered`)
            : Effect.logWarning(
              `a mounted server refers to ${Excerpt.line(name)}, which is read from its owner, another one`
            )
        ),
      () => state.extensions.extendsTools
    ),
    extensions: new Extensions([]),
    watchers,
    relays,
    changes: changesTo(relays),
    visible: visibility(options.visible, context),
    listsPermitted,
    lists: { cache: { ttlMs, cacheScope: options.cache?.cacheScope ?? "public" }, serverInfo },
    ownLists: { cache: { ttlMs, cacheScope: "private" }, serverInfo },
    reads: { ttlMs, cacheScope: "private" },
    sealed,
    subscriptions: options.subscriptions ?? defaultSubscriptions,
    askTimeout: options.askTimeout,
    isTimed: options.metrics === true,
    serverInfo,
    context,
    fork
  }
  state.extensions = new Extensions(extensions.map((extension) => servedBy(state, context)(required(extension))))
  state.extensions = extendedBy(state, state.offer.all, context)
  return state
}

/** The extensions of a server, with those that features have options of. */
const extendedBy = <R>(state: ServerState, features: ReadonlyArray<Bound>, context: Context.Context<R>) =>
  state.extensions.withThoseOf(
    features.flatMap((bound) => "serve" in bound ? [bound.feature] : []),
    // The features require what their options do, and the context has that.
    servedBy(state, context as Context.Context<unknown>)
  )

/** Binds an extension to its services and its server. */
const servedBy = <R>(state: ServerState, context: Context.Context<R>) => (extension: ServedExtension<R>) => {
  const host: ExtensionHost = {
    server: state.info.name,
    changes: state.changes,
    askTimeout: state.askTimeout ?? SealedState.defaultTimeToLive,
    toolOf: (name) => {
      const bound = state.offer.tools.get(name)
      const option = bound?.feature.extensions?.find((option) => option.extension === extension)?.value
      return bound && { serve: bound.serve, option }
    },
    answerTo: (codec, refusal) => toolResultOf(codec, refusal) ?? allowed(codec, responseOf(codec, refusal))
  }
  return bindExtension(extension, context, host)
}

/** An extension with the requirements that its type names. */
const required = <X extends ServerExtension<unknown>>(extension: X) =>
  // The requirements of an extension are its type parameter.
  extension as ServerExtension<unknown> as ServerExtension<ExtensionRequirements<X>>

const changesTo = (relays: Relays): ServerChanges => ({
  resourceUpdated: (uri) => Effect.sync(() => relays.mark({ uri })),
  elicitationComplete: (elicitationId) => Effect.sync(() => relays.mark({ elicitationId })),
  listChanged: (list) => Effect.sync(() => relays.mark({ list })),
  extensionNotified: (notification) => Effect.sync(() => relays.mark(notification))
})

const visibility = <R>(
  visible: ServerDefinition.Visible<R> | undefined,
  context: Context.Context<R>
): ServerState["visible"] =>
  visible === undefined ? undefined : (feature, call) => {
    const answer = visible(feature, call)
    return typeof answer === "boolean"
      ? answer
      : isSuccess(answer)
      ? answer.value
      : Effect.provideContext(answer, context)
  }

const service = (
  state: ServerState,
  wrapped: ReturnType<typeof wrapping>,
  pageSize: number
): ServerDefinition.McpServer => {
  const change = (bound: ReadonlyArray<Bound>, all: ReadonlyArray<Bound>) => {
    state.offer = new Offer(all, pageSize, state.offer.capabilities)
    for (const list of new Set(bound.map(listOf))) state.watchers.mark({ list })
  }
  const exported = (offer: Offer) => featuresOf(offer, state.visible)
  // A mounted server may be behind us, and never sees a number that we have rounded.
  const relays = () => !state.mounts.isEmpty
  const lone = memoize((codec: RevisionCodec.RevisionCodec) => McpDialect.make(() => codec, relays))
  return {
    info: state.info,
    protocolVersions: state.protocolVersions,
    capabilities: () => kindsOf(state),
    namedParam: (method) => state.extensions.at("modern", method)?.rules.named,
    hears: (method, era) => state.extensions.hearing(era, method) !== undefined,
    tool: (name) => toolOf(state, name),
    principals: () => principalsOf(state),
    isSame: () => state.visible === undefined && !state.offer.isVaried && state.mounts.isSame,
    linkedAt: (uri) => state.mounts.linkedAt(uri),
    isAway: () => state.mounts.isAway(),
    featuresFor: (call, wanted) => {
      if (state.mounts.isEmpty) return Exit.succeed(exported(state.offer))
      const offer = state.mounts.offerFor(call, state.offer, wanted)
      return isSuccess(offer) ? Exit.succeed(exported(offer.value)) : Effect.map(offer, exported)
    },
    onChange: (hear) => state.watchers.hearers.add(hear),
    mount: (source, options = {}) =>
      Effect.andThen(
        source.onChange((change) => state.watchers.mark(change)),
        state.mounts.add(source, options, (list) => state.watchers.mark({ list }))
      ),
    connect: (options = {}) => {
      const connected = new ConnectionState(state, options)
      return connection(connected, McpDialect.make(() => connected.codec, relays), wrapped)
    },
    alone: ({ caller, envelope, network, protocolVersion: revision }) => {
      const codec = revision && RevisionCodec.of(revision)
      const connected = new LoneConnection(state, network, codec, caller)
      return {
        router: routerOf(state, handlerOf((call) => new Exchange(connected, envelope, call), wrapped)),
        dialect: lone(codec ?? RevisionCodec.latest),
        close: Effect.sync(() => connected.close())
      }
    },
    add: <F extends Feature<unknown>>(features: ReadonlyArray<F>) =>
      Effect.asVoid(Effect.acquireRelease(
        Effect.contextWith((context: Context.Context<ServerDefinition.Requirements<F>>) =>
          Effect.sync(() => {
            const own = withoutCall(lasting(context))
            const bound = features.map((feature) => bind(feature, own))
            state.extensions = extendedBy(state, bound, own)
            change(bound, [...state.offer.all, ...bound])
            return bound
          })
        ),
        (bound) =>
          Effect.sync(() => {
            const gone = new Set(bound)
            change(bound, state.offer.all.filter((one) => !gone.has(one)))
          })
      )),
    share: (mesh) => state.relays.share(mesh),
    ...state.changes
  }
}

const toolOf = (state: ServerState, name: string): ToolInfo | undefined =>
  state.offer.tools.get(name)?.feature.info ?? state.mounts.tool(name)

const connection = (
  state: ConnectionState,
  dialect: Connection["dialect"],
  wrapped: ReturnType<typeof wrapping>
): Connection => {
  const handler = handlerOf((call) => state.exchange(call), wrapped)
  return {
    router: routerOf(state.server, handler),
    dialect,
    codec: () => state.codec,
    record: () => state.record,
    // A feature of the server itself is never away, also where the client may not see it.
    restored: restored(
      state,
      handler,
      (uri) => state.server.offer.at(uri).next().done === true && state.server.mounts.isAway(uri)
    ),
    resume: () => state.resume(),
    close: Effect.sync(() => state.close())
  }
}

/** The handler of the messages whose exchanges a function makes. */
const handlerOf = (exchangeOf: (call: Call) => Exchange, wrapped: ReturnType<typeof wrapping>): Handler => (call) => {
  const exchange = exchangeOf(call)
  const effect = wrapped === undefined ? serve(exchange, call) : wrapped({ ...call, [Caller.key]: exchange })
  // Middleware, handlers and the servers behind them know no revision: this is where all of their errors leave.
  return isSuccess(effect)
    ? effect
    : Effect.mapError(effect, (error) => allowed(exchange.codec ?? RevisionCodec.latest, error))
}

const routerOf = (state: ServerState, handler: Handler): Lookup => ({
  // Features that are added later bring the extensions that they name.
  handlerOf: (method) => served.has(method) || state.extensions.has(method) ? handler : undefined,
  isConcurrent: never
})

const never = () => false

/** Anything else has no handler: a request is answered that there is no such method, a notification passes. */
const served: ReadonlySet<string> = new Set([
  ...routes.keys(),
  "initialize",
  "notifications/initialized",
  "notifications/roots/list_changed"
])

/** @internal */
export interface Routed extends Call {
  readonly [Caller.key]: Exchange
}

/** Gives the handler of all connections; `undefined` where nothing is around it. @internal */
export const wrapping = <R>(
  middleware: Middleware<ErrorResponse, R> | undefined,
  context: Context.Context<R>,
  isTimed: boolean
): ((call: Routed) => ReturnType<Handler>) | undefined => {
  const isObserved = isTimed || context.mapUnsafe.has(Tracer.Tracer.key)
  if (middleware === undefined && !isObserved) return undefined
  // Middleware hands on the call that it is given, or a copy with other members.
  const inner: Handler = (call) => serve((call as Routed)[Caller.key], call)
  const handler: Handler<ErrorResponse, R> = middleware === undefined ? inner : middleware(inner)
  const outer: (call: Routed) => ReturnType<typeof handler> = isObserved ? observed(handler) : handler
  return (call) => {
    const effect = outer(call)
    return isExit(effect) ? effect : Effect.provideContext(effect, context)
  }
}

const observed = <R>(handler: Handler<ErrorResponse, R>) => (call: Routed): ReturnType<Handler<ErrorResponse, R>> => {
  const exchange = call[Caller.key]
  return Operation.serve(
    exchange,
    call,
    (subject) => isOffered(exchange.connection.server, subject),
    Effect.suspend(() => handler(call))
  )
}

const isOffered = (state: ServerState, { attribute, name }: Subject): boolean =>
  attribute === "gen_ai.tool.name" ? toolOf(state, name) !== undefined : state.offer.prompts.has(name)
