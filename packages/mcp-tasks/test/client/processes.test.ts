/** Our client waits for tasks while the process of their server is killed, and the next one is started. */
import { assert, describe, it } from "@effect/vitest"
import * as TaskClient from "@parley/mcp-tasks/TaskClient"
import * as McpStdioClient from "@parley/mcp/McpStdioClient"
import * as NodeChildProcess from "@parley/node/NodeChildProcess"
import { Deferred, Effect, Fiber } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { compileCacheEnv } from "../../../../tools/compileCache.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-client-tasks-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

const script = join(import.meta.dirname, "fixtures", "mortal.ts")

const patience = 60_000

for (const revision of ["2025-11-25", "2026-07-28"] as const) {
  const connected = Effect.gen(function*() {
    const path = join(yield* folder, "journal")
    return yield* McpStdioClient.make({
      name: "client",
      version: "1",
      protocolVersion: revision,
      extensions: [TaskClient.use()],
      start: NodeChildProcess.makeTransport({ command: process.execPath, args: [script, path], env: compileCacheEnv })
    })
  })

  /** Calls a tool, and kills the server when the task is under way. */
  const survived = (name: string) =>
    Effect.gen(function*() {
      const client = yield* connected
      const begun = yield* Deferred.make<void>()
      const call = yield* Effect.forkChild(client.callTool(name, {}, {
        onProgress: ({ message }) => {
          if (message === "begun") Deferred.doneUnsafe(begun, Effect.void)
        }
      }))
      yield* Deferred.await(begun)
      const dead = yield* Effect.orDie(Effect.flip(client.callTool("die")))
      assert.strictEqual(dead._tag, "Disconnected")
      return yield* Fiber.join(call)
    })

  describe(`a call whose task is of a server that is killed, in ${revision}`, () => {
    it.live("gives its result, where the next process runs the task again", () =>
      Effect.gen(function*() {
        assert.deepStrictEqual((yield* survived("outlive")).content, [{ type: "text", text: "outlived" }])
      }), patience)

    it.live("fails, where the task is lost", () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(survived("lose"))
        assert(error._tag === "TaskError" && error.reason._tag === "Failed")
        assert.strictEqual(error.reason.error?.code, -31_002)
      }), patience)
  })
}
