/**
 * Which authorization server issues the tokens of a resource server, and for which resource.
 *
 * ```
 *   resource: where the challenge says → the well-known place of the path → that of the root
 *   server:   the places of its issuer, in order; the document must name that issuer
 *   neither:  the origin of the resource server issues its tokens, at usual paths where it has no metadata
 * ```
 *
 * The last is the rule of the revision 2025-03-26 of MCP, whose servers had no metadata of their own.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { AuthorizationError } from "../../AuthorizationError.ts"
import * as Metadata from "../Metadata.ts"
import type { TokenChallenge } from "./Challenge.ts"
import { nameOf, type Realm } from "./Realm.ts"

export interface Authority {
  readonly server: Metadata.AuthorizationServerMetadata
  /** The identifier of the resource, which tokens are asked for (RFC 8707). */
  readonly resource: string
  /** The scopes that the resource says it knows. */
  readonly scopes: ReadonlyArray<string> | undefined
  readonly isDpopRequired: boolean
}

/** @internal */
export const discover = Effect.fnUntraced(function*(
  realm: Realm,
  challenge: TokenChallenge | undefined,
  prefers: (issuer: string) => boolean
): Effect.fn.Return<Authority, AuthorizationError> {
  const resource = yield* resourceOf(realm, challenge)
  if (resource === undefined) {
    const { origin } = realm.server
    const server = (yield* serverOf(realm, origin)) ?? usual(origin)
    return { server, resource: realm.name, scopes: undefined, isDpopRequired: false }
  }
  const issuers = resource.authorization_servers ?? []
  const issuer = issuers.find(prefers) ?? issuers[0] ?? realm.server.origin
  return {
    server: yield* serverAt(realm, issuer),
    resource: resource.resource,
    scopes: resource.scopes_supported,
    isDpopRequired: resource.dpop_bound_access_tokens_required === true
  }
})

const resourceOf = Effect.fnUntraced(function*(realm: Realm, challenge: TokenChallenge | undefined) {
  const { resource, server } = realm
  const named = challenge?.resourceMetadata
  const root = new URL(server.origin)
  const places = [
    ...(named === undefined ? [] : [yield* realm.url(URL.parse(named, server)?.href ?? named)]),
    Metadata.resourceMetadataUrl(server),
    Metadata.resourceMetadataUrl(root)
  ]
  const found = yield* first(realm, places, decodeResource)
  if (found === undefined) return undefined
  // One that the server names is no document of the root, wherever it is: `isFor` says why.
  const isAtRoot = found.place === places.at(-1)
  return isFor(found.metadata.resource, resource) || (isAtRoot && isFor(found.metadata.resource, root))
    ? found.metadata
    : yield* realm.fail({
      _tag: "Untrusted",
      source: found.place.href,
      rule: `it must be about the resource ${nameOf(realm.resource)}, and is about ${found.metadata.resource}`
    })
})

/**
 * Whether metadata are about a resource (RFC 9728, section 3.3), compared as normalised URLs (RFC 3986, section 6.2.3);
 * they may leave out a query. Only the document of the root, which the host itself serves, may be about the whole origin.
 * One that the server names could obtain for one tenant of a host a token that all of its tenants take.
 */
const isFor = (named: string, wanted: URL): boolean => {
  const parsed = URL.parse(named)
  if (parsed === null || parsed.hash !== "" || parsed.username !== "" || parsed.password !== "") return false
  return nameOf(parsed) === nameOf(wanted) && (parsed.search === "" || parsed.search === wanted.search)
}

/** The metadata of an issuer, which must have some. @internal */
export const serverAt = (
  realm: Realm,
  issuer: string
): Effect.Effect<Metadata.AuthorizationServerMetadata, AuthorizationError> =>
  Effect.flatMap(serverOf(realm, issuer), (server) =>
    server === undefined
      ? realm.fail({ _tag: "Unsupported", issuer, rule: "it has no metadata at any of the well-known places" })
      : Effect.succeed(server))

/** The metadata of an issuer; `undefined` where there are none. */
const serverOf = Effect.fnUntraced(function*(realm: Realm, issuer: string) {
  const url = yield* realm.url(issuer)
  const found = yield* first(realm, Metadata.issuerMetadataUrls(url), decodeServer)
  return found === undefined || Metadata.isSameIssuer(found.metadata.issuer, issuer)
    ? found?.metadata
    : yield* realm.fail({
      _tag: "Untrusted",
      source: found.place.href,
      rule: `it must be about the issuer ${issuer}, and is about ${found.metadata.issuer}`
    })
})

/** The first of the places that has such a document. A place that answers with something else has none. */
const first = Effect.fnUntraced(function*<A>(
  realm: Realm,
  places: ReadonlyArray<URL>,
  decode: (json: unknown) => Result.Result<A, unknown>
) {
  let broken: URL | undefined
  for (const [index, place] of places.entries()) {
    if (places.findIndex(({ href }) => href === place.href) !== index) continue
    const { json, status } = yield* realm.get(place)
    const decoded = status === 200 ? decode(json) : undefined
    if (decoded !== undefined && Result.isSuccess(decoded)) return { place, metadata: decoded.success }
    if (status >= 500 || status === 429) broken ??= place
  }
  // A document that is missing for a while must not look as one that there is not.
  return broken === undefined
    ? undefined
    : yield* realm.fail({ _tag: "Unavailable", url: broken.href, rule: "it has a fault, or too much to do" })
})

const decodeResource = Schema.decodeUnknownResult(Metadata.ProtectedResourceMetadata)
const decodeServer = Schema.decodeUnknownResult(Metadata.AuthorizationServerMetadata)

/** The paths of that revision for a server without metadata. There PKCE with S256 is a rule, and not told. */
const usual = (origin: string): Metadata.AuthorizationServerMetadata => ({
  issuer: origin,
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${origin}/token`,
  registration_endpoint: `${origin}/register`,
  code_challenge_methods_supported: ["S256"]
})
