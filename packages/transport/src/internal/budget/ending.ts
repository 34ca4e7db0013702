/**
 * Which share of a budget gives way to the others. The `Budget` owns when one has to.
 */

/** A share whose connection can be ended. */
export interface Candidate {
  /** The weight that it takes of the budget. */
  readonly held: number
  /** The weight that it keeps beside that, for want of room. */
  readonly kept: number
  /** It was told to end, and has not given back everything yet. */
  readonly isLeaving: boolean
  readonly reader: "none" | "waiting" | "stalled"
}

export const isStalled = ({ reader }: Candidate): boolean => reader === "stalled"

/** The weight that is left of what is taken, once all that were told to end have given back theirs. */
export const leftOf = (candidates: Iterable<Candidate>, taken: number): number => {
  let left = taken
  for (const candidate of candidates) if (candidate.isLeaving) left -= candidate.held
  return left
}

/** The heaviest above a weight that can be told to end. */
export const heaviestOf = <C extends Candidate>(
  candidates: Iterable<C>,
  least: number,
  mayEnd: (candidate: C) => boolean
): C | undefined => {
  let heaviest: C | undefined
  for (const candidate of candidates) {
    if (!candidate.isLeaving && candidate.held > (heaviest?.held ?? least) && mayEnd(candidate)) heaviest = candidate
  }
  return heaviest
}

/** The one that keeps the most, where all together keep too much. One may always keep something alone. */
export const keeperOf = <C extends Candidate>(candidates: Iterable<C>, most: number): C | undefined => {
  let [count, sum] = [0, 0]
  let keeper: C | undefined
  for (const candidate of candidates) {
    if (candidate.isLeaving || candidate.kept === 0) continue
    count++
    sum += candidate.kept
    if (candidate.kept > (keeper?.kept ?? 0)) keeper = candidate
  }
  return count > 1 && sum > most ? keeper : undefined
}
