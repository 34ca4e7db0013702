/** The page of each package on npm. */
import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { importsOf, packageOf } from "../../architecture/Sources.ts"
import { fencesOf } from "../../docs/Fence.ts"
import { installedBy } from "../../docs/Project.ts"
import { manifestsOf } from "../../pack/Published.ts"

const root = join(import.meta.dirname, "../../..")
const read = (path: string) => readFileSync(join(root, path), "utf8")

describe.each(manifestsOf(root))("the README of $name", (manifest) => {
  const { folder, name, peerDependencies, peerDependenciesMeta = {}, repository } = manifest
  const page = join(folder, "README.md")
  const files = `${repository.url.replace(/^git\+|\.git$/g, "")}/blob/main/`
  const fences = fencesOf(page, read(page))

  it("installs the package, its peers, and the packages that its code imports", () => {
    const imported = fences.filter(({ language }) => language === "ts").flatMap(({ code }) => importsOf(code))
    const packages = imported.filter((path) => !path.startsWith("node:")).map(packageOf)
    const peers = Object.keys(peerDependencies).filter((peer) => peerDependenciesMeta[peer]?.optional !== true)
    const wanted = new Set([name, ...peers, ...packages])
    assert.includeMembers(fences.flatMap((fence) => [...installedBy(fence)]), [...wanted])
  })

  it("links to files of the repository that exist", () => {
    for (const [, target = ""] of read(page).matchAll(/\]\(([^)\s#]+)[^)]*\)/g)) {
      if (!target.startsWith(files)) continue
      assert.isTrue(existsSync(join(root, target.slice(files.length))), target)
    }
  })
})
