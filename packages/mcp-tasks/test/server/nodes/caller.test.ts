/** A task that runs again in another process has the caller who comes back for it. */
import { assert, it } from "@effect/vitest"
import * as McpTasks from "@parley/mcp-tasks/McpTasks"
import type { McpContext } from "@parley/mcp/McpContext"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import { Journal } from "@parley/mesh/Journal"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import { Scopes } from "@parley/oauth/AccessToken"
import * as Handshake from "@parley/transport/Handshake"
import { Context, Effect, Exit, Layer, Option, Scope } from "effect"
import { TestClock } from "effect/testing"
import { open } from "../../../../mcp/test/server/support/line.ts"
import { isStatus, knowing, stateWhere } from "../support.ts"

class User extends Context.Service<User, { readonly id: string }>()("User") {}

/** The same principal each time, of whom the host knows other things later. */
const handshakeOf = (id: string): Handshake.Handshake => ({
  head: { method: "GET", url: "/", address: undefined, header: (name) => name === "x-tag" ? "7" : undefined },
  principal: Context.make(User, { id }).pipe(
    Context.add(Handshake.Name, "ada"),
    Context.add(Scopes, new Set(["read"]))
  )
})

it.effect("the caller of a task that runs again in another process is that of its principal who comes back for it", () =>
  Effect.gen(function*() {
    const journal = yield* MemoryNodes.makeJournal()
    const seen: Array<unknown> = []
    const look = (_: unknown, { auth, header }: McpContext) =>
      Effect.sync(() => {
        const user = Option.getOrUndefined(auth.get(User))
        seen.push({ principal: auth.principal, scopes: auth.scopes, user, tag: header("x-tag") })
        return "seen"
      })
    let isStuck = true
    const features = [
      McpTool.make(
        "look",
        { extensions: [McpTasks.optional({ resumable: true })] },
        (_, call) => Effect.tap(look(_, call), () => isStuck ? Effect.never : Effect.void)
      )
    ]
    const node = Effect.fnUntraced(function*(user: string) {
      const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
      const tasks = Layer.provide(McpTasks.layer({ lease: "10 seconds" }), Layer.succeed(Journal)(journal))
      const server = McpServer.layer({ name: "s", version: "1", features, principals: [User] })
      const context = yield* Layer.buildWithScope(Layer.provide(server, tasks), scope)
      const made = Context.get(context, McpServer.McpServer)
      return {
        line: yield* open(made, { revision: "2026-07-28", caller: { handshake: handshakeOf(user) } }),
        end: Scope.close(scope, Exit.void)
      }
    })
    const first = yield* node("ada")
    const { taskId } = yield* first.line.result("tools/call", knowing({ name: "look" }))
    yield* first.end
    isStuck = false
    const second = yield* node("ada, later")
    yield* TestClock.adjust("1 minute")
    yield* stateWhere(second.line, taskId, isStatus("completed"))
    const caller = { principal: "ada", scopes: "all" }
    assert.deepStrictEqual(seen, [
      { ...caller, user: { id: "ada" }, tag: "7" },
      { ...caller, user: { id: "ada, later" }, tag: undefined }
    ])
  }))
