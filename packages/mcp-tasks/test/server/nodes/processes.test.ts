/** Tasks and the ends of real processes. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { knowing } from "../support.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-tasks-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

/** A process with a server of tasks, over stdio. */
const start = Effect.fnUntraced(function*(path: string) {
  const script = join(import.meta.dirname, "fixtures", "worker.ts")
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, [script, path], { stdio: ["pipe", "pipe", "ignore"] })),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  )
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  let id = 0
  const ask = (method: string, params: object) =>
    Effect.promise(async () => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params })}\n`)
      return JSON.parse((await lines.next()).value ?? "null")
    })
  const kill = Effect.promise(async () => {
    child.kill("SIGKILL")
    await once(child, "exit")
  })
  return { ask, kill, pid: child.pid }
})

/** The state of a task when it has ended. */
const ended = (server: Effect.Success<ReturnType<typeof start>>, taskId: string) =>
  Effect.gen(function*() {
    for (;;) {
      const { error, result } = yield* server.ask("tasks/get", knowing({ taskId }))
      if (error !== undefined) return error
      if (result.status !== "working") return result
      yield* Effect.sleep("50 millis")
    }
  })

describe("a process that is killed", () => {
  it.live(
    "leaves its tasks: the next one says that they have failed, or runs them again where it may",
    () =>
      Effect.gen(function*() {
        const path = join(yield* folder, "journal")
        const first = yield* start(path)
        const made = yield* first.ask("tools/call", knowing({ name: "wait" }))
        const again = yield* first.ask("tools/call", knowing({ name: "again", arguments: { name: "it" } }))
        const ids = [made.result.taskId, again.result.taskId]
        // Its `memo` stands in the journal before it goes on; the next answer comes behind that.
        for (const taskId of ids) {
          assert.strictEqual((yield* first.ask("tasks/get", knowing({ taskId }))).result.status, "working")
        }
        yield* Effect.sleep("300 millis")
        yield* first.kill
        const second = yield* start(path)
        const [lost, resumed] = yield* Effect.forEach(ids, (taskId) => ended(second, taskId))
        assert.deepInclude(lost, { taskId: ids[0], status: "failed" })
        assert.strictEqual(lost.error.code, -31_002)
        assert.deepInclude(resumed, { taskId: ids[1], status: "completed" })
        assert.strictEqual(resumed.result.content[0].text, `it began in ${first.pid}`)
      }),
    60_000
  )
})
