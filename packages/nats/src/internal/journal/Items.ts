/** What a reader sees of the texts behind a position. */
import type { Item } from "@parley/mesh/Journal"
import type { Behind } from "./Log.ts"

/** The texts that were stored since a time, and the gaps between them. @internal */
export const itemsOf = ({ head, texts }: Behind, after: number, since: number): ReadonlyArray<Item> => {
  const { last } = head.facts
  if (after > last) return [{ _tag: "Gap", after, before: last + 1 }]
  const items: Array<Item> = []
  let place = after
  for (const { at, position, text } of texts) {
    if (at < since) continue
    if (position > place + 1) items.push({ _tag: "Gap", after: place, before: position })
    items.push({ _tag: "Entry", position, text })
    place = position
  }
  if (place < last) items.push({ _tag: "Gap", after: place, before: last + 1 })
  return items
}
