/**
 * An MCP server over Streamable HTTP: both eras on one path.
 *
 * - Modern requests stand alone, on any process. A client that disconnects cancels its request.
 * - Legacy clients have sessions, which end when they are idle. A request goes on when its
 *   client disconnects, and the client can come back for the answer.
 *
 * ```ts run
 * import { McpClient, McpHttp, McpHttpClient, McpServer } from "@parley/mcp"
 * import { Effect, Layer } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const handler = Effect.flatMap(McpServer.McpServer, (server) => McpHttp.makeWebHandler(server))
 * const server = McpServer.layer({ name: "clock", version: "1.0.0", features: [] })
 *
 * // The `fetch` of the client is the handler itself, so that no socket is opened.
 * const fetch = Layer.effect(
 *   FetchHttpClient.Fetch,
 *   Effect.map(handler, (handle): typeof globalThis.fetch => (url, init) => handle(new Request(url, init)))
 * ).pipe(Layer.provide(server))
 * const client = McpHttpClient.layer({ name: "me", version: "1.0.0", url: "http://localhost/mcp" })
 *
 * const program = Effect.map(McpClient.McpClient, ({ serverInfo }) => console.log(serverInfo?.name)) // => clock
 * await Effect.runPromise(Effect.provide(program, Layer.provide(client, [FetchHttpClient.layer, fetch])))
 * ```
 *
 * @since 0.1.0
 */
import type { HttpEndpoint } from "@parley/http/HttpEndpoint"
import * as HttpRoute from "@parley/http/HttpRoute"
import { RequestRules } from "@parley/http/shared"
import { Journal } from "@parley/mesh/Journal"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import { Mesh, type Overloaded } from "@parley/mesh/Mesh"
import * as ResourceServer from "@parley/oauth/ResourceServer"
import * as Limits from "@parley/protocol/Limits"
import * as Handshake from "@parley/transport/Handshake"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { makeJournal, SessionStore } from "./http/SessionStore.ts"
import { Dispatch } from "./internal/http/Dispatch.ts"
import type { EndpointOptions, McpHttpOptions } from "./internal/http/EndpointOptions.ts"
import { sessionHeader } from "./internal/http/headers.ts"
import * as Claims from "./internal/http/nodes/Claims.ts"
import { ForwardedAnswers, handle } from "./internal/http/nodes/Forwarding.ts"
import { joined } from "./internal/http/nodes/joined.ts"
import * as Routing from "./internal/http/nodes/Routing.ts"
import { Travel } from "./internal/http/nodes/Travel.ts"
import { Requesters } from "./internal/http/quota/Requester.ts"
import * as incoming from "./internal/http/server/incoming.ts"
import { Listeners } from "./internal/http/server/modernEra.ts"
import { Pulse } from "./internal/http/server/Pulse.ts"
import { Events } from "./internal/http/session/Events.ts"
import * as SessionTable from "./internal/http/session/SessionTable.ts"
import { undeclared } from "./internal/server/dispatch/Auth.ts"
import { McpServer } from "./McpServer.ts"
import * as Revision from "./wire/Revision.ts"

export type { McpHttpOptions } from "./internal/http/EndpointOptions.ts"

/**
 * The endpoint of a server, for any host: `HttpRoute` of `@parley/http`, `NodeHttp` of `@parley/node`. It uses the `Mesh`,
 * the `Journal` and the `SessionStore` of the context, if there are any. Closing the Scope ends its sessions.
 *
 * @category constructors
 * @since 0.1.0
 */
export const endpoint = <E = never, R = never>(
  server: McpServer,
  options: McpHttpOptions<E, R> = {}
): Effect.Effect<HttpEndpoint, E, Scope.Scope | R> =>
  Effect.flatMap(
    Effect.isEffect(options.auth) ? options.auth : Effect.succeed(options.auth),
    (auth) => opened(server, { ...options, auth })
  )

