/**
 * The results of a server that its client keeps are bounded by their weight: one entry may be as long as a message.
 */
import { Weight } from "@parley/protocol/shared"
import { memoize } from "effect/Function"

/** The weight of a result. A page is weighed once, however many keep it. @internal */
export const weightOf = memoize((result: object) => Weight.ofText(JSON.stringify(result)))

/** Bounds a list that is given all at once, the results that are kept, and the tools that are known: 64 MiB each. @internal */
export const mostWeight = 64 * 1024 * 1024
