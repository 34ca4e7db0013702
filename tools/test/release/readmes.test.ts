/** The page of each package on npm. */
import { assert, describe, it } from "@effect/vitest"
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { importsOf, packageOf } from "../../architecture/Sources.ts"
import { fencesOf } from "../../docs/Fence.ts"
import { installedBy } from "../../docs/Project.ts"

const root = join(import.meta.dirname, "../../..")
const read = (path: string) => readFileSync(join(root, path), "utf8")
const published = globSync("packages/*/package.json", { cwd: root }).toSorted()
  .map((path) => ({ path, manifest: JSON.parse(read(path)) }))
  .filter(({ manifest }) => manifest.private !== true)
const repository = "https://github.com/parley-effect/parley/blob/main/"

describe.each(published)("the README of $manifest.name", ({ manifest, path }) => {
  const page = join(dirname(path), "README.md")
  const fences = fencesOf(page, read(page))

  it("installs the package, its peers, and the packages that its code imports", () => {
    const imported = fences.filter(({ language }) => language === "ts").flatMap(({ code }) => importsOf(code))
    const wanted = new Set([manifest.name, ...Object.keys(manifest.peerDependencies), ...imported.map(packageOf)])
    assert.includeMembers(fences.flatMap((fence) => [...installedBy(fence)]), [...wanted])
  })

  it("links to files of the repository that exist", () => {
    for (const [, target = ""] of read(page).matchAll(/\]\(([^)\s#]+)[^)]*\)/g)) {
      if (!target.startsWith(repository)) continue
      assert.isTrue(existsSync(join(root, target.slice(repository.length))), target)
    }
  })
})
