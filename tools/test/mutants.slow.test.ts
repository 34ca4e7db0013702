import { assert, describe, it } from "@effect/vitest"
import { join } from "node:path"
import { flatten, load } from "../mutants/Mutant.ts"
import { problemsWithout } from "../mutants/run.ts"

const root = join(import.meta.dirname, "../..")

describe("the tests that mutants name", () => {
  it("pass without them, where they run with them", { timeout: 600_000 }, async () => {
    assert.deepStrictEqual(await problemsWithout(root, await load(root)), [])
  })

  it("are found out where they fail without them", async () => {
    const red = flatten({
      file: "tools/mutants/fixture/Counter.ts",
      test: "tools/mutants/fixture/Counter.test.ts",
      mutants: [{ name: "red-without-it", promise: 3, find: "count + 1", replace: "count + 2" }]
    })
    assert.deepStrictEqual(await problemsWithout(root, red), [
      "red-without-it: fails without it: promise 3: this one fails: expected 2 to equal 3"
    ])
  })
})
