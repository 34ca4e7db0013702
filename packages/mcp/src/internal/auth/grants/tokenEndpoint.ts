/**
 * Requests to a token endpoint: whatever the grant, a form goes there, and tokens or an error of OAuth come back.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { AuthorizationError } from "../../../auth/client/AuthorizationError.ts"
import type { OAuthClient } from "../../../auth/client/OAuthClient.ts"
import type { AuthorizationServerMetadata } from "../../../auth/Metadata.ts"
import type { Tokens } from "../client/Tokens.ts"
import type { Answer, Realm } from "../discovery/Realm.ts"
import { scopesOf } from "../scopes.ts"
import * as authentication from "./authentication.ts"
import type { DpopKey } from "./DpopKey.ts"
import * as refusal from "./refusal.ts"

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
    const { headers, members } = yield* authentication.prove(realm, server, client)
    const body = new URLSearchParams()
    for (const [name, value] of Object.entries({ ...form, ...members })) {
      if (value !== undefined) body.set(name, value)
    }
    const proof = key === undefined ? {} : { dpop: yield* key.prove({ method: "POST", url }) }
    const answer = yield* realm.post(url, { type: "form", text: body.toString() }, { ...headers, ...proof })
    key?.hear(url, answer.header("dpop-nonce"))
    return answer
  })
  const answer = yield* once
  const lacksNonce = key !== undefined && refusal.codeOf(answer) === "use_dpop_nonce"
  return yield* read(realm, server, lacksNonce ? yield* once : answer)
})

const read = (
  realm: Realm,
  { issuer, token_endpoint = issuer }: AuthorizationServerMetadata,
  answer: Answer
): Effect.Effect<Granted, AuthorizationError> => {
  const { json, status } = answer
  const granted = status === 200 ? decodeGranted(json) : undefined
  if (granted !== undefined && Result.isSuccess(granted)) return Effect.succeed(granted.success)
  // Some servers refuse with status 200.
  return granted === undefined || refusal.codeOf(answer) !== undefined
    ? refusal.fail(realm, issuer, token_endpoint, answer)
    // The issue would quote the tokens.
    : realm.fail({
      _tag: "Untrusted",
      source: token_endpoint,
      rule: "its answer must have the texts `access_token` and `token_type`, and where they are there, the number " +
        "`expires_in` and the texts `refresh_token` and `scope`"
    })
}

/** Asks for tokens of the MCP server. @internal */
export const grant = Effect.fnUntraced(function*(
  request: Request,
  form: Form,
  scopes: ReadonlyArray<string>
): Effect.fn.Return<Tokens, AuthorizationError> {
  const { client, key, realm, server } = request
  const now = yield* Clock.currentTimeMillis
  const granted = yield* send(request, form)
  const isBound = granted.token_type.toLowerCase() === "dpop"
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
