import { assert, describe, it } from "@effect/vitest"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpTool from "@parley/mcp/McpTool"
import { Scopes } from "@parley/oauth/AccessToken"
import * as Handshake from "@parley/transport/Handshake"
import { Cause, Context, Effect, Exit, Fiber, Queue } from "effect"
import * as web from "../http-server/support/web.ts"
import { at, cluster, visited } from "./support/cluster.ts"

const list = web.request("tools/list")

const told = ({ params }: web.Said) => params?.["data"]

describe("a session that another node holds", () => {
  it.effect("is served there, with its streams, whichever node is asked", () =>
    Effect.gen(function*() {
      const { owner, there } = yield* visited()
      assert.strictEqual((yield* there.post(list)).status, 200)
      const pending = yield* Effect.forkChild(there.post(web.call("wait", { name: "a" })))
      const { finish, tell } = yield* Queue.take(owner.waiting)
      tell("one")
      const { header, read, status } = yield* Fiber.join(pending)
      assert.deepStrictEqual([status, header("content-type")], [200, "text/event-stream"])
      assert.strictEqual(told(yield* read.message), "one")
      finish("two")
      assert.strictEqual(web.textOf(yield* read.message), "two")
      assert.strictEqual(yield* read.next, undefined)
    }))

  it.effect("is looked for once with each request", () =>
    Effect.gen(function*() {
      let looks = 0
      const { nodes: [owner, other] } = yield* cluster({}, (engine) => ({
        ...engine,
        owner: (key) => Effect.tap(engine.owner(key), () => Effect.sync(() => looks++))
      }))
      const there = at(yield* web.visit(owner.client), other)
      assert.strictEqual(looks, 0)
      for (const count of [1, 2]) {
        assert.strictEqual((yield* there.post(list)).status, 200)
        assert.strictEqual(looks, count)
      }
    }))

  it.effect("is known by the name of who began it, and its calls see the headers of their requests", () =>
    Effect.gen(function*() {
      const { there } = yield* visited({ authorize: web.byAuthorization, forwarded: ["X-Tag"] }, {}, {
        authorization: "ann"
      })
      const answer = yield* there.post(web.call("whence"), { "x-tag": "t" })
      assert.strictEqual(web.textOf(yield* answer.json), "ann t t")
      for (const authorization of ["bob", undefined]) {
        assert.strictEqual((yield* there.post(list, { authorization })).status, 404)
      }
    }))

  it.effect("has calls that see the headers of their requests, also where its principal hides some", () =>
    Effect.gen(function*() {
      const principal = Context.make(Handshake.Name, "ann").pipe(
        Context.add(Handshake.Credentials, ["authorization"])
      )
      const { there } = yield* visited({
        authorize: Handshake.declare(() => Effect.succeed(principal)),
        forwarded: ["x-tag"]
      })
      const answer = yield* there.post(web.call("whence"), { "x-tag": "t" })
      assert.strictEqual(web.textOf(yield* answer.json), "ann t t")
    }))

  it.effect("holds features against the scopes of who sends a request, and says which are missing", () =>
    Effect.gen(function*() {
      const authorize = Handshake.declare(({ header }) =>
        Effect.succeed(
          Context.make(Handshake.Name, "ann").pipe(
            Context.add(Scopes, new Set((header("authorization") ?? "").split(" ")))
          )
        )
      )
      const { owner, there } = yield* visited({ authorize })
      const guarded = McpTool.make("guarded", { scopes: ["write"] }, () => Effect.succeed("done"))
      yield* owner.server.add([guarded])
      const call = (authorization: string) => there.post(web.call("guarded"), { authorization })
      assert.strictEqual(web.textOf(yield* (yield* call("read write")).json), "done")
      const refused = yield* call("read")
      assert.strictEqual(refused.status, 403)
      assert.include(refused.header("www-authenticate") ?? "", "write")
    }))

  it.effect("has texts count at the node that forwards them, too, as long as they are answered", () =>
    Effect.gen(function*() {
      const { owner, there } = yield* visited({ limits: { budget: 1_048_576 } })
      const wait = web.call("wait", { name: "a".repeat(100_000) })
      const pending = yield* Effect.forEach(
        [1, 2, 3],
        () => Effect.forkChild(there.post({ ...wait, id: crypto.randomUUID() }))
      )
      const running = yield* Effect.forEach(pending, () => Queue.take(owner.waiting))
      assert.strictEqual((yield* there.post(wait)).status, 503)
      for (const { finish } of running) finish("done")
      assert.deepStrictEqual((yield* Fiber.joinAll(pending)).map(({ status }) => status), [200, 200, 200])
      const again = yield* Effect.forkChild(there.post(wait))
      const { finish } = yield* Queue.take(owner.waiting)
      finish("done")
      assert.strictEqual((yield* Fiber.join(again)).status, 200)
    }))

  it.effect("takes answers to its questions", () =>
    Effect.gen(function*() {
      const { here, there } = yield* visited({}, { elicitation: {} })
      const { read } = yield* here.post(web.call("name"))
      const { id = null } = yield* read.message
      const result = { action: "accept", content: { name: "Ada" } }
      assert.strictEqual((yield* there.post({ jsonrpc: "2.0", id, result })).status, 202)
      assert.strictEqual(web.textOf(yield* read.message), "Ada")
      assert.strictEqual((yield* there.post({ jsonrpc: "2.0", id: "never", result })).status, 409)
    }))

  it.effect("hears what is cancelled", () =>
    Effect.gen(function*() {
      const { here, owner, there } = yield* visited()
      const call = web.call("wait", { name: "a" })
      const running = yield* Effect.forkChild(here.post(call))
      yield* Queue.take(owner.waiting)
      yield* there.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: call.id } })
      assert.strictEqual(yield* Queue.take(owner.interrupted), "a")
      assert.strictEqual((yield* Fiber.join(running)).status, 202)
    }))

  it.effect("has its standing stream read, and read on elsewhere", () =>
    Effect.gen(function*() {
      const { here, other, owner, there } = yield* visited()
      const first = yield* there.get()
      yield* first.read.next
      yield* owner.server.listChanged("tools")
      assert.strictEqual((yield* first.read.message).method, "notifications/tools/list_changed")
      first.abort()
      // The client hears of the changes that the other node is told of.
      yield* other.server.listChanged("prompts")
      const second = yield* here.get(first.read.lastId())
      assert.strictEqual((yield* second.read.message).method, "notifications/prompts/list_changed")
    }))

  it.effect("goes on with a call whose client has left, and gives the rest of its stream", () =>
    Effect.gen(function*() {
      const { here, owner, there } = yield* visited()
      const pending = yield* Effect.forkChild(there.post(web.call("wait", { name: "a" })))
      const { finish, tell } = yield* Queue.take(owner.waiting)
      tell("one")
      const broken = yield* Fiber.join(pending)
      assert.strictEqual(told(yield* broken.read.message), "one")
      broken.abort()
      tell("two")
      const again = yield* here.get(broken.read.lastId())
      assert.strictEqual(told(yield* again.read.message), "two")
      again.abort()
      finish("three")
      const last = yield* there.get(again.read.lastId())
      assert.strictEqual(web.textOf(yield* last.read.message), "three")
      assert.strictEqual(yield* Queue.size(owner.interrupted), 0)
    }))

  it.effect("ends for all", () =>
    Effect.gen(function*() {
      const { here, journal, records, there } = yield* visited()
      yield* here.post(web.call("echo", { text: "a" }))
      assert.strictEqual((yield* there.remove).status, 204)
      for (const visitor of [here, there]) assert.strictEqual((yield* visitor.post(list)).status, 404)
      assert.strictEqual(records.size, 0)
      assert.deepStrictEqual(yield* journal.read(`mcp/events/${here.id}`, 0), [])
    }))

  it.effect("is not asked for where no node has it", () =>
    Effect.gen(function*() {
      const { other } = yield* visited()
      for (const id of ["x", crypto.randomUUID()]) {
        assert.strictEqual((yield* other.client.post(list, { "mcp-session-id": id })).status, 404)
      }
    }))
})

describe("a second endpoint of a server on one node", () => {
  it.effect("is a defect that names what is served already: its sessions could not be told from those of the first", () =>
    Effect.gen(function*() {
      const { nodes: [{ mesh, server }] } = yield* cluster()
      const exit = yield* Effect.exit(McpHttp.endpoint(server, { mesh }))
      assert.match(
        Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "",
        /this node serves mcp\/sample\/session already/
      )
    }))
})

describe("requests of the modern era", () => {
  it.effect("are served where they come", () =>
    Effect.gen(function*() {
      const { nodes } = yield* cluster()
      for (const { client } of nodes) {
        const answer = yield* web.modern(client, "tools/call", { name: "echo", arguments: { text: "m" } })
        assert.strictEqual(web.textOf(yield* answer.json), "m")
      }
    }))
})
