/** Checks of tokens, remembered for a while: a client sends the same token with each request. */
import * as Cache from "effect/Cache"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import type { AccessToken } from "../../../auth/server/AccessToken.ts"
import * as TokenVerifier from "../../../auth/server/TokenVerifier.ts"
import * as bounds from "./bounds.ts"
import { isOver } from "./claims.ts"

/**
 * Those who bring the same token at the same time share one check. A refusal is not remembered: it would take the room of
 * good tokens.
 *
 * @internal
 */
export const make = (
  check: (token: string) => Effect.Effect<AccessToken, TokenVerifier.Reason | TokenVerifier.VerifierUnavailable>,
  options: { readonly cacheFor?: Duration.Input | undefined; readonly tolerance: number }
): Effect.Effect<TokenVerifier.TokenVerifier["verify"]> => {
  const cacheFor = options.cacheFor ?? bounds.defaultCacheFor
  const checks = Cache.makeWith((token: string) => Effect.mapError(check(token), named), {
    capacity: bounds.rememberedTokens,
    timeToLive: (exit) => Exit.isSuccess(exit) ? cacheFor : Duration.zero
  })
  const living = (token: AccessToken) =>
    Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => isOver(token.expiresAt, now, options.tolerance) ? Effect.fail(expired) : Effect.succeed(token)
    )
  return Effect.map(checks, (checks) => (token) => {
    const text = Redacted.value(token)
    return text.length > bounds.longestToken ? Effect.fail(tooLong) : Effect.flatMap(Cache.get(checks, text), living)
  })
}

const named = (error: TokenVerifier.Reason | TokenVerifier.VerifierUnavailable) =>
  typeof error === "string" ? TokenVerifier.refused(error) : error

const expired = TokenVerifier.refused("Expired")
const tooLong = TokenVerifier.refused("Malformed")
