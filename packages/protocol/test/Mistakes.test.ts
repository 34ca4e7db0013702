import { assert, it } from "@effect/vitest"
import { Batch } from "@parley/protocol"

/** It begins as most texts do, and has a member behind the one that is taken for the last. */
const odd = `{"jsonrpc":"2.0","id":1,"method":"a","params":[1],"more":[2]}`
const usual = `{"jsonrpc":"2.0","id":1,"method":"a","params":[1]}`

it("a text that is left to the parser before anything is parsed is no mistake", () => {
  const memory = { skipped: 0 }
  for (const method of [` "a"`, "null", "7", `"\\""`]) {
    Batch.decode(`{"jsonrpc":"2.0","id":1,"method":${method},"params":[1]}`, { mistakes: memory })
    assert.strictEqual(memory.skipped, 0, method)
  }
})

it("an odd text of one sender costs only the texts of this sender their shortcut", () => {
  const [one, other] = [{ skipped: 0 }, { skipped: 0 }]
  Batch.decode(odd, { mistakes: one })
  assert.isAbove(one.skipped, 0)
  const left = one.skipped
  Batch.decode(usual, { mistakes: one })
  assert.strictEqual(one.skipped, left - 1)
  Batch.decode(usual, { mistakes: other })
  assert.strictEqual(other.skipped, 0)
})
