import { assert, describe, it } from "@effect/vitest"
import * as McpUpstream from "@parley/mcp-gateway/McpUpstream"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpStdioClient from "@parley/mcp/McpStdioClient"
import * as McpTool from "@parley/mcp/McpTool"
import * as McpError from "@parley/mcp/wire/McpError"
import * as NodeChildProcess from "@parley/node/NodeChildProcess"
import { Deferred, Effect, Exit, Fiber, Schedule, Scope } from "effect"
import { compileCacheEnv } from "../../../../tools/compileCache.ts"
import * as everything from "../../../mcp/test/support/everything.ts"
import { clientOf, revisions } from "../support/pairs.ts"

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
                NodeChildProcess.makeTransport({
                  command: process.execPath,
                  args: [everything.program, "stdio"],
                  env: compileCacheEnv
                }),
                (transport) => Effect.sync(() => pids.push(transport.pid))
              )
            })
        })
        const client = yield* clientOf(server, { protocolVersion: near })
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

describe("an upstream whose Scope closes", () => {
  it.effect("ends its connections, idle ones too, and the Scope waits for their end", () =>
    Effect.gen(function*() {
      let [open, most] = [0, 0]
      const behind = yield* McpServer.make({
        name: "behind",
        version: "1",
        features: [McpTool.make("hi", {}, () => Effect.succeed("hi"))]
      })
      const counted = Effect.acquireRelease(
        Effect.sync(() => (most = Math.max(most, ++open))),
        () => Effect.andThen(Effect.yieldNow, Effect.sync(() => open--))
      )
      const scope = yield* Scope.make()
      const server = yield* Scope.provide(
        McpUpstream.server({
          name: "behind",
          connect: (options) =>
            Effect.andThen(
              counted,
              Effect.provideService(McpMemoryClient.make(options), McpServer.McpServer, behind)
            )
        }),
        scope
      )
      const client = yield* clientOf(server, { protocolVersion: "2026-07-28" })
      yield* client.callTool("hi")
      assert.isAtLeast(most, 2)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(open, 0)
    }))
})
