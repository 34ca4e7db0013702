/**
 * The options of the endpoint of a server, as a program gives them and as the endpoint is made with them.
 */
import type { RequestRules } from "@parley/http/shared"
import type { Journal } from "@parley/mesh/Journal"
import type { Mesh } from "@parley/mesh/Mesh"
import type * as ResourceServer from "@parley/oauth/ResourceServer"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Quota from "../../http/Quota.ts"
import type { SessionStore } from "../../http/SessionStore.ts"

/**
 * The options of an endpoint. Where `auth` is an effect, it may fail with `E` and require `R`.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpHttpOptions<E = never, R = never> extends Omit<RequestRules.RequestRulesOptions, "methods"> {
  /**
   * The hosts and origins that may call, as for `HttpEndpoint.gate`. Without `origins`, only pages that this machine serves
   * may call from a browser. Clients other than browsers need no permission.
   */
  readonly access?: RequestRules.RequestRulesOptions["access"]
  /**
   * Names the principal of a request, or refuses the request, with 401 for example. `Handshake.Name` of the principal is
   * the `principal` of calls. A session belongs to the name that began it, and is not found for any other. Without this
   * option, calls have the principal that the host gives with the request, if any.
   */
  readonly authorize?: RequestRules.RequestRulesOptions["authorize"]
  /**
   * Takes only requests with an access token, in place of `authorize`: `ResourceServer.make` makes it, or an effect, which
   * runs once and may make its verifier first. Its metadata are served at their own paths. A call of a feature whose
   * `scopes` the token lacks is answered with 403 and the scopes.
   */
  readonly auth?:
    | ResourceServer.ResourceServer
    | Effect.Effect<ResourceServer.ResourceServer, E, R>
    | undefined
  /** As for `HttpEndpoint.gate`; pages see the headers that clients need, where `exposedHeaders` names no others. */
  readonly cors?: RequestRules.RequestRulesOptions["cors"]
  /**
   * How long a legacy session may be idle (30 minutes by default; a call that runs or a stream that is read is use), and
   * how many there may be in this process (10,000): one that has no principal and has made no call since its handshake
   * makes room. `false` serves legacy clients without sessions: they cannot be asked, and they hear of no changes.
   *
   * Calls that run on for clients that have left hold no more than half the `budget` of `limits` in all; beyond it, the
   * session that holds most is over. The words of clients about themselves, and the resources that they listen to, hold no
   * more than another half; beyond it, the session that wants more is over, or a heavier one that may make room. The
   * sessions of one party that has a quota hold no more than a tenth of that.
   */
  readonly sessions?:
    | { readonly idle?: Duration.Input | undefined; readonly max?: number | undefined }
    | false
    | undefined
  /**
   * How many sessions, streams and calls each principal may have at once, and each address of the clients that have none:
   * by default 1,000 sessions, 256 streams and 256 calls. Clients of this machine, and clients whose address the host does
   * not know, have no quota unless it is set. Name a proxy in `proxies`; otherwise all its clients share the quota of its
   * address. `false` sets no quotas.
   */
  readonly quotas?: Quota.QuotaOptions | false | undefined
  /**
   * How often the server writes to a stream that carries nothing else. 15 seconds by default. An answer that takes
   * longer becomes such a stream.
   */
  readonly keepAlive?: Duration.Input | undefined
  /** How long clients are told to wait before they come back for the rest of a stream. Half a second by default. */
  readonly retry?: Duration.Input | undefined
  /**
   * Keeps the messages of streams, so that clients can come back for them. The `Journal` of the context by default; without
   * one, memory. With `false` nothing is kept: streams have no ids, and what a client does not read is lost.
   */
  readonly journal?: Journal | false | undefined
  /**
   * Joins the processes that serve the same server. The `Mesh` of the context by default; without one, there is one
   * process. A handler may then run on another node than the one that a request reaches. It finds what all nodes have: the
   * services of the principal that `authorize` declares with their Schemas, and the headers that `forwarded` allows.
   */
  readonly mesh?: Mesh | undefined
  /**
   * The headers that nodes show each other, beside those of MCP and those that describe a request and its way, such as
   * `user-agent` and `traceparent`. Credentials are never among them.
   */
  readonly forwarded?: ReadonlyArray<string> | undefined
  /**
   * Keeps sessions for other processes. The `SessionStore` of the context by default; without one, the `Journal` where there
   * is a `Mesh` as well, else they live here only.
   */
  readonly store?: SessionStore | undefined
}

/** The options, with what `auth` has made. */
export interface EndpointOptions extends Omit<McpHttpOptions, "auth"> {
  readonly auth: ResourceServer.ResourceServer | undefined
}
