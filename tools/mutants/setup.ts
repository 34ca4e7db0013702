/** What each file of tests begins with when it runs under a mutant: the first test that goes red has noticed it. */
import * as Arbitrary from "effect/Arbitrary"
import { beforeEach, vi } from "vitest"
import { isOfMutant } from "./plugin.ts"

let isNoticed = false

// One value that goes red is enough, however long it is.
Arbitrary.configureGlobal({ check: { maxShrinks: 0 } })

beforeEach(({ onTestFailed, skip, task }) => {
  if (!isOfMutant(task.file.filepath)) return
  if (isNoticed) return skip()
  // What hangs is interrupted, and may never hear of it.
  vi.setConfig({ hookTimeout: 100 })
  onTestFailed(() => {
    isNoticed = true
    // Nobody reads where it went red, and to find that out in the maps of the sources takes longer than the test.
    for (const error of task.result?.errors ?? []) error.stacks = []
  })
})
