/**
 * The error of a client that has no token which its server takes.
 *
 * Messages never hold a token, a code or a secret. Stored tokens stay, except for those that the authorization server has
 * rejected for good.
 *
 * ```ts run
 * import { AuthorizationError } from "@parley/oauth/AuthorizationError"
 *
 * const advice = ({ reason }: AuthorizationError): string => {
 *   if (reason._tag === "Required") return "sign in"
 *   return reason._tag === "Unavailable" ? "try again later" : "ask the operator"
 * }
 *
 * const reason = { _tag: "InsufficientScope", scopes: ["files:write"] } as const
 * const error = new AuthorizationError({ server: "https://example.org/rpc", reason })
 *
 * console.log(error.message)
 * // => no token for https://example.org/rpc: it wants the scopes files:write, which were asked for and not granted
 * console.log(advice(error)) // => ask the operator
 * ```
 *
 * @since 0.1.0
 */
import { Excerpt } from "@parley/protocol/shared"
import * as Schema from "effect/Schema"

/**
 * The reasons, each a decision of its own:
 *
 * - `Required`: a person must sign in, and `authorize` is not given. Where a token lacked scopes, `scopes` has all that are
 *   needed.
 * - `Unavailable`: a server could not be reached or has a fault. Stored tokens stay; try again later.
 * - `Refused`: the authorization server refuses, with its code of OAuth.
 * - `Declined`: the person or program did not authorize the client.
 * - `Untrusted`: an answer or a document breaks a rule of security, perhaps because of an attack.
 * - `Forbidden`: the client may not use a URL: it is not encrypted, or leads to a private address.
 * - `Unsupported`: the authorization server cannot do what is needed.
 * - `Rejected`: the resource server refuses a token that is fresh.
 * - `InsufficientScope`: the resource server wants scopes that were asked for already, and not granted.
 * - `Store`: the store of tokens failed.
 *
 * @category models
 * @since 0.1.0
 */
export const Reason = Schema.Union([
  Schema.TaggedStruct("Required", { scopes: Schema.optionalKey(Schema.Array(Schema.String)) }),
  Schema.TaggedStruct("Unavailable", { url: Schema.String, rule: Schema.String }),
  Schema.TaggedStruct("Refused", {
    issuer: Schema.String,
    error: Schema.String,
    description: Schema.optionalKey(Schema.String),
    /** The status of an answer that has no code of OAuth. */
    status: Schema.optionalKey(Schema.Int)
  }),
  Schema.TaggedStruct("Declined", { rule: Schema.String }),
  Schema.TaggedStruct("Untrusted", { source: Schema.String, rule: Schema.String }),
  Schema.TaggedStruct("Forbidden", { url: Schema.String, rule: Schema.String }),
  Schema.TaggedStruct("Unsupported", { issuer: Schema.String, rule: Schema.String }),
  Schema.TaggedStruct("Rejected", { issuer: Schema.String, description: Schema.optionalKey(Schema.String) }),
  Schema.TaggedStruct("InsufficientScope", { scopes: Schema.Array(Schema.String) }),
  Schema.TaggedStruct("Store", { rule: Schema.String })
])

/** @category models @since 0.1.0 */
export type Reason = typeof Reason.Type

/**
 * The client could not get a token for a resource server.
 *
 * @category errors
 * @since 0.1.0
 */
export class AuthorizationError extends Schema.TaggedError<AuthorizationError>()("AuthorizationError", {
  /** The resource server, without user, password and query. */
  server: Schema.String,
  reason: Reason
}) {
  override get message(): string {
    return `no token for ${Excerpt.line(this.server)}: ${describe(this.reason)}`
  }
}

const describe = (reason: Reason): string => {
  const { line } = Excerpt
  switch (reason._tag) {
    case "Required":
      return "somebody must sign in first, and `authorize` is not given"
    case "Unavailable":
      return `${line(reason.url)} cannot answer now: ${line(reason.rule)}; stored tokens are kept`
    case "Refused":
      return `${line(reason.issuer)} answered ${line(reason.error)}${described(reason)}`
    case "Declined":
      return `it was not authorized: ${line(reason.rule)}`
    case "Untrusted":
      return `${line(reason.source)} cannot be trusted: ${line(reason.rule)}`
    case "Forbidden":
      return `${line(reason.url)} may not be asked: ${line(reason.rule)}`
    case "Unsupported":
      return `${line(reason.issuer)} cannot be used: ${line(reason.rule)}`
    case "Rejected":
      return `it refuses the token that ${line(reason.issuer)} has just issued${described(reason)}`
    case "InsufficientScope":
      return reason.scopes.length === 0
        ? "it wants more scopes, and does not say which"
        : `it wants the scopes ${line(reason.scopes.join(" "))}, which were asked for and not granted`
    case "Store":
      return `the store of tokens failed: ${line(reason.rule)}`
  }
}

const described = ({ description }: { readonly description?: string }): string =>
  description === undefined ? "" : `: ${Excerpt.line(description)}`
