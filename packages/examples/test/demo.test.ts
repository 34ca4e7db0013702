import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { Report } from "../src/demo/Report.ts"

const demo = new URL("../src/demo.ts", import.meta.url).pathname

describe("the demo", () => {
  it("runs every step, shows them in one table, and exits 0", async () => {
    const child = spawn(process.execPath, [demo], { stdio: ["ignore", "pipe", "inherit"] })
    const exit = new Promise((resolve) => child.on("close", resolve))
    const output = await text(child.stdout)
    assert.strictEqual(await exit, 0, output)
    assert.match(output, /\n24 passed, 0 failed\n$/)
  })

  it.live("counts what fails, what dies, what says the wrong thing, and what cannot be opened", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const report = new Report((line) => lines.push(line))
      yield* report.section(
        "one",
        Effect.gen(function*() {
          yield* report.step("works", Effect.succeed("well"), /well/)
          yield* report.step("fails", Effect.fail(new Error("boom")))
          yield* report.step("dies", Effect.die("bang"))
          yield* report.step("wrong", Effect.succeed("odd"), /even/)
        })
      )
      yield* report.section("two", Effect.fail("no connection"))
      assert.deepStrictEqual(report.rows.map(({ passed, section, step }) => [section, step, passed]), [
        ["one", "works", true],
        ["one", "fails", false],
        ["one", "dies", false],
        ["one", "wrong", false],
        ["two", "open and close", false]
      ])
      assert.match(report.table(), /^with +step +time +outcome\n[^]*\ntwo +open and close +\d+ ms +FAILED$/)
      assert.strictEqual(lines.length, 7)
    }))

  it.effect("gives a step twenty seconds", () =>
    Effect.gen(function*() {
      const report = new Report(() => {})
      const step = yield* Effect.forkChild(report.step("hangs", Effect.never), { startImmediately: true })
      yield* TestClock.adjust("20 seconds")
      assert.isFalse(yield* Fiber.join(step))
    }))
})
