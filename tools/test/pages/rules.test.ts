import { assert, it } from "@effect/vitest"
import { Conform } from "@parley/conform"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as rules from "../../docs/rules.ts"

/** A table without what the formatter of Markdown aligns. */
const cells = (text: string): ReadonlyArray<string> =>
  text.split("\n").filter((line) => line.trim() !== "").map((line) => line.replace(/-{3,}/g, "---").replace(/ +/g, " "))

it("the page of the rules is made from them: node tools/docs/rules.ts", () => {
  const page = readFileSync(join(import.meta.dirname, "../../..", rules.page), "utf8")
  assert.deepStrictEqual(cells(page), cells(rules.render()))
})

it("no two rules have one id, and each begins with its suite", () => {
  const ids = Conform.rules.map(({ id }) => id)
  assert.strictEqual(new Set(ids).size, ids.length)
  for (const { id, suite } of Conform.rules) assert.isTrue(id.startsWith(`${suite}/`), id)
})
