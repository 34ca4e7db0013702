/**
 * What the client keeps of a server's results is bounded by its weight: a server may make one entry as long as a message.
 */
import * as Weight from "@parley/protocol/text/Weight"

/** What a result weighs. @internal */
export const weightOf = (result: object): number => {
  const known = weights.get(result)
  if (known !== undefined) return known
  const weight = Weight.ofText(JSON.stringify(result))
  weights.set(result, weight)
  return weight
}

/** A page is weighed once, however many keep it. */
const weights = new WeakMap<object, number>()

/** What a list that is given all at once may weigh, what is kept of results, and what is remembered of tools: 64 MiB. @internal */
export const mostWeight = 64 * 1024 * 1024
