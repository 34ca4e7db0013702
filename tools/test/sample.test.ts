import { assert, describe, it } from "@effect/vitest"
import { join } from "node:path"
import { draw } from "../mutants/sample/draw.ts"
import { sample, strykerPlugins } from "../mutants/sample/plugin.ts"
import { isAccepted, normalized, stale } from "../mutants/sample/Survivor.ts"
import { sourcesOf, targetOf, targets } from "../mutants/sample/Target.ts"

const root = join(import.meta.dirname, "../..")

describe("the sample of mutants", () => {
  const names = Array.from({ length: 100 }, (_, index) => `mutant ${index}`)
  const drawn = (size: number, seed: string) => draw(names, size, seed, (name) => name)

  it("is the same for the same seed, whatever the order, and another for another", () => {
    assert.lengthOf(drawn(10, "a"), 10)
    assert.deepStrictEqual(draw(names.toReversed(), 10, "a", (name) => name), drawn(10, "a"))
    assert.notDeepEqual(drawn(10, "b"), drawn(10, "a"))
    assert.lengthOf(drawn(1_000, "a"), 100)
  })

  it("cuts the plan of Stryker down", () => {
    Object.assign(sample, { size: 2, seed: "a" })
    const mutant = (replacement: string, status?: string) => ({
      mutant: {
        fileName: join(root, "x.ts"),
        location: {},
        mutatorName: "X",
        replacement,
        ...(status === undefined ? {} : { status })
      }
    })
    const mutantPlans = [mutant("1"), mutant("2"), mutant("3", "Ignored"), mutant("4")]
    strykerPlugins[0]!.value.onMutationTestingPlanReady({ mutantPlans })
    assert.lengthOf(mutantPlans, 2)
    assert.isTrue(mutantPlans.every((plan) => plan.mutant.replacement !== "3"))
  })

  it("has sources and tests", () => {
    for (const target of targets) assert.isNotEmpty(sourcesOf(root, target), target.name)
    assert.deepStrictEqual(targetOf(root, ["packages/contract/src/Contract.ts"]).tests, [
      "packages/contract/test/**/*.test.ts"
    ])
    assert.deepStrictEqual(targetOf(root, ["packages/mcp/src/McpHttp.ts"]).tests, targets.at(-1)!.tests)
  })
})

describe("the list of accepted survivors", () => {
  const entry = { mutators: ["BooleanLiteral"], line: "return true", to: "false", reason: "nobody asks" }
  const survivor = { file: "a.ts", at: 7, mutator: "BooleanLiteral", line: "return true", to: "false" }

  it("knows a survivor by its file, mutator, line and replacement", () => {
    assert.isTrue(isAccepted({ "a.ts": [entry] }, survivor))
    assert.isFalse(isAccepted({ "b.ts": [entry] }, survivor))
    for (const part of ["mutator", "line", "to"] as const) {
      assert.isFalse(isAccepted({ "a.ts": [entry] }, { ...survivor, [part]: "other" }), part)
    }
    const { to: _, ...any } = entry
    assert.isTrue(isAccepted({ "a.ts": [any] }, { ...survivor, to: "other" }))
    assert.strictEqual(normalized("  return\n    true "), "return true")
  })

  it("finds entries whose line is gone", () => {
    assert.deepStrictEqual(stale({ "a.ts": [entry] }, () => "  return  true\n"), [])
    assert.deepStrictEqual(stale({ "a.ts": [entry] }, () => "return false"), [
      "a.ts has no line \"return true\" any more"
    ])
  })
})
