/**
 * Where a writer of values takes its decisions from: a list of numbers, and 0 where it has ended. The choice 0 is always
 * the plainest, so that a shorter list with smaller numbers gives a plainer value.
 */

/** The decisions of one value. */
export interface Choices {
  /** A whole number from 0 that is less than the count. */
  readonly next: (count: number) => number
  /** Whether something that may be left out is there. */
  readonly isThere: () => boolean
}

/** The decisions of a list. */
export const of = (numbers: ReadonlyArray<number>): Choices => {
  let at = 0
  const next = (count: number): number => count <= 1 ? 0 : (numbers[at++] ?? 0) % count
  return { next, isThere: () => next(2) === 1 }
}

/** Decisions that differ from others by so much, wherever there is a choice. */
export const shifted = ({ isThere, next }: Choices, by: number): Choices =>
  by === 0 ? { isThere, next } : { isThere, next: (count) => (next(count) + by) % Math.max(1, count) }

/** A decision of a run in which one is different. */
interface Decision {
  readonly count: number
}

/** The most choices of one decision that are tried. */
const mostOfOne = 24

/**
 * Runs a writer with the plainest decisions, then once for each decision and each choice that it has beside, with all
 * others as they were. Twice: without what may be left out, and with all of it. Ends after so many runs.
 */
export const around = <A>(most: number, run: (choices: Choices) => A): ReadonlyArray<A> => {
  const found: Array<A> = []
  for (const isThere of [false, true]) {
    const decisions: Array<Decision> = []
    const plain = (count: number): number => {
      if (count > 1) decisions.push({ count })
      return 0
    }
    found.push(run({ next: plain, isThere: () => plain(2) === 0 && isThere }))
    const left = Math.floor(most / 2)
    let runs = 0
    for (const [index, { count }] of decisions.entries()) {
      for (let choice = 1; choice < Math.min(count, mostOfOne) && runs < left; choice++) {
        let at = 0
        const next = (count: number): number => count <= 1 ? 0 : at++ === index ? choice % count : 0
        found.push(run({ next, isThere: () => (next(2) === 1) !== isThere }))
        runs++
      }
    }
  }
  return found
}
