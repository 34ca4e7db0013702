/**
 * One bound that many parties share, so that none of them can use all of it.
 *
 * A party is a principal; else an address where proxies tell it; else a session or connection. Callers that nothing tells apart
 * are no party. All callers that are no principals leave a part of the bound to those that are: they may come as often as they
 * like under other connections.
 */

/** The user of a part of a bound: a text, or an object that stays the same; `undefined` for callers that look alike. */
export type Party = string | object | undefined

const principals = "principal "

/** The party of a principal. */
export const ofPrincipal = (name: string): string => `${principals}${name}`

const isPrincipal = (party: Party): boolean => typeof party === "string" && party.startsWith(principals)

/** Why a party may have no more: the whole bound is used up, its own share, or that of all who are no principals. */
export type Full = "all" | "own" | "unnamed"

/** One bound, and who has how much of it. */
export class Shares {
  readonly most: number
  readonly mostOfOne: number
  /** How many all may have together that are no principals. */
  readonly mostUnnamed: number
  readonly #byParty = new Map<Party, number>()
  #size = 0
  #unnamed = 0

  /** Partial: throws a `RangeError` for what is no bound, such as the number of a variable that is not set. */
  constructor(most: number, mostOfOne: number) {
    for (const bound of [most, mostOfOne]) {
      if (bound >= 1 && (bound === Infinity || Number.isSafeInteger(bound))) continue
      throw new RangeError(`a bound is ${bound}, but must be a whole number of at least 1, or Infinity`)
    }
    this.most = most
    this.mostOfOne = mostOfOne
    this.mostUnnamed = most - Math.min(mostOfOne, Math.floor(most / 4))
  }

  get size(): number {
    return this.#size
  }

  of(party: Party): number {
    return this.#byParty.get(party) ?? 0
  }

  /**
   * Whether, and why, a party may have no more, or not so many more. The narrowest bound comes first: what makes room is of
   * those who count for it, so nobody who is no principal takes the place of one beyond `mostUnnamed`.
   */
  fullFor(party: Party, many = 1): Full | undefined {
    if (party !== undefined && this.of(party) + many > this.mostOfOne) return "own"
    if (!isPrincipal(party) && this.#unnamed + many > this.mostUnnamed) return "unnamed"
    return this.#size + many > this.most ? "all" : undefined
  }

  /** The bound that is used up, as a number for people. */
  boundOf(full: Full): number {
    return full === "all" ? this.most : full === "own" ? this.mostOfOne : this.mostUnnamed
  }

  /** Whether what a party has counts for a bound. */
  counts(full: Full, party: Party, holder: Party): boolean {
    return full === "all" || (full === "own" ? holder === party : !isPrincipal(holder))
  }

  take(party: Party, many = 1) {
    this.#add(party, many)
  }

  give(party: Party, many = 1) {
    this.#add(party, -many)
  }

  #add(party: Party, many: number) {
    const now = this.of(party) + many
    if (now > 0) this.#byParty.set(party, now)
    else this.#byParty.delete(party)
    this.#size += many
    if (!isPrincipal(party)) this.#unnamed += many
  }
}
