/**
 * Checks of tokens, and the tokens that they found valid: a client sends the same token with each request.
 *
 * Only valid tokens are remembered. A check that runs, or that refused its token, displaces none of them, and a principal
 * with too many tokens displaces its own.
 */
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { type AccessToken, nameOf } from "../../AccessToken.ts"
import * as TokenVerifier from "../../TokenVerifier.ts"
import * as bounds from "./bounds.ts"
import { isOver } from "./claims.ts"

/** A check that runs, for all who brought the same token. */
interface Running {
  readonly fiber: Fiber.Fiber<AccessToken, TokenVerifier.TokenRefused | TokenVerifier.VerifierUnavailable>
  waiting: number
}

/**
 * Those who bring the same token at the same time share one check. It ends when the last of them has left.
 *
 * @internal
 */
export const make = (
  check: (token: string) => Effect.Effect<AccessToken, TokenVerifier.Reason | TokenVerifier.VerifierUnavailable>,
  options: { readonly cacheFor?: Duration.Input | undefined; readonly tolerance: number }
): Effect.Effect<TokenVerifier.TokenVerifier["verify"]> =>
  Effect.sync(() => {
    const cacheFor = Duration.toMillis(Duration.fromInputUnsafe(options.cacheFor ?? bounds.defaultCacheFor))
    const valid = new ValidTokens()
    const running = new Map<string, Running>()

    const begin = (text: string): Effect.Effect<Running> =>
      Effect.contextWith((context: Context.Context<never>) =>
        Effect.sync(() => {
          const checked = Effect.tap(
            Effect.mapError(check(text), named),
            (token) => Effect.map(Clock.currentTimeMillis, (now) => valid.add(text, token, now + cacheFor))
          )
          const fiber = Effect.runForkWith(context)(checked)
          const started = { fiber, waiting: 0 }
          running.set(text, started)
          fiber.addObserver(() => running.get(text) === started && running.delete(text))
          return started
        })
      )

    const checked = (text: string) =>
      Effect.acquireUseRelease(
        Effect.suspend(() => {
          const known = running.get(text)
          return Effect.tap(known === undefined ? begin(text) : Effect.succeed(known), (one) => {
            one.waiting++
            return Effect.void
          })
        }),
        ({ fiber }) => Fiber.join(fiber),
        (one) =>
          Effect.sync(() => {
            if (--one.waiting > 0) return
            if (running.get(text) === one) running.delete(text)
            one.fiber.interruptUnsafe()
          })
      )

    return (token) => {
      const text = Redacted.value(token)
      if (text.length > bounds.longestToken) return Effect.fail(tooLong)
      return Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const known = valid.get(text, now)
        if (known !== undefined) return living(known, now, options.tolerance)
        // The time of a token may end while it is checked.
        return Effect.flatMap(
          checked(text),
          (token) => Effect.flatMap(Clock.currentTimeMillis, (now) => living(token, now, options.tolerance))
        )
      })
    }
  })

const living = (token: AccessToken, now: number, tolerance: number) =>
  isOver(token.expiresAt, now, tolerance) ? Effect.fail(expired) : Effect.succeed(token)

interface Valid {
  readonly token: AccessToken
  readonly until: number
  readonly party: Set<string>
}

/** Valid tokens by their texts, and the texts of each principal. Of each, the first was unused for longest. */
class ValidTokens {
  readonly #tokens = new Map<string, Valid>()
  readonly #parties = new Map<string, Set<string>>()

  get(text: string, now: number): AccessToken | undefined {
    const known = this.#tokens.get(text)
    if (known === undefined) return undefined
    this.#remove(text, known)
    if (known.until <= now) return undefined
    this.#set(text, known.token, known.until)
    return known.token
  }

  add(text: string, token: AccessToken, until: number) {
    const known = this.#tokens.get(text)
    if (known !== undefined) this.#remove(text, known)
    const party = this.#set(text, token, until)
    const crowded = party.size > bounds.rememberedOfOne
      ? party
      : this.#tokens.size > bounds.rememberedTokens
      ? this.#tokens.keys()
      : []
    for (const oldest of crowded) {
      const one = this.#tokens.get(oldest)
      if (one !== undefined) this.#remove(oldest, one)
      return
    }
  }

  #set(text: string, token: AccessToken, until: number): Set<string> {
    const name = nameOf(token)
    const party = this.#parties.get(name) ?? new Set()
    this.#parties.set(name, party.add(text))
    this.#tokens.set(text, { token, until, party })
    return party
  }

  #remove(text: string, { party, token }: Valid) {
    this.#tokens.delete(text)
    party.delete(text)
    if (party.size === 0) this.#parties.delete(nameOf(token))
  }
}

const named = (error: TokenVerifier.Reason | TokenVerifier.VerifierUnavailable) =>
  typeof error === "string" ? TokenVerifier.refused(error) : error

const expired = TokenVerifier.refused("Expired")
const tooLong = TokenVerifier.refused("Malformed")
