/**
 * The grant that a person gives in a browser: OAuth 2.1 with PKCE, and the issuer of the answer checked (RFC 9207).
 */
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import type { AuthorizationError } from "../../AuthorizationError.ts"
import type { AuthorizationCode } from "../../Grant.ts"
import * as Digest from "../../shared/Digest.ts"
import type { Authority } from "./discovery.ts"
import type { Realm } from "./Realm.ts"
import * as tokenEndpoint from "./tokenEndpoint.ts"
import type { Tokens } from "./Tokens.ts"

/** @internal */
export const grant = Effect.fnUntraced(function*(
  request: tokenEndpoint.Request,
  { resource }: Authority,
  { authorize = nobody, redirectUri }: AuthorizationCode,
  scopes: ReadonlyArray<string>
): Effect.fn.Return<Tokens, AuthorizationError> {
  const { client, realm, server } = request
  const { issuer } = server
  if (server.authorization_endpoint === undefined) {
    return yield* realm.fail({ _tag: "Unsupported", issuer, rule: "it has no authorization endpoint" })
  }
  if (server.code_challenge_methods_supported?.includes("S256") !== true) {
    return yield* realm.fail({
      _tag: "Unsupported",
      issuer,
      rule: "its metadata do not say that it knows PKCE with S256"
    })
  }
  const url = yield* realm.url(server.authorization_endpoint)
  const verifier = yield* secret
  const state = yield* secret
  const challenge = yield* Effect.promise(() => Digest.sha256(verifier))
  const parameters = {
    response_type: "code",
    client_id: client.clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: challenge,
    code_challenge_method: "S256",
    resource,
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
    // OpenID Connect gives lasting access only where the person is asked for it.
    ...(scopes.includes("offline_access") && { prompt: "consent" })
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  const callback = yield* realm.consent(authorize({ url: url.href, server: realm.name, issuer, scopes }))
  const code = yield* codeOf(request, "searchParams" in callback ? callback.searchParams : callback, state)
  return yield* tokenEndpoint.grant(request, {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    resource
  }, scopes)
})

/** A text that nobody can guess: 256 bits, as 43 characters that a URL holds as they are. */
const secret: Effect.Effect<string> = Effect.sync(() =>
  Base64Url.encode(globalThis.crypto.getRandomValues(new Uint8Array(32)))
)

const nobody = () => Effect.fail(new Error("nobody can be asked"))

/** Reads the answer that a browser has brought. Nothing in it counts before its issuer and state are ours. */
const codeOf = (
  { realm, server }: { readonly realm: Realm; readonly server: Authority["server"] },
  answer: URLSearchParams,
  state: string
): Effect.Effect<string, AuthorizationError> => {
  const { issuer } = server
  const distrust = (rule: string) => realm.fail({ _tag: "Untrusted", source: `the answer of ${issuer}`, rule })
  const from = answer.get("iss")
  if (from === null && server.authorization_response_iss_parameter_supported === true) {
    return distrust("it does not name its issuer, although its metadata promise that")
  }
  if (from !== null && from !== issuer) return distrust(`it is from the issuer ${from}`)
  if (answer.get("state") !== state) return distrust("it belongs to another request")
  const error = answer.get("error")
  const code = answer.get("code")
  if (error !== null) {
    const description = answer.get("error_description")
    return realm.fail({ _tag: "Refused", issuer, error, ...(description !== null && { description }) })
  }
  return code === null || code === "" ? distrust("it has neither a code nor an error") : Effect.succeed(code)
}
