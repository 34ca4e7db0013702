import { assert, describe, it } from "@effect/vitest"
import { join } from "node:path"
import { collect } from "../docs/Fence.ts"
import { withFreePorts } from "../docs/ports.ts"
import { Terminals } from "../docs/Terminals.ts"

const root = join(import.meta.dirname, "../..")

/** The two commands that run everything have tests of their own, and are those tests. */
const whole = /^npx -y pnpm@12 (demo|test)$/

describe("the commands of the README", () => {
  it("run as they are printed, one after the other", { timeout: 120_000 }, async () => {
    const fences = collect(root).filter(({ language, path }) => path === "README.md" && language === "bash")
    const lines = fences.flatMap(({ code }) => code.split("\n"))
    const commands = lines.filter((line) => line.startsWith("npx ") && !whole.test(line))
    await using terminals = new Terminals(root)
    const ran = []
    for (const command of await withFreePorts(commands)) ran.push(await terminals.type(command))
    const [server, proxy, tap, tapped, straight, inspected] = ran
    for (const listening of [server, proxy, tap]) assert.isUndefined(listening?.exitCode(), listening?.printed())
    for (const ended of [tapped, straight, inspected]) assert.strictEqual(ended?.exitCode(), 0, ended?.printed())
    assert.match(tapped!.printed(), /^19$/m)
    assert.match(straight!.printed(), /^19$/m)
    assert.match(straight!.printed(), /→ .*"method":"subtract"/)
    assert.match(tap!.printed(), /subtract/)
    assert.match(inspected!.printed(), /^Tools \(\d+\)$/m)
    assert.lengthOf(ran, 6)
  })
})
