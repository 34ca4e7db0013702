import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { wrap } from "../src/internal/terminal/presenter.ts"
import * as Parley from "./Parley.ts"

describe("help", () => {
  it("breaks long lines between words, keeps them in their column, and leaves examples as they are", () => {
    const help = [
      "DESCRIPTION",
      "  Call a method and print its result",
      "",
      "FLAGS",
      "  --ca FILE    A PEM file with authorities",
      "EXAMPLES",
      "  parley call tcp://127.0.0.1:4000 subtract '[42, 23]'"
    ]
    assert.deepStrictEqual(wrap(help.join("\n"), 30).split("\n"), [
      "DESCRIPTION",
      "  Call a method and print its",
      "  result",
      "",
      "FLAGS",
      "  --ca FILE    A PEM file with",
      "               authorities",
      "",
      "EXAMPLES",
      "  parley call tcp://127.0.0.1:4000 subtract '[42, 23]'"
    ])
  })

  it.live("completes commands, flags and choices in bash", () =>
    Effect.gen(function*() {
      const { stdout: script } = yield* Parley.run(["--completions", "bash"])
      const complete = (...words: ReadonlyArray<string>) => {
        const line = ["parley", ...words]
        const set = `COMP_LINE=$*; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_POINT=\${#COMP_LINE}`
        const run = `${script}\n${set}\n_parley parley "\${!#}"\nprintf '%s\\n' "\${COMPREPLY[@]}"`
        return execFileSync("bash", ["-c", run, "bash", ...line], { encoding: "utf8" }).trim().split(/\s+/)
      }
      assert.deepStrictEqual(complete("c"), ["call", "conform", "codegen"])
      assert.deepStrictEqual(complete("call", "--d"), ["--dialect"])
      assert.deepStrictEqual(complete("mcp", "l"), ["list", "login", "logout"])
      assert.include(complete("call", "--dialect", "l"), "lenient")
    }))
})
