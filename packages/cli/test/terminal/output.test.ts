/** What becomes of the command where its output has no room. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { closeSync, openSync } from "node:fs"
import { serverOf, text } from "../fixtures/sockets.ts"
import * as Parley from "../Parley.ts"

describe("the version", () => {
  it("is told without the modules of the commands", () => {
    const loads = "import { registerHooks } from 'node:module'\n"
      + "registerHooks({ load: (url, context, next) => (console.error(url), next(url, context)) })"
    const args = ["--import", `data:text/javascript,${encodeURIComponent(loads)}`, Parley.bin]
    for (const word of ["--version", "-v", "version"]) {
      const { status, stderr, stdout } = spawnSync(process.execPath, [...args, word], { encoding: "utf8" })
      assert.strictEqual(status, 0)
      assert.match(stdout, /^parley v\d+\.\d+\.\d+\n$/)
      assert.isBelow(stderr.split("\n").length, 10)
      assert.include(stderr, Parley.bin)
    }
  })
})

describe("stdout", () => {
  it("that cannot be written makes a success a failure, which says why", () => {
    const full = openSync("/dev/full", "w")
    const { status, stderr } = spawnSync(process.execPath, [Parley.bin, "--version"], {
      encoding: "utf8",
      stdio: ["ignore", full, "pipe"]
    })
    closeSync(full)
    assert.deepStrictEqual([status, stderr], [
      74,
      "parley: stdout could not be written: ENOSPC: no space left on device, write\n"
    ])
  })

  it.live("that nobody reads holds no command back that a signal has ended", () =>
    Effect.gen(function*() {
      const address = yield* serverOf((socket) => {
        socket.once("data", () => socket.write(text({ method: "n", params: ["x".repeat(1_000)] }).repeat(2_000)))
      })
      const child = spawn(process.execPath, [Parley.bin, "call", address, "x", "--follow"], { stdio: "pipe" })
      yield* Effect.promise(() => once(child.stdout, "readable"))
      child.kill("SIGINT")
      const [code, signal] = yield* Effect.promise(() => once(child, "exit"))
      assert.deepStrictEqual([typeof code, signal], ["number", null])
    }))
})

describe("stderr", () => {
  it.live("that nobody reads holds back the server that writes to it", () =>
    Effect.gen(function*() {
      const server = Parley.stdio(new URL("../fixtures/loud.ts", import.meta.url).pathname)
      const child = yield* Effect.acquireRelease(
        Effect.sync(() => spawn(process.execPath, [Parley.bin, "call", server, "m"], { stdio: "pipe" })),
        (child) => Effect.sync(() => void child.kill("SIGKILL"))
      )
      let read = 0
      const answered = once(child.stdout, "data").then(() => read)
      yield* Effect.promise(() => once(child.stderr, "readable"))
      yield* Effect.sleep(500)
      child.stderr.on("data", (chunk: Buffer) => {
        read += chunk.length
      })
      assert.isAbove(yield* Effect.promise(() => answered), 6e6)
    }))
})
