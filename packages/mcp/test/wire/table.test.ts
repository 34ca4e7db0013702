import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Table from "./support/table.ts"

/** Without the padding of tables, which is the formatter's. */
const bare = (page: string): ReadonlyArray<string> =>
  page.split("\n").map((line) => line.startsWith("|") ? line.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---") : line)

describe("the table of features by revision", () => {
  it("says what the sources do", () => {
    const page = readFileSync(join(import.meta.dirname, "../../../../docs/reference/mcp-revisions.md"), "utf8")
    assert.deepStrictEqual(bare(page), bare(Table.page))
  })
})
