/**
 * Lists of a server that takes its time. Whoever comes first waits for a while, and has what was known before after that.
 * Nobody waits again, on whatever connection, until the server has given a list in time.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { Feature } from "../../server/Feature.ts"

type Features = ReadonlyArray<Feature>

/** Milliseconds that somebody waits for lists: a server that is slow must not hold up the others. */
const patience = 5_000

/** @internal */
export class SlowLists {
  readonly #scope: Scope.Scope
  readonly #onLate: () => void
  /** The keys of the connections that are still read. */
  readonly #late = new Set<unknown>()
  /** Whether somebody has waited in vain, and nobody has had a list in time since. */
  #isSlow = false

  constructor(scope: Scope.Scope, onLate: () => void) {
    this.#scope = scope
    this.#onLate = onLate
  }

  /** The features that a connection gives in time; else those that are known. */
  read<E>(key: unknown, read: Effect.Effect<Features, E>, known: () => Features): Effect.Effect<Features> {
    return Effect.suspend(() => {
      if (this.#late.has(key)) return Exit.succeed(known())
      if (this.#isSlow) return this.#later(key, read, known)
      // The lists of nobody in particular are better than none, and than waiting.
      return Effect.matchEffect(Effect.timeoutOption(read, patience), {
        onFailure: () => Exit.succeed(known()),
        onSuccess: (features) => {
          this.#isSlow = Option.isNone(features)
          return Option.isSome(features) ? Exit.succeed(features.value) : this.#later(key, read, known)
        }
      })
    })
  }

  /** Waits for a server that has never been reached, unless somebody has waited in vain. */
  first(ready: Effect.Effect<unknown, unknown>): Effect.Effect<void> {
    return Effect.suspend(() =>
      this.#isSlow
        ? Effect.void
        : Effect.map(Effect.timeoutOption(Effect.exit(ready), patience), (ended) => {
          this.#isSlow = Option.isNone(ended)
        })
    )
  }

  /**
   * Gives what is known, and goes on with a read that takes too long. Clients hear of its end where it has other features
   * than they were given: they list again then, so a read that fails must not tell them.
   */
  #later<E>(key: unknown, read: Effect.Effect<Features, E>, known: () => Features): Effect.Effect<Features> {
    return Effect.suspend(() => {
      const given = known()
      if (this.#late.has(key)) return Exit.succeed(given)
      this.#late.add(key)
      const done = Effect.onExit(Effect.timeoutOption(read, longest), (exit) =>
        Effect.sync(() => {
          this.#late.delete(key)
          if (Exit.isFailure(exit) || Option.isNone(exit.value)) return
          this.#isSlow = false
          const features = exit.value.value
          if (features !== given || features !== known()) this.#onLate()
        }))
      return Effect.as(Effect.forkIn(Effect.ignore(done), this.#scope), given)
    })
  }
}

/** Milliseconds after which a list that has not come is asked for again when somebody wants it. */
const longest = 120_000
