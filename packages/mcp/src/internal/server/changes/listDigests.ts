/** Digests that tell the lists of one process from those of another, for sessions that go on there. */
import { memoize } from "effect/Function"
import type { ConnectionRecord } from "../../../server/Connection.ts"
import type { Listed } from "../../../server/ServerChanges.ts"
import { listOf, type Offer } from "../definition/Offer.ts"

type Digests = Exclude<ConnectionRecord["lists"], undefined>

/** A digest of each list of an offer: equal for equal definitions, in whatever order. @internal */
export const listDigests = memoize((offer: Offer): Digests => {
  const texts: Record<Listed, Array<string>> = { tools: [], prompts: [], resources: [] }
  for (const bound of offer.all) texts[listOf(bound)].push(JSON.stringify(bound.feature.info))
  return { tools: digest(texts.tools), prompts: digest(texts.prompts), resources: digest(texts.resources) }
})

/** FNV-1a twice, from different beginnings: no secret depends on it, and a change that it misses is told by no list. */
const digest = (texts: ReadonlyArray<string>): string => {
  let [one, other] = [0x811c9dc5, 0x9747b28c]
  for (const text of texts.toSorted()) {
    for (let at = 0; at <= text.length; at++) {
      const unit = at < text.length ? text.charCodeAt(at) : 0xffff
      one = Math.imul(one ^ unit, 0x01000193)
      other = Math.imul(other ^ unit, 0x01000193) + 1
    }
  }
  return ((one >>> 0) * 0x200000 + (other >>> 11)).toString(36)
}
