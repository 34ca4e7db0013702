import { assert, describe, it } from "@effect/vitest"
import * as SessionStore from "@parley/mcp/http/SessionStore"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpServer from "@parley/mcp/McpServer"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { KeyValueStore } from "effect/persistence"
import { sample } from "../../http-server/support/sample.ts"
import * as web from "../../http-server/support/web.ts"

describe("complaint 2: sessions live in the memory of one process, in a map that users write", () => {
  it.live("one that the next release finds in a store goes on, and nobody wrote a map", () =>
    Effect.gen(function*() {
      const stores = yield* Layer.build(SessionStore.layerKeyValue.pipe(Layer.provide(KeyValueStore.layerMemory)))
      const store = Context.get(stores, SessionStore.SessionStore)
      const release = Effect.gen(function*() {
        const scope = yield* Scope.make()
        const { server } = yield* sample
        const handle = yield* Scope.provide(McpHttp.makeWebHandler(server, { store }), scope)
        return { server, client: web.over("http://localhost/mcp", handle), end: Scope.close(scope, Exit.void) }
      })
      const old = yield* release
      const visitor = yield* web.visit(old.client, "2025-11-25", { elicitation: { form: {} } })
      yield* old.end
      const next = yield* release
      // Changes are told to a client that has never said hello to this process, what it can do is known.
      const standing = yield* next.client.send("GET", { ...visitor.headers, accept: "text/event-stream" })
      yield* standing.read.next
      yield* next.server.listChanged("tools")
      assert.strictEqual((yield* standing.read.message).method, "notifications/tools/list_changed")
      const { read } = yield* next.client.post(web.call("name"), visitor.headers)
      assert.strictEqual((yield* read.message).method, "elicitation/create")
    }))

  it.effect("a record of it is JSON, and no live object", () =>
    Effect.gen(function*() {
      const puts: Array<SessionStore.SessionRecord> = []
      const store: SessionStore.SessionStore = {
        get: () => Effect.die("it is held"),
        fence: () => Effect.void,
        put: (_, record) => Effect.sync(() => puts.push(record) > 0),
        remove: () => Effect.succeed(true)
      }
      const server = yield* McpServer.make({ name: "s", version: "1", features: [] })
      yield* web.visit(yield* web.open({ store }, server), "2025-06-18", { roots: {} })
      const [first, last] = puts
      assert.deepStrictEqual(last, JSON.parse(JSON.stringify(last)))
      assert.deepStrictEqual([first?.connection.ready, last?.connection.ready], [false, true])
      assert.deepStrictEqual(last?.connection.clientCapabilities, { roots: {} })
    }))
})
