/**
 * How the laws of engines and journals let time pass, for both clocks: that of a test, and the real one. A law never says
 * that something has happened by a moment, but waits until it has, for as long as its patience.
 */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import { type Broken, broken } from "../laws.ts"

/**
 * How time passes, in milliseconds.
 *
 * @category models
 * @since 0.1.0
 */
export interface Timing {
  /** Lets so many milliseconds pass: `Effect.sleep` by default. `TestClock.adjust` where time is that of a test. */
  readonly wait?: ((milliseconds: number) => Effect.Effect<void>) | undefined
  /** The lease of nodes that a law wants to die, and how long a journal keeps a text that has to go. 1,000 by default. */
  readonly lease?: number | undefined
  /** How long a law waits for what has to come: several leases, and the bound of the slowest answer. 15,000 by default. */
  readonly patience?: number | undefined
}

/** The lease of nodes that live for as long as their law. */
export const long = 120_000

/** A growing pause between two looks: short first, as most of what has to come is there at once. */
const pauses = { first: 2, growth: 1.5, longest: 100 }

export class Time {
  readonly lease: number
  readonly wait: (milliseconds: number) => Effect.Effect<void>
  readonly #patience: number

  constructor({ lease = 1_000, patience = 15_000, wait = Effect.sleep }: Timing) {
    this.lease = lease
    this.wait = wait
    this.#patience = patience
  }

  /** Waits until a look gives something. */
  readonly until = <A, E, R>(
    what: string,
    look: Effect.Effect<A | undefined, E, R>
  ): Effect.Effect<A, E | Broken, R> =>
    Effect.gen({ self: this }, function*() {
      for (let waited = 0, pause = pauses.first; waited < this.#patience;) {
        yield* settled
        const seen = yield* look
        if (seen !== undefined) return seen
        yield* this.wait(pause)
        waited += pause
        pause = Math.min(pauses.longest, pause * pauses.growth)
      }
      return yield* broken(`${what}, for ${this.#patience} ms`)
    })

  /** Waits until something holds. */
  readonly untilTrue = <E, R>(
    what: string,
    look: Effect.Effect<boolean, E, R>
  ): Effect.Effect<true, E | Broken, R> => this.until(what, Effect.map(look, (holds) => holds || undefined))

  /** Waits until an effect succeeds, and gives something. */
  readonly untilSuccess = <A, E, R>(
    what: string,
    effect: Effect.Effect<A | undefined, E, R>
  ): Effect.Effect<A, Broken, R> => this.until<A, never, R>(what, Effect.catch(effect, () => Effect.undefined))

  /** How an effect ends. One that does not end breaks the law. */
  readonly ended = <A, E, R>(
    what: string,
    effect: Effect.Effect<A, E, R>
  ): Effect.Effect<Exit.Exit<A, E>, Broken, R> =>
    Effect.gen({ self: this }, function*() {
      const fiber = yield* Effect.forkChild(effect, { startImmediately: true })
      return yield* this.until<Exit.Exit<A, E>, never, never>(
        `${what} has not ended`,
        Effect.sync(() => fiber.pollUnsafe())
      )
    })
}

/** Lets all go on that can. */
export const settled = Effect.forEach(Array.from({ length: 30 }), () => Effect.yieldNow, { discard: true })
