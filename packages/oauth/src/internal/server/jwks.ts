/**
 * The keys of an issuer: fetched when they are first needed, and again when they are old or a token names one that is
 * not among them. However many wait or go away, one request is under way.
 */
import { JsonObject } from "@parley/protocol/shared"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type { CryptoKey, JSONWebKeySet, JWSHeaderParameters } from "jose"
import { createLocalJWKSet, type LocalJWKSet } from "jose/jwks/local"
import { VerifierUnavailable } from "../../TokenVerifier.ts"
import * as bounds from "./bounds.ts"

/** Gives the key that the header of a token names; `undefined` where there is none, or not one alone. @internal */
export type KeyOf = (header: JWSHeaderParameters) => Effect.Effect<CryptoKey | undefined, VerifierUnavailable>

interface Known {
  readonly find: LocalJWKSet
  /** When they were fetched, in milliseconds of the epoch. */
  readonly at: number
}

/** @internal */
export const make = (load: Effect.Effect<LocalJWKSet, VerifierUnavailable>): Effect.Effect<KeyOf> =>
  Effect.map(Effect.context<never>(), (context) => keyOfLatest(load, context))

const keyOfLatest = (
  load: Effect.Effect<LocalJWKSet, VerifierUnavailable>,
  context: Context.Context<never>
): KeyOf => {
  let latest: Known | undefined
  /** Why the last look has found nothing. */
  let failure: VerifierUnavailable | undefined
  /** When a look for a key that is not known is allowed. */
  let nextAt = Number.NEGATIVE_INFINITY
  /** When a look is allowed where no keys are known that could be taken. */
  let againAt = Number.NEGATIVE_INFINITY

  const looked = Effect.flatMap(Clock.currentTimeMillis, (at) =>
    Effect.onExitPrimitive(
      Effect.mapBoth(load, {
        onFailure: (error) => failure = error,
        onSuccess: (find) => {
          failure = undefined
          return latest = { find, at }
        }
      }),
      () => {
        nextAt = at + bounds.keyCooldown
        againAt = at + bounds.failureCooldown
        return undefined
      }
    ))

  let looking: Fiber.Fiber<Known, VerifierUnavailable> | undefined
  // It goes on for the caller that asks next. If it ended with the caller that began it, anybody could begin it at will.
  const refresh = Effect.suspend(() => {
    if (looking !== undefined) return Fiber.join(looking)
    const fiber = looking = Effect.runForkWith(context)(looked)
    fiber.addObserver(() => looking = undefined)
    return Fiber.join(fiber)
  })

  const current = (now: number): Effect.Effect<Known, VerifierUnavailable> => {
    const known = latest
    const age = known === undefined ? Infinity : now - known.at
    // Anybody can invent tokens, and an issuer that comes back has enough to do.
    if (known === undefined || age >= bounds.staleKeys) {
      return failure !== undefined && now < againAt ? Effect.fail(failure) : refresh
    }
    if (age < bounds.freshKeys) return Effect.succeed(known)
    return now < nextAt ? Effect.succeed(known) : Effect.orElseSucceed(refresh, () => known)
  }

  return Effect.fnUntraced(function*(header) {
    const known = yield* current(yield* Clock.currentTimeMillis)
    const key = yield* found(known, header)
    if (key !== undefined) return key
    // Another may have brought newer ones while this looked among those.
    if (latest !== undefined && latest !== known) return yield* found(latest, header)
    if ((yield* Clock.currentTimeMillis) >= nextAt) return yield* found(yield* refresh, header)
    // The issuer may have this key by now.
    return failure === undefined ? undefined : yield* failure
  })
}

/** The cause is no matter: the token is refused. */
const found = ({ find }: Known, header: JWSHeaderParameters): Effect.Effect<CryptoKey | undefined> =>
  Effect.promise(() => find(header).catch(() => undefined))

/** The keys that an issuer answers with. @internal */
export const keysOf = (url: string, answer: unknown): Result.Result<LocalJWKSet, VerifierUnavailable> => {
  const keys = JsonObject.isObject(answer) ? answer["keys"] : undefined
  const refused = (rule: string) => new VerifierUnavailable({ url, rule })
  const noKeys = () => refused("answered with what is no JSON Web Key Set")
  if (!JsonObject.isArray(keys) || !keys.every(JsonObject.isObject)) return Result.fail(noKeys())
  if (keys.length > bounds.mostKeys) return Result.fail(refused(`has more than ${bounds.mostKeys} keys`))
  // `jose` looks at the members of each key that a token needs. It copies all, and throws where they are nested too deeply.
  return Result.try({ try: () => createLocalJWKSet({ keys } as unknown as JSONWebKeySet), catch: noKeys })
}
