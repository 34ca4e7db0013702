import { assert, describe, it } from "@effect/vitest"
import { Conform } from "@parley/conform"

const sending = [
  "robustness/malformed",
  "robustness/deep",
  "robustness/large",
  "robustness/large-answered",
  "robustness/many"
]

describe("the bounds of a run", () => {
  it("are those of the rules that were chosen", () => {
    for (const { id } of Conform.rules) {
      assert.lengthOf(Conform.bounds({ only: [id] }), sending.includes(id) ? 1 : 0, id)
    }
    assert.lengthOf(Conform.bounds({}), 4)
    assert.deepStrictEqual(Conform.bounds({ skip: ["robustness"] }), [])
  })

  it("grow with leave to be aggressive", () => {
    assert.deepStrictEqual(Conform.bounds({ only: ["robustness/large"] }), ["1 MiB in a message"])
    assert.deepStrictEqual(Conform.bounds({ only: ["robustness/large"], aggressive: true }), ["32 MiB in a message"])
  })
})
