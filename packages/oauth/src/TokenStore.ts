/**
 * The store of a client for its tokens, and for the registrations that it has with authorization servers.
 *
 * A store is for one person or program: it has one set of tokens for each server. A refresh token can often be used only
 * once, so that two clients that refresh at the same time lose both tokens. `withLock` therefore covers all that share the
 * stored texts: a store of one process locks in that process, a store of several processes locks between them, as
 * `NodeTokenStore` of `@parley/node` does.
 *
 * ```ts run
 * import * as TokenStore from "@parley/oauth/TokenStore"
 * import { Effect, Layer, Redacted } from "effect"
 * import { KeyValueStore } from "effect/persistence"
 *
 * const program = Effect.gen(function*() {
 *   const store = yield* TokenStore.TokenStore
 *   yield* store.set("example.org", Redacted.make("s3cret"))
 *   console.log(yield* store.get("example.org")) // => <redacted>
 * })
 *
 * const store = Layer.provide(TokenStore.layerKeyValue, KeyValueStore.layerMemory)
 * await Effect.runPromise(Effect.provide(program, store))
 * ```
 *
 * @since 0.1.0
 */
import { KeyedLock } from "@parley/mesh/shared"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as KeyValueStore from "effect/persistence/KeyValueStore"
import * as Redacted from "effect/Redacted"

/**
 * Keeps secret texts by their keys. Its errors must not hold a text.
 *
 * @category models
 * @since 0.1.0
 */
export interface TokenStore {
  /** The text of a key; `undefined` where there is none. */
  readonly get: (key: string) => Effect.Effect<Redacted.Redacted | undefined, Error>
  /** Stores a text. */
  readonly set: (key: string, text: Redacted.Redacted) => Effect.Effect<void, Error>
  /** Forgets a text. */
  readonly remove: (key: string) => Effect.Effect<void, Error>
  /** Runs one effect of a key at a time, among all who share what is stored. The lock is free when its holder dies. */
  readonly withLock: <A, E, R>(key: string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Error, R>
}

/** The service of a `TokenStore`. @category services @since 0.1.0 */
export const TokenStore: Context.Service<TokenStore, TokenStore> = Context.Service("@parley/oauth/TokenStore")

/**
 * A store in memory, for one program.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeMemory = (): TokenStore => {
  const texts = new Map<string, Redacted.Redacted>()
  return {
    get: (key) => Effect.sync(() => texts.get(key)),
    set: (key, text) => Effect.sync(() => void texts.set(key, text)),
    remove: (key) => Effect.sync(() => void texts.delete(key)),
    withLock: KeyedLock.make()
  }
}

/**
 * A store over a `KeyValueStore` of `effect/persistence`, under keys that begin with `oauth/token/`. The texts are stored as
 * they are: the store below must keep them from others. A `KeyValueStore` cannot lock, so the lock holds in this process;
 * give `withLock` where several processes share the store.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeKeyValue = (
  store: KeyValueStore.KeyValueStore,
  options: { readonly withLock?: TokenStore["withLock"] | undefined } = {}
): TokenStore => ({
  get: (key) => Effect.map(store.get(placeOf(key)), (text) => text === undefined ? undefined : Redacted.make(text)),
  set: (key, text) => store.set(placeOf(key), Redacted.value(text)),
  remove: (key) => store.remove(placeOf(key)),
  withLock: options.withLock ?? KeyedLock.make()
})

const placeOf = (key: string) => `oauth/token/${key}`

/**
 * As `makeKeyValue`, over the `KeyValueStore` from here.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerKeyValue: Layer.Layer<TokenStore, never, KeyValueStore.KeyValueStore> = Layer.effect(
  TokenStore,
  Effect.map(KeyValueStore.KeyValueStore, (store) => makeKeyValue(store))
)
