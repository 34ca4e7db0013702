import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { Report } from "../src/demo/Report.ts"

const demo = new URL("../src/demo.ts", import.meta.url).pathname

describe("the demo", () => {
  it("runs every step, prints each result once in a table with a header, and exits 0", async () => {
    const child = spawn(process.execPath, [demo], { stdio: ["ignore", "pipe", "inherit"] })
    const exit = new Promise((resolve) => child.on("close", resolve))
    const output = await text(child.stdout)
    assert.strictEqual(await exit, 0, output)
    assert.match(output, /\n24 passed, 0 failed\n$/)
    assert.strictEqual(output.match(/^ {4}step +time {2}result$/gm)?.length, 4)
    assert.strictEqual(output.match(/^ {2}✓ .{20} +\d+ ms {2}\S/gm)?.length, 24)
  })

  it.live("counts steps that fail, die or have a wrong result, and sections that cannot be opened", () =>
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
      assert.match(report.summary(), / one: dies\n.* one: wrong\n.* two: open and close\n1 passed, 4 failed$/)
      assert.strictEqual(lines.length, 9)
    }))

  it.effect("gives a step one minute", () =>
    Effect.gen(function*() {
      const report = new Report(() => {})
      const step = yield* Effect.forkChild(report.step("hangs", Effect.never), { startImmediately: true })
      yield* TestClock.adjust("1 minute")
      assert.isFalse(yield* Fiber.join(step))
    }))
})
