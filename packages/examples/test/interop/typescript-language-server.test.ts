import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Report } from "../../src/demo/Report.ts"
import { typescript } from "../../src/demo/typescript.ts"

it.live("typescript-language-server is asked for a hover over Content-Length, and asks us for its configuration", () =>
  Effect.gen(function*() {
    const report = new Report(() => {})
    yield* report.section("typescript-language-server", typescript(report))
    assert.deepStrictEqual(
      report.rows.map(({ passed, step }) => [step, passed]),
      [["start, initialize", true], ["open a file", true], ["hover", true], ["call from the server", true], [
        "shutdown, exit",
        true
      ]],
      report.summary()
    )
  }))
