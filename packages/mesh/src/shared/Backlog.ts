/**
 * Things that wait for room in an engine, in their order, up to a weight. It is for an engine of your own, whose server takes
 * less than it is sent.
 *
 * ```ts run
 * import { Backlog } from "@parley/mesh/shared"
 *
 * const backlog = Backlog.make<{ readonly name: string; readonly weight: number }>(20_000)
 * const add = (name: string, weight: number) => backlog.add({ name, weight })
 *
 * // The last quarter is for small things, such as the beats of nodes.
 * console.log(add("large", 10_000), add("larger", 15_000), add("small", 4_000)) // => true false true
 * console.log([...backlog].map(({ name }) => name)) // => [ 'large', 'small' ]
 * ```
 *
 * @since 0.1.0
 */

/**
 * A thing that waits.
 *
 * @category models
 * @since 0.1.0
 */
export interface Waiting {
  /** Its characters or bytes, and about as much as it costs beside them. */
  readonly weight: number
}

/**
 * Things that wait, in the order in which they were added.
 *
 * @category models
 * @since 0.1.0
 */
export interface Backlog<A extends Waiting> extends Iterable<A> {
  /** The one that waits longest; `undefined` where none waits. */
  readonly first: () => A | undefined
  /** Adds a thing; `false` where there is no room for it. One that waits alone always has room. */
  readonly add: (item: A) => boolean
  /** Takes a thing away; `false` where it does not wait. */
  readonly delete: (item: A) => boolean
}

/**
 * A backlog of no more than this weight, 64 Mi by default. Three quarters of it are for all things, and the last quarter for
 * those of up to 4 Ki.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <A extends Waiting>(most: number = mostWaiting): Backlog<A> => {
  const items = new Set<A>()
  let weight = 0
  return {
    [Symbol.iterator]: () => items.values(),
    first: () => items.values().next().value,
    add: (item) => {
      const bound = item.weight > small ? 0.75 * most : most
      if (items.size > 0 && weight + item.weight > bound) return false
      items.add(item)
      weight += item.weight
      return true
    },
    delete: (item) => {
      if (!items.delete(item)) return false
      weight -= item.weight
      return true
    }
  }
}

/** The weight of things that may wait by default. @category models @since 0.1.0 */
export const mostWaiting = 67_108_864

/** The weight of a thing that may wait where larger ones may not. */
const small = 4_096
