/**
 * Requests to a token endpoint: whatever the grant, a form goes there with a proof of the client, and tokens or an error of
 * OAuth come back.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { SignJWT } from "jose/jwt/sign"
import { importPKCS8 } from "jose/key/import"
import { scopesOf } from "../../AccessToken.ts"
import type { AuthorizationError } from "../../AuthorizationError.ts"
import type { Credential, OAuthClient } from "../../Grant.ts"
import { basic } from "../basic.ts"
import type { AuthorizationServerMetadata } from "../Metadata.ts"
import type { DpopKey } from "./DpopKey.ts"
import { type Answer, codeOf, type Realm, refuse } from "./Realm.ts"
import type { Tokens } from "./Tokens.ts"

/** The client that asks, and the server that is asked. */
export interface Request {
  readonly realm: Realm
  readonly server: AuthorizationServerMetadata
  readonly client: OAuthClient
  readonly key: DpopKey | undefined
}

const Granted = Schema.Struct({
  // A header must hold it: the error of a platform that refuses would quote it.
  access_token: Schema.String.check(Schema.isPattern(/^[!-~]+$/)),
  token_type: Schema.String,
  // Some servers write the number as a text.
  expires_in: Schema.optionalKey(Schema.NullOr(Schema.Union([Schema.Finite, Schema.FiniteFromString]))),
  refresh_token: Schema.optionalKey(Schema.NullOr(Schema.NonEmptyString)),
  scope: Schema.optionalKey(Schema.NullOr(Schema.String)),
  issued_token_type: Schema.optionalKey(Schema.NullOr(Schema.String))
})

type Granted = typeof Granted.Type

const decodeGranted = Schema.decodeUnknownResult(Granted)

type Form = Readonly<Record<string, string | undefined>>

/** Sends a form with the proofs that the client has, and gives the answer. */
const send = Effect.fnUntraced(function*(
  { client, key, realm, server }: Request,
  form: Form
): Effect.fn.Return<Granted, AuthorizationError> {
  if (server.token_endpoint === undefined) {
    return yield* realm.fail({ _tag: "Unsupported", issuer: server.issuer, rule: "it has no token endpoint" })
  }
  const url = yield* realm.url(server.token_endpoint)
  const once = Effect.gen(function*() {
    const { headers, members } = yield* prove(realm, server, client)
    const body = new URLSearchParams()
    for (const [name, value] of Object.entries({ ...form, ...members })) {
      if (value !== undefined) body.set(name, value)
    }
    const proof = key === undefined ? {} : { dpop: yield* key.prove({ method: "POST", url }) }
    const answer = yield* realm.post(url, { type: "form", text: body.toString() }, { ...headers, ...proof })
    key?.hear(url, answer.header("dpop-nonce"))
    return { answer, secrets: secretsOf(client, { ...form, ...members }) }
  })
  const first = yield* once
  const lacksNonce = key !== undefined && codeOf(first.answer) === "use_dpop_nonce"
  const { answer, secrets } = lacksNonce ? yield* once : first
  return yield* read(realm, server, answer, secrets)
})

/** The texts that an error must not repeat: a server may quote its request. */
const secretsOf = ({ credential }: OAuthClient, form: Form): ReadonlyArray<string> => [
  ...secretMembers.flatMap((name) => form[name] ?? []),
  ...(credential?._tag === "Secret" ? [Redacted.value(credential.secret)] : [])
]

const secretMembers = [
  "code",
  "code_verifier",
  "refresh_token",
  "assertion",
  "subject_token",
  "actor_token",
  "client_assertion"
]

/** Members of the form and headers that a request gets. */
interface Proof {
  readonly members: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
}

/** How the client proves itself (RFC 6749, section 2.3, and RFC 7523, section 2.2). */
const prove = (
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

/** How long an assertion of ours is good, in seconds. */
const life = 60

const read = (
  realm: Realm,
  { issuer, token_endpoint = issuer }: AuthorizationServerMetadata,
  answer: Answer,
  secrets: ReadonlyArray<string>
): Effect.Effect<Granted, AuthorizationError> => {
  const { json, status } = answer
  const granted = status === 200 ? decodeGranted(json) : undefined
  if (granted !== undefined && Result.isSuccess(granted)) return Effect.succeed(granted.success)
  // Some servers refuse with status 200.
  return granted === undefined || codeOf(answer) !== undefined
    ? refuse(realm, issuer, token_endpoint, answer, secrets)
    // The issue would quote the tokens.
    : realm.fail({
      _tag: "Untrusted",
      source: token_endpoint,
      rule: "its answer must have the texts `access_token` and `token_type`, and where they are there, the number " +
        "`expires_in` and the texts `refresh_token` and `scope`"
    })
}

/** Asks for tokens of the resource server. @internal */
export const grant = Effect.fnUntraced(function*(
  request: Request,
  form: Form,
  scopes: ReadonlyArray<string>
): Effect.fn.Return<Tokens, AuthorizationError> {
  const { client, key, realm, server } = request
  const now = yield* Clock.currentTimeMillis
  const granted = yield* send(request, form)
  const type = granted.token_type.toLowerCase()
  const isBound = type === "dpop"
  // A client must not use a token of a type that it does not know (RFC 6749, section 7.1).
  if (!isBound && type !== "bearer") {
    return yield* realm.fail({
      _tag: "Unsupported",
      issuer: server.issuer,
      rule: "it issues tokens that are neither of the type Bearer nor DPoP"
    })
  }
  if (isBound !== (key !== undefined)) {
    return yield* realm.fail({
      _tag: "Unsupported",
      issuer: server.issuer,
      rule: isBound ? "it binds tokens to a key that it was not given" : "it does not bind tokens to a key (DPoP)"
    })
  }
  const { expires_in: seconds, refresh_token: refreshToken, scope } = granted
  return {
    issuer: server.issuer,
    clientId: client.clientId,
    accessToken: Redacted.make(granted.access_token),
    ...(typeof refreshToken === "string" && { refreshToken: Redacted.make(refreshToken) }),
    ...(typeof seconds === "number" && seconds > 0 && timesOf(now, Math.min(seconds, longest))),
    scopes: typeof scope === "string" ? scopesOf(scope) : scopes,
    ...(key !== undefined && { key: key.text })
  }
})

/** Seconds that a token may be good, whatever the server says: ten years. */
const longest = 315_360_000

/** When a token ends, and when another is wanted: 30 seconds earlier, or where it is short, a tenth of its time. */
const timesOf = (now: number, seconds: number): Pick<Tokens, "expires" | "renew"> => {
  const expires = now + seconds * 1_000
  return { expires, renew: expires - Math.min(30_000, seconds * 100) }
}

/** Changes a token for one of another kind (RFC 8693). @internal */
export const exchange = (request: Request, form: Form): Effect.Effect<Redacted.Redacted, AuthorizationError> =>
  Effect.flatMap(
    send(request, { grant_type: "urn:ietf:params:oauth:grant-type:token-exchange", ...form }),
    (granted) =>
      granted.issued_token_type === form["requested_token_type"]
        ? Effect.succeed(Redacted.make(granted.access_token))
        : request.realm.fail({
          _tag: "Untrusted",
          source: request.server.issuer,
          rule: "it issued a token of another type than was asked for"
        })
  )
