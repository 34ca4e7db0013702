/** Items of journals. */
import type { Item } from "@parley/mesh/Journal"

export const entry = (position: number, text: string): Item => ({ _tag: "Entry", position, text })

export const gap = (after: number, before: number): Item => ({ _tag: "Gap", after, before })
