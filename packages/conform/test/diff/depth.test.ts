import { assert, it } from "@effect/vitest"
import * as ContractDiff from "@parley/conform/ContractDiff"
import { Result, type Schema } from "effect"

it("a contract is not read that nests too deep for the stack", () => {
  const deep = (levels: number): Schema.Json => levels === 0 ? true : { properties: { a: deep(levels - 1) } }
  const tools = (levels: number) => ({ tools: [{ name: "t", inputSchema: deep(levels) }] })
  assert.isTrue(Result.isSuccess(ContractDiff.fromJson(tools(100))))
  for (const levels of [1_000, 3_000]) {
    assert.deepStrictEqual(ContractDiff.fromJson(tools(levels)), Result.fail("it has more than 256 levels"))
  }
})
