/** The items that a reader sees of the texts behind a position. */
import * as Journal from "@parley/mesh/Journal"
import type { Behind } from "./Log.ts"

/** The texts that were stored since a time, and the gaps between them. @internal */
export const itemsOf = (
  { head, texts }: Behind,
  after: number,
  since: number,
  most?: number
): ReadonlyArray<Journal.Item> => Journal.itemsOf(after, head.facts.last, texts.filter(({ at }) => at >= since), most)
