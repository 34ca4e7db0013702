import { describe, expectTypeOf, it } from "@effect/vitest"
import * as RedisNodes from "@parley/redis/RedisNodes"
import type { Redacted } from "effect"

describe("the types of nodes", () => {
  it("demand `keys`, or a word for none", () => {
    const layers = (key: Redacted.Redacted) => [
      RedisNodes.layer({ keys: [key] }),
      RedisNodes.layer({ keys: "unsigned" }),
      // @ts-expect-error there are no options
      RedisNodes.layer(),
      // @ts-expect-error there are no keys
      RedisNodes.layer({ prefix: "shop" })
    ]
    expectTypeOf(layers).toBeFunction()
  })
})
