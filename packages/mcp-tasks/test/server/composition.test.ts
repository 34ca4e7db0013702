/** Tasks of a server that mounts another one, that has other features later, or that many parties call. */
import { assert, describe, it } from "@effect/vitest"
import * as McpTasks from "@parley/mcp-tasks/McpTasks"
import * as TaskClient from "@parley/mcp-tasks/TaskClient"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as Content from "@parley/mcp/payload/Content"
import * as McpError from "@parley/mcp/wire/McpError"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { clientAs, clientOf, parties, revisions, settled } from "../../../mcp/test/composition/support/clients.ts"
import { spoken } from "../../../mcp/test/server/support/line.ts"

describe("a mounted server", () => {
  it.effect.each(revisions)(
    "answers calls of its tools by themselves, beside tools whose calls are tasks: %s",
    (revision) =>
      Effect.gen(function*() {
        const job = McpTool.make("job", { extensions: [McpTasks.optional()] }, () => Effect.succeed("done"))
        const inner = yield* McpServer.make({ name: "inner", version: "1", features: [job] })
        const outer = yield* McpServer.make({ name: "outer", version: "1", features: [job] })
        yield* outer.mount(inner, { prefix: "in_" })
        const client = yield* clientOf(outer, { protocolVersion: revision, extensions: [TaskClient.use()] })
        const [, mounted] = yield* client.listTools()
        assert.notProperty(mounted, "execution")
        assert.deepStrictEqual((yield* client.callTool("in_job")).content, [Content.text("done")])
        assert.deepStrictEqual((yield* client.callTool("job")).content, [Content.text("done")])
      }).pipe(Effect.provide(McpTasks.layerMemory({ pollInterval: 1 })), TestClock.withLive)
  )
})

describe("a server", () => {
  it.effect.each(revisions)(
    "that a tool with tasks is added to has their methods, on connections before, too: %s",
    (revision) =>
      Effect.gen(function*() {
        const server = yield* McpServer.make({ name: "s", version: "1", features: [] })
        const { line, params } = yield* spoken(server, revision, {
          extensions: { "io.modelcontextprotocol/tasks": {} }
        })
        const asked = params({ taskId: "nobody" })
        assert.propertyVal(yield* line.refusal("tasks/get", asked), "code", -32601)
        yield* server.add([McpTool.make("job", { extensions: [McpTasks.optional()] }, () => Effect.succeed("done"))])
        assert.propertyVal(yield* line.refusal("tasks/get", asked), "code", -32602)
      }).pipe(Effect.provide(McpTasks.layerMemory()), TestClock.withLive)
  )

  it.effect.each(revisions)(
    "with `visible` is asked about the tools alone, not about their tasks: %s",
    (revision) =>
      Effect.gen(function*() {
        const server = yield* McpServer.make({
          name: "s",
          version: "1",
          features: [McpTool.make("job", { extensions: [McpTasks.required()] }, () => Effect.succeed("done"))],
          visible: ({ _tag }) => _tag === "McpTool"
        })
        const client = yield* clientOf(server, { protocolVersion: revision, extensions: [TaskClient.use()] })
        assert.deepStrictEqual((yield* client.callTool("job")).content, [Content.text("done")])
      }).pipe(Effect.provide(McpTasks.layerMemory({ pollInterval: 1 })), TestClock.withLive)
  )
})

describe("one party does not use up", () => {
  for (const { many, name, principal } of parties) {
    for (
      const [what, lasts, bounds] of [
        ["run", true, { running: 16, runningPerPrincipal: 2 }],
        ["are kept", false, { kept: 16, keptPerPrincipal: 2 }]
      ] as const
    ) {
      it.effect(`the tasks that ${what}: ${name}`, () =>
        Effect.gen(function*() {
          const job = McpTool.make(
            "job",
            { extensions: [McpTasks.required()] },
            () => lasts ? Effect.never : Effect.succeed("done")
          )
          const server = yield* McpServer.make({ name: "tasks", version: "1", features: [job] })
          const options = { protocolVersion: "2026-07-28" as const, extensions: [TaskClient.use()] }
          const client = yield* clientAs(server, principal, options)
          const created = (one: typeof client) =>
            Effect.match(one.request("tools/call", { name: "job", arguments: {} }), {
              onSuccess: () => true,
              onFailure: (error) => {
                assert.propertyVal(error, "code", McpError.Overloaded)
                return false
              }
            })
          let isIn = 0
          for (let n = 0; n < 6; n++) {
            if (yield* created(many ? yield* clientAs(server, principal, options) : client)) isIn++
            yield* settled
          }
          assert.strictEqual(isIn, 2)
          for (const other of ["ada", undefined]) {
            assert.isTrue(yield* created(yield* clientAs(server, other, options)))
          }
        }).pipe(Effect.provide(McpTasks.layerMemory(bounds))))
    }
  }
})
