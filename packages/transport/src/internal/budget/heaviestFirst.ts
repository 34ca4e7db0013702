/**
 * Shares of a budget, the heaviest first.
 *
 * A share that grows takes its place at once. One that shrinks keeps it until it comes first: so giving back costs
 * nothing, and growing a time that grows with the logarithm of their number.
 */
import { absent, LeastFirst, type Waiting } from "../leastFirst.ts"

/** A share in one order. */
export class Rank<Share> implements Waiting {
  need = 0
  since = 0
  place = absent
  readonly share: Share

  constructor(share: Share) {
    this.share = share
  }
}

export class HeaviestFirst<Share> {
  readonly #ranks = new LeastFirst<Rank<Share>>()
  readonly #weightOf: (share: Share) => number

  constructor(weightOf: (share: Share) => number) {
    this.#weightOf = weightOf
  }

  /** Puts a share into the order, or where it belongs now if it has grown. */
  add(rank: Rank<Share>): void {
    this.#ranks.add(rank, -this.#weightOf(rank.share))
  }

  delete(rank: Rank<Share>): void {
    this.#ranks.delete(rank)
  }

  /** The heaviest, if one weighs more than this. */
  above(least: number): Rank<Share> | undefined {
    for (let { first } = this.#ranks; first !== undefined; first = this.#ranks.first) {
      const weight = this.#weightOf(first.share)
      if (weight === -first.need) return weight > least ? first : undefined
      this.#ranks.delete(first)
      this.#ranks.add(first, -weight)
    }
    return undefined
  }
}
