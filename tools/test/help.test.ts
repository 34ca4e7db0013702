import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"

const root = join(import.meta.dirname, "../..")

describe("the scripts that people run in a checkout", () => {
  it.each(["demo", "bench", "site"])("pnpm %s --help prints how it is used, and does nothing else", async (name) => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    const [, script = ""] = /^node (\S+)$/.exec(scripts[name]) ?? []
    for (const flag of ["--help", "-h"]) {
      const { stderr, stdout } = await promisify(execFile)(process.execPath, [script, "--", flag], { cwd: root })
      assert.match(stdout, new RegExp(`^Usage: pnpm ${name}\\b[^]* --help `))
      assert.strictEqual(stderr, "")
    }
  })
})
