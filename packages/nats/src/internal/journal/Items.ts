/** The items that a reader sees of the texts behind a position. */
import * as Journal from "@parley/mesh/Journal"
import type { Behind } from "./Log.ts"

/** The texts, and the gaps between them. @internal */
export const itemsOf = ({ head, texts }: Behind, after: number, most?: number): ReadonlyArray<Journal.Item> =>
  Journal.itemsOf(after, head.facts.last, texts, most)
