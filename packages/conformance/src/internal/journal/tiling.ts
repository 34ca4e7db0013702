/** The items that a reader sees of a key: texts and gaps that follow each other without a hole. */
import type { Item } from "@parley/mesh/Journal"
import type { Verdict } from "../laws/Law.ts"
import { show } from "../mesh/texts.ts"

export const entry = (position: number, text: string): Item => ({ _tag: "Entry", position, text })

export const gap = (after: number, before: number): Item => ({ _tag: "Gap", after, before })

/** The first difference between what was read and what should have been. */
export const differ = (what: string, expected: ReadonlyArray<Item>, got: ReadonlyArray<Item>): Verdict =>
  textOf(got) === textOf(expected) ? undefined : `${what} gave ${show(textOf(got))} and not ${show(textOf(expected))}`

const textOf = (items: ReadonlyArray<Item>) =>
  items.map((item) => item._tag === "Gap" ? `(${item.after}…${item.before})` : `${item.position} ${item.text}`).join(
    ", "
  )

/** Finds a hole, or a text that is not the one of its position, in what a reader has seen since a position. */
export const tiles = (after: number, items: ReadonlyArray<Item>, textAt: (position: number) => string): Verdict => {
  let place = after
  for (const item of items) {
    const from = item._tag === "Gap" ? item.after : item.position - 1
    if (from !== place) return `behind the position ${place} came ${show(item)}`
    if (item._tag === "Entry" && item.text !== textAt(item.position)) {
      return `the text of the position ${item.position} is ${show(item.text)} and not ${show(textAt(item.position))}`
    }
    place = item._tag === "Gap" ? item.before - 1 : item.position
  }
  return undefined
}

/** The position that the items reach. */
export const reach = (items: ReadonlyArray<Item>): number => {
  const last = items.at(-1)
  return last === undefined ? 0 : last._tag === "Gap" ? last.before - 1 : last.position
}
