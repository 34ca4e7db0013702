/**
 * The tokens that a client has for one resource server, and how they are kept.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { AuthorizationError } from "../../AuthorizationError.ts"
import type { TokenStore } from "../../TokenStore.ts"
import type { Realm } from "./Realm.ts"

/** The server that tokens are for. */
type Place = Pick<Realm, "fail" | "server">

const secret = Schema.RedactedFromValue(Schema.String)

/** @internal */
export const Tokens = Schema.Struct({
  issuer: Schema.String,
  clientId: Schema.String,
  accessToken: secret,
  refreshToken: Schema.optionalKey(secret),
  /** When the access token ends, in milliseconds of the clock. */
  expires: Schema.optionalKey(Schema.Finite),
  /** When another is wanted, a little earlier: it would end on its way to the server. */
  renew: Schema.optionalKey(Schema.Finite),
  /** The scopes that were granted, or where the server did not say, those that were asked for. */
  scopes: Schema.Array(Schema.String),
  /** The key that the tokens are bound to, as a JWK. */
  key: Schema.optionalKey(secret)
})

/** @internal */
export type Tokens = typeof Tokens.Type

/** A client that an authorization server has registered for us. @internal */
export const Registered = Schema.Struct({
  clientId: Schema.String,
  clientSecret: Schema.optionalKey(secret),
  /** When the secret ends, in milliseconds of the clock. */
  expires: Schema.optionalKey(Schema.Finite),
  method: Schema.optionalKey(Schema.String),
  redirectUri: Schema.String
})

/** @internal */
export type Registered = typeof Registered.Type

/** A value of a kind that a store keeps under one key. @internal */
export interface Kept<A> {
  readonly get: Effect.Effect<A | undefined, AuthorizationError>
  readonly set: (value: A) => Effect.Effect<void, AuthorizationError>
  readonly remove: Effect.Effect<void, AuthorizationError>
}

const kept = <S extends Schema.Codec<unknown, unknown>>(schema: S) => {
  const text = Schema.fromJsonString(schema)
  const decode = Schema.decodeUnknownOption(text)
  const encode = Schema.encodeUnknownSync(text)
  return (realm: Place, store: TokenStore, key: string): Kept<S["Type"]> => {
    const orFail = <A, R>(effect: Effect.Effect<A, Error, R>) =>
      Effect.catch(effect, ({ message }) => realm.fail({ _tag: "Store", rule: message }))
    return {
      // A text that an older version wrote, or somebody else, is as if it were not there.
      get: orFail(Effect.map(store.get(key), (found) => {
        const decoded = found === undefined ? undefined : decode(Redacted.value(found))
        return decoded?._tag === "Some" ? decoded.value : undefined
      })),
      set: (value) => orFail(store.set(key, Redacted.make(encode(value)))),
      remove: orFail(store.remove(key))
    }
  }
}

/** Runs an effect under the lock of a key. @internal */
export const locked = <A>(
  { fail }: Pick<Realm, "fail">,
  store: TokenStore,
  key: string,
  effect: Effect.Effect<A, AuthorizationError>
): Effect.Effect<A, AuthorizationError> =>
  Effect.catch(
    store.withLock(key, effect),
    (error) => error instanceof AuthorizationError ? Effect.fail(error) : fail({ _tag: "Store", rule: error.message })
  )

const tokens = kept(Tokens)
const registered = kept(Registered)

const prefix = "tokens "

/** The key of the tokens for a server, which is also that of their lock. @internal */
export const keyOf = ({ server: { origin, pathname, search } }: Place): string =>
  `${prefix}${origin}${pathname}${search}`

/** @internal */
export const isTokensKey = (key: string): boolean => key.startsWith(prefix)

/** The tokens for the server of a realm. @internal */
export const tokensOf = (realm: Place, store: TokenStore): Kept<Tokens> => tokens(realm, store, keyOf(realm))

/** The key of our registration with an issuer, which is also that of its lock. @internal */
export const clientKeyOf = (issuer: string): string => `client ${issuer}`

/** Our registration with an issuer. @internal */
export const registrationAt = (realm: Place, store: TokenStore, issuer: string): Kept<Registered> =>
  registered(realm, store, clientKeyOf(issuer))
