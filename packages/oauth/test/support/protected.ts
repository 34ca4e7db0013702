/** A protected resource, and tokens for it. */
import * as JwtVerifier from "@parley/oauth/JwtVerifier"
import * as ResourceServer from "@parley/oauth/ResourceServer"
import { Effect } from "effect"
import { claims, issuerUrl, keyPair, makeIssuer, resource, sign } from "./issuer.ts"

/** A resource server, its issuer, and the headers of a client with a token. */
export const protect = Effect.fnUntraced(function*(options: Partial<ResourceServer.ResourceServerOptions> = {}) {
  const key = yield* keyPair("one")
  const issuer = makeIssuer(key)
  const verifier = yield* JwtVerifier.make(issuer.fetcher, { issuer: issuerUrl })
  const auth = ResourceServer.make({ resource, verifier, ...options })
  const headersWith = (change: object = {}) =>
    Effect.map(sign(key, { ...claims, exp: inYears, ...change }), (token) => ({ authorization: `Bearer ${token}` }))
  return { auth, issuer, key, headersWith }
})

/** Handlers of Web requests run by the clock of this machine. */
const inYears = 4_102_444_800
