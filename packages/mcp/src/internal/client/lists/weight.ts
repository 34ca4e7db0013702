/**
 * The results of a server that its client keeps are bounded by their weight: one entry may be as long as a message.
 */
import { Weight } from "@parley/protocol/shared"

/** The weight of a result. @internal */
export const weightOf = (result: object): number => {
  const known = weights.get(result)
  if (known !== undefined) return known
  const weight = Weight.ofText(JSON.stringify(result))
  weights.set(result, weight)
  return weight
}

/** A page is weighed once, however many keep it. */
const weights = new WeakMap<object, number>()

/** Bounds a list that is given all at once, the results that are kept, and the tools that are known: 64 MiB each. @internal */
export const mostWeight = 64 * 1024 * 1024
