import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { collect } from "../docs/Fence.ts"
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

describe("the command lines of the docs", () => {
  it("have the flags of parley before the command that it starts", () => {
    const help = readFileSync(join(root, "packages/cli/src/internal/conform/command.ts"), "utf8")
    const pages = collect(root).filter(({ language }) => language === "bash").map(({ code }) => code)
    const lines = [help, ...pages].flatMap((text) => text.split("\n"))
    // Words behind `--` are those of the server.
    assert.deepStrictEqual(lines.filter((line) => /parley (conform|record|replay)\b.* -- .* --[a-z]/.test(line)), [])
  })
})
