import { assert, describe, it } from "@effect/vitest"
import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Mutants } from "../mutants/Mutant.ts"
import { flatten, load, located, patch, problems } from "../mutants/Mutant.ts"
import { clauses, promises } from "../mutants/promises.ts"
import { run } from "../mutants/run.ts"
import { accepted } from "../mutants/sample/accepted.ts"
import { stale } from "../mutants/sample/Survivor.ts"

const root = join(import.meta.dirname, "../..")
const read = (path: string) => readFileSync(join(root, path), "utf8")
const mutants = await load(root)
const tests = globSync("packages/*/test/**/*.test.ts", { cwd: root }).map(read).join("\n")

describe("the mutants", () => {
  it("can be applied", () => {
    assert.deepStrictEqual(problems(root, mutants), [])
  })

  for (const [number, name] of Object.entries(promises)) {
    it(`break promise ${number}, and its test is titled "promise ${number}: ${name}"`, () => {
      assert.isTrue(mutants.some(({ promise }) => promise === Number(number)), "no mutant breaks it")
      assert.isTrue(tests.includes(`promise ${number}: ${name}`), "no test has its name")
    })
  }

  for (const { clause, promise } of clauses) {
    const title = `promise ${promise}: ${promises[promise]}: ${clause}`
    it(`break the clause "${clause}" of promise ${promise}, and its test is titled so`, () => {
      assert.isTrue(mutants.some((mutant) => mutant.title.startsWith(title)), "no mutant breaks it")
      assert.isTrue(tests.includes(title), "no test has its name")
    })
  }
})

describe("the list of accepted survivors", () => {
  it("names lines that are still there", () => {
    const current = (path: string) => existsSync(join(root, path)) ? read(path) : ""
    assert.deepStrictEqual(stale(accepted, current), [])
  })
})

const counter = (...mutants: Mutants["mutants"]) =>
  flatten({ file: "tools/mutants/fixture/Counter.ts", test: "tools/mutants/fixture/Counter.test.ts", mutants })

describe("the runner of the mutants", () => {
  const find = "count + 1"
  const replace = "count + 2"
  const scope = `new (process.getBuiltinModule("node:async_hooks").AsyncResource)("next").runInAsyncScope`

  it("tells red from green from broken", async () => {
    const verdicts = await run(
      root,
      counter(
        { name: "noticed", promise: 1, find, replace },
        { name: "noticed-through-another-module", promise: 2, find, replace },
        { name: "not-noticed", promise: 1, find: "count === 0", replace: "count === 1" },
        { name: "not-noticed-by-its-test", promise: 4, find, replace },
        { name: "red-without-it", promise: 3, find, replace },
        { name: "no-such-test", promise: 5, find, replace },
        { name: "no-syntax", promise: 1, find, replace: "count +" },
        { name: "overflows-the-stack-in-an-async-scope", promise: 1, find, replace: `${scope}(next, undefined, count)` }
      )
    )
    assert.deepStrictEqual(verdicts.map(({ mutant, outcome }) => [mutant.name, outcome]), [
      ["noticed", "red"],
      ["noticed-through-another-module", "red"],
      ["not-noticed", "green"],
      ["not-noticed-by-its-test", "green"],
      ["red-without-it", "broken"],
      ["no-such-test", "broken"],
      ["no-syntax", "broken"],
      ["overflows-the-stack-in-an-async-scope", "red"]
    ])
  })

  it("finds a text that was laid out anew, and the one file of a folder that has it", () => {
    const [mutant] = flatten({
      file: "tools/mutants/fixture",
      test: "tools/mutants/fixture/Counter.test.ts",
      mutants: [{ name: "one", promise: 1, find: "(count:  number): number =>\n  count", replace: "() => 0" }]
    })
    const found = located(root, mutant!)
    assert.strictEqual(found.file, "tools/mutants/fixture/Counter.ts")
    assert.deepStrictEqual(problems(root, [found]), [])
    assert.include(patch(read(found.file), found), "next = () => 0 + 1\n")
  })

  it("refuses what cannot be applied", () => {
    const found = problems(
      root,
      counter(
        { name: "one", promise: 1, find, replace },
        { name: "one", promise: 1, find, replace },
        { name: "Two", promise: 1, find, replace },
        { name: "three", promise: 1, find: "count", replace },
        { name: "four", promise: 1, find: "nowhere", replace },
        { name: "five", promise: 1, find, replace: find },
        { name: "six", promise: 9, find, replace }
      )
    )
    assert.deepStrictEqual(found, [
      "one has the name of another",
      "Two has a name that is not lower-case words joined by hyphens",
      "three finds its text 4 times in tools/mutants/fixture/Counter.ts",
      "four finds its text 0 times in tools/mutants/fixture/Counter.ts",
      "five changes nothing",
      "six expects a test titled \"promise 9: …\" in tools/mutants/fixture/Counter.test.ts"
    ])
  })
})
