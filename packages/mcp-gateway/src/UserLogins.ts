/**
 * The logins of users at servers behind a gateway: each user acts with tokens of their own, which the gateway gets, keeps and
 * renews.
 *
 * A user without tokens is asked to open a page of the gateway. Only who began a login can finish it: the browser first shows
 * who it is (`identify`), and every later step has to come from the same browser. Then the person decides at the
 * authorization server of the server behind, with a `state` and PKCE of this login alone.
 *
 * ```ts
 * import { McpGateway, UserLogins } from "@parley/mcp-gateway"
 * import { McpHttpClient } from "@parley/mcp"
 * import * as TokenStore from "@parley/oauth/TokenStore"
 * import { NodeHttp } from "@parley/node"
 * import { Effect } from "effect"
 *
 * export const gateway = Effect.gen(function*() {
 *   const fetcher = yield* NodeHttp.makeFetcher()
 *   const url = "https://gateway.example.org/login"
 *   const logins = yield* UserLogins.make({
 *     url,
 *     store: TokenStore.makeMemory(),
 *     identify: UserLogins.byToken(fetcher, { gateway: "https://gateway.example.org/mcp", redirectUri: url })
 *   })
 *   return yield* McpGateway.make({
 *     name: "gateway",
 *     version: "1.0.0",
 *     logins,
 *     servers: {
 *       mail: {
 *         credentials: "user",
 *         connect: (options, auth) => McpHttpClient.make(fetcher, { ...options, url: "https://mail.example.org/mcp", auth })
 *       }
 *     }
 *   })
 * })
 * ```
 *
 * @since 0.1.0
 */
import type { HttpEndpoint } from "@parley/http/HttpEndpoint"
import type { HttpFetcher } from "@parley/http/shared/client"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import { isOfferable } from "@parley/mcp/payload/Elicitation"
import * as Account from "@parley/oauth/Account"
import * as Grant from "@parley/oauth/Grant"
import * as TokenStore from "@parley/oauth/TokenStore"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { type Identify, Journeys } from "./internal/logins/Journeys.ts"
import * as Login from "./internal/logins/Login.ts"

export type { Browse, Identify } from "./internal/logins/Journeys.ts"

/**
 * The options of logins.
 *
 * @category models
 * @since 0.1.0
 */
export interface UserLoginsOptions
  extends Pick<Grant.AuthorizationCode, "client" | "clientMetadataUrl" | "registration" | "register">
{
  /** The URL at which logins begin, and to which browsers come back. Its path has to lead to `endpoint`. */
  readonly url: string
  /** The store of the tokens of all users: the tokens of each principal and server have keys of their own. */
  readonly store: TokenStore.TokenStore
  /** Learns who sits at a browser, so that nobody finishes the login of another. */
  readonly identify: Identify
  /** How long a login may take. The default is 10 minutes. */
  readonly patience?: Duration.Input | undefined
  /** Allows private addresses for metadata, registration and tokens, as in `ClientAuthorization`. */
  readonly privateAddresses?: boolean | undefined
}

/**
 * The logins of users.
 *
 * @category models
 * @since 0.1.0
 */
export interface UserLogins {
  /** Serves the pages of logins, at the path of their URL. */
  readonly endpoint: HttpEndpoint
  /** The path of `endpoint`. */
  readonly path: string
  /** How a client of a principal at a server gets its tokens, and whether the principal has to sign in. @internal */
  readonly of: (principal: string, server: string) => Login.Login
  /** How long a login may take, in milliseconds. @internal */
  readonly patience: number
  /** The store with the tokens of a principal at a server, as `Account` of `@parley/oauth` takes it. */
  readonly storeOf: (principal: string, server: string) => TokenStore.TokenStore
}

