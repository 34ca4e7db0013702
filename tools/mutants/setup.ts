/** What each file of tests begins with when it runs under a mutant: the first test that goes red has noticed it. */
import { beforeEach, vi } from "vitest"
import { isOfMutant } from "./plugin.ts"

let isNoticed = false

beforeEach(({ onTestFailed, skip, task }) => {
  if (!isOfMutant(task.file.filepath)) return
  if (isNoticed) return skip()
  // What hangs is interrupted, and may never hear of it.
  vi.setConfig({ hookTimeout: 100 })
  onTestFailed(() => {
    isNoticed = true
  })
})
