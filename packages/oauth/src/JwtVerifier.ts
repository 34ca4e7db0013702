/**
 * Checks signed access tokens: JWTs of one issuer, by the keys that it publishes (RFC 9068, RFC 7517).
 *
 * The verifier fetches the keys when the first token comes, and again after ten minutes, or when a token names an unknown
 * key, at most every 30 seconds. While the issuer cannot be reached, its keys count for up to an hour. A token needs a
 * signature of a key pair: the verifier never uses a published key as a shared secret.
 *
 * ```ts
 * import * as JwtVerifier from "@parley/oauth/JwtVerifier"
 * import * as ResourceServer from "@parley/oauth/ResourceServer"
 * import { NodeHttp } from "@parley/node"
 * import { Effect } from "effect"
 *
 * // For `ResourceServer.guard`.
 * export const auth = Effect.gen(function*() {
 *   const fetcher = yield* NodeHttp.makeFetcher()
 *   const verifier = yield* JwtVerifier.make(fetcher, { issuer: "https://login.example.org", algorithms: ["ES256"] })
 *   return ResourceServer.make({ resource: "https://api.example.org/rpc", verifier })
 * })
 * ```
 *
 * @since 0.1.0
 */
import type { HttpFetcher } from "@parley/http/shared/client"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { AccessToken } from "./AccessToken.ts"
import * as bounds from "./internal/server/bounds.ts"
import * as claims from "./internal/server/claims.ts"
import * as documents from "./internal/server/documents.ts"
import * as jwks from "./internal/server/jwks.ts"
import * as jws from "./internal/server/jws.ts"
import * as remembered from "./internal/server/remembered.ts"
import { secureUrl } from "./internal/server/secureUrl.ts"
import type * as TokenVerifier from "./TokenVerifier.ts"

/**
 * The issuer whose tokens are taken, and the rules for them.
 *
 * @category models
 * @since 0.1.0
 */
export interface JwtVerifierOptions {
  /** The authorization server, exactly as its tokens and its metadata name it. */
  readonly issuer: string
  /** The URL of its keys. By default the one in its metadata. */
  readonly jwksUri?: string | URL | undefined
  /** The algorithms of signatures. By default all with a key pair: RS, PS and ES with 256, 384 and 512, and EdDSA. */
  readonly algorithms?: ReadonlyArray<string> | undefined
  /** By how much the clock of the issuer may differ from ours. 30 seconds by default. */
  readonly clockTolerance?: Duration.Input | undefined
  /** How long the check of a token is cached. A minute by default. A key that is withdrawn meanwhile still counts. */
  readonly cacheFor?: Duration.Input | undefined
}

/**
 * A verifier for the tokens of an issuer. A URL that is neither https nor of this machine is a defect, and so is an
 * algorithm without a key pair.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function*(
  fetcher: HttpFetcher.HttpFetcher,
  options: JwtVerifierOptions
): Effect.fn.Return<TokenVerifier.TokenVerifier> {
  const { cacheFor, issuer } = options
  secureUrl("`issuer`", issuer)
  const jwksUri = options.jwksUri === undefined ? undefined : secureUrl("`jwksUri`", options.jwksUri)
  const allowed = { algorithms: jws.allowedAlgorithms(options.algorithms), types }
  const tolerance = Duration.toMillis(Duration.fromInputUnsafe(options.clockTolerance ?? bounds.defaultTolerance))

  const keyOf = yield* jwks.make(Effect.gen(function*() {
    const url = jwksUri ?? (yield* documents.discoveredUrl(fetcher, issuer, "jwks_uri"))
    return yield* Effect.fromResult(jwks.keysOf(url.href, yield* documents.fetchJson(fetcher, { method: "GET", url })))
  }))

  const check = Effect.fnUntraced(function*(
    token: string
  ): Effect.fn.Return<AccessToken, TokenVerifier.Reason | TokenVerifier.VerifierUnavailable> {
    const header = yield* Effect.fromResult(jws.headerOf(token, allowed))
    const key = yield* keyOf(header)
    if (key === undefined) return yield* Effect.fail("UnknownKey" as const)
    const payload = yield* Effect.fromResult(yield* jws.claimsOf(token, header, key))
    const now = yield* Clock.currentTimeMillis
    return yield* Effect.fromResult(claims.read(payload, { issuer, isAsked: false, now, tolerance }))
  })

  return { issuers: [issuer], verify: yield* remembered.make(check, { cacheFor, tolerance }) }
})

/** The types of access tokens: most have none. */
const types = ["", "jwt", "at+jwt"]
