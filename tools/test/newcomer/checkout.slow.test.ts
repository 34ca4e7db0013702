/** A fresh checkout, with nothing installed or built: the commands of README.md, and the examples of `--help`. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Readme from "../../docs/Readme.ts"
import { Shell } from "../../docs/Shell.ts"
import { pnpm } from "../../pack/Pnpm.ts"

const root = join(import.meta.dirname, "../../..")
const checkout = mkdtempSync(join(tmpdir(), "parley-checkout-"))
execFileSync("git", ["clone", "--quiet", "--depth", "1", `file://${root}`, checkout])

afterAll(() => rmSync(checkout, { recursive: true, force: true }))

describe("a fresh checkout", { timeout: 600_000 }, () => {
  it("runs the commands of the README in one terminal", async () => {
    const { typed } = await Readme.run(root, checkout, /^npx -y pnpm@12 (demo|test)$/)
    for (const { command, exitCode, printed } of typed) assert.strictEqual(exitCode, 0, `${command}\n${printed}`)
    assert.lengthOf(typed, 4)
  })

  it("packs a package whole, although nothing was built", async () => {
    const packed = JSON.parse(pnpm(checkout, "--filter", "@parley/mesh", "pack", "--json"))
    const paths = packed.files.map(({ path }: { readonly path: string }) => path)
    assert.includeMembers(paths, ["dist/index.js", "dist/index.d.ts", "LICENSE", "CHANGELOG.md", "README.md"])
  })

  it("runs the examples of --help that need no server of others", async () => {
    await using shell = new Shell(checkout)
    const examples = []
    for (const command of ["call", "mcp call", "mcp inspect"]) {
      const { printed } = await shell.type(`npx -y pnpm@12 parley ${command} --help`)
      examples.push(...Array.from(printed.matchAll(/^ *(parley .*"stdio:parley .*)$/gm), ([, example]) => example!))
    }
    assert.isAtLeast(examples.length, 4)
    for (const example of examples) {
      const { exitCode, printed } = await shell.type(`npx -y pnpm@12 ${example}`)
      // `--lint` ends with 1 where it has advice.
      assert.strictEqual(exitCode, example.includes("--lint") ? 1 : 0, `${example}\n${printed}`)
    }
  })
})
