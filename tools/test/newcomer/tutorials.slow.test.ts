/** The tutorials, followed from an empty folder with packed tarballs, on the oldest Node.js that is promised and on ours. */
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

describe.each(["node-22", "node"])("the tutorials on %s", { timeout: 900_000 }, (name) => {
  const bin = join(root, "node_modules", name, "bin")

  it("run on the version that they promise", () => {
    const { stdout } = spawnSync(join(bin, "node"), ["--version"], { encoding: "utf8" })
    assert.match(stdout, name === "node-22" ? /^v22\.19\./ : /^v24\./)
  })

  it.each(globSync("docs/tutorial/*.md", { cwd: root }).toSorted())("%s ends with its last line", async (page) => {
    const text = readFileSync(join(root, page), "utf8")
    const printed = await follow(fencesOf(page, text), { bin, registry, port: 4000 })
    assert.strictEqual(printed.at(-1), Array.from(text.matchAll(/(?:\/\/|#) => (.*)$/gm)).at(-1)?.[1])
  })
})
