import { assert, describe, it } from "@effect/vitest"
import { existsSync, lstatSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { accepted } from "../mutants/sample/accepted.ts"
import { withCopy } from "../mutants/sample/Checkout.ts"
import { seedOf } from "../mutants/sample/draw.ts"
import { run } from "../mutants/sample/run.ts"
import { isAccepted, show } from "../mutants/sample/Survivor.ts"
import { targets } from "../mutants/sample/Target.ts"

const root = join(import.meta.dirname, "../..")
const seed = seedOf(root)

describe(`a sample of Stryker's mutants, by the seed ${seed} (MUTANTS_SEED sets another)`, () => {
  for (const target of targets) {
    const expected = target.isHeld ? "leaves no survivor that the list does not accept" : "runs, and tells who survives"
    it(`${target.name}: ${expected}`, { timeout: 600_000 }, async () => {
      const { late, survivors, tried } = await run(root, target, seed)
      const found = survivors.filter((survivor) => !isAccepted(accepted, survivor)).map(show)
      console.log(
        [`${target.name}: ${tried} tried, ${late} out of time, ${survivors.length} survived`, ...found].join("\n")
      )
      assert.isAbove(tried, target.size / 2)
      assert.isAtMost(tried, target.size)
      assert.deepStrictEqual(target.isHeld ? found : [], [])
    })
  }
})

it("a copy of the checkout has its own sources, also for its packages, and is removed", async () => {
  const seen = await withCopy(root, async (folder) => {
    const path = join(folder, "node_modules/@parley/protocol")
    assert.isTrue(lstatSync(path).isSymbolicLink())
    assert.isFalse(existsSync(join(folder, ".git")))
    assert.strictEqual(
      readFileSync(join(path, "src/index.ts"), "utf8"),
      readFileSync(join(folder, "packages/protocol/src/index.ts"), "utf8")
    )
    assert.isTrue(existsSync(join(folder, "node_modules/effect/package.json")))
    return folder
  })
  assert.isFalse(existsSync(seen))
})
