import { assert, it } from "@effect/vitest"
import { execFile } from "node:child_process"

it("a server behind whose large lists change for ever fits into a small heap", async () => {
  const program = new URL("./support/changingLists.ts", import.meta.url).pathname
  const code = await new Promise((resolve) =>
    execFile(process.execPath, ["--max-old-space-size=256", program], (error) => resolve(error?.code ?? error?.signal))
  )
  assert.strictEqual(code, undefined)
}, 120_000)
