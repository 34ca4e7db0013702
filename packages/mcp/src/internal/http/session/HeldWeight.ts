/**
 * Bounds the total memory held for sessions. When it is exceeded, the heaviest session is chosen to end.
 */
import { Weight } from "@parley/protocol/shared"
import type { ConnectionRecord } from "../../../server/Connection.ts"

/** A part that can be ended: how much it holds of each sum. @internal */
export type Part = Record<"kept" | "left", number>

/** @internal */
export class HeldWeight<A extends Part> {
  /** The member that holds the weight of each part. */
  readonly #at: keyof Part
  readonly #most: number
  #sum = 0

  constructor(at: keyof Part, most: number) {
    this.#at = at
    this.#most = most
  }

  /** Weighs a part anew. */
  set(part: A, weight: number) {
    this.#sum += weight - part[this.#at]
    part[this.#at] = weight
  }

  /** The heaviest of some parts, where all together are too heavy. Those that hold little stay, whoever floods us. */
  excess(parts: Iterable<A>): A | undefined {
    if (this.#sum <= this.#most) return undefined
    let heaviest: A | undefined
    for (const part of parts) if (heaviest === undefined || part[this.#at] > heaviest[this.#at]) heaviest = part
    return heaviest
  }
}

/** The weight of a session with this record. @internal */
export const weightOf = ({ clientCapabilities, clientInfo, subscriptions }: ConnectionRecord): number =>
  subscriptions.reduce(
    (sum, { length }) => sum + perSubscription + 2 * length,
    perSession + Weight.ofText(JSON.stringify([clientCapabilities, clientInfo]))
  )

/** A session of which nothing is said: measured on Node 24. */
const perSession = 4_096

const perSubscription = 64