const opened = (
  server: McpServer,
  options: EndpointOptions
): Effect.Effect<HttpEndpoint, never, Scope.Scope> =>
  Effect.gen(function*() {
    const context = yield* Effect.context<Scope.Scope>()
    const mesh = options.mesh ?? Context.getOrUndefined(context, Mesh)
    const made = make(server, options, mesh, context, yield* FiberSet.make<void>())
    // The mesh is left last: what other nodes forward is answered while the sessions end.
    if (mesh !== undefined) {
      yield* joined(mesh.node, server.share(mesh))
      yield* joined(mesh.node, made.join)
    }
    return yield* Effect.acquireRelease(Effect.succeed(made.endpoint), () => made.close)
  })

/**
 * Adds the `endpoint` of the server to the `HttpRouter` from here. A new layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <E = never, R = never>(
  options: McpHttpOptions<E, R> & {
    /** The path of the endpoint. `/mcp` by default. */
    readonly path?: HttpRouter.PathInput | undefined
  } = {}
): Layer.Layer<never, E, HttpRouter.HttpRouter | McpServer | Exclude<R, Scope.Scope>> =>
  Layer.unwrap(
    McpServer.pipe(
      Effect.flatMap((server) => endpoint(server, options)),
      Effect.map((endpoint) => HttpRoute.layerEndpoint(options.path ?? "/mcp", endpoint))
    )
  )