/**
 * Logins, until the Scope closes. Throws for a URL that no person may be asked to open: it is `https`, or of this machine.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  { identify, patience = Duration.minutes(10), privateAddresses, store, url, ...client }: UserLoginsOptions
): Effect.Effect<UserLogins, never, Scope.Scope> =>
  Effect.gen(function*() {
    if (!isOfferable(url)) {
      throw new TypeError(`no person is asked to open ${url}: give an https URL, or one of this machine`)
    }
    const scope = yield* Effect.scope
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const duration = Duration.fromInputUnsafe(patience)
    const journeys = new Journeys({
      url,
      identify,
      patience: duration,
      fork: (effect) => {
        const fiber = run(effect)
        Fiber.runIn(fiber, scope)
        return fiber
      }
    })
    const storeOf = (principal: string, server: string) => apart(store, JSON.stringify([principal, server]))
    return {
      endpoint: journeys.endpoint,
      path: new URL(url).pathname,
      patience: Duration.toMillis(duration),
      storeOf,
      of: (principal, server) =>
        new Login.Login((ask) => ({
          store: storeOf(principal, server),
          privateAddresses,
          grant: Grant.authorizationCode({
            ...client,
            redirectUri: url,
            authorize: ({ url: page }) => ask(journeys.begin(principal, page))
          })
        }))
    }
  })

/** The tokens below a key of their own; registrations at authorization servers are those of the gateway. */
const apart = (store: TokenStore.TokenStore, owner: string): TokenStore.TokenStore =>
  placed((key) => [store, Account.isOfTokens(key) ? `${owner} ${key}` : key])

/** A store that keeps each text in another one, under another key. */
const placed = (
  placeOf: (key: string) => readonly [store: TokenStore.TokenStore, key: string]
): TokenStore.TokenStore => {
  const at = <A>(key: string, use: (store: TokenStore.TokenStore, key: string) => A): A => use(...placeOf(key))
  return {
    get: (key) => at(key, (store, key) => store.get(key)),
    set: (key, text) => at(key, (store, key) => store.set(key, text)),
    remove: (key) => at(key, (store, key) => store.remove(key)),
    withLock: (key, effect) => at(key, (store, key) => store.withLock(key, effect))
  }
}

/**
 * The options of `byToken`.
 *
 * @category models
 * @since 0.1.0
 */
export interface ByTokenOptions
  extends Pick<Grant.AuthorizationCode, "redirectUri" | "client" | "clientMetadataUrl" | "registration" | "register">
{
  /** The URL of the gateway itself, which has to be reachable from the gateway. */
  readonly gateway: string
  /** Allows private addresses, as in `ClientAuthorization`. */
  readonly privateAddresses?: boolean | undefined
  /** The store of the gateway's registration at its own authorization server. In memory, by default. */
  readonly store?: TokenStore.TokenStore | undefined
}

/**
 * Learns who sits at a browser by a token for the gateway itself: the person signs in at the authorization server that the
 * gateway trusts, and the gateway is asked whose token it is, as for any other client.
 *
 * @category constructors
 * @since 0.1.0
 */
export const byToken = (
  fetcher: HttpFetcher.HttpFetcher,
  { gateway, privateAddresses, store = TokenStore.makeMemory(), ...client }: ByTokenOptions
): Identify =>
(browse) =>
  Effect.scoped(Effect.gen(function*() {
    const once = TokenStore.makeMemory()
    const own = yield* McpHttpClient.make(fetcher, {
      name: "parley",
      version: "0.0.0",
      url: gateway,
      auth: {
        privateAddresses,
        // The token of a person is forgotten after this, and the registration is that of the gateway.
        store: placed((key) => [Account.isOfTokens(key) ? once : store, key]),
        grant: Grant.authorizationCode({ ...client, authorize: ({ url }) => browse(url) })
      }
    })
    const { contents: [first] } = yield* own.readResource(Login.whoami)
    const name = first !== undefined && "text" in first ? first.text : ""
    return name === "" ? yield* Effect.fail(new Error("the gateway does not know whose token it is")) : name
  }))
