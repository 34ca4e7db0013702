/** The tests that pages of the documentation show, run as tests. */
import { describe } from "@effect/vitest"
import { join } from "node:path"
import { collect } from "../../docs/Fence.ts"
import * as Modules from "../../docs/Modules.ts"
import { isTest } from "../../docs/Project.ts"

const root = join(import.meta.dirname, "../../..")
const folder = join(root, ".tmp/page-tests")
const fences = collect(root).filter((fence) =>
  fence.language === "ts" && fence.path.startsWith("docs/") && isTest(fence)
)
Modules.write(root, folder, fences)

for (const fence of fences) {
  describe(`${fence.path}:${fence.line}`, async () => {
    await import(join(folder, Modules.fileOf(fence)))
  })
}
