import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as parent from "../src/internal/process/parent.ts"
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

  it.live("the end of the process that started this one is the end of the input, though stdin is open", () =>
    Effect.gen(function*() {
      const directory = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      const pipe = join(directory, "pipe")
      execFileSync("mkfifo", [pipe])
      // A process that has opened a pipe for reading and writing sees no end of it.
      const parent = `
        const stdin = require("node:fs").openSync(${JSON.stringify(pipe)}, "r+")
        const { pid } = require("node:child_process").spawn(
          process.execPath, [${JSON.stringify(fixture("guard.ts"))}], { stdio: [stdin, "inherit", "inherit"] }
        )
        require("node:fs").writeSync(stdin, '{"id":1}\\n')
        process.stdout.write(pid + "\\n", () => process.stdin.once("data", () => process.exit()))`
      const ran = yield* Effect.callback<Ran>((resume) => {
        const child = spawn(process.execPath, ["-e", parent])
        let stdout = ""
        let stderr = ""
        child.stderr.on("data", (chunk) => stderr += chunk)
        child.stdout.on("data", (chunk) => {
          stdout += chunk
          if (stdout.includes(`{"id":1}`)) child.stdin.end("go\n")
        })
        child.on("close", (code) => resume(Effect.succeed({ code, stdout, stderr })))
        return Effect.sync(() => {
          child.kill("SIGKILL")
          if (Number.parseInt(stdout) > 0) process.kill(Number.parseInt(stdout), "SIGKILL")
        })
      })
      assert.include(ran.stderr, "end: EndOfInput")
      assert.match(ran.stdout, /\nreleased\n$/)
    }))

  it.effect("the process that started this one may be gone before anything else runs", () =>
    Effect.gen(function*() {
      const gone = parent.gone()
      const { ppid } = process
      const setParent = (value: number) => Effect.sync(() => Object.defineProperty(process, "ppid", { value }))
      yield* Effect.acquireRelease(setParent(1), () => setParent(ppid))
      const fiber = yield* Effect.forkChild(gone)
      yield* TestClock.adjust("1 second")
      assert.isDefined(fiber.pollUnsafe())
    }))

  it.live("a stdout that nobody reads any more is Lost", () =>
    Effect.gen(function*() {
      const ran = yield* run("flood.ts", (child) => child.stdout?.once("data", () => child.stdout?.destroy()))
      assert.strictEqual(ran.stderr, "Lost\n")
      assert.strictEqual(ran.code, 0)
    }))
})
