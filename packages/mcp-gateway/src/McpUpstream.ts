/**
 * A server behind this one, reached by a client of any revision over any transport, and served in every revision.
 *
 * ```
 *   client ──any revision, any transport──→ McpServer ── McpUpstream ──any revision, any transport──→ server
 * ```
 *
 * - Results, errors, progress, log messages and cancellation pass as they are; each side gets the words of its revision.
 * - A question of the server reaches only the client whose call has caused it. A server of the legacy era does
 *   not say which call its question belongs to, so a call that may be asked has a connection for itself, and a session one
 *   for as long as it lasts.
 * - A server hears only of capabilities that the client before it has.
 * - A client of the modern era is asked inside the result. Meanwhile the call of a legacy server goes on, and the retry comes
 *   back for it.
 * - While the server cannot be reached, lists have none of its features, and calls of them fail with -31003.
 *
 * ```ts run
 * import { McpMemoryClient, McpServer, McpTool } from "@parley/mcp"
 * import { McpUpstream } from "@parley/mcp-gateway"
 * import { Effect } from "effect"
 *
 * const now = McpTool.make("now", { description: "The time." }, () => Effect.succeed("noon"))
 *
 * const program = Effect.gen(function*() {
 *   const behind = yield* McpServer.make({ name: "clock", version: "1.0.0", features: [now] })
 *   const connect: McpUpstream.McpUpstreamOptions["connect"] = (options) =>
 *     Effect.provideService(McpMemoryClient.make(options), McpServer.McpServer, behind)
 *   const server = yield* McpUpstream.server({ name: "clock", connect })
 *   const client = yield* Effect.provideService(
 *     McpMemoryClient.make({ name: "me", version: "1.0.0" }),
 *     McpServer.McpServer,
 *     server
 *   )
 *   console.log((yield* client.callTool("now")).content) // => [ { type: 'text', text: 'noon' } ]
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import type { McpConnectError } from "@parley/mcp/client/McpClientError"
import type * as McpClient from "@parley/mcp/McpClient"
import type { McpContext } from "@parley/mcp/McpContext"
import * as McpServer from "@parley/mcp/McpServer"
import type { ClientCapabilities, Implementation } from "@parley/mcp/payload/Capabilities"
import type { FeatureSource } from "@parley/mcp/server/FeatureSource"
import type { ClientAuthorization } from "@parley/oauth/ClientAuthorization"
import { Excerpt } from "@parley/protocol/shared"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import type { Audit } from "./Audit.ts"
import type { Login } from "./internal/logins/Login.ts"
import * as UserUpstreams from "./internal/logins/UserUpstreams.ts"
import * as Guard from "./internal/policy/Guard.ts"
import type { UpstreamState } from "./internal/upstream/Attempts.ts"
import * as Kept from "./internal/upstream/Kept.ts"
import * as CalmChanges from "./internal/upstream/lists/CalmChanges.ts"
import { Upstream } from "./internal/upstream/Upstream.ts"
import type { Policy, Refusal } from "./Policy.ts"
import type { UserLogins } from "./UserLogins.ts"

export type { UpstreamState } from "./internal/upstream/Attempts.ts"
export { allCapabilities, differing } from "./internal/upstream/lists/features.ts"

/**
 * The options of an upstream.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpUpstreamOptions<R = never> extends Policy {
  /** Its name, for errors and the log. */
  readonly name: string
  /**
   * Makes a client with these options and others, such as `McpStdioClient.make({ ...options, start })`; for each
   * connection.
   */
  readonly connect: (
    options: McpClient.ClientOptions,
    /** How the client gets the tokens of its user, where `credentials` are those of users. */
    authorization?: ClientAuthorization | undefined
  ) => Effect.Effect<McpClient.McpClient, McpConnectError, R | Scope.Scope>
  /** The logins of users, where `credentials` are theirs. */
  readonly logins?: UserLogins | undefined
  /** Where a record of each call is written. Nowhere, by default. */
  readonly audit?: Audit | undefined
  /** Our name and version, as the server sees them. */
  readonly client?: Implementation | undefined
  /**
   * Whether callers without a session share the connections to the server: it keeps nothing in a session. By default, each
   * principal has its own, and so has each connection of ours whose client has no session.
   */
  readonly shared?: boolean | undefined
  /** The most connections at once. The default is 64: over stdio, each is a process. */
  readonly connections?: number | undefined
  /**
   * The most connections of one party: of a principal, else of an address that `proxies` tell, a session or a connection. The
   * default is a quarter of `connections`. Callers that are no principals leave as many free for those that are.
   */
  readonly connectionsPerPrincipal?: number | undefined
  /** The most users at once, where `credentials` are theirs: each has connections of its own. The default is 1,000. */
  readonly users?: number | undefined
  /** How long an idle connection stays open. The default is 5 minutes. */
  readonly idle?: Duration.Input | undefined
  /** The most calls at once of modern clients that can be asked. The default is 256. */
  readonly waiting?: number | undefined
  /** The most such calls of one party. The default is 32. */
  readonly waitingPerPrincipal?: number | undefined
  /** How long a call waits for the answer of a modern client. The default is 10 minutes, the life of its sealed state. */
  readonly patience?: Duration.Input | undefined
  /** How often the upstream checks that the server is alive. The default is 30 seconds. */
  readonly check?: Duration.Input | undefined
}

