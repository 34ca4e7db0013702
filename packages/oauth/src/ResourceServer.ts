/**
 * A server whose requests need an access token. It checks the token of each request, names in its metadata the
 * authorization servers that issue such tokens, and challenges a client whose token is missing or lacks scopes
 * (RFC 6750, RFC 9728, RFC 9449).
 *
 * `guard` gives what a JSON-RPC route, or any other endpoint over HTTP, needs for all of that. `auth` of `McpHttp` of
 * `@parley/mcp` does it for a server of MCP. `authorize` alone is for every host that has that option, such as one of
 * WebSockets.
 *
 * ```ts run
 * import { ResourceServer, TokenVerifier } from "@parley/oauth"
 * import { Effect } from "effect"
 *
 * const auth = ResourceServer.make({
 *   resource: "https://api.example.org/rpc",
 *   // `JwtVerifier.make` and `IntrospectionVerifier.make` give verifiers that take tokens.
 *   verifier: { issuers: ["https://login.example.org"], verify: () => Effect.fail(TokenVerifier.refused("Inactive")) },
 *   required: ["files:read"]
 * })
 *
 * console.log(auth.paths[0]) // => /.well-known/oauth-protected-resource/rpc
 * console.log(auth.metadata.scopes_supported) // => [ 'files:read' ]
 * ```
 *
 * @since 0.1.0
 */
import { clientAddress, type HttpEndpoint, type Proxies, type Reply } from "@parley/http/HttpEndpoint"
import { RequestRules } from "@parley/http/shared"
import * as Handshake from "@parley/transport/Handshake"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { AccessToken, AccessTokenSchema, ExpiresAt, isScope, nameOf, Scopes } from "./AccessToken.ts"
import { type ProtectedResourceMetadata, resourceMetadataUrl } from "./internal/Metadata.ts"
import { Party } from "./internal/server/Places.ts"
import { secureUrl } from "./internal/server/secureUrl.ts"
import type * as ProofVerifier from "./ProofVerifier.ts"
import * as TokenVerifier from "./TokenVerifier.ts"

export type { ProtectedResourceMetadata } from "./internal/Metadata.ts"

/**
 * The protected resource, and the tokens that it takes.
 *
 * @category models
 * @since 0.1.0
 */
export interface ResourceServerOptions {
  /**
   * The URL at which clients reach the server, which is the audience of their tokens. It never comes from a request, where
   * a client could name another.
   */
  readonly resource: string | URL
  /** Checks the tokens: `JwtVerifier`, `IntrospectionVerifier`, or one of your own. */
  readonly verifier: TokenVerifier.TokenVerifier
  /** The scopes that the metadata list: those that a client may ask for. */
  readonly scopes?: ReadonlyArray<string> | undefined
  /** The scopes that every request needs. None by default. */
  readonly required?: ReadonlyArray<string> | undefined
  /**
   * Further audiences that tokens may have, beside the `resource`. `"any"` is for an authorization server that calls a
   * token active only where it is for the resource that asks, and names no audience.
   */
  readonly audience?: ReadonlyArray<string> | "any" | undefined
  /**
   * Gives services of your own for the sender of a request, beside `AccessToken` and `Scopes`, or refuses the request. A
   * `Handshake.Name` among them replaces the one of issuer and subject.
   */
  readonly principal?:
    | ((token: AccessToken) => Effect.Effect<Context.Context<never>, Handshake.Refused>)
    | undefined
  /**
   * The services that `principal` gives, each with its Schema: `Handshake.service(Tenant, TenantSchema)`. A server that runs
   * on several nodes needs it, because a handler may run on another node than the one that checked the token.
   */
  readonly services?: ReadonlyArray<Handshake.Service> | undefined
  /** Takes tokens that are bound to a key, each with a proof of that key (DPoP). Without it, such tokens are refused. */
  readonly proofs?: ProofVerifier.ProofVerifier | undefined
  /** Members of the metadata beside the resource, its authorization servers and scopes. */
  readonly metadata?: Partial<Omit<ProtectedResourceMetadata, "resource">> | undefined
  /**
   * Whether the metadata are also at the root of the origin, where clients look that know no other place. `true` by default.
   * Of several servers on one port, only one can have that path.
   */
  readonly isAtRoot?: boolean | undefined
}

/**
 * A protected resource.
 *
 * @category models
 * @since 0.1.0
 */
export interface ResourceServer {
  /** The description of the resource that clients read (RFC 9728). */
  readonly metadata: ProtectedResourceMetadata
  /** The paths at which the metadata are to be served. */
  readonly paths: ReadonlyArray<string>
  /**
   * Checks the token of a request. The principal has `AccessToken`, `Scopes`, the issuer and the subject of the token as
   * its `Handshake.Name` (see `nameOf` of `AccessToken`), and the services of `principal`.
   */
  readonly authorize: Handshake.Authorize
  /**
   * The `www-authenticate` of a 403: the scopes that a request needs, and those that a client has and would lose
   * otherwise.
   */
  readonly insufficientScope: (needed: Iterable<string>, granted: ReadonlySet<string>) => string
}

