import { assert, describe, it } from "@effect/vitest"
import * as McpUpstream from "@parley/mcp/gateway/McpUpstream"
import * as McpStdioClient from "@parley/mcp/McpStdioClient"
import * as McpError from "@parley/mcp/wire/McpError"
import * as NodeChildProcess from "@parley/node/NodeChildProcess"
import { Deferred, Effect, Fiber, Schedule } from "effect"
import * as everything from "../support/everything.ts"
import { clientOf, revisions } from "./support/pairs.ts"

describe("a server that dies while it works", () => {
  for (const near of revisions) {
    it.live(`fails the call with its name, and is started again: ${near}`, () =>
      Effect.gen(function*() {
        const pids: Array<number> = []
        const server = yield* McpUpstream.server({
          name: "mortal",
          connect: (options) =>
            McpStdioClient.make({
              ...options,
              start: Effect.tap(
                NodeChildProcess.makeTransport({ command: process.execPath, args: [everything.program, "stdio"] }),
                (transport) => Effect.sync(() => pids.push(transport.pid))
              )
            })
        })
        const client = yield* clientOf(server, { revision: near })
        const begun = yield* Deferred.make<void>()
        const running = yield* Effect.forkChild(Effect.flip(
          client.callTool("trigger-long-running-operation", { duration: 60, steps: 1_000 }, {
            onProgress: () => Deferred.doneUnsafe(begun, Effect.void)
          })
        ))
        yield* Deferred.await(begun)
        for (const pid of pids) process.kill(pid, "SIGKILL")
        const error = yield* Fiber.join(running)
        assert.propertyVal(error, "code", McpError.UpstreamFailed)
        assert.include(error.message, "mortal")
        // It may be away for a second: it is tried again after that.
        const again = yield* Effect.retry(client.callTool("echo", { message: "hi" }), {
          while: (error) => error._tag === "ProtocolError" && error.code === McpError.UpstreamFailed,
          schedule: Schedule.spaced("100 millis")
        })
        assert.deepStrictEqual(again.content, [{ type: "text", text: "Echo: hi" }])
      }), 60_000)
  }
})
