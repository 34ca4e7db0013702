/**
 * A key that tokens are bound to, and the proofs that a client has it (RFC 9449).
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { JWK } from "jose"
import { SignJWT } from "jose/jwt/sign"
import { exportJWK } from "jose/key/export"
import { generateKeyPair } from "jose/key/generate/keypair"
import { importJWK } from "jose/key/import"
import * as Digest from "../../shared/Digest.ts"

/** The request that a proof is for. */
export interface Use {
  readonly method: string
  readonly url: URL
  readonly token?: Redacted.Redacted | undefined
}

export interface DpopKey {
  /** The key as a store keeps it. */
  readonly text: Redacted.Redacted
  readonly prove: (use: Use) => Effect.Effect<string>
  /** Takes the nonce that an origin wants in the proofs from now on. Gives whether it is another. */
  readonly hear: (url: URL, nonce: string | undefined) => boolean
}

/** The algorithms of proofs, the best first. */
const algorithms: ReadonlyArray<string> = ["ES256", "Ed25519", "EdDSA", "ES384", "PS256", "RS256"]

/** The algorithm for a server that has these; without them it may have any. @internal */
export const algorithmFor = (supported: ReadonlyArray<string> | undefined): string | undefined =>
  supported === undefined ? algorithms[0] : algorithms.find((algorithm) => supported.includes(algorithm))

/** A new key. @internal */
export const generate = (algorithm: string): Effect.Effect<DpopKey> =>
  Effect.flatMap(
    Effect.promise(async () => {
      const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
      return { ...await exportJWK(privateKey), alg: algorithm }
    }),
    (jwk) => fromText(Redacted.make(JSON.stringify(jwk)))
  )

/** The key that a store has kept. @internal */
export const fromText = (text: Redacted.Redacted): Effect.Effect<DpopKey> =>
  Effect.map(
    Effect.promise(async () => {
      // Only we write it.
      const jwk = JSON.parse(Redacted.value(text)) as JWK & { readonly alg: string }
      return { jwk, key: await importJWK(jwk, jwk.alg) }
    }),
    ({ jwk, key }) => {
      const header = { alg: jwk.alg, typ: "dpop+jwt", jwk: publicOf(jwk) }
      const nonces = new Map<string, string>()
      return {
        text,
        hear: ({ origin }, nonce) => {
          if (nonce === undefined || nonces.get(origin) === nonce) return false
          nonces.set(origin, nonce)
          return true
        },
        prove: ({ method, token, url }) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            Effect.promise(async () => {
              const nonce = nonces.get(url.origin)
              const proof = new SignJWT({
                htm: method,
                htu: `${url.origin}${url.pathname}`,
                ...(nonce !== undefined && { nonce }),
                ...(token !== undefined && { ath: await Digest.sha256(Redacted.value(token)) })
              })
              return proof
                .setProtectedHeader(header)
                .setJti(globalThis.crypto.randomUUID())
                .setIssuedAt(Math.floor(now / 1_000))
                .sign(key)
            }))
      }
    }
  )

/** The members of a public key. */
const publicOf = ({ crv, e, kty, n, x, y }: JWK): JWK => ({
  ...(kty !== undefined && { kty }),
  ...(crv !== undefined && { crv }),
  ...(x !== undefined && { x }),
  ...(y !== undefined && { y }),
  ...(n !== undefined && { n }),
  ...(e !== undefined && { e })
})
