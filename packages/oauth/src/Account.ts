/**
 * The account that a client is signed in with at a resource server, as a store keeps it, without the tokens.
 *
 * ```ts run
 * import * as Account from "@parley/oauth/Account"
 * import * as TokenStore from "@parley/oauth/TokenStore"
 * import { Effect } from "effect"
 *
 * const server = new URL("https://example.org/rpc")
 *
 * const program = Effect.gen(function*() {
 *   const store = TokenStore.makeMemory()
 *   console.log(yield* Account.get(store, server)) // => undefined
 *   console.log(yield* Account.remove(store, server)) // => false
 * })
 *
 * await Effect.runPromise(program)
 * ```
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { AuthorizationError } from "./AuthorizationError.ts"
import { nameOf } from "./internal/client/Realm.ts"
import { isTokensKey, keyOf, locked, tokensOf } from "./internal/client/Tokens.ts"
import type { TokenStore } from "./TokenStore.ts"

/**
 * The facts about the tokens for a server.
 *
 * @category models
 * @since 0.1.0
 */
export interface Account {
  /** The authorization server that has issued them. */
  readonly issuer: string
  /** The id of the client that they were issued to. */
  readonly clientId: string
  /** The scopes that the access token has. */
  readonly scopes: ReadonlyArray<string>
  /** When the access token ends, in milliseconds of the clock; absent where the server did not say. */
  readonly expires: number | undefined
  /** Whether the client can get another access token without a person. */
  readonly isRefreshable: boolean
}

/**
 * The account at a server, or `undefined` where there is none.
 *
 * @category accounts
 * @since 0.1.0
 */
export const get = (store: TokenStore, server: URL): Effect.Effect<Account | undefined, AuthorizationError> =>
  Effect.map(
    tokensOf(placeOf(server), store).get,
    (tokens) =>
      tokens === undefined ? undefined : {
        issuer: tokens.issuer,
        clientId: tokens.clientId,
        scopes: tokens.scopes,
        expires: tokens.expires,
        isRefreshable: tokens.refreshToken !== undefined
      }
  )

/**
 * Forgets the tokens for a server, and tells whether there were any. The authorization server does not hear of it, so the
 * tokens stay valid until they expire.
 *
 * @category accounts
 * @since 0.1.0
 */
export const remove = (store: TokenStore, server: URL): Effect.Effect<boolean, AuthorizationError> => {
  const place = placeOf(server)
  const { get, remove } = tokensOf(place, store)
  return locked(
    place,
    store,
    keyOf(place),
    Effect.flatMap(get, (tokens) => Effect.as(remove, tokens !== undefined))
  )
}

/**
 * Whether a key of a store is one of tokens: the others are those of the registrations at authorization servers.
 *
 * @category accounts
 * @since 0.1.0
 */
export const isOfTokens = (key: string): boolean => isTokensKey(key)

/**
 * A store that hides the account at a server until another is stored, so that a person signs in anew. The stored account
 * stays until then.
 *
 * @category accounts
 * @since 0.1.0
 */
export const anew = (store: TokenStore, server: URL): TokenStore => {
  const hidden = keyOf(placeOf(server))
  let isHidden = true
  return {
    ...store,
    get: (key) => Effect.suspend(() => isHidden && key === hidden ? Effect.undefined : store.get(key)),
    set: (key, text) =>
      Effect.tap(store.set(key, text), () =>
        Effect.sync(() => {
          if (key === hidden) isHidden = false
        }))
  }
}

const placeOf = (server: URL) => ({
  server,
  fail: (reason: AuthorizationError["reason"]) =>
    Effect.fail(new AuthorizationError({ server: nameOf(server), reason }))
})
