/**
 * How the client of the conformance suites gets its tokens: by the words of a scenario, and a person who agrees at once.
 */
import type { ClientAuthorization } from "@parley/oauth/ClientAuthorization"
import * as Grant from "@parley/oauth/Grant"
import type { Credential, OAuthClient } from "@parley/oauth/Grant"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

const text = Schema.optionalKey(Schema.String)

/** The words of a scenario of authorization to its client. */
export const Told = Schema.Struct({
  issuer: text,
  client_id: text,
  client_secret: text,
  private_key_pem: text,
  signing_algorithm: text,
  idp_client_id: text,
  idp_id_token: text,
  idp_issuer: text,
  idp_token_endpoint: text,
  valid_jwt: text
})

type Told = typeof Told.Type

/** The person agrees: the page sends the browser back at once. */
const authorize = ({ url }: Grant.AuthorizationRequest) =>
  Effect.flatMap(
    Effect.promise(() => fetch(url, { redirect: "manual" })),
    (response) => {
      const location = URL.parse(response.headers.get("location") ?? "")
      return location === null ? Effect.fail(new Error("the page sent the browser nowhere")) : Effect.succeed(location)
    }
  )

const credentialOf = ({ client_secret, private_key_pem, signing_algorithm = "ES256" }: Told): Credential =>
  private_key_pem !== undefined
    ? { _tag: "PrivateKey", key: Redacted.make(private_key_pem), algorithm: signing_algorithm }
    : client_secret !== undefined
    ? { _tag: "Secret", secret: Redacted.make(client_secret) }
    : { _tag: "None" }

const clientOf = (told: Told): OAuthClient | undefined =>
  told.client_id === undefined
    ? undefined
    : { clientId: told.client_id, issuer: told.issuer, credential: credentialOf(told) }

const secretOf = (text = "") => Effect.succeed(Redacted.make(text))

const grantOf = (scenario: string, told: Told): Grant.Grant => {
  const client = clientOf(told)
  if (told.valid_jwt !== undefined) return Grant.jwtBearer({ client, assertion: () => secretOf(told.valid_jwt) })
  if (client !== undefined && told.idp_issuer !== undefined) {
    return Grant.enterprise({
      client,
      identityProvider: {
        issuer: told.idp_issuer,
        tokenEndpoint: told.idp_token_endpoint,
        client: { clientId: told.idp_client_id ?? "" },
        idToken: secretOf(told.idp_id_token)
      }
    })
  }
  if (client !== undefined && scenario.includes("client-credentials")) return Grant.clientCredentials({ client })
  return Grant.authorizationCode({
    redirectUri: "http://127.0.0.1:3334/callback",
    authorize,
    client,
    clientMetadataUrl: scenario === "auth/basic-cimd"
      ? "https://conformance-test.local/client-metadata.json"
      : undefined
  })
}

/** The option `auth` of the client for a scenario; nothing where it is not about authorization. */
export const authorizationFor = (scenario: string, told: Told): ClientAuthorization | undefined =>
  scenario.startsWith("auth/")
    ? { grant: grantOf(scenario, told), dpop: scenario.startsWith("auth/dpop") ? true : undefined }
    : undefined
