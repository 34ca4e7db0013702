import { it } from "@effect/vitest"
import * as Laws from "@parley/conformance/Laws"
import { Effect } from "effect"
import { describe } from "vitest"
import { ends } from "../support/links.ts"

const open = Effect.map(ends, ([left, right]) => [left.transport, right.transport] as const)

const loss: Laws.Loss = {
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
  for (const law of Laws.ofTransport({ name: "conversation", open, loss }, { runs: 20 })) {
    it.live(law.name, () => law.check)
  }
})
