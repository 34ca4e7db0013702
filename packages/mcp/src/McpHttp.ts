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
import type { HttpEndpoint, Responder } from "@parley/http/HttpEndpoint"
import * as HttpRoute from "@parley/http/HttpRoute"
import { RequestRules } from "@parley/http/shared"
import { Journal } from "@parley/mesh/Journal"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import { Mesh, type Overloaded } from "@parley/mesh/Mesh"
import * as Session from "@parley/peer/Session"
import * as Limits from "@parley/protocol/Limits"
import * as Handshake from "@parley/transport/Handshake"
import { Budget } from "@parley/transport/shared"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as ResourceServer from "./auth/server/ResourceServer.ts"
import { makeJournal, SessionStore } from "./http/SessionStore.ts"
import { inTurns } from "./internal/auth/server/Places.ts"
import type { EndpointOptions, McpHttpOptions } from "./internal/http/EndpointOptions.ts"
import { sessionHeader } from "./internal/http/headers.ts"
import type { Answer } from "./internal/http/nodes/Answer.ts"
import * as Claims from "./internal/http/nodes/Claims.ts"
import { ForwardedAnswers, handle } from "./internal/http/nodes/Forwarding.ts"
import { joined } from "./internal/http/nodes/joined.ts"
import * as Routing from "./internal/http/nodes/Routing.ts"
import { Travel } from "./internal/http/nodes/Travel.ts"
import { Requesters } from "./internal/http/quota/Requester.ts"
import * as incoming from "./internal/http/server/incoming.ts"
import { callOf, unreadable } from "./internal/http/server/incoming.ts"
import * as legacy from "./internal/http/server/legacyEra.ts"
import * as modern from "./internal/http/server/modernEra.ts"
import { Listeners } from "./internal/http/server/modernEra.ts"
import { type HttpRequest, type Post, Posted } from "./internal/http/server/Posted.ts"
import { Pulse } from "./internal/http/server/Pulse.ts"
import * as replies from "./internal/http/server/replies.ts"
import * as SessionTable from "./internal/http/server/SessionTable.ts"
import { Events } from "./internal/http/storage/Events.ts"
import { undeclared } from "./internal/server/dispatch/Auth.ts"
import { McpServer } from "./McpServer.ts"
import * as Envelope from "./wire/Envelope.ts"
import * as McpDialect from "./wire/McpDialect.ts"
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
  Effect.contextWith((context: Context.Context<Scope.Scope>) => {
    const mesh = options.mesh ?? Context.getOrUndefined(context, Mesh)
    const made = make(server, options, mesh, context)
    // The mesh is left last: what other nodes forward is answered while the sessions end.
    return (mesh === undefined ? Effect.void : joined(mesh.node, server.share(mesh))).pipe(
      Effect.andThen(mesh === undefined ? Effect.void : joined(mesh.node, made.join)),
      Effect.andThen(Effect.acquireRelease(Effect.succeed(made.endpoint), () => made.close))
    )
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
): Effect.Effect<(request: Request) => Promise<Response>, E, Scope.Scope | R> =>
  Effect.map(endpoint(server, options), HttpRoute.webHandler)

const make = (
  server: McpServer,
  options: EndpointOptions,
  mesh: Mesh | undefined,
  context: Context.Context<Scope.Scope>
): Made => {
  const hasModern = Revision.ofEra("modern", server.revisions).length > 0
  const hasLegacy = Revision.ofEra("legacy", server.revisions).length > 0
  const hasSessions = hasLegacy && options.sessions !== false
  const { auth } = options
  if (auth !== undefined && options.authorize !== undefined) {
    throw new TypeError("`auth` and `authorize` are both given: services of your own come from `principal` of `auth`")
  }
  const authorize = auth === undefined ? options.authorize : inTurns(auth.authorize, options.proxies)
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
  /** The budget of all bodies and calls where their host has none, or is on another node. */
  let own: Budget.Budget | undefined
  const budgetOf = (responder: Responder) => responder.budget ?? (own ??= Budget.make(bounds.budget))
  const requesters = new Requesters({ quotas: options.quotas, proxies: options.proxies, report: desk.report, context })
  const name = Claims.nameOf(server.info.name)
  const journal = options.journal ?? Context.getOrUndefined(context, Journal)
  const { idle = "30 minutes", max = 10_000 } = options.sessions || {}
  const sessions = !hasSessions ? undefined : SessionTable.make({
    server,
    limits,
    keepAlive,
    patience,
    context,
    events: new Events(journal ?? MemoryNodes.makeJournalWith(clock)),
    retry: Duration.toMillis(Duration.fromInputUnsafe(options.retry ?? "500 millis")),
    idle: Duration.fromInputUnsafe(idle),
    max,
    store: options.store ?? Context.getOrUndefined(context, SessionStore) ??
      (mesh && journal && makeJournal(journal)),
    claims: mesh && Claims.make(mesh, name)
  })
  const challenge = auth?.insufficientScope ?? ResourceServer.insufficientScope
  const shared = { server, limits: bounds, keepAlive, listening, challenge }
  const withSessions = sessions && { server, sessions, challenge }
  // The newest revision accepts every message of any; a session refuses what its own revision lacks.
  const decode = Session.decoder({ dialect: reading, limits })

  const requestOf = (handshake: Handshake.Handshake, responder: Responder): HttpRequest => {
    const { head } = handshake
    const principal = Handshake.nameOf(handshake)
    return { handshake, head, principal, requester: requesters.of(head, principal), responder }
  }

  const posted: Answer = (handshake, text, responder) => {
    let posted: Posted | undefined
    const answered = Effect.suspend((): ReturnType<Answer> => {
      posted = Posted.read(text, budgetOf(responder), decode)
      if (posted === undefined) return Effect.succeed(RequestRules.tooMany)
      const call = callOf(posted.decoded.batch)
      return route({
        ...requestOf(handshake, responder),
        posted,
        call,
        envelope: hasModern && call !== undefined ? Envelope.readEnvelope(call.params) : undefined
      })
    })
    return Effect.onExitPrimitive(answered, () => {
      posted?.leave()
      return undefined
    })
  }

  const route = (post: Post): ReturnType<HttpEndpoint["answer"]> => {
    const { call, envelope, head, posted, requester } = post
    const { decoded } = posted
    const bad = unreadable(decoded.batch)
    if (bad !== undefined) return Effect.succeed(replies.unreadable(bad))
    const isModern = hasModern && (!hasLegacy || envelope !== undefined ||
      (incoming.isModern(head) && call?.method !== "initialize"))
    const heard = isModern && call?._tag === "Notification" && server.hears(call.method) ? call : undefined
    // A client that listens has a stream, which is counted as that.
    const calls = isModern && call !== undefined && modern.isListening(call)
      ? 0
      : incoming.requestsOf(decoded.batch).length + (heard === undefined ? 0 : 1)
    if (calls > 0 && requester.isBounded("calls")) {
      const party = requester.take("calls", calls)
      if (party === undefined) return requester.refuse("calls", call?._tag === "Request" ? call.id : undefined)
      posted.count(party, calls)
    }
    if (!isModern) return withSessions === undefined ? legacy.postAlone(shared, post) : legacy.post(withSessions, post)
    if (Array.isArray(decoded.batch)) return Effect.succeed(replies.noBatches)
    if (call?._tag === "Request") return modern.answer(shared, post, call)
    return heard === undefined ? Effect.succeed(replies.accepted) : modern.hear(shared, post, heard)
  }

  const answerHere: Answer = (handshake, text, responder) => {
    const { head } = handshake
    if (head.method === "POST") return posted(handshake, text, responder)
    if (withSessions === undefined || (hasModern && incoming.isModern(head))) return Effect.succeed(replies.onlyPost)
    const request = requestOf(handshake, responder)
    return head.method === "GET" ? legacy.get(withSessions, request) : legacy.remove(withSessions, request)
  }

  const travel = mesh && sessions && new Travel({ authorize, headers: options.forwarded ?? [] })
  const routed = mesh === undefined || sessions === undefined || travel === undefined ? answerHere : Routing.make({
    mesh,
    travel,
    standsAlone: (head, text) => hasModern && incoming.standsAlone(head, text, decode),
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
    answer: answerHere,
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
      wellKnown: auth && wellKnownOf(auth, options),
      answer: authorize === undefined
        ? (head, text, responder) => answer(Handshake.anonymous(head), text, responder)
        : (head, text, responder) =>
          Effect.flatMap(Handshake.Current, (handshake = Handshake.anonymous(head)) => {
            const telling = told(handshake)
            const answered = Effect.suspend(() => answer(handshake, text, responder))
            return telling === undefined ? answered : Effect.andThen(telling, answered)
          })
    },
    join: mesh === undefined || travel === undefined
      ? Effect.void
      : mesh.serve(name, handle(travel, forwarded.counted(answerHere), isHere)),
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

const wellKnownOf = (auth: ResourceServer.ResourceServer, rules: EndpointOptions) =>
  new Map(auth.paths.map((path) => [path, ResourceServer.metadataEndpoint(auth, rules)]))

const nameless =
  "`authorize` gives principals without a `Handshake.Name`: a session of MCP belongs to whoever has its id"

const neededHeaders = ["mcp-session-id", "www-authenticate", "retry-after", "dpop-nonce"]

/** How long an answer may take before its client gets an id to come back with, if the connection breaks. */
const shortly = Duration.seconds(1)

const reading = { ...McpDialect.make(() => undefined), batches: "accept" as const }
