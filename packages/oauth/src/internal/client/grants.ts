/**
 * Gets tokens, new ones or for a refresh token, as a grant says.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { AuthorizationError } from "../../AuthorizationError.ts"
import type { Enterprise, Grant, OAuthClient } from "../../Grant.ts"
import type { TokenStore } from "../../TokenStore.ts"
import * as authorizationCode from "./authorizationCode.ts"
import { type Authority, serverAt } from "./discovery.ts"
import type { DpopKey } from "./DpopKey.ts"
import type { Realm } from "./Realm.ts"
import * as registration from "./registration.ts"
import * as tokenEndpoint from "./tokenEndpoint.ts"
import type { Tokens } from "./Tokens.ts"

export interface Context {
  readonly realm: Realm
  readonly store: TokenStore
  readonly grant: Grant
  readonly authority: Authority
  readonly key: DpopKey | undefined
}

/** New tokens. @internal */
export const obtain = (
  context: Context,
  scopes: ReadonlyArray<string>
): Effect.Effect<Tokens, AuthorizationError> => {
  const { authority, grant, realm, store } = context
  return Effect.flatMap(clientOf(context), (client) => {
    const request = requestOf(context, client)
    const target = {
      resource: authority.resource,
      scope: scopes.length === 0 ? undefined : scopes.join(" ")
    }
    switch (grant._tag) {
      case "AuthorizationCode":
        return Effect.tapError(
          authorizationCode.grant(request, authority, grant, scopes),
          ({ reason }) =>
            registration.isUnknown(reason)
              ? registration.forget(realm, store, authority.server.issuer, client.clientId)
              : Effect.void
        )
      case "ClientCredentials":
        return tokenEndpoint.grant(request, { grant_type: "client_credentials", ...target }, scopes)
      case "JwtBearer":
        return Effect.flatMap(
          realm.consent(grant.assertion({ issuer: authority.server.issuer, resource: authority.resource })),
          (assertion) => tokenEndpoint.grant(request, bearing(assertion, target), scopes)
        )
      case "Enterprise":
        return Effect.flatMap(
          vouch(context, grant, target.scope),
          (assertion) => tokenEndpoint.grant(request, bearing(assertion, target), scopes)
        )
    }
  })
}

/** Tokens for a refresh token. @internal */
export const refresh = (
  context: Context,
  { clientId, scopes }: Tokens,
  refreshToken: Redacted.Redacted
): Effect.Effect<Tokens, AuthorizationError> =>
  Effect.flatMap(holderOf(context, clientId), (client) =>
    Effect.map(
      tokenEndpoint.grant(requestOf(context, client), {
        grant_type: "refresh_token",
        refresh_token: Redacted.value(refreshToken),
        resource: context.authority.resource
      }, scopes),
      // A server that issues no other refresh token means the same one.
      (tokens) => ({ refreshToken, ...tokens })
    ))

/** The client that tokens were issued to: one that we are given or have registered, or one without a secret. */
const holderOf = (
  { authority, grant, realm, store }: Context,
  clientId: string
): Effect.Effect<OAuthClient, AuthorizationError> => {
  const { issuer } = authority.server
  const { client } = grant
  return client?.clientId === clientId && registration.isFor(client, issuer)
    ? Effect.succeed(client)
    : Effect.map(
      registration.known(realm, store, issuer),
      (known) => known?.clientId === clientId ? known : { clientId, issuer }
    )
}

const requestOf = ({ authority, key, realm }: Context, client: OAuthClient): tokenEndpoint.Request => ({
  realm,
  server: authority.server,
  client,
  key
})

const clientOf = ({ authority, grant, realm, store }: Context): Effect.Effect<OAuthClient, AuthorizationError> => {
  const { issuer } = authority.server
  if (grant._tag === "AuthorizationCode") return registration.clientAt(realm, store, authority.server, grant)
  const { client } = grant
  // A workload that its platform vouches for may have no name of its own.
  if (client === undefined) return Effect.succeed({ clientId: "" })
  return registration.isFor(client, issuer)
    ? Effect.succeed(client)
    : realm.fail({
      _tag: "Untrusted",
      source: realm.name,
      rule: `it names the issuer ${issuer}, and the client is known to ${client.issuer}`
    })
}

const bearing = (
  assertion: Redacted.Redacted,
  target: { readonly resource: string; readonly scope: string | undefined }
) => ({
  grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
  assertion: Redacted.value(assertion),
  ...target
})

/** Changes the ID token of a person for an assertion (ID-JAG). */
const vouch = Effect.fnUntraced(function*(
  { authority, realm }: Context,
  { identityProvider: { client, idToken, issuer, tokenEndpoint: endpoint } }: Enterprise,
  scope: string | undefined
) {
  const server = endpoint === undefined
    ? yield* serverAt(realm, issuer)
    : { issuer, token_endpoint: endpoint }
  const token = yield* realm.consent(idToken)
  return yield* tokenEndpoint.exchange({ realm, server, client, key: undefined }, {
    requested_token_type: "urn:ietf:params:oauth:token-type:id-jag",
    audience: authority.server.issuer,
    resource: authority.resource,
    scope,
    subject_token: Redacted.value(token),
    subject_token_type: "urn:ietf:params:oauth:token-type:id_token"
  })
})
