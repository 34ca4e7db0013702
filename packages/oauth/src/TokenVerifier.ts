/**
 * Reads an access token, or refuses it: the port between a protected resource and the issuers of its tokens.
 *
 * A verifier makes sure that its issuer has issued the token and that the token is valid now. A `ResourceServer` makes sure
 * that the token is for the resource.
 *
 * ```ts run
 * import type { AccessToken } from "@parley/oauth/AccessToken"
 * import * as TokenVerifier from "@parley/oauth/TokenVerifier"
 * import { Effect, Redacted } from "effect"
 *
 * const token: AccessToken = {
 *   issuer: "https://login.example.org",
 *   subject: "ada",
 *   clientId: undefined,
 *   scopes: new Set(["files:read"]),
 *   audience: ["https://api.example.org/rpc"],
 *   expiresAt: undefined,
 *   keyThumbprint: undefined,
 *   claims: {}
 * }
 *
 * // Takes one token that this program knows.
 * const verifier: TokenVerifier.TokenVerifier = {
 *   issuers: [token.issuer],
 *   verify: (text) =>
 *     Redacted.value(text) === "s3cret" ? Effect.succeed(token) : Effect.fail(TokenVerifier.refused("Inactive"))
 * }
 *
 * const refused = await verifier.verify(Redacted.make("gu3ss")).pipe(Effect.flip, Effect.runPromise)
 * console.log(refused.message)
 * // => the access token is refused (Inactive): its issuer says that it is not in force
 * ```
 *
 * @since 0.1.0
 */
import { Excerpt } from "@parley/protocol/shared"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { AccessToken } from "./AccessToken.ts"

/**
 * Checks tokens.
 *
 * @category models
 * @since 0.1.0
 */
export interface TokenVerifier {
  /** The authorization servers whose tokens it takes: the metadata of the resource names them. */
  readonly issuers: ReadonlyArray<string>
  /** The content of a token that is in force. */
  readonly verify: (token: Redacted.Redacted) => Effect.Effect<AccessToken, TokenRefused | VerifierUnavailable>
}

/**
 * The reason for which a token is refused.
 *
 * - `Malformed`: it is not a token of this kind, lacks a claim, or is too long.
 * - `Algorithm`: it is signed in a way that is not allowed.
 * - `Type`: it is a token of another kind, such as a proof.
 * - `UnknownKey`: its issuer does not have the key that it names, or has several keys and it names none.
 * - `Signature`: its issuer has not signed it.
 * - `Inactive`: its issuer says that it is not valid.
 * - `Issuer`, `Audience`: another server has issued it, or it is for another resource.
 * - `Expired`, `NotYetValid`: its time is over, or has not begun.
 * - `Bound`: it is bound to a key, and the request has no proof of that key.
 * - `Unbound`: it is not bound to a key, but the request has a proof, or tokens must be bound.
 *
 * @category models
 * @since 0.1.0
 */
export const Reason = Schema.Literals([
  "Malformed",
  "Algorithm",
  "Type",
  "UnknownKey",
  "Signature",
  "Inactive",
  "Issuer",
  "Audience",
  "Expired",
  "NotYetValid",
  "Bound",
  "Unbound"
])

/** @category models @since 0.1.0 */
export type Reason = typeof Reason.Type

/**
 * The token is refused. The client gets the reason; the message has no part of the token.
 *
 * @category errors
 * @since 0.1.0
 */
export class TokenRefused extends Schema.TaggedError<TokenRefused>()("TokenRefused", { reason: Reason }) {
  override get message(): string {
    return `the access token is refused (${this.reason}): ${meanings[this.reason]}`
  }
}

/** A refusal, for a verifier of your own. @category constructors @since 0.1.0 */
export const refused = (reason: Reason): TokenRefused => new TokenRefused({ reason })

const meanings: Readonly<Record<Reason, string>> = {
  Malformed: "it is no token of this kind, lacks a claim, or is too long",
  Algorithm: "the algorithm of its signature is not allowed",
  Type: "it is a token of another kind",
  UnknownKey: "its issuer has no key that it names",
  Signature: "its signature is not that of its issuer",
  Inactive: "its issuer says that it is not in force",
  Issuer: "another authorization server has issued it",
  Audience: "it is for another resource",
  Expired: "its time is over",
  NotYetValid: "its time has not come",
  Bound: "it is bound to a key, and no proof of that key came with it",
  Unbound: "it is bound to no key"
}

/**
 * No token can be checked now: the keys of the issuer, or the issuer itself, cannot be asked. The client is answered with
 * 503, and keeps its token.
 *
 * @category errors
 * @since 0.1.0
 */
export class VerifierUnavailable extends Schema.TaggedError<VerifierUnavailable>()("VerifierUnavailable", {
  url: Schema.String,
  rule: Schema.String
}) {
  override get message(): string {
    return `no access token can be checked now: ${Excerpt.line(this.url)} ${Excerpt.line(this.rule)}`
  }
}