/**
 * A server behind this one.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpUpstream extends FeatureSource {
  /** Its name, for errors and the log. */
  readonly name: string
  /** The name by which people are told who asks. */
  readonly label: string
  /** The owner of the credentials that it is sent. */
  readonly credentials: "service" | "user" | "none"
  /** How many calls of it run. */
  readonly calls: () => number
  /** Waits until no call of it runs. */
  readonly settled: Effect.Effect<void>
  /** The features of the server that its rules do not offer for a call. */
  readonly refusedFor: (call: McpContext) => Effect.Effect<ReadonlyArray<Refusal>>
  /** The name and version of the server; `undefined` while it cannot be reached. */
  readonly serverInfo: () => Implementation | undefined
  /** The instructions of the server; `undefined` where it has none, or cannot be reached. */
  readonly instructions: () => string | undefined
  /** Waits for the end of the first attempt to reach it. Further ones follow until the Scope closes. */
  readonly ready: Effect.Effect<void, McpConnectError>
}

/**
 * The options of a bridge.
 *
 * @category models
 * @since 0.1.0
 */
export interface BridgeOptions<R = never> extends Omit<McpUpstreamOptions<R>, "credentials" | "logins" | "shared"> {
  /**
   * Where all calls are of one caller, or of callers that need not be told apart: what the first of them can be asked, when
   * that is known. The server is reached then, and one connection serves all who can be asked as much. By default, callers are
   * told apart as for other upstreams.
   */
  readonly sole?: Effect.Effect<ClientCapabilities> | undefined
  /**
   * Whether each connection is a process that may keep state, as over stdio. A session has a connection for itself then, of
   * whichever era the server is. Calls without a session that can be asked as much share one, and a question of a legacy server
   * goes to the newest of them: this is for callers that trust each other, such as the programs of one person.
   */
  readonly isProcess?: boolean | undefined
  /** Hears whether the server can be reached, in place of the log. */
  readonly onState?: ((state: UpstreamState) => Effect.Effect<void>) | undefined
}

/**
 * A server behind one of ours that stands for it alone, whether it can be reached or not.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpBridge extends McpUpstream {
  /** Why the server cannot be reached; `undefined` while it can be, and before the first attempt. */
  readonly cause: () => unknown
  /** Tries now to reach a server that is away, and waits for the outcome. Does nothing while it can be reached. */
  readonly again: Effect.Effect<void>
}

/**
 * Reaches a server, and reaches it again when it is gone, until the Scope closes. `McpServer.mount` offers what it has.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <R = never>(options: McpUpstreamOptions<R>): Effect.Effect<McpUpstream, never, R | Scope.Scope> =>
  makeAs(options, { isNamed: true })

/** Why a server cannot be reached for its users. @internal */
export const withoutLogins = (name: string): string =>
  `the server ${Excerpt.quoted(name)} has the credentials of users, and there are no \`logins\``

