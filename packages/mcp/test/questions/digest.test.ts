import { assert, describe, it } from "@effect/vitest"
import { Generators } from "@parley/conformance/shared"
import { ExactNumber } from "@parley/protocol/shared"
import { Effect } from "effect"
import { digestOf } from "../../src/internal/server/questions/Round.ts"

describe("the digest of a request", () => {
  const params = { name: "t", arguments: { b: [1, { y: 1, x: 2 }], a: "" } }
  const digest = (method: string, given: Parameters<typeof digestOf>[1]) => digestOf(method, given)

  it.effect("is the same for the same params in another order, and for what a retry changes", () =>
    Effect.gen(function*() {
      const first = yield* digest("tools/call", params)
      const again = {
        requestState: "s",
        inputResponses: { k: { action: "accept" } },
        _meta: { progressToken: 5 },
        arguments: { a: "", b: [1, { x: 2, y: 1 }] },
        name: "t"
      }
      assert.strictEqual(yield* digest("tools/call", again), first)
    }))

  it.effect("is another for another method, other params, and other members deep in them", () =>
    Effect.gen(function*() {
      const digests = yield* Effect.all([
        digest("tools/call", params),
        digest("prompts/get", params),
        digest("tools/call", { ...params, name: "u" }),
        digest("tools/call", { name: "t" }),
        digest("tools/call", { name: "t", arguments: {} }),
        digest("tools/call", { ...params, arguments: { ...params.arguments, b: [{ y: 1, x: 2 }, 1] } }),
        digest("tools/call", { ...params, arguments: { ...params.arguments, b: [1, { y: 1, x: 3 }] } }),
        digest("tools/call", { ...params, arguments: { ...params.arguments, requestState: "s" } }),
        digest("tools/call", { ...params, more: null }),
        digest("tools/call", [])
      ])
      assert.strictEqual(new Set(digests).size, digests.length)
    }))

  it.effect.prop("is one for one text of JSON", { params: Generators.params }, ({ params }) =>
    Effect.gen(function*() {
      const read = Object(ExactNumber.parseUnsafe(JSON.stringify(params)))
      assert.strictEqual(yield* digest("m", read), yield* digest("m", params))
    }))
})
