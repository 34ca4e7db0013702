/**
 * An access token that was checked: its subject, its scopes, and the other claims of its issuer. The text of the token is
 * left out, so that a handler cannot pass it on.
 *
 * ```ts
 * import { AccessToken } from "@parley/oauth/AccessToken"
 * import { Handshake } from "@parley/transport"
 * import { Effect, Option } from "effect"
 *
 * export const whoAmI = Effect.map(
 *   Handshake.principal(AccessToken),
 *   Option.match({
 *     onNone: () => "nobody in particular",
 *     onSome: ({ issuer, subject }) => `${subject} of ${issuer}`
 *   })
 * )
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"

/**
 * The content of a checked token.
 *
 * @category models
 * @since 0.1.0
 */
export interface AccessToken {
  /** The authorization server that has issued the token. */
  readonly issuer: string
  /** `sub`, or the id of the client where a token is for no other subject (RFC 9068, section 2.2). */
  readonly subject: string
  /** The id of the client that the token was issued to; `undefined` where its issuer does not say. */
  readonly clientId: string | undefined
  /** The scopes that it has. */
  readonly scopes: ReadonlySet<string>
  /** The resources that it is for. */
  readonly audience: ReadonlyArray<string>
  /** In milliseconds of the epoch; `undefined` where the issuer does not say. */
  readonly expiresAt: number | undefined
  /** The thumbprint of the key that the token is bound to (RFC 9449, section 6); `undefined` for a bearer's token. */
  readonly keyThumbprint: string | undefined
  /** All claims, as they came. */
  readonly claims: Schema.JsonObject
}

/**
 * The token of the sender of a request: `Handshake.principal(AccessToken)` gives it to handlers, and `call.auth.get(AccessToken)`
 * to those of `@parley/mcp`.
 *
 * @category services
 * @since 0.1.0
 */
export const AccessToken: Context.Service<AccessToken, AccessToken> = Context.Service(
  "@parley/oauth/AccessToken"
)

/**
 * The Schema of a checked token, as which it travels to other nodes. It has no text of a token.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AccessTokenSchema: Schema.Codec<AccessToken, unknown> = Schema.toCodecJson(Schema.Struct({
  issuer: Schema.String,
  subject: Schema.String,
  clientId: Schema.UndefinedOr(Schema.String),
  scopes: Schema.ReadonlySet(Schema.String),
  audience: Schema.Array(Schema.String),
  expiresAt: Schema.UndefinedOr(Schema.Finite),
  keyThumbprint: Schema.UndefinedOr(Schema.String),
  claims: Schema.Record(Schema.String, Schema.Json)
}))

/**
 * The name of the principal that a token is for: its issuer and its subject. A client that acts for itself, without a
 * user, has a name of another form: its id may be the subject of a user. A token whose subject is its own client counts as
 * one of that client, so an issuer must not let users choose such a subject (RFC 9068, section 5).
 *
 * @category reading
 * @since 0.1.0
 */
export const nameOf = (
  { clientId, issuer, subject }: Pick<AccessToken, "clientId" | "issuer" | "subject">
): string => subject === clientId ? `client ${issuer} ${subject}` : `${issuer} ${subject}`

/**
 * The scopes of a principal, which are compared with the `scopes` of the features of `@parley/mcp`. A `ResourceServer` gives those of the
 * token; an `authorize` of your own may give others. Without it, a principal has none.
 *
 * @category services
 * @since 0.1.0
 */
export const Scopes: Context.Reference<ReadonlySet<string>> = Context.Reference<ReadonlySet<string>>(
  "@parley/oauth/AccessToken/Scopes",
  { defaultValue: () => new Set() }
)

/**
 * The end of the credentials of a principal, in milliseconds of the epoch. The streams of changes of `@parley/mcp` end
 * then. A `ResourceServer` gives that of the token; an `authorize` of your own may give another. Without it, streams have
 * no such end.
 *
 * @category services
 * @since 0.1.0
 */
export const ExpiresAt: Context.Reference<number | undefined> = Context.Reference<number | undefined>(
  "@parley/oauth/AccessToken/ExpiresAt",
  { defaultValue: () => undefined }
)

/**
 * The scopes of a parameter, member or claim, each once: words with blanks between, or a list, as some issuers write it.
 *
 * @category reading
 * @since 0.1.0
 */
export const scopesOf = (scope: string | ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set((typeof scope === "string" ? scope.split(" ") : scope).filter((one) => one !== ""))
]

/** Whether a text can be a scope (RFC 6749, section 3.3). @category predicates @since 0.1.0 */
export const isScope = (scope: string): boolean => /^[!#-[\]-~]+$/.test(scope)
