/**
 * Things that are turned into others all at once, because they share names.
 */

/** @internal */
export interface Pool<in out A, in out B> {
  /** Says what the thing became, once all have been turned. */
  readonly add: (item: A) => () => B
  readonly items: () => ReadonlyArray<A>
  /** In the order of `items`. */
  readonly turn: (turned: ReadonlyArray<B>) => void
}

/** @internal */
export const make = <A, B>(instead: B): Pool<A, B> => {
  const items: Array<A> = []
  let turned: ReadonlyArray<B> = []
  return {
    add: (item) => {
      const index = items.push(item) - 1
      return () => turned[index] ?? instead
    },
    items: () => items,
    turn: (all) => {
      turned = all
    }
  }
}
