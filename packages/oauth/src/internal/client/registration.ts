/**
 * Which client we are at an authorization server: one that is known there, one that a document describes, one that we
 * register, or one that somebody is asked for, in this order.
 *
 * A registration belongs to its issuer. Another issuer never sees it.
 */
import { Address } from "@parley/http/shared"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { AuthorizationError, Reason } from "../../AuthorizationError.ts"
import type { AuthorizationCode, Credential, OAuthClient } from "../../Grant.ts"
import type { TokenStore } from "../../TokenStore.ts"
import { type AuthorizationServerMetadata, isSameIssuer } from "../Metadata.ts"
import { type Realm, refuse } from "./Realm.ts"
import { clientKeyOf, locked, type Registered, registrationAt } from "./Tokens.ts"

const Answer = Schema.Struct({
  client_id: Schema.NonEmptyString,
  client_secret: Schema.optionalKey(Schema.NullOr(Schema.NonEmptyString)),
  /** Seconds since 1970; 0 where it has no end. */
  client_secret_expires_at: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
  token_endpoint_auth_method: Schema.optionalKey(Schema.NullOr(Schema.String))
})

const decode = Schema.decodeUnknownResult(Answer)

/** The client that was given for an issuer, or does not say which. @internal */
export const isFor = ({ issuer }: OAuthClient, other: string): boolean =>
  issuer === undefined || isSameIssuer(issuer, other)

/** @internal */
export const clientAt = Effect.fnUntraced(function*(
  realm: Realm,
  store: TokenStore,
  server: AuthorizationServerMetadata,
  grant: AuthorizationCode
): Effect.fn.Return<OAuthClient, AuthorizationError> {
  const { client, clientMetadataUrl, redirectUri, register } = grant
  const { issuer } = server
  if (client !== undefined && isFor(client, issuer)) return client
  if (clientMetadataUrl !== undefined && server.client_id_metadata_document_supported === true) {
    return { clientId: clientMetadataUrl, issuer }
  }
  const endpoint = server.registration_endpoint
  const registered = yield* locked(
    realm,
    store,
    clientKeyOf(issuer),
    Effect.gen(function*() {
      const kept = registrationAt(realm, store, issuer)
      const found = yield* kept.get
      const now = yield* Clock.currentTimeMillis
      if (found !== undefined && found.redirectUri === redirectUri && (found.expires ?? Infinity) > now) return found
      if (endpoint === undefined) return undefined
      const made = yield* enroll(realm, server, endpoint, grant)
      yield* kept.set(made)
      return made
    })
  )
  if (registered !== undefined) return fromRegistered(issuer, registered)
  if (register !== undefined) return yield* realm.consent(register(issuer))
  return yield* realm.fail({
    _tag: "Unsupported",
    issuer,
    rule: clientMetadataUrl === undefined
      ? "it registers no clients by itself; register one there, and give it as `client`"
      : "it registers no clients by itself, and takes no document about one; register one there, and give it as `client`"
  })
})

/** The client that we have registered with an issuer. @internal */
export const known = (
  realm: Realm,
  store: TokenStore,
  issuer: string
): Effect.Effect<OAuthClient | undefined, AuthorizationError> =>
  Effect.map(
    registrationAt(realm, store, issuer).get,
    (registered) => registered === undefined ? undefined : fromRegistered(issuer, registered)
  )

/** Whether an authorization server does not know the client any more. @internal */
export const isUnknown = (reason: Reason): boolean => reason._tag === "Refused" && unknown.has(reason.error)

const unknown: ReadonlySet<string> = new Set(["invalid_client", "unauthorized_client"])

/** Forgets our registration with an issuer, if it is that of a client. @internal */
export const forget = (
  realm: Realm,
  store: TokenStore,
  issuer: string,
  clientId: string
): Effect.Effect<void, AuthorizationError> => {
  const { get, remove } = registrationAt(realm, store, issuer)
  return locked(
    realm,
    store,
    clientKeyOf(issuer),
    Effect.flatMap(get, (registered) => registered?.clientId === clientId ? remove : Effect.void)
  )
}

/** Registers a client (RFC 7591). */
const enroll = Effect.fnUntraced(function*(
  realm: Realm,
  server: AuthorizationServerMetadata,
  endpoint: string,
  { redirectUri, registration = {} }: AuthorizationCode
): Effect.fn.Return<Registered, AuthorizationError> {
  const url = yield* realm.url(endpoint)
  const answer = yield* realm.post(url, {
    type: "json",
    text: JSON.stringify({
      client_name: "Parley",
      ...registration,
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: methodAt(server),
      application_type: isNative(redirectUri) ? "native" : "web"
    })
  })
  const decoded = answer.status === 200 || answer.status === 201 ? decode(answer.json) : undefined
  if (decoded === undefined) return yield* refuse(realm, server.issuer, endpoint, answer)
  if (Result.isFailure(decoded)) {
    return yield* realm.fail({ _tag: "Untrusted", source: endpoint, rule: "its answer has no `client_id`" })
  }
  const { client_id, client_secret, client_secret_expires_at: end, token_endpoint_auth_method } = decoded.success
  return {
    clientId: client_id,
    redirectUri,
    ...(typeof client_secret === "string" && { clientSecret: Redacted.make(client_secret) }),
    // A number that the clock cannot have is no end, and one that is not finite cannot be stored.
    ...(typeof end === "number" && end > 0 && end < lastSecond && { expires: end * 1_000 }),
    ...(typeof token_endpoint_auth_method === "string" && { method: token_endpoint_auth_method })
  }
})

/** The last second that a `Date` can have. */
const lastSecond = 8_640_000_000_000

/** A secret that many copies of a program share is none, so the best is to have none. */
const methodAt = ({ token_endpoint_auth_methods_supported: supported }: AuthorizationServerMetadata): string =>
  ["none", ...methods].find((method) => supported?.includes(method)) ?? "client_secret_basic"

/** Whether a browser is sent to a program on the same machine. */
const isNative = (redirectUri: string): boolean => {
  const url = URL.parse(redirectUri)
  return url === null || !["http:", "https:"].includes(url.protocol) || Address.isLoopback(url.hostname)
}

const fromRegistered = (issuer: string, { clientId, clientSecret, method }: Registered): OAuthClient => ({
  clientId,
  issuer,
  credential: clientSecret === undefined || method === "none"
    ? none
    : { _tag: "Secret", secret: clientSecret, method: methods.find((one) => one === method) }
})

const none: Credential = { _tag: "None" }

const methods = ["client_secret_basic", "client_secret_post"] as const
