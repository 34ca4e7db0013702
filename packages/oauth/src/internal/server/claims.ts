/**
 * The claims of an access token, of a JWT (RFC 9068) or the answer to an introspection (RFC 7662), held against the
 * issuer and the clock.
 */
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type AccessToken, scopesOf } from "../../AccessToken.ts"
import type { Reason } from "../../TokenVerifier.ts"

/** What the claims must agree with. @internal */
export interface Expected {
  readonly issuer: string
  /** Whether `iss` and `exp` may be absent, because the issuer itself was asked. */
  readonly isAsked: boolean
  /** Milliseconds of the epoch. */
  readonly now: number
  /** Milliseconds by which the clocks may differ. */
  readonly tolerance: number
}

const oneOrMany = Schema.optionalKey(Schema.Union([Schema.String, Schema.Array(Schema.String)]))
const seconds = Schema.optionalKey(Schema.Finite)
const text = Schema.optionalKey(Schema.String)

const Claims = Schema.Struct({
  iss: text,
  sub: text,
  client_id: text,
  /** The client, as OpenID Connect calls it. */
  azp: text,
  aud: oneOrMany,
  exp: seconds,
  nbf: seconds,
  scope: oneOrMany,
  /** The scopes, as some issuers call them. */
  scp: oneOrMany,
  cnf: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  token_type: text,
  /** The kind of the token, as some issuers write it. */
  token_use: text
})

/** The kinds of tokens that are no access tokens, or that only their client can use. */
const notAccessTokens: ReadonlySet<string> = new Set(["refresh_token", "refresh", "id_token", "id", "mac"])

const decode = Schema.decodeUnknownOption(Claims)

/** Reads claims. @internal */
export const read = (
  claims: Schema.JsonObject,
  { isAsked, issuer, now, tolerance }: Expected
): Result.Result<AccessToken, Reason> => {
  const decoded = decode(claims)
  if (Option.isNone(decoded)) return Result.fail("Malformed")
  const { token_type: type = "", token_use: use = "" } = decoded.value
  if (notAccessTokens.has(type.toLowerCase()) || notAccessTokens.has(use.toLowerCase())) return Result.fail("Type")
  const { aud, azp, client_id: clientId = azp, cnf, exp, iss, nbf, scope = [], scp = [], sub = clientId } =
    decoded.value
  if (iss === undefined ? !isAsked : iss !== issuer) return Result.fail("Issuer")
  if (sub === undefined || sub === "" || (exp === undefined && !isAsked)) return Result.fail("Malformed")
  const expiresAt = exp === undefined ? undefined : exp * 1_000
  if (isOver(expiresAt, now, tolerance)) return Result.fail("Expired")
  if (nbf !== undefined && nbf * 1_000 > now + tolerance) return Result.fail("NotYetValid")
  const thumbprint = cnf?.["jkt"]
  // A key that is named in another way is one that nobody here can check.
  const isBound = cnf !== undefined || type.toLowerCase() === "dpop"
  if (isBound && typeof thumbprint !== "string") return Result.fail("Bound")
  return Result.succeed({
    issuer,
    subject: sub,
    clientId,
    scopes: new Set([...scopesOf(scope), ...scopesOf(scp)]),
    audience: aud === undefined ? [] : typeof aud === "string" ? [aud] : aud,
    expiresAt,
    keyThumbprint: typeof thumbprint === "string" ? thumbprint : undefined,
    claims
  })
}

/** Whether the time of a token is over. @internal */
export const isOver = (expiresAt: number | undefined, now: number, tolerance: number): boolean =>
  expiresAt !== undefined && expiresAt + tolerance <= now
