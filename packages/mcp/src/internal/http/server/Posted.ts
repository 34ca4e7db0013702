/**
 * A text that was posted: what its JSON weighs counts on a budget from before it is parsed until it is answered, which
 * may be after its client has left.
 */
import type * as Session from "@parley/peer/Session"
import { Weight } from "@parley/protocol/shared"
import type { Budget } from "@parley/transport/shared"
import * as Effect from "effect/Effect"
import type { Party } from "../quota/Parties.ts"

/** @internal */
export class Posted {
  readonly decoded: Session.Decoded
  readonly #share: Budget.Share
  #isAnswered = false
  #party: Party | undefined
  #calls = 0

  private constructor(decoded: Session.Decoded, share: Budget.Share) {
    this.decoded = decoded
    this.#share = share
  }

  /** Reads a text; nothing where there is no room for it. */
  static readonly read = (
    text: string,
    budget: Budget.Budget,
    decode: (text: string, weight: number) => Session.Decoded
  ): Posted | undefined => {
    const weight = Weight.ofText(text)
    const share = budget.share()
    // One that outweighs all that there is, is refused without being parsed.
    if (weight <= budget.limit && !share.fits(weight)) {
      share.close()
      return undefined
    }
    share.take(weight)
    return new Posted(decode(text, weight), share)
  }

  /** The weight of the text and its JSON together, for what keeps both. */
  get weight(): number {
    return this.decoded.size + this.decoded.weight
  }

  /** So many calls of it count on the quota of a party, as long as its weight counts. */
  count(party: Party, calls: number) {
    this.#party = party
    this.#calls = calls
  }

  /** Answers it, and gives its weight back at the end of that, whoever waits. */
  answered<A>(answer: Effect.Effect<A>): Effect.Effect<A> {
    const begun = Effect.suspend(() => {
      this.#isAnswered = true
      return answer
    })
    return Effect.onExitPrimitive(begun, () => {
      this.#close()
      return undefined
    })
  }

  /** Gives the weight back, unless the text is being answered. */
  leave() {
    if (!this.#isAnswered) this.#close()
  }

  #close() {
    this.#share.close()
    this.#party?.give("calls", this.#calls)
    this.#party = undefined
  }
}
