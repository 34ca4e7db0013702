/**
 * The keys of an issuer: fetched when they are first needed, and again when they are old or a token names one that is
 * not among them. However many wait, one request is under way.
 */
import * as Cache from "effect/Cache"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { CryptoKey, JSONWebKeySet, JWSHeaderParameters } from "jose"
import { createLocalJWKSet, type LocalJWKSet } from "jose/jwks/local"
import { VerifierUnavailable } from "../../../auth/server/TokenVerifier.ts"
import { isArray, isObject } from "../../Json.ts"
import * as bounds from "./bounds.ts"

/** Gives the key that the header of a token names; `undefined` where there is none, or not one alone. @internal */
export type KeyOf = (header: JWSHeaderParameters) => Effect.Effect<CryptoKey | undefined, VerifierUnavailable>

interface Known {
  readonly find: LocalJWKSet
  /** When they were fetched, in milliseconds of the epoch. */
  readonly at: number
}

/** @internal */
export const make = (load: Effect.Effect<LocalJWKSet, VerifierUnavailable>): Effect.Effect<KeyOf> => {
  let latest: Known | undefined
  /** When a look for a key that is not known is allowed. */
  let nextAt = Number.NEGATIVE_INFINITY

  // The cooldown begins with the answer: those who ask and go away must not keep the others from new keys.
  const refreshed = Effect.flatMap(
    Clock.currentTimeMillis,
    (at) =>
      Effect.onExitPrimitive(Effect.map(load, (find) => latest = { find, at }), (exit) => {
        if (!Exit.hasInterrupts(exit)) nextAt = at + bounds.keyCooldown
        return undefined
      })
  )

  const current = (now: number, refresh: typeof refreshed): Effect.Effect<Known, VerifierUnavailable> => {
    const known = latest
    if (known === undefined) return refresh
    const age = now - known.at
    if (age < bounds.freshKeys) return Effect.succeed(known)
    if (age >= bounds.staleKeys) return refresh
    return now < nextAt ? Effect.succeed(known) : Effect.orElseSucceed(refresh, () => known)
  }

  // A cache that keeps nothing: those who ask at the same time share one run, which ends when the last of them leaves.
  const running = Cache.makeWith((_: "keys") => refreshed, { capacity: 1, timeToLive: () => Duration.zero })
  return Effect.map(running, (running): KeyOf => {
    const refresh = Cache.get(running, "keys")
    return Effect.fnUntraced(function*(header) {
      const known = yield* current(yield* Clock.currentTimeMillis, refresh)
      const key = yield* found(known, header)
      if (key !== undefined) return key
      // Another may have brought newer ones while this looked among those.
      if (latest !== undefined && latest !== known) return yield* found(latest, header)
      return (yield* Clock.currentTimeMillis) < nextAt ? undefined : yield* found(yield* refresh, header)
    })
  })
}

/** The cause is no matter: the token is refused. */
const found = ({ find }: Known, header: JWSHeaderParameters): Effect.Effect<CryptoKey | undefined> =>
  Effect.promise(() => find(header).catch(() => undefined))

/** The keys that an issuer answers with. @internal */
export const keysOf = (url: string, answer: unknown): Result.Result<LocalJWKSet, VerifierUnavailable> => {
  const keys = isObject(answer) ? answer["keys"] : undefined
  const refused = (rule: string) => new VerifierUnavailable({ url, rule })
  const noKeys = () => refused("answered with what is no JSON Web Key Set")
  if (!isArray(keys) || !keys.every(isObject)) return Result.fail(noKeys())
  if (keys.length > bounds.mostKeys) return Result.fail(refused(`has more than ${bounds.mostKeys} keys`))
  // `jose` looks at the members of each key that a token needs. It copies all, and throws where they are nested too deeply.
  return Result.try({ try: () => createLocalJWKSet({ keys } as unknown as JSONWebKeySet), catch: noKeys })
}
