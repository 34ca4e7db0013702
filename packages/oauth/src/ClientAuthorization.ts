/**
 * The means of a client whose server wants access tokens, and the fetcher that sends them.
 *
 * A request is sent with the token that is stored. Where the server asks for another, one is refreshed or granted, and the
 * request is sent once more. Calls that wait for that share it, with those of other processes that share the store.
 *
 * The option `auth` of `McpHttpClient` of `@parley/mcp` takes a `ClientAuthorization` as it is. Other clients send their
 * requests with `makeFetcher`.
 *
 * ```ts
 * import { HttpCaller } from "@parley/http"
 * import { NodeHttp } from "@parley/node"
 * import { ClientAuthorization, Grant } from "@parley/oauth"
 * import { Effect, Redacted } from "effect"
 *
 * const url = "https://api.example.org/rpc"
 *
 * const auth: ClientAuthorization.ClientAuthorization = {
 *   grant: Grant.clientCredentials({
 *     client: {
 *       clientId: "nightly",
 *       issuer: "https://login.example.org",
 *       credential: { _tag: "Secret", secret: Redacted.make("s3cret") }
 *     }
 *   }),
 *   scopes: ["files:read"]
 * }
 *
 * export const caller = HttpCaller.layerOver(
 *   Effect.flatMap(NodeHttp.makeFetcher(), (fetcher) => ClientAuthorization.makeFetcher(fetcher, { ...auth, url })),
 *   { url }
 * )
 * ```
 *
 * @since 0.1.0
 */
import type { HttpFetcher } from "@parley/http/shared/client"
import type { Disconnected } from "@parley/peer/Caller"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { AuthorizationError } from "./AuthorizationError.ts"
import type { Grant } from "./Grant.ts"
import * as Authorized from "./internal/client/AuthorizedFetcher.ts"
import * as Realm from "./internal/client/Realm.ts"
import * as TokenStore from "./TokenStore.ts"

/**
 * How a client gets its tokens, and keeps them.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClientAuthorization {
  /** The way to a token. */
  readonly grant: Grant
  /** The store of tokens. By default they are in memory, for as long as the client lives. */
  readonly store?: TokenStore.TokenStore | undefined
  /** The scopes to ask for, instead of those that the server names. More are asked for where a request needs them. */
  readonly scopes?: ReadonlyArray<string> | undefined
  /**
   * Binds tokens to a key of the client (RFC 9449), so that a thief cannot use them. Without it, they are bound where the
   * resource server demands it.
   */
  readonly dpop?: boolean | undefined
  /**
   * Allows private addresses for metadata, registration and tokens although the URL of the resource server has a public
   * one: for networks whose names lead to such addresses.
   */
  readonly privateAddresses?: boolean | undefined
  /**
   * The resource that the metadata of the server must be about. By default it is the URL of the server. Some servers name
   * their whole origin: give it here if all of that origin may see your tokens.
   */
  readonly resource?: string | URL | undefined
  /** Sends the requests for metadata and tokens. By default it is the fetcher of the client. */
  readonly fetcher?: HttpFetcher.HttpFetcher | undefined
}

/**
 * The options of a fetcher that sends tokens.
 *
 * @category models
 * @since 0.1.0
 */
export interface AuthorizedFetcherOptions extends ClientAuthorization {
  /** The URL of the resource server. Tokens go to its origin alone; requests to others are sent without them. */
  readonly url: string | URL
  /**
   * Goes around the grant of new tokens, for which a person may be asked: a client may let the time of its calls stand
   * still. By default nothing does.
   */
  readonly whileGranting?: (<A, E>(grant: Effect.Effect<A, E>) => Effect.Effect<A, E>) | undefined
}

/**
 * A fetcher that sends tokens.
 *
 * @category models
 * @since 0.1.0
 */
export interface AuthorizedFetcher extends HttpFetcher.HttpFetcher {
  /** The token that requests carry now, if there is one. */
  readonly token: () => Redacted.Redacted | undefined
}

/**
 * Sends requests with tokens, until the Scope closes. Where there is no token for a request, it fails with `Disconnected`,
 * of which `failureOf` gives the `AuthorizationError`. Only a POST may ask a person. A URL that cannot be read is a defect.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeFetcher = (
  fetcher: HttpFetcher.HttpFetcher,
  { dpop, grant, privateAddresses, scopes, url, whileGranting = identity, ...more }: AuthorizedFetcherOptions
): Effect.Effect<AuthorizedFetcher, never, Scope.Scope> =>
  Effect.suspend(() => {
    const server = new URL(url)
    const realm = Realm.make({
      server,
      resource: more.resource === undefined ? server : new URL(more.resource),
      fetcher: more.fetcher ?? fetcher,
      privateAddresses: privateAddresses === true
    })
    const store = more.store ?? TokenStore.makeMemory()
    return Authorized.make(fetcher, realm, { grant, store, scopes, dpop, whileGranting })
  })

/**
 * The failure that a request was given up for, where that is one of its authorization.
 *
 * @category accessors
 * @since 0.1.0
 */
export const failureOf = ({ reason }: Disconnected): AuthorizationError | undefined =>
  reason._tag === "Open" && reason.cause instanceof AuthorizationError ? reason.cause : undefined
