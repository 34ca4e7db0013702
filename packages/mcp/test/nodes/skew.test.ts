/** Sessions that go on in a process whose lists are others, and changes for clients that read nothing. */
import { assert, describe, it } from "@effect/vitest"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import type { Journal } from "@parley/mesh/Journal"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import * as MeshNode from "@parley/mesh/MeshNode"
import { Effect, Exit, Scope } from "effect"
import * as web from "../http-server/support/web.ts"
import { settled } from "../support/settled.ts"

const tool = (name: string, description?: string) => McpTool.make(name, { description }, () => Effect.succeed(name))

/** Nodes over one engine and journal, each with tools of its own. */
const nodes = (...features: ReadonlyArray<ReadonlyArray<McpTool.McpTool>>) =>
  Effect.gen(function*() {
    const engine = yield* MemoryNodes.makeEngine
    const journal = yield* MemoryNodes.makeJournal()
    return yield* Effect.forEach(features, (features, n) =>
      Effect.gen(function*() {
        const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
        const mesh = yield* Effect.orDie(Scope.provide(MeshNode.make(engine, { name: `${n}` }), scope))
        const server = yield* McpServer.make({ name: "skewed", version: `${n}`, features })
        const handle = yield* Scope.provide(McpHttp.makeWebHandler(server, { mesh, journal }), scope)
        return { client: web.over("http://localhost/mcp", handle), close: Scope.close(scope, Exit.void) }
      }))
  })

const methods = (said: ReadonlyArray<web.Seen>) =>
  said.flatMap(({ data = "" }) => data === "" ? [] : [String(JSON.parse(data).method)])

/** What a session hears that another node takes up: until a message that the test has it sent. */
const heardAtAdoption = (one: ReadonlyArray<McpTool.McpTool>, other: ReadonlyArray<McpTool.McpTool>) =>
  Effect.gen(function*() {
    const [first, second] = yield* nodes(one, other)
    const visitor = yield* web.visit(first!.client)
    yield* visitor.post(web.request("ping"))
    yield* first!.close
    const { headers } = visitor
    assert.strictEqual((yield* second!.client.post(web.request("ping"), headers)).status, 200)
    const standing = yield* second!.client.send("GET", { ...headers, accept: "text/event-stream" })
    yield* settled
    assert.strictEqual((yield* second!.client.send("DELETE", headers)).status, 204)
    return methods(yield* standing.read.rest)
  })

describe("a session that another process takes up", () => {
  it.effect("hears that lists have changed which are others there", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* heardAtAdoption([tool("a")], [tool("a"), tool("b")]), [
        "notifications/tools/list_changed"
      ])
      assert.deepStrictEqual(yield* heardAtAdoption([tool("a", "old")], [tool("a", "new")]), [
        "notifications/tools/list_changed"
      ])
    }))

  it.effect("hears nothing where they are the same", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* heardAtAdoption([tool("a"), tool("b")], [tool("b"), tool("a")]), [])
    }))
})

describe("a change", () => {
  it.effect("costs a journal nothing for clients that read nothing, who hear of it once when they come back", () =>
    Effect.gen(function*() {
      const whole = yield* MemoryNodes.makeJournal()
      let appended = 0
      const journal: Journal = {
        ...whole,
        append: (...entry) => Effect.tap(whole.append(...entry), () => Effect.sync(() => void appended++))
      }
      const server = yield* McpServer.make({ name: "changing", version: "1", features: [tool("a")] })
      const client = yield* web.alone({ journal }, server)
      const visitors = yield* Effect.forEach(Array.from({ length: 20 }), () => web.visit(client))
      const [reader, away, never] = visitors
      const standing = yield* reader!.get()
      yield* standing.read.next
      const earlier = yield* away!.get()
      yield* earlier.read.next
      earlier.abort()
      yield* settled
      for (let n = 0; n < 10; n++) {
        yield* server.listChanged("tools")
        assert.strictEqual((yield* standing.read.message).method, "notifications/tools/list_changed")
      }
      assert.strictEqual(appended, 10)
      for (const [visitor, lastId] of [[away!, earlier.read.lastId()], [never!, undefined]] as const) {
        const again = yield* visitor.get(lastId)
        assert.strictEqual((yield* again.read.message).method, "notifications/tools/list_changed")
        yield* server.listChanged("prompts")
        assert.strictEqual((yield* again.read.message).method, "notifications/prompts/list_changed")
      }
    }))
})
