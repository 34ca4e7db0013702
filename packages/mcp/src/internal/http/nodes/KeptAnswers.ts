/**
 * Answers to questions of processes that cannot be reached, whose clients have been told so. Most clients do not send them
 * again, and the questions would wait for their own timeouts after the processes can be reached.
 */
import { Weight } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import { Shares } from "../../../shared/Shares.ts"

/** How many answers are kept, and how many of one party. */
export const most = { all: 256, ofOne: 16 }

/** The weight of an answer beyond which it is not kept. */
export const heaviest = 65_536

/** The same for the errors that stand in for answers which are not kept. */
export const stands = { all: 4_096, ofOne: 256, heaviest: 1_024 }

/** An answer, and how it is delivered. */
export interface Answer<A> {
  readonly party: string
  readonly text: string
  /** The error that ends its question without it. */
  readonly lost: () => string
  readonly deliver: (text: string, kind: "answer" | "error") => Effect.Effect<A>
}

export class KeptAnswers {
  readonly #answers = new Shares(most.all, most.ofOne)
  readonly #stands = new Shares(stands.all, stands.ofOne)

  /** Delivers an answer, else the error that stands in for it, where there is room. */
  keep<A>({ deliver, lost, party, text }: Answer<A>): Effect.Effect<A | void> {
    return Effect.suspend((): Effect.Effect<A | void> => {
      if (Weight.ofWaiting(text) <= heaviest && this.#answers.fullFor(party) === undefined) {
        return during(this.#answers, party, deliver(text, "answer"))
      }
      const error = lost()
      const hasRoom = Weight.ofWaiting(error) <= stands.heaviest && this.#stands.fullFor(party) === undefined
      return hasRoom ? during(this.#stands, party, deliver(error, "error")) : Effect.void
    })
  }
}

const during = <A>(shares: Shares, party: string, effect: Effect.Effect<A>): Effect.Effect<A> => {
  shares.take(party)
  return Effect.ensuring(effect, Effect.sync(() => shares.give(party)))
}
