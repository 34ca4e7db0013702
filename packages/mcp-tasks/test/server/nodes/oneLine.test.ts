/** A `Mesh` and a `Journal` are all that a server needs to be on several nodes. */
import { assert, describe, it } from "@effect/vitest"
import * as McpTasks from "@parley/mcp-tasks/McpTasks"
import * as SessionStore from "@parley/mcp/http/SessionStore"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import { Journal } from "@parley/mesh/Journal"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import { Mesh, Overloaded } from "@parley/mesh/Mesh"
import * as MeshNode from "@parley/mesh/MeshNode"
import { Context, Effect, Layer, Logger, Option } from "effect"
import { TestClock } from "effect/testing"
import * as web from "../../../../mcp/test/http-server/support/web.ts"
import { at } from "../../../../mcp/test/nodes/support/cluster.ts"
import { settled } from "../../../../mcp/test/support/settled.ts"

const ping = web.request("ping")

/** A server as it is written for one process, with or without the line. */
const server = (nodes?: Layer.Layer<Mesh | Journal>) =>
  Effect.gen(function*() {
    const slow = McpTool.make("slow", { extensions: [McpTasks.optional()] }, () =>
      Effect.as(Effect.sleep("1 second"), "done"))
    const Server = McpServer.layer({ name: "sample", version: "1.0.0", features: [slow] }).pipe(
      Layer.provide(McpTasks.layer())
    )
    const Handler = Layer.effect(
      Handle,
      Effect.flatMap(McpServer.McpServer, (server) =>
        McpHttp.makeWebHandler(server))
    ).pipe(Layer.provide(Server))
    const context = yield* Layer.build(nodes === undefined ? Handler : Layer.provide(Handler, nodes))
    return web.over("http://localhost/mcp", Context.get(context, Handle))
  })

const Handle = Context.Service<(request: Request) => Promise<Response>>("Handle")

/** Servers of one engine and one journal, each with a mesh that ends by itself. */
const several = Effect.fnUntraced(function*(around: (journal: Journal) => Journal = (journal) => journal) {
  const engine = yield* MemoryNodes.makeEngine
  const journal = around(yield* MemoryNodes.makeJournal())
  const node = Effect.gen(function*() {
    const mesh = yield* MeshNode.make(engine)
    const client = yield* server(Layer.mergeAll(Layer.succeed(Mesh)(mesh), Layer.succeed(Journal)(journal)))
    return { mesh, client }
  })
  const [a, b] = [yield* node, yield* node]
  const as = (visitor: web.Visitor, client: web.Client) => at(visitor, { client } as Parameters<typeof at>[1])
  return { engine, journal, a, b, as }
})

describe("a server in one process", () => {
  it.effect("has its sessions and tasks in memory", () =>
    Effect.gen(function*() {
      const client = yield* server()
      const here = yield* web.visit(client)
      assert.strictEqual((yield* here.post(ping)).status, 200)
      const { json } = yield* here.post(web.request("tools/call", { name: "slow", arguments: {}, task: {} }))
      assert.isDefined((yield* json).result)
    }))
})

describe("a server with a mesh and a journal", () => {
  it.effect("keeps its sessions in the journal, and another node goes on with them", () =>
    Effect.gen(function*() {
      const { a, as, b, engine, journal } = yield* several()
      const here = yield* web.visit(a.client)
      assert.isDefined(yield* journal.last(`mcp/session/${here.id}`))
      const there = as(here, b.client)
      assert.strictEqual((yield* there.post(ping)).status, 200)
      engine.kill(a.mesh.node)
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual((yield* there.post(ping)).status, 200)
      assert.strictEqual(yield* b.mesh.owner(`mcp/sample/session/${here.id}`), b.mesh.node)
      assert.strictEqual((yield* there.remove).status, 204)
      assert.strictEqual((yield* there.post(ping)).status, 404)
    }).pipe(Effect.provide(Logger.layer([]))))

  it.effect("has a client come again while the journal is away, and goes on with its session then", () =>
    Effect.gen(function*() {
      let isAway = false
      const unless = <A, E>(ask: Effect.Effect<A, E>): Effect.Effect<A, E | Overloaded> =>
        Effect.suspend((): Effect.Effect<A, E | Overloaded> =>
          isAway ? Effect.fail(new Overloaded({ key: "journal", reason: "away" })) : ask
        )
      const { a, as, b, engine } = yield* several((journal) => ({
        ...journal,
        append: (...text) => unless(journal.append(...text)),
        fence: (...fence) => unless(journal.fence(...fence)),
        last: (key) => unless(journal.last(key))
      }))
      const here = yield* web.visit(a.client)
      engine.kill(a.mesh.node)
      yield* TestClock.adjust("4 seconds")
      isAway = true
      const there = as(here, b.client)
      const { header, status } = yield* there.post(ping)
      assert.deepStrictEqual([status, header("retry-after")], [503, "1"])
      isAway = false
      assert.strictEqual((yield* there.post(ping)).status, 200)
    }).pipe(Effect.provide(Logger.layer([]))))

  it.effect("knows the tasks of all nodes", () =>
    Effect.gen(function*() {
      const { a, as, b } = yield* several()
      const here = yield* web.visit(a.client)
      const { json } = yield* here.post(web.request("tools/call", { name: "slow", arguments: {}, task: {} }))
      const { task } = (yield* json).result as { readonly task: { readonly taskId: string } }
      yield* TestClock.adjust("2 seconds")
      yield* settled
      const there = yield* web.visit(b.client)
      for (const visitor of [as(here, b.client), there]) {
        const answer = yield* visitor.post(web.request("tasks/get", { taskId: task.taskId }))
        assert.deepInclude((yield* answer.json).result, { status: "completed" })
      }
    }))
})

describe("sessions in a journal", () => {
  const record: SessionStore.SessionRecord = { connection: {} as never, used: 1 }

  it.effect("are refused to an owner that another has followed, also when they are over", () =>
    Effect.gen(function*() {
      const journal = yield* MemoryNodes.makeJournal()
      const store = SessionStore.makeJournal(journal)
      const isThere = Effect.map(store.get("s"), Option.isSome)
      assert.isTrue(yield* store.put("s", record, 3))
      yield* store.fence("s", 5)
      assert.deepStrictEqual([yield* store.put("s", record, 3), yield* store.remove("s", 3)], [false, false])
      assert.isTrue(yield* store.put("s", record, 5))
      assert.isTrue(yield* store.remove("s", 5))
      assert.isFalse(yield* store.put("s", record, 3))
      assert.isFalse(yield* isThere)
      // Of each session, the last state is kept.
      assert.strictEqual((yield* journal.read("mcp/session/s", 0)).length, 2)
    }))

  it.effect("that cannot be reached are not said to be over", () =>
    Effect.gen(function*() {
      const journal = yield* MemoryNodes.makeJournal()
      const store = SessionStore.makeJournal({ ...journal, append: () => Effect.die("broken") })
      assert.isFalse(yield* store.remove("s", 1))
      assert.isTrue(yield* store.put("s", record, 1))
    }).pipe(Effect.provide(Logger.layer([]))))
})
