import { assert, describe, it } from "@effect/vitest"
import { join } from "node:path"
import { pnpm } from "../../pack/Pnpm.ts"

const root = join(import.meta.dirname, "../../..")

describe("pnpm release --dry-run", () => {
  it("packs, checks and prints every package", () => {
    const printed = pnpm(root, "release", "--dry-run")
    const lines = printed.split("\n").filter((line) => line.startsWith("@parley/"))
    assert.isNotEmpty(lines)
    for (const line of lines) {
      assert.match(line, /^@parley\/[a-z-]+@\d+\.\d+\.\d+ +[\d,]+ files +[\d,]+ bytes {2}sha512-\S+$/)
    }
    assert.match(printed, new RegExp(`^${lines.length} packages may go out\\. Nothing was published\\.$`, "m"))
  })
})
