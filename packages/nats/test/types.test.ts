import { describe, expectTypeOf, it } from "@effect/vitest"
import * as NatsNodes from "@parley/nats/NatsNodes"
import type { Redacted } from "effect"

describe("the types of nodes", () => {
  it("demand `keys`, or a word for none", () => {
    const layers = (key: Redacted.Redacted) => [
      NatsNodes.layer({ keys: [key] }),
      NatsNodes.layer({ keys: "unsigned" }),
      // @ts-expect-error there are no options
      NatsNodes.layer(),
      // @ts-expect-error there are no keys
      NatsNodes.layer({ prefix: "shop" })
    ]
    expectTypeOf(layers).toBeFunction()
  })
})
