/**
 * Answers to questions of processes that cannot be reached, whose clients have been told so. Most clients do not send them
 * again, and the questions would wait for their own timeouts after the processes can be reached.
 */
import * as Effect from "effect/Effect"
import { Shares } from "../../Shares.ts"

/** How many are kept, and how many of one party. */
export const most = { all: 256, ofOne: 16 }

/** The weight of a text beyond which it is not kept. */
export const heaviest = 65_536

export class KeptAnswers {
  readonly #shares = new Shares(most.all, most.ofOne)

  /** Runs what delivers an answer of a party, where there is room for it. */
  during<A>(party: string, weight: number, deliver: Effect.Effect<A>, otherwise: A): Effect.Effect<A> {
    return Effect.suspend(() => {
      if (weight > heaviest || this.#shares.fullFor(party) !== undefined) return Effect.succeed(otherwise)
      this.#shares.take(party)
      return Effect.ensuring(deliver, Effect.sync(() => this.#shares.give(party)))
    })
  }
}
