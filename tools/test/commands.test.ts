import { assert, describe, it } from "@effect/vitest"
import { join } from "node:path"
import { isListening } from "../docs/ports.ts"
import * as Readme from "../docs/Readme.ts"

const root = join(import.meta.dirname, "../..")

describe("the commands of the README", () => {
  it("run as they are printed, line by line in one terminal", { timeout: 240_000 }, async () => {
    // The two commands that run everything have tests of their own, and are those tests.
    const { port, typed } = await Readme.run(root, root, /^npx -y pnpm@12 (demo|test)$/)
    const [served, called, inspected, killed] = typed
    assert.lengthOf(typed, 4)
    for (const { exitCode, printed } of typed) assert.strictEqual(exitCode, 0, printed)
    assert.match(served!.printed, /^listening tcp:/m)
    assert.match(called!.printed, /^19$/m)
    assert.match(called!.printed, /"direction":"sent",.*"method":"subtract"/)
    assert.match(inspected!.printed, /^Tools \(\d+\)$/m)
    assert.strictEqual(killed!.command, "kill %1")
    assert.isFalse(await isListening(port))
  })
})
