import { Weight } from "@parley/protocol/shared"
import type { Received } from "@parley/transport/Transport"

/**
 * The weight of received texts while they are passed on: each is there as it was received, and as the copy that is made
 * of it. Bad frames keep little.
 */
export const weightOf = (received: ReadonlyArray<Received>): number =>
  received.reduce((sum, each) => typeof each === "string" ? sum + 2 * Weight.ofWaiting(each) : sum, 0)