/** An upstream whose questions have its name, or not where it is all that its clients know. @internal */
export const makeAs = <R>(
  options: McpUpstreamOptions<R>,
  { isNamed, isProcess = false, kept: before, onState, sole }:
    & { readonly isNamed: boolean; readonly kept?: Kept.Kept }
    & Pick<BridgeOptions, "isProcess" | "sole" | "onState">
): Effect.Effect<McpBridge, never, R | Scope.Scope> =>
  Effect.gen(function*() {
    const context = yield* Effect.context<R | Scope.Scope>()
    const kept = before ?? Kept.make(yield* Effect.scope)
    const { client = { name: "parley", version: "0.0.0" }, connect, connections = 64, name } = options
    const guard = yield* Guard.make(name, options, options.audit, options.credentials === "user")
    const { deadline } = options.budget ?? {}
    const idle = millis(options.idle ?? Duration.minutes(5))
    const patience = millis(options.patience ?? Duration.minutes(10))
    const common = {
      name,
      label: guard.label,
      credentials: options.credentials ?? "service",
      settled: guard.settled,
      calls: () => guard.calls,
      linkedAt: (uri: string) => kept.links.at(uri)
    }
    /** A client of the server, with the credentials of one user or those that all share. */
    const upstreamOf = Effect.fnUntraced(function*(login: Login | undefined) {
      const upstream: Upstream = new Upstream({
        name,
        asker: isNamed ? { name, label: guard.label } : undefined,
        guard,
        kept,
        deadline: deadline === undefined ? undefined : millis(deadline),
        connect: (seat, reach, onComplete) =>
          Effect.flatMap(Effect.scope, (scope) =>
            // A connection outlives the call that opens it, so it has nothing of its context.
            Effect.setContext(
              connect({
                ...client,
                handlers: seat.handlers(reach, onComplete),
                extensions: [upstream.identity],
                cacheSize: 0,
                checkResults: false,
                keepDigits: true
              }, login?.authorization),
              Context.add(context, Scope.Scope, scope)
            )),
        isShared: options.shared === true,
        isProcess,
        connections,
        connectionsPerPrincipal: options.connectionsPerPrincipal ?? Math.ceil(connections / 4),
        idle,
        waiting: options.waiting ?? 256,
        waitingPerPrincipal: options.waitingPerPrincipal ?? 32,
        patience,
        check: millis(options.check ?? Duration.seconds(30)),
        calm: yield* CalmChanges.make((change) => upstream.tell(change)),
        scope: yield* Effect.scope,
        context: yield* Effect.context<never>(),
        sole,
        hear: onState
      })
      yield* Effect.forkScoped(upstream.keep, { startImmediately: true })
      return upstream
    })
    if (options.credentials === "user") {
      const { logins } = options
      if (logins === undefined) throw new TypeError(withoutLogins(name))
      const users = yield* UserUpstreams.make({
        name,
        guard,
        pins: options.pins,
        most: options.users ?? 1_000,
        // A call waits for its client, and a login for its person, with the upstream of the user.
        idle: Math.max(idle, logins.patience, patience),
        make: (principal) => {
          const login = logins.of(principal, name)
          return Effect.map(upstreamOf(login), (upstream) => ({ login, upstream }))
        }
      })
      return {
        ...common,
        serverInfo: () => undefined,
        instructions: () => undefined,
        refusedFor: (call) => users.refusedFor(call),
        ready: Effect.void,
        featuresFor: (call) => users.featuresFor(call),
        tool: () => undefined,
        capabilities: () => users.capabilities(),
        onChange: (hear) => users.onChange(hear),
        cause: () => undefined,
        again: Effect.void
      }
    }
    const upstream = yield* upstreamOf(undefined)
    return {
      ...common,
      serverInfo: () => upstream.client?.serverInfo,
      instructions: () => guard.instructions(upstream.client?.instructions),
      refusedFor: (call) => upstream.refusedFor(call),
      ready: upstream.ready,
      featuresFor: (call) => upstream.featuresFor(call),
      tool: (name) => upstream.tool(name),
      capabilities: () => upstream.capabilities(),
      onChange: (hear) => upstream.onChange(hear),
      isAway: () => upstream.isAway(),
      cause: () => upstream.cause,
      again: upstream.again
    }
  })

/**
 * The server behind for a server of ours that stands for it alone: its questions have the words of the server, and it may be
 * away for any time, from the beginning on.
 *
 * @category constructors
 * @since 0.1.0
 */
export const bridge = <R = never>(
  { isProcess, onState, sole, ...options }: BridgeOptions<R>
): Effect.Effect<McpBridge, never, R | Scope.Scope> => makeAs(options, { isNamed: false, isProcess, onState, sole })

/**
 * The server behind as a server of ours, with its name and its instructions. Fails where it cannot be reached.
 *
 * @category constructors
 * @since 0.1.0
 */
export const server = <R = never>(
  options: McpUpstreamOptions<R>
): Effect.Effect<McpServer.McpServer, McpConnectError, R | Scope.Scope> =>
  Effect.gen(function*() {
    // Its clients see the name of the server itself.
    const upstream = yield* makeAs(options, { isNamed: false })
    yield* upstream.ready
    const server = yield* McpServer.make({
      name: options.name,
      version: "0.0.0",
      ...upstream.serverInfo(),
      instructions: upstream.instructions(),
      features: []
    })
    yield* server.mount(upstream)
    return server
  })

const millis = (duration: Duration.Input): number => Duration.toMillis(Duration.fromInputUnsafe(duration))
