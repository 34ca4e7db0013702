/**
 * The answers of an authorization server that does not do what it is asked (RFC 6749, section 5.2).
 */
import type * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { AuthorizationError } from "../../AuthorizationError.ts"
import type { Answer, Realm } from "./Realm.ts"

const Refusal = Schema.Struct({
  error: Schema.String,
  error_description: Schema.optionalKey(Schema.String)
})

const decode = Schema.decodeUnknownResult(Refusal)

/** The code of OAuth in an answer. @internal */
export const codeOf = ({ json }: Answer): string | undefined => Result.getOrUndefined(decode(json))?.error

/** Fails as an answer says that is no success. @internal */
export const fail = (
  realm: Realm,
  issuer: string,
  url: string,
  { json, status }: Answer
): Effect.Effect<never, AuthorizationError> => {
  const refusal = Result.getOrUndefined(decode(json))
  const isPassing = status === 429 || (refusal === undefined ? status >= 500 : passing.has(refusal.error))
  if (isPassing) return realm.fail({ _tag: "Unavailable", url, rule: `it answered with HTTP status ${status}` })
  return realm.fail({
    _tag: "Refused",
    issuer,
    error: refusal?.error ?? `with HTTP status ${status}`,
    ...(refusal?.error_description !== undefined && { description: refusal.error_description })
  })
}

/** Codes that say nothing of the request. */
const passing: ReadonlySet<string> = new Set(["server_error", "temporarily_unavailable", "slow_down"])
