import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "../../../..")

const page = readFileSync(join(root, "docs/explanation/mcp-identity.md"), "utf8")

/** The rows of its tables, with the file and the title of a test in the last column. */
const rows = page.split("\n").filter((line) => line.startsWith("|") && !/^\|[ -]+\||^\| Promise/.test(line))

describe("the page about identity", () => {
  it("has promises", () => {
    assert.isAbove(rows.length, 15)
  })

  it.each(rows)("names a test that there is: %s", (row) => {
    const [, path = "", title = ""] = /\| `([^`]+)`: (.+?) *\|$/.exec(row) ?? []
    const file = join(root, path)
    assert.isTrue(existsSync(file), `there is no ${path}`)
    assert.include(readFileSync(file, "utf8"), title)
    assert.isAbove(title.length, 10)
  })
})
