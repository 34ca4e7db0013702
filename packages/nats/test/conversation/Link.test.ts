import { it } from "@effect/vitest"
import * as TransportLaws from "@parley/conformance/TransportLaws"
import { Effect } from "effect"
import { describe } from "vitest"
import { ends } from "../support/links.ts"

const open = Effect.map(ends, ([left, right]) => [left.transport, right.transport] as const)

const loss: TransportLaws.Loss = {
  open: Effect.map(ends, ([left, right]) => [
    left.transport,
    Effect.sync(() => {
      right.isThere = false
      // The packets that it has sent before the other side left.
      left.link.lose("nobody listens")
    })
  ])
}

describe("the laws of transports", () => {
  for (const law of TransportLaws.pairs({ name: "conversation", open, loss }, { runs: 20 })) {
    it.live(law.name, () => law.check)
  }
})
