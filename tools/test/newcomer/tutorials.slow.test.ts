/** The tutorials, followed from an empty folder with packed tarballs, on the oldest Node.js that is promised, on ours and on the newest. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fencesOf } from "../../docs/Fence.ts"
import { follow } from "../../docs/Tutorial.ts"
import { pack } from "../../pack/Published.ts"
import { Registry } from "../../pack/Registry.ts"

const root = join(import.meta.dirname, "../../..")
const registry = await Registry.open(pack(root, "tutorials"))

afterAll(() => registry[Symbol.asyncDispose]())

const versions = [
  { folder: "node_modules/node-22", version: /^v22\.19\./ },
  { folder: "node_modules/node", version: /^v24\./ },
  // Beside the others, its `node` would take the place of ours.
  { folder: "packages/examples/node_modules/node-26", version: /^v26\./ }
]

describe.each(versions)("the tutorials on $folder", { timeout: 900_000 }, ({ folder, version }) => {
  const bin = join(root, folder, "bin")

  it("run on the version that they promise", () => {
    const { stdout } = spawnSync(join(bin, "node"), ["--version"], { encoding: "utf8" })
    assert.match(stdout, version)
  })

  it.each(globSync("docs/tutorial/*.md", { cwd: root }).toSorted())("%s ends with its last line", async (page) => {
    const text = readFileSync(join(root, page), "utf8")
    const printed = await follow(fencesOf(page, text), { bin, registry, port: 4000 })
    assert.strictEqual(printed.at(-1), Array.from(text.matchAll(/(?:\/\/|#) => (.*)$/gm)).at(-1)?.[1])
  })
})
