/**
 * What waits for its turn, in the order it came: an array with a moving head,
 * because a shift of a long array moves all of it.
 */

/** @internal */
export interface Inbox<A> {
  readonly push: (item: A) => void
  readonly peek: () => A | undefined
  readonly shift: () => void
  readonly find: (predicate: (item: A) => boolean) => A | undefined
  readonly remove: (item: A) => void
  readonly removeAll: (predicate: (item: A) => boolean) => ReadonlyArray<A>
  readonly count: () => number
  /** The sizes of all items together. */
  readonly size: () => number
}

/** How far the head moves before what lies behind it is let go. */
const slack = 1024

/** @internal */
export const make = <A extends { readonly size: number }>(): Inbox<A> => {
  let items: Array<A> = []
  let head = 0
  let size = 0

  const keep = (kept: Array<A>) => {
    items = kept
    head = 0
  }

  const take = (predicate: (item: A) => boolean) => {
    const waiting = items.slice(head)
    const taken = waiting.filter(predicate)
    keep(waiting.filter((item) => !predicate(item)))
    for (const item of taken) size -= item.size
    return taken
  }

  return {
    push: (item) => {
      items.push(item)
      size += item.size
    },
    peek: () => items[head],
    shift: () => {
      size -= items[head]?.size ?? 0
      head++
      if (head === items.length) keep([])
      else if (head >= slack) keep(items.slice(head))
    },
    find: (predicate) => {
      for (let at = head; at < items.length; at++) {
        const item = items[at]
        if (item !== undefined && predicate(item)) return item
      }
      return undefined
    },
    remove: (item) => {
      take((other) => other === item)
    },
    removeAll: take,
    count: () => items.length - head,
    size: () => size
  }
}
