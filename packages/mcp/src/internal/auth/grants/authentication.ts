/**
 * How a client proves itself at a token endpoint (RFC 6749, section 2.3, and RFC 7523, section 2.2).
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { SignJWT } from "jose/jwt/sign"
import { importPKCS8 } from "jose/key/import"
import type { AuthorizationError } from "../../../auth/client/AuthorizationError.ts"
import type { Credential, OAuthClient } from "../../../auth/client/OAuthClient.ts"
import type { AuthorizationServerMetadata } from "../../../auth/Metadata.ts"
import { basic } from "../basic.ts"
import type { Realm } from "../discovery/Realm.ts"

/** Members of the form and headers that a request gets. */
export interface Proof {
  readonly members: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
}

/** How long an assertion of ours is good, in seconds. */
const life = 60

/** @internal */
export const prove = (
  realm: Realm,
  server: AuthorizationServerMetadata,
  { clientId, credential = { _tag: "None" } }: OAuthClient
): Effect.Effect<Proof, AuthorizationError> => {
  switch (credential._tag) {
    case "None":
      // A workload that its platform vouches for may have no id.
      return Effect.succeed({ members: clientId === "" ? {} : { client_id: clientId }, headers: {} })
    case "Secret":
      return Effect.succeed(withSecret(server, clientId, credential))
    case "PrivateKey":
      return Effect.map(sign(realm, server.issuer, clientId, credential), (assertion) => ({
        members: {
          client_id: clientId,
          client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
          client_assertion: assertion
        },
        headers: {}
      }))
  }
}

const withSecret = (
  { token_endpoint_auth_methods_supported: supported }: AuthorizationServerMetadata,
  clientId: string,
  { method, secret }: Credential & { readonly _tag: "Secret" }
): Proof => {
  const isPosted = method === undefined
    // Without a list, a server takes the header (RFC 8414, section 2).
    ? supported?.includes("client_secret_post") === true && !supported.includes("client_secret_basic")
    : method === "client_secret_post"
  if (isPosted) return { members: { client_id: clientId, client_secret: Redacted.value(secret) }, headers: {} }
  return { members: {}, headers: { authorization: basic(clientId, secret) } }
}

const sign = (
  realm: Realm,
  issuer: string,
  clientId: string,
  { algorithm, key, keyId }: Credential & { readonly _tag: "PrivateKey" }
): Effect.Effect<string, AuthorizationError> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const seconds = Math.floor(now / 1_000)
    return Effect.catch(
      Effect.tryPromise(async () =>
        new SignJWT()
          .setProtectedHeader({ alg: algorithm, ...(keyId !== undefined && { kid: keyId }) })
          .setIssuer(clientId)
          .setSubject(clientId)
          .setAudience(issuer)
          .setJti(globalThis.crypto.randomUUID())
          .setIssuedAt(seconds)
          .setExpirationTime(seconds + life)
          .sign(await importPKCS8(Redacted.value(key), algorithm))
      ),
      // The error of the library may quote the key.
      () =>
        realm.fail({
          _tag: "Unsupported",
          issuer,
          rule: `the private key of the client must be PKCS #8 in PEM, and of a kind for ${algorithm}`
        })
    )
  })
