import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { fixture } from "./support/pairs.ts"

interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a fixture, and lets `drive` do something with the process. */
const run = (name: string, drive: (child: ChildProcess) => void): Effect.Effect<Ran> =>
  Effect.callback((resume) => {
    const child = spawn(process.execPath, [fixture(name)])
    let stdout = ""
    let stderr = ""
    child.stdout.on("data", (chunk) => stdout += chunk)
    child.stderr.on("data", (chunk) => stderr += chunk)
    child.on("close", (code) => resume(Effect.succeed({ code, stdout, stderr })))
    drive(child)
    return Effect.sync(() => void child.kill("SIGKILL"))
  })

describe("NodeStdio", () => {
  it.live("while it runs nothing else writes to stdout, and the process ends when stdin has", () =>
    Effect.gen(function*() {
      const ran = yield* run("guard.ts", (child) => child.stdin?.end("{\"id\":1}\n[2]\n"))
      assert.strictEqual(ran.stdout, "{\"id\":1}\n[2]\nafter the end\nreleased\n")
      for (const line of ["from console.log", "from process.stdout", "from Effect.log", "second: Open"]) {
        assert.include(ran.stderr, line)
      }
      assert.include(ran.stderr, "end: EndOfInput")
      assert.strictEqual(ran.code, 0)
    }))

  it.live("it can be closed and opened again, and lets the process end though stdin is open", () =>
    Effect.gen(function*() {
      const ran = yield* run("twice.ts", (child) => {
        child.stdin?.write("1\n")
        child.stdout?.once("data", () => child.stdin?.write("2\n"))
      })
      assert.strictEqual(ran.stdout, "1\n2\n")
      assert.strictEqual(ran.stderr, "")
      assert.strictEqual(ran.code, 0)
    }))

  it.live("a stdout that nobody reads any more is Lost", () =>
    Effect.gen(function*() {
      const ran = yield* run("flood.ts", (child) => child.stdout?.once("data", () => child.stdout?.destroy()))
      assert.strictEqual(ran.stderr, "Lost\n")
      assert.strictEqual(ran.code, 0)
    }))
})