/**
 * A protected resource. Partial: throws where the URL of the resource is neither https nor of this machine, or has more
 * than an origin and a path.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: ResourceServerOptions): ResourceServer => {
  const { audience = [], proofs, required = [], scopes = [], verifier } = options
  const resource = String(options.resource)
  const url = resourceUrl(resource)
  const place = resourceMetadataUrl(url)
  // A URL without a path is written with a slash by some clients, and without it by others.
  const bare = url.pathname === "/" ? [url.origin] : []
  const audiences = audience === "any" ? undefined : new Set([resource, url.href, ...bare, ...audience])
  const supported = new Set([...required, ...scopes])

  /** A challenge for each scheme that may be used; an error stands in that of the scheme that was used. */
  const challenge = (more: Challenge, chosen: Scheme = "Bearer"): string => {
    const schemes: ReadonlyArray<Scheme> = proofs === undefined
      ? ["Bearer"]
      : proofs.isRequired
      ? ["DPoP"]
      : ["Bearer", "DPoP"]
    return schemes.map((scheme) =>
      challengeOf(scheme, {
        resourceMetadata: place.href,
        scopes: more.scopes,
        ...(scheme === chosen || schemes.length === 1 ? more : undefined),
        algs: scheme === "DPoP" ? proofs?.algorithms : undefined
      })
    ).join(", ")
  }

  const insufficientScope = (needed: Iterable<string>, granted: ReadonlySet<string>, chosen?: Scheme): string =>
    challenge({
      error: "insufficient_scope",
      scopes: [...new Set([...[...granted].filter((scope) => supported.has(scope)), ...required, ...needed])]
    }, chosen)

  const refusedBy = (
    error: TokenVerifier.TokenRefused | TokenVerifier.VerifierUnavailable | ProofVerifier.ProofRefused,
    scheme: Scheme
  ): Handshake.Refused => {
    if (error._tag === "VerifierUnavailable" || error.reason === "Full") return Handshake.unavailable(error.message)
    const nonce = error._tag === "ProofRefused" ? error.nonce : undefined
    const code = error._tag === "TokenRefused"
      ? "invalid_token"
      : nonce === undefined
      ? "invalid_dpop_proof"
      : "use_dpop_nonce"
    return Handshake.unauthenticated(
      challenge({ error: code, description: error.message, scopes: required }, scheme),
      error.message,
      nonce === undefined ? undefined : { "dpop-nonce": nonce }
    )
  }

  /** Holds the key of a token against the way in which it came. */
  const bound = (head: Handshake.Head, { scheme, text }: Credentials, token: AccessToken) => {
    const { keyThumbprint } = token
    if (scheme === "DPoP" && proofs !== undefined && keyThumbprint !== undefined) {
      return proofs.verify(head.header("dpop"), {
        method: head.method,
        url,
        token: Redacted.value(text),
        thumbprint: keyThumbprint,
        principal: nameOf(token)
      })
    }
    if (keyThumbprint !== undefined) return Effect.fail(TokenVerifier.refused("Bound"))
    return scheme === "DPoP" || proofs?.isRequired === true
      ? Effect.fail(TokenVerifier.refused("Unbound"))
      : Effect.void
  }

  const check: Handshake.Authorize = Effect.fnUntraced(function*(head) {
    const sent = head.header("authorization")
    const credentials = sent === undefined ? undefined : credentialsOf(sent)
    if (credentials === undefined) {
      const reason = sent === undefined ? "it has no token" : "its `authorization` has no token of OAuth"
      return yield* Handshake.unauthenticated(challenge({ scopes: required }), reason)
    }
    const { scheme } = credentials
    const token = yield* Effect.gen(function*() {
      const token = yield* Effect.provideService(
        verifier.verify(credentials.text),
        Party,
        (yield* Party) ?? networkOf(head).network
      )
      if (audiences !== undefined && !token.audience.some((one) => audiences.has(one))) {
        return yield* TokenVerifier.refused("Audience")
      }
      yield* bound(head, credentials, token)
      return token
    }).pipe(Effect.mapError((error) => refusedBy(error, scheme)))
    const missing = required.filter((scope) => !token.scopes.has(scope))
    if (missing.length > 0) {
      return yield* new Handshake.Refused({
        status: 403,
        message: `This server needs a token with the scopes ${required.join(" ")}.`,
        challenge: insufficientScope(missing, token.scopes, scheme),
        reason: `the token lacks the scopes ${missing.join(" ")}`
      })
    }
    const principal = Context.make(AccessToken, token).pipe(
      Context.add(Scopes, token.scopes),
      Context.add(ExpiresAt, token.expiresAt),
      Context.add(Handshake.Name, nameOf(token)),
      Context.add(Handshake.Credentials, credentialHeaders)
    )
    return options.principal === undefined ? principal : Context.merge(principal, yield* options.principal(token))
  })
  // Without `services` it is not known what `principal` gives.
  const authorize = options.principal === undefined || options.services !== undefined
    ? Handshake.declare(check, ownService, ...options.services ?? [])
    : check

  return {
    metadata: {
      bearer_methods_supported: ["header"],
      ...options.metadata,
      resource,
      authorization_servers: verifier.issuers,
      ...(supported.size === 0 ? undefined : { scopes_supported: [...supported] }),
      ...(proofs === undefined ? undefined : {
        dpop_signing_alg_values_supported: proofs.algorithms,
        dpop_bound_access_tokens_required: proofs.isRequired
      })
    },
    paths: [...new Set([place.pathname, ...(options.isAtRoot === false ? [] : [atRoot])])],
    authorize,
    insufficientScope
  }
}

