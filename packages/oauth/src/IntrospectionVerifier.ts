/**
 * Checks access tokens by asking their issuer (RFC 7662): for opaque tokens, and for tokens that must be refused soon after
 * they are revoked.
 *
 * The verifier asks about a valid token once in `cacheFor`, however many requests bring it. It asks about an invalid one
 * each time, with a bound on the questions in flight.
 *
 * ```ts
 * import * as IntrospectionVerifier from "@parley/oauth/IntrospectionVerifier"
 * import { NodeHttp } from "@parley/node"
 * import { Config, Effect } from "effect"
 *
 * export const verifier = Effect.gen(function*() {
 *   const secret = yield* Config.Redacted("CLIENT_SECRET")
 *   return yield* IntrospectionVerifier.make(yield* NodeHttp.makeFetcher(), {
 *     issuer: "https://login.example.org",
 *     client: { id: "files", secret },
 *     cacheFor: "10 seconds"
 *   })
 * })
 * ```
 *
 * @since 0.1.0
 */
import type { HttpFetcher } from "@parley/http/shared/client"
import * as Limits from "@parley/protocol/Limits"
import { JsonObject } from "@parley/protocol/shared"
import * as Cache from "effect/Cache"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import type { AccessToken } from "./AccessToken.ts"
import { basic } from "./internal/basic.ts"
import * as bounds from "./internal/server/bounds.ts"
import * as claims from "./internal/server/claims.ts"
import * as documents from "./internal/server/documents.ts"
import { Places } from "./internal/server/Places.ts"
import * as remembered from "./internal/server/remembered.ts"
import { secureUrl } from "./internal/server/secureUrl.ts"
import * as TokenVerifier from "./TokenVerifier.ts"

/**
 * The issuer whose tokens are taken, and the client that asks it.
 *
 * @category models
 * @since 0.1.0
 */
export interface IntrospectionVerifierOptions {
  /** The authorization server, exactly as its metadata name it. */
  readonly issuer: string
  /** The URL of introspection. By default the one in the metadata of the issuer. */
  readonly endpoint?: string | URL | undefined
  /**
   * The name and secret of this server at the issuer. They are sent in the head of a request (`basic`), the default, or
   * in its body (`post`).
   */
  readonly client: {
    readonly id: string
    readonly secret: Redacted.Redacted
    readonly method?: "basic" | "post" | undefined
  }
  /** By how much the clock of the issuer may differ from ours. 30 seconds by default. */
  readonly clockTolerance?: Duration.Input | undefined
  /** How long an answer is cached. A minute by default. A token that is revoked meanwhile still counts. */
  readonly cacheFor?: Duration.Input | undefined
  /** How many questions may be in flight. 32 by default; others wait, and the addresses of their senders have turns. */
  readonly concurrency?: number | undefined
}

/**
 * A verifier that asks an issuer. A URL that is neither https nor of this machine is a defect.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function*(
  fetcher: HttpFetcher.HttpFetcher,
  options: IntrospectionVerifierOptions
): Effect.fn.Return<TokenVerifier.TokenVerifier> {
  const { cacheFor, client, concurrency = defaultConcurrency, issuer } = options
  secureUrl("`issuer`", issuer)
  const given = options.endpoint === undefined ? undefined : secureUrl("`endpoint`", options.endpoint)
  const tolerance = Duration.toMillis(Duration.fromInputUnsafe(options.clockTolerance ?? bounds.defaultTolerance))
  const places = new Places(Limits.checked({ concurrency }).concurrency)
  const discovered = yield* Cache.makeWith(
    (_: "endpoint") => documents.discoveredUrl(fetcher, issuer, "introspection_endpoint"),
    { capacity: 1, timeToLive: (exit) => Exit.isSuccess(exit) ? Duration.hours(1) : Duration.zero }
  )
  const endpoint = given === undefined ? Cache.get(discovered, "endpoint") : Effect.succeed(given)

  const check = Effect.fnUntraced(function*(
    token: string
  ): Effect.fn.Return<AccessToken, TokenVerifier.Reason | TokenVerifier.VerifierUnavailable> {
    const url = yield* endpoint
    const answer = yield* places.within(documents.fetchJson(fetcher, requestOf(url, client, token)))
    if (!JsonObject.isObject(answer) || typeof answer["active"] !== "boolean") {
      return yield* new TokenVerifier.VerifierUnavailable({ url: url.href, rule: "does not say whether it is active" })
    }
    if (!answer["active"]) return yield* Effect.fail("Inactive" as const)
    const now = yield* Clock.currentTimeMillis
    return yield* Effect.fromResult(claims.read(answer, { issuer, isAsked: true, now, tolerance }))
  })

  return { issuers: [issuer], verify: yield* remembered.make(check, { cacheFor, tolerance }) }
})

const defaultConcurrency = 32

const requestOf = (
  url: URL,
  { id, method = "basic", secret }: IntrospectionVerifierOptions["client"],
  token: string
) => {
  const form = new URLSearchParams({ token, token_type_hint: "access_token" })
  const headers = { "content-type": "application/x-www-form-urlencoded" }
  if (method === "basic") {
    return { method: "POST", url, headers: { ...headers, authorization: basic(id, secret) }, body: form.toString() }
  }
  form.set("client_id", id)
  form.set("client_secret", Redacted.value(secret))
  return { method: "POST", url, headers, body: form.toString() }
}
