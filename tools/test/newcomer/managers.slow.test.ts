/** Every command that the first page gives for a package manager, and the program that the page has it run. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fencesOf, printedBy } from "../../docs/Fence.ts"
import { Terminals } from "../../docs/Terminals.ts"
import { pnpmPath } from "../../pack/Pnpm.ts"
import { pack } from "../../pack/Published.ts"
import { Registry } from "../../pack/Registry.ts"
import { programOf } from "../../runtimes.ts"

const root = join(import.meta.dirname, "../../..")
const path = "docs/tutorial/getting-started.md"
const page = readFileSync(join(root, path), "utf8")
const files = fencesOf(path, page).filter(({ file }) => file?.endsWith(".ts"))
const registry = await Registry.open(pack(root, "managers"))

afterAll(() => registry[Symbol.asyncDispose]())

const managers = [
  { manager: "pnpm", program: pnpmPath.join(" "), run: process.execPath },
  { manager: "Yarn", program: "npx -y yarn@1.22.22", run: process.execPath },
  { manager: "Bun", program: programOf("bun"), run: programOf("bun") },
  { manager: "Deno", program: programOf("deno"), run: `${programOf("deno")} run --allow-all` }
]

describe("what the first page says to install", { timeout: 600_000 }, () => {
  it.each(managers)("by $manager is what its programs need", async ({ manager, program, run }) => {
    // Under CI nothing may be missing.
    if (program === undefined) return assert.isUndefined(process.env["CI"])
    const command = new RegExp(`^\\| ${manager} +\\| \`\\w+ (.*?)\``, "m").exec(page)?.[1]
    assert.isDefined(command)
    const folder = mkdtempSync(join(tmpdir(), "parley-manager-"))
    try {
      registry.configure(folder)
      writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
      for (const { code, file } of files) writeFileSync(join(folder, file!), code)
      // Tarballs of the same version differ from run to run, which a cache of the machine would refuse.
      const cache = join(folder, ".cache")
      const environment = { YARN_CACHE_FOLDER: cache, BUN_INSTALL_CACHE_DIR: cache, DENO_DIR: cache }
      await using terminals = new Terminals(folder, { environment, longest: 300_000 })
      const installed = await terminals.type(`${program} ${command}`)
      assert.strictEqual(installed.exitCode(), 0, installed.printed())
      const ran = await terminals.type(`${run} memory.ts`)
      const memory = files.find(({ file }) => file === "memory.ts")!
      assert.deepStrictEqual(ran.printed().trimEnd().split("\n"), printedBy(memory))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
