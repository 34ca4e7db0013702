/**
 * A row of what is measured under load: the cost of one unit (a call, an item, a member, a text) where there are few of
 * something and where there are many.
 *
 * `subjects/` has a module for each row, which opens the load of a subject for a number of them. It imports Parley by
 * the names of its packages, so that `load.ts` can run it with another checkout.
 */

/** A load that is there. */
export interface Load {
  /** How many there are in all, where a load has more than one of so many. */
  readonly total?: number | undefined
  /** Shows the optimizer what is hot, where a few turns would not. */
  readonly warmUp?: (() => Promise<void>) | undefined
  /** What has to be there before each turn, and does not count. */
  readonly prepare?: (() => Promise<void>) | undefined
  /** Does some of the work, and returns how many units that were. */
  readonly turn: () => Promise<number>
  readonly close: () => Promise<void> | void
}

/** Makes a load of so many. */
export type Open = (count: number) => Promise<Load>

/** By the name of the library; `floor` is written by hand. */
export interface Subjects {
  readonly parley: Open
  readonly [name: string]: Open
}

export interface Row {
  /** Below `loaded/`. */
  readonly name: string
  /** What there is so many of. */
  readonly title: string
  /** What the cost is for. */
  readonly unit: string
  /** How many of them, in their order. */
  readonly counts: ReadonlyArray<number>
  /** From how many on the costs are compared, where that is not `least`. */
  readonly from?: number | undefined
  /** Those of its module. */
  readonly subjects: ReadonlyArray<string>
  /**
   * Of which memory a count has its share: the heap that is held while the load is there (`held`), or the growth of the
   * resident memory at its peak (`peak`), of the largest count.
   */
  readonly memory: "held" | "peak"
  /** How often each load is measured, in turn with the others, so that the median counts. Once where it is absent. */
  readonly rounds?: number | undefined
  /** Whether it measures what older checkouts do not have. */
  readonly isNew?: boolean | undefined
  /** What is done, in a sentence of the page. */
  readonly words: string
  /** Why the cost per unit rises, as profiles say, where it does. */
  readonly why?: string | undefined
}
