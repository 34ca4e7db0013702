/** An authorization server in memory: it publishes keys, signs tokens, and counts what it is asked. */
import type { HttpFetcher } from "@parley/http/shared/client"
import { Disconnected } from "@parley/peer/Caller"
import { Effect, type Schema } from "effect"
import { SignJWT } from "jose/jwt/sign"
import { exportJWK } from "jose/key/export"
import { generateKeyPair } from "jose/key/generate/keypair"

export const issuerUrl = "https://as.example.org"
export const resource = "https://mcp.example.org/mcp"

/** Answers requests: with JSON, or a text as it is. */
export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

/** A fetcher whose answers a function gives; `undefined` where nobody answers. */
export const fetcherOf = (
  answer: (url: string, request: HttpFetcher.Request) => Answer | undefined | Effect.Effect<Answer>
): HttpFetcher.HttpFetcher => ({
  fetch: (request) =>
    Effect.gen(function*() {
      const given = answer(String(request.url), request)
      if (given === undefined) {
        return yield* new Disconnected({ reason: { _tag: "Open", cause: new Error("nobody is there") }, sent: false })
      }
      const { body, headers = {}, status = 200 } = Effect.isEffect(given) ? yield* given : given
      const bytes = new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body))
      return {
        status,
        header: (name) => headers[name],
        read: (take) => take(bytes) ?? Effect.void
      }
    })
})

export interface KeyPair {
  readonly kid: string
  readonly alg: string
  readonly privateKey: CryptoKey
  readonly publicJwk: Schema.JsonObject
}

export const keyPair = (kid: string, alg = "ES256"): Effect.Effect<KeyPair> =>
  Effect.promise(async () => {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
    return {
      kid,
      alg,
      privateKey,
      publicJwk: { ...await exportJWK(publicKey), kid, alg, use: "sig" } as Schema.JsonObject
    }
  })

export const notFound: Answer = { status: 404, body: "" }

/** The claims of a good token, at the beginning of the time of tests. */
export const claims = {
  iss: issuerUrl,
  aud: resource,
  sub: "ada",
  client_id: "cli",
  scope: "files:read files:write",
  iat: 0,
  exp: 300
}

export const sign = (key: KeyPair, payload: object = claims, header: object = {}): Effect.Effect<string> =>
  Effect.promise(() =>
    new SignJWT(payload as Record<string, unknown>)
      .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: "at+jwt", ...header })
      .sign(key.privateKey)
  )

/** An issuer with keys that may change, which counts how often they are asked for. */
export interface Issuer {
  keys: ReadonlyArray<KeyPair>
  asked: number
  isThere: boolean
  readonly fetcher: HttpFetcher.HttpFetcher
}

export const makeIssuer = (...keys: ReadonlyArray<KeyPair>): Issuer => {
  const issuer: Issuer = {
    keys,
    asked: 0,
    isThere: true,
    fetcher: fetcherOf((url) => {
      if (!issuer.isThere) return undefined
      if (url === `${issuerUrl}/.well-known/oauth-authorization-server`) {
        return { body: { issuer: issuerUrl, jwks_uri: `${issuerUrl}/jwks` } }
      }
      if (url !== `${issuerUrl}/jwks`) return notFound
      issuer.asked++
      return { body: { keys: issuer.keys.map(({ publicJwk }) => publicJwk) } }
    })
  }
  return issuer
}