/**
 * The challenge of a server without metadata, as `insufficientScope` of a `ResourceServer` is.
 *
 * @category constructors
 * @since 0.1.0
 */
export const insufficientScope: ResourceServer["insufficientScope"] = (needed, granted) =>
  challengeOf("Bearer", { error: "insufficient_scope", scopes: [...new Set([...granted, ...needed])] })

/**
 * The options of a guard.
 *
 * @category models
 * @since 0.1.0
 */
export interface GuardOptions extends Pick<RequestRules.RequestRulesOptions, "access" | "limits"> {
  /** The proxies that tell where requests come from: clients behind them have turns, too, where an issuer is asked. */
  readonly proxies?: Proxies | undefined
}

/**
 * The options of an endpoint, or of a route, by which it takes only requests with a token: its `authorize`, and the
 * metadata of the resource, which pages of any origin may read. `HttpRoute.layer({ path: "/rpc", ...guard })` and
 * `NodeHttp.layerRoute` take them.
 *
 * @category constructors
 * @since 0.1.0
 */
export const guard = (
  { authorize, metadata, paths }: ResourceServer,
  { access, limits, proxies }: GuardOptions = {}
): { readonly authorize: Handshake.Authorize; readonly wellKnown: ReadonlyMap<string, HttpEndpoint> } => {
  const clientOf = clientAddress(proxies)
  const taking: Handshake.Authorize = (head) => Effect.provideService(authorize(head), Party, clientOf(head).network)
  const reply: Reply = {
    status: 200,
    headers: { "content-type": "application/json", "cache-control": "public, max-age=3600" },
    body: JSON.stringify(metadata)
  }
  const endpoint = (): HttpEndpoint => ({
    ...RequestRules.make({ access, limits, methods: ["GET"], cors: { origins: "any" } }),
    answer: () => Effect.succeed(reply)
  })
  return {
    authorize: Object.assign(taking, { services: authorize.services }),
    wellKnown: new Map(paths.map((path) => [path, endpoint()]))
  }
}

/** The network of a client that is at the address which the host has seen. */
const networkOf = clientAddress(undefined)

const ownService = Handshake.service(AccessToken, AccessTokenSchema)

const atRoot = "/.well-known/oauth-protected-resource"

const credentialHeaders = ["authorization", "dpop"]

const resourceUrl = (resource: string): URL => {
  const url = secureUrl("`resource`", resource)
  if (url.href === `${url.origin}${url.pathname}`) return url
  throw new TypeError(`\`resource\` has an origin and a path, and nothing else: it is ${resource}`)
}

type Scheme = "Bearer" | "DPoP"

/** The parameters of a challenge (RFC 6750, section 3; RFC 9728, section 5.1). */
interface Challenge {
  readonly error?: "invalid_token" | "insufficient_scope" | "invalid_dpop_proof" | "use_dpop_nonce" | undefined
  readonly description?: string | undefined
  readonly scopes?: ReadonlyArray<string> | undefined
  readonly resourceMetadata?: string | undefined
  /** The algorithms of proofs (RFC 9449, section 7.1). */
  readonly algs?: ReadonlyArray<string> | undefined
}

/** A challenge of a scheme, for `WWW-Authenticate`. Text that cannot stand between quotes is left out. */
const challengeOf = (
  scheme: Scheme,
  { algs = [], description, error, resourceMetadata, scopes = [] }: Challenge
): string => {
  const parameters = [
    ["resource_metadata", resourceMetadata],
    ["scope", joined(scopes.filter(isScope))],
    ["error", error],
    ["error_description", description?.replace(/[^ !#-[\]-~]/g, "")],
    ["algs", joined(algs)]
  ].flatMap(([name, value]) => value === undefined ? [] : [`${name}="${value}"`])
  return parameters.length === 0 ? scheme : `${scheme} ${parameters.join(", ")}`
}

const joined = (words: ReadonlyArray<string>) => words.length === 0 ? undefined : words.join(" ")

interface Credentials {
  readonly scheme: Scheme
  readonly text: Redacted.Redacted
}

/** The token of a header (RFC 6750, section 2.1; RFC 9449, section 7.1). */
const credentialsOf = (header: string): Credentials | undefined => {
  const [, scheme, token] = written.exec(header) ?? []
  if (scheme === undefined || token === undefined) return undefined
  return { scheme: scheme.toLowerCase() === "dpop" ? "DPoP" : "Bearer", text: Redacted.make(token) }
}

const written = /^(Bearer|DPoP) +([\w\-.~+/]+=*) *$/i
