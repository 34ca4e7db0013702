/** Our client and tasks of our server, in both generations, over memory and HTTP. */
import { assert, describe, it } from "@effect/vitest"
import * as McpTasks from "@parley/mcp-tasks/McpTasks"
import * as TaskClient from "@parley/mcp-tasks/TaskClient"
import type * as McpClient from "@parley/mcp/McpClient"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import type { ElicitResult } from "@parley/mcp/payload/Elicitation"
import * as NodeHttp from "@parley/node/NodeHttp"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { Deferred, Effect, Fiber, Layer, Schema, type Scope, Stream } from "effect"
import { places } from "../../../mcp/test/http-server/support/places.ts"
import { tasksOf } from "./scriptedTask.ts"

const Report = Schema.Struct({ pages: Schema.Int })

/** Lets a research go on that has said what it does. */
let heard = Deferred.makeUnsafe<void>()

const stopped = Deferred.makeUnsafe<void>()

const features = [
  McpTool.make(
    "research",
    { params: { pages: Schema.Int }, result: Report, extensions: [McpTasks.required()] },
    ({ pages }, call) =>
      Effect.gen(function*() {
        yield* call.progress({ progress: 1, total: 2, message: "reading" })
        yield* Effect.sleep("60 millis")
        yield* call.progress({ progress: 2, total: 2, message: "writing" })
        return { pages }
      })
  ),
  McpTool.make("choose", { extensions: [McpTasks.optional()] }, (_, call) =>
    Effect.gen(function*() {
      yield* call.progress({ progress: 1, total: 2, message: "asking" })
      const answer = yield* call.elicit("which", { message: "which?", fields: { which: Schema.String } })
      return answer._tag === "Accepted" ? answer.content.which : answer._tag
    })),
  McpTool.make("fail", { extensions: [McpTasks.required()] }, () => Effect.fail(new Error("no disk"))),
  McpTool.make(
    "break",
    { extensions: [McpTasks.required()] },
    () => Effect.fail(ErrorResponse.make(-31_500, "broken", { at: 7 }))
  ),
  McpTool.make("large", { extensions: [McpTasks.required()] }, () => Effect.succeed("x".repeat(100_000))),
  McpTool.make(
    "endless",
    { extensions: [McpTasks.required()] },
    () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(stopped, undefined))
  )
]

/** The tasks run as long as the Scope is open. */
const serve = Effect.flatMap(
  Layer.build(McpTasks.layerMemory({ pollInterval: "20 millis" })),
  (context) => Effect.provideContext(McpServer.make({ name: "tasks", version: "1", features }), context)
)

const handlers = {
  elicit: () => Effect.succeed<ElicitResult>({ action: "accept", content: { which: "this" } })
}

const options = { name: "client", version: "1", handlers, extensions: [TaskClient.use()] }

type Connect = (
  server: McpServer.McpServer,
  revision: NonNullable<McpClient.ClientOptions["protocolVersion"]>
) => Effect.Effect<McpClient.McpClient, unknown, Scope.Scope>

const ways: { readonly [way: string]: Connect } = {
  memory: (server, revision) =>
    Effect.provideService(McpMemoryClient.make({ ...options, protocolVersion: revision }), McpServer.McpServer, server),
  HTTP: (server, revision) =>
    Effect.gen(function*() {
      const [place] = places
      const url = yield* place?.serve(server) ?? Effect.die("there are places")
      return yield* McpHttpClient.make(yield* NodeHttp.makeFetcher(), { ...options, protocolVersion: revision, url })
    })
}

for (const [way, connect] of Object.entries(ways)) {
  for (const revision of ["2025-11-25", "2026-07-28"] as const) {
    describe(`tasks of our server over ${way} in ${revision}`, () => {
      const connected = Effect.flatMap(serve, (server) => connect(server, revision))

      it.live("a call waits for its task, and hears of it", () =>
        Effect.gen(function*() {
          const client = yield* connected
          heard = Deferred.makeUnsafe<void>()
          const report = yield* client.callTool("research", { pages: 7 }, {
            result: Report,
            onProgress: ({ message }) => {
              if (message === "reading") Deferred.doneUnsafe(heard, Effect.void)
            }
          })
          assert.deepStrictEqual(report, { pages: 7 })
        }))

      it.live("a task asks the person of the client", () =>
        Effect.gen(function*() {
          const client = yield* connected
          const result = yield* client.callTool("choose", {}, { extensions: [TaskClient.call({ task: {} })] })
          assert.deepStrictEqual(result.content, [{ type: "text", text: "this" }])
        }))

      it.live("failures of tools and of calls come as such", () =>
        Effect.gen(function*() {
          const client = yield* connected
          const failed = yield* Effect.flip(client.callTool("fail"))
          assert.strictEqual(failed._tag, "ToolError")
          const broken = yield* Effect.flip(client.callTool("break"))
          assert(broken._tag === "TaskError" && broken.reason._tag === "Failed")
          assert.deepStrictEqual(broken.reason.error, { code: -31_500, message: "broken", data: { at: 7 } })
        }))

      it.live("a task that is left alone is taken up by its id", () =>
        Effect.gen(function*() {
          const client = yield* connected
          const started = yield* tasksOf(client).start("research", { pages: 8 })
          assert(started._tag === "Task")
          const handle = tasksOf(client).task(started.task.id, { tool: "research" })
          const states = yield* Stream.runCollect(handle.states)
          assert.strictEqual(states.at(-1)?.status, "completed")
          assert.deepStrictEqual((yield* handle.await).structuredContent, { pages: 8 })
          yield* handle.cancel
        }))

      it.live("many calls at once each have their task", () =>
        Effect.gen(function*() {
          const client = yield* connected
          const calls = Array.from({ length: 40 }, (_, pages) =>
            client.callTool("research", { pages }, { result: Report }))
          const reports = yield* Effect.all(calls, { concurrency: "unbounded" })
          assert.deepStrictEqual(
            reports.map(({ pages }) =>
              pages
            ),
            calls.map((_, index) => index)
          )
        }))
    })
  }
}

for (const revision of ["2025-11-25", "2026-07-28"] as const) {
  it.live(`a result that is larger than a message may be fails the call, in ${revision}`, () =>
    Effect.gen(function*() {
      const [place] = places
      const url = yield* place?.serve(yield* serve) ?? Effect.die("there are places")
      const limits = { frame: 65_536 }
      const fetcher = yield* NodeHttp.makeFetcher({ limits })
      const client = yield* McpHttpClient.make(fetcher, { ...options, protocolVersion: revision, url, limits })
      const error = yield* Effect.flip(client.callTool("large"))
      assert.strictEqual(error._tag, "InvalidResponse")
    }))
}

describe("tasks of our server", () => {
  it.live("end when their call is interrupted", () =>
    Effect.gen(function*() {
      const client = yield* Effect.flatMap(serve, (server) => ways["HTTP"]?.(server, "2026-07-28") ?? Effect.never)
      const known = yield* Deferred.make<void>()
      const call = yield* Effect.forkChild(
        client.callTool("endless", {}, {
          extensions: [TaskClient.call({ onTask: () => Deferred.doneUnsafe(known, Effect.void) })]
        })
      )
      yield* Deferred.await(known)
      yield* Fiber.interrupt(call)
      yield* Deferred.await(stopped)
    }))
})