/**
 * The `endpoint` as a handler of Web requests, for Hono, Next, Deno, Bun and others. It does not know the addresses of
 * clients, so the rules of loopback hold unless `access` says otherwise. Closing the Scope ends its sessions.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeWebHandler = <E = never, R = never>(
  server: McpServer,
  options: McpHttpOptions<E, R> = {}
): Effect.Effect<HttpRoute.WebHandler, E, Scope.Scope | R> =>
  Effect.map(endpoint(server, options), HttpRoute.webHandler)

const make = (
  server: McpServer,
  options: EndpointOptions,
  mesh: Mesh | undefined,
  context: Context.Context<Scope.Scope>,
  overstaying: FiberSet.FiberSet<void>
): Made => {
  const hasSessions = options.sessions !== false && Revision.ofEra("legacy", server.protocolVersions).length > 0
  const { auth } = options
  if (auth !== undefined && options.authorize !== undefined) {
    throw new TypeError("`auth` and `authorize` are both given: services of your own come from `principal` of `auth`")
  }
  const guard = auth && ResourceServer.guard(auth, options)
  const authorize = guard === undefined ? options.authorize : guard.authorize
  assertDeclared(server, authorize)
  const desk = RequestRules.make({
    ...options,
    authorize,
    access: { ...options.access, origins: options.access?.origins ?? "loopback" },
    cors: options.cors && { exposedHeaders: neededHeaders, ...options.cors },
    methods: hasSessions ? ["POST", "GET", "DELETE"] : ["POST"]
  })
  const { limits } = options
  const clock = Context.get(context, Clock.Clock)
  const keepAlive = new Pulse(Duration.fromInputUnsafe(options.keepAlive ?? "15 seconds"), context)
  const patience = new Pulse(shortly, context)
  const bounds = Limits.make(limits)
  const listening = new Listeners(bounds.budget)
  const forwarded = new ForwardedAnswers()
  const requesters = new Requesters({ quotas: options.quotas, proxies: options.proxies, report: desk.report, context })
  const name = Claims.nameOf(server.info.name)
  const journal = options.journal === false ? undefined : options.journal ?? Context.getOrUndefined(context, Journal)
  const { idle = "30 minutes", max = 10_000 } = options.sessions || {}
  const sessions = !hasSessions ? undefined : SessionTable.make({
    server,
    limits,
    keepAlive,
    patience,
    context,
    events: new Events(options.journal === false ? undefined : journal ?? MemoryNodes.makeJournalWith(clock)),
    retry: Duration.toMillis(Duration.fromInputUnsafe(options.retry ?? "500 millis")),
    idle: Duration.fromInputUnsafe(idle),
    max,
    store: options.store ?? Context.getOrUndefined(context, SessionStore) ??
      (mesh && journal && makeJournal(journal)),
    claims: mesh && Claims.make(mesh, name)
  })
  const dispatch = new Dispatch({
    server,
    limits: bounds,
    keepAlive,
    overstaying,
    listening,
    challenge: auth?.insufficientScope ?? ResourceServer.insufficientScope,
    requesters,
    sessions
  })
  const { budgetOf, decode } = dispatch
  const travel = mesh && sessions && new Travel({ authorize, headers: options.forwarded ?? [] })
  const routed = mesh === undefined || sessions === undefined || travel === undefined ? dispatch.answer : Routing.make({
    mesh,
    travel,
    standsAlone: (head, text) => dispatch.standsAlone(head, text),
    name,
    clock,
    holds: sessions.holds,
    budgetOf,
    adopt: (id, handshake) => {
      const principal = Handshake.nameOf(handshake)
      return sessions.adopt(id, principal, requesters.of(handshake.head, principal))
    },
    requestsOf: (text) => incoming.requestsOf(decode(text).batch),
    isAnswer: (text) => incoming.isAnswer(decode(text).batch),
    lostAnswer: (text) => incoming.lostAnswer(decode(text).batch),
    answer: dispatch.answer,
    scope: Context.get(context, Scope.Scope)
  })
  const answer = travel === undefined ? routed : travel.around(routed)

  const isHere = (head: RequestRules.Head, principal: string | undefined) =>
    sessions?.knows(head.header(sessionHeader) ?? "", principal) === true

  let isTold = !hasSessions
  const told = (handshake: Handshake.Handshake) => {
    if (isTold || Handshake.nameOf(handshake) !== undefined || handshake.principal.mapUnsafe.size === 0) return
    isTold = true
    return Effect.logWarning(nameless)
  }
  return {
    endpoint: {
      ...desk,
      admit: (head) => requesters.admit(head, desk.admit(head)),
      closing: listening.end,
      drained: sessions && Effect.andThen(sessions.drained, forwarded.idle),
      wellKnown: guard?.wellKnown,
      answer: (head, text, responder) =>
        Effect.flatMap(Handshake.Current, (current) => {
          const isNobody = current === undefined || current.principal.mapUnsafe.size === 0
          const handshake = isNobody ? Handshake.anonymous(head) : current
          const telling = told(handshake)
          const answered = Effect.suspend(() => answer(handshake, text, responder))
          return telling === undefined ? answered : Effect.andThen(telling, answered)
        })
    },
    join: mesh === undefined || travel === undefined
      ? Effect.void
      : mesh.serve(name, handle(travel, forwarded.counted(dispatch.answer), isHere)),
    close: Effect.suspend(() => Effect.andThen(listening.end, sessions?.close ?? Effect.void)).pipe(
      Effect.ensuring(Effect.sync(() => [keepAlive, patience].forEach((pulse) => pulse.stop())))
    )
  }
}

/** Throws where handlers read a service of their callers that `authorize` does not declare. */
const assertDeclared = (server: McpServer, authorize: Handshake.Authorize | undefined) => {
  if (authorize === undefined) return
  const declared = new Set(authorize.services?.map(({ key }) => key))
  const missing = [...server.principals()].find((key) => !declared.has(key))
  if (missing !== undefined) throw new TypeError(undeclared(missing))
}

interface Made {
  readonly endpoint: HttpEndpoint
  /** Takes what other nodes forward. */
  readonly join: Effect.Effect<void, Overloaded, Scope.Scope>
  readonly close: Effect.Effect<void>
}

const nameless =
  "`authorize`, or the host, gives principals without a `Handshake.Name`: a session of MCP belongs to whoever has its id"

const neededHeaders = ["mcp-session-id", "www-authenticate", "retry-after", "dpop-nonce"]

/** How long an answer may take before its client gets an id to come back with, if the connection breaks. */
const shortly = Duration.seconds(1)
