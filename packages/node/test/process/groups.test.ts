import { assert, describe, it } from "@effect/vitest"
import { NodeChildProcess } from "@parley/node"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { reasonOf } from "../support/reasonOf.ts"

/** Whether a process runs. One that has exited, and that nobody has waited for, does not. */
const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    return !/\) [ZX] /.test(stat)
  } catch {
    return false
  }
}

const node = process.execPath

/** A server that says its number, and ignores all that it is told. */
const stubborn = `process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log(process.pid)`

/** One that goes on when its stdin ends, but not when it is told to end. */
const lasting = `setInterval(() => {}, 1000); console.log(process.pid)`

const quoted = (script: string) => `"${node}" -e '${script}'`

/** Starts a shell with this script, gives the number of the server that it starts, and ends that in any case. */
const started = (script: string, options: Partial<NodeChildProcess.ChildProcessOptions> = {}) =>
  Effect.gen(function*() {
    const side = yield* NodeChildProcess.makeTransport({ command: "/bin/sh", args: ["-c", script], ...options })
    const [text] = yield* side.receive
    const server = Number(text)
    assert.isTrue(isRunning(server))
    assert.notStrictEqual(server, side.pid)
    yield* Effect.addFinalizer(() => Effect.sync(() => isRunning(server) && process.kill(server, "SIGKILL")))
    return { side, server }
  })

const impatient = { endGrace: 100, killGrace: 200 }

describe("a process and all that it has started end with their client", () => {
  it.live("where a wrapper dies of SIGTERM, and the server ignores it", () =>
    Effect.gen(function*() {
      const { server, side } = yield* started(`${quoted(stubborn)}; true`, impatient)
      yield* side.close
      assert.deepStrictEqual([isRunning(side.pid), isRunning(server)], [false, false])
    }))

  it.live("where a wrapper ends with its stdin, and the server does not", () =>
    Effect.gen(function*() {
      const { server, side } = yield* started(`${quoted(lasting)} & exec cat > /dev/null`, impatient)
      yield* side.close
      assert.deepStrictEqual([isRunning(side.pid), isRunning(server)], [false, false])
    }))

  it.live("where neither the one nor the other does what it is told", () =>
    Effect.gen(function*() {
      const { server, side } = yield* started(`${quoted(stubborn)} & exec cat > /dev/null`, impatient)
      yield* side.close
      assert.deepStrictEqual([isRunning(side.pid), isRunning(server)], [false, false])
    }))

  it.live("where a wrapper crashes, at once", () =>
    Effect.gen(function*() {
      const { server, side } = yield* started(`${quoted(stubborn)} & read line; exit 3`, impatient)
      yield* side.send(["crash"])
      const reason = yield* reasonOf(Effect.forever(side.receive))
      assert.deepInclude(reason, { _tag: "Exited", code: 3 })
      while (isRunning(server)) yield* Effect.sleep(5)
    }))

  it.live("where the Scope ends without a close", () =>
    Effect.gen(function*() {
      const script = `${quoted(stubborn)} & exec cat > /dev/null`
      const pids = yield* Effect.scoped(
        Effect.map(started(script, impatient), ({ server, side }) => [side.pid, server])
      )
      assert.deepStrictEqual(pids.map(isRunning), [false, false])
    }))

  it.live("and where all end by themselves, nothing is waited for or signalled", () =>
    Effect.gen(function*() {
      const ending = `process.on("SIGTERM", () => process.stderr.write("SIGTERM"));` +
        `process.stdin.resume().on("end", () => process.stderr.write("end")); console.log(process.pid)`
      const { server, side } = yield* started(`${quoted(ending)}; true`, {
        endGrace: "1 minute",
        killGrace: "1 minute"
      })
      yield* side.close
      assert.deepStrictEqual([isRunning(side.pid), isRunning(server)], [false, false])
      assert.strictEqual(yield* side.stderr, "end")
    }))

  it.live("a number whose processes are gone is signalled no more", () =>
    Effect.gen(function*() {
      const signalled: Array<readonly [number, unknown]> = []
      const { kill } = process
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          process.kill = (pid, signal) => {
            if (signal !== 0) signalled.push([pid, signal])
            return kill.call(process, pid, signal)
          }
        }),
        () =>
          Effect.sync(() => {
            process.kill = kill
          })
      )
      yield* Effect.scoped(Effect.gen(function*() {
        const side = yield* NodeChildProcess.makeTransport({ command: "/bin/sh", args: ["-c", "exit 0"] })
        assert.strictEqual((yield* reasonOf(side.receive))._tag, "Exited")
        yield* side.close
      }))
      assert.deepStrictEqual(signalled, [])
    }))
})
