import { assert, describe, it } from "@effect/vitest"
import * as McpServer from "@parley/mcp/McpServer"
import { Effect, Fiber, Queue } from "effect"
import { TestClock } from "effect/testing"
import { sample } from "./support/sample.ts"
import * as web from "./support/web.ts"

const list = web.request("tools/list")

describe("both eras on one endpoint", () => {
  it.effect("are served at once, whatever the revision", () =>
    Effect.gen(function*() {
      const client = yield* web.open()
      const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
      const visitors = yield* Effect.forEach(revisions, (revision) => web.visit(client, revision))
      const texts = yield* Effect.forEach(
        visitors,
        (visitor, index) => Effect.flatMap(visitor.post(web.call("echo", { text: `${index}` })), ({ json }) => json)
      )
      assert.deepStrictEqual(texts.map(web.textOf), ["0", "1", "2", "3"])
      const modern = yield* web.modern(client, "tools/call", { name: "echo", arguments: { text: "m" } })
      assert.strictEqual(web.textOf(yield* modern.json), "m")
    }))

  it.effect("are told apart by the envelope, then by the header", () =>
    Effect.gen(function*() {
      const client = yield* web.open()
      const visitor = yield* web.visit(client)
      // An envelope makes a request modern, so that its headers have to be.
      const envelope = yield* visitor.post(web.request("tools/list", { _meta: web.meta }))
      assert.strictEqual((yield* envelope.json).error?.code, -32020)
      // A modern header makes it modern, and it lacks its envelope.
      const header = yield* visitor.post(list, { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" })
      assert.strictEqual((yield* header.json).error?.code, -32602)
      assert.strictEqual((yield* visitor.post(list)).status, 200)
      // Who shakes hands may name a revision in a header that is agreed on only then.
      const handshake = yield* client.post(web.handshake("2026-07-28"), { "mcp-protocol-version": "2026-07-28" })
      assert.strictEqual((yield* handshake.json).result?.["protocolVersion"], "2025-11-25")
    }))
})

describe("a session", () => {
  it.effect("begins with initialize, and is named by visible ASCII", () =>
    Effect.gen(function*() {
      const client = yield* web.open()
      const answer = yield* client.post(web.handshake("2025-11-25"))
      assert.match(answer.header("mcp-session-id") ?? "", /^[!-~]{36}$/)
      const refused = yield* client.post(web.request("initialize", { protocolVersion: 1 }))
      assert.strictEqual(refused.header("mcp-session-id"), null)
      const many = yield* client.post([web.handshake("2025-03-26"), list])
      assert.strictEqual(many.status, 400)
    }))

  it.effect("has to be named by every request behind it, and to be there", () =>
    Effect.gen(function*() {
      const client = yield* web.open()
      const visitor = yield* web.visit(client)
      const headers = { accept: "text/event-stream" }
      const unnamed = yield* client.post(list)
      assert.deepStrictEqual([unnamed.status, (yield* unnamed.json).id], [400, list.id])
      const unknown = yield* visitor.post(list, { "mcp-session-id": "nobody" })
      assert.deepStrictEqual([unknown.status, (yield* unknown.json).id], [404, list.id])
      for (const method of ["GET", "DELETE"]) {
        assert.strictEqual((yield* client.send(method, headers)).status, 400)
        assert.strictEqual((yield* client.send(method, { ...headers, "mcp-session-id": "nobody" })).status, 404)
      }
      const notification = { jsonrpc: "2.0", method: "notifications/initialized" }
      assert.strictEqual((yield* client.post(notification)).status, 400)
      assert.strictEqual((yield* visitor.post(notification)).status, 202)
    }))

  it.effect("takes requests of revisions that are spoken, or none, and refuses others with 400", () =>
    Effect.gen(function*() {
      const client = yield* web.open()
      const visitor = yield* web.visit(client)
      const status = (version: string | undefined) =>
        Effect.map(visitor.post(list, { "mcp-protocol-version": version }), ({ status }) => status)
      assert.deepStrictEqual(yield* Effect.forEach(["2025-11-25", undefined, "2025-01-01", "x"], status), [
        200,
        200,
        400,
        400
      ])
      const get = yield* client.send("GET", { ...visitor.headers, "mcp-protocol-version": "2025-01-01" })
      assert.strictEqual(get.status, 400)
    }))

  it.effect("ends by DELETE, then nobody knows it", () =>
    Effect.gen(function*() {
      const { interrupted, server, waiting } = yield* sample
      const client = yield* web.open({}, server)
      const visitor = yield* web.visit(client)
      const standing = yield* visitor.get()
      const running = yield* Effect.forkChild(visitor.post(web.call("wait", { name: "a" })))
      yield* Queue.take(waiting)
      assert.strictEqual((yield* visitor.remove).status, 204)
      assert.strictEqual((yield* visitor.remove).status, 404)
      assert.strictEqual((yield* visitor.post(list)).status, 404)
      assert.strictEqual((yield* visitor.get()).status, 404)
      assert.strictEqual(yield* Queue.take(interrupted), "a")
      assert.strictEqual((yield* (yield* Fiber.join(running)).json).error?.code, -32000)
      assert.deepStrictEqual((yield* standing.read.rest).filter(({ data }) => data !== ""), [])
    }))

  it.effect("takes batches where its revision has them", () =>
    Effect.gen(function*() {
      const client = yield* web.open()
      for (const revision of ["2025-03-26", "2025-06-18"]) {
        const visitor = yield* web.visit(client, revision)
        const answer = yield* visitor.post([web.call("echo", { text: "a" }), web.call("echo", { text: "b" })])
        if (revision === "2025-03-26") {
          const all: ReadonlyArray<web.Said> = JSON.parse(yield* answer.text)
          assert.deepStrictEqual(all.map(web.textOf), ["a", "b"])
        } else {
          assert.strictEqual(answer.status, 400)
        }
      }
    }))

  it.live("is over where its client leaves before it has begun", () =>
    Effect.gen(function*() {
      let interrupted = 0
      const never = Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted++))
      const server = yield* McpServer.make({
        name: "s",
        version: "1",
        features: [],
        middleware: (handler) => (call) => call.method === "initialize" && isStuck ? never : handler(call)
      })
      let isStuck = true
      const client = yield* web.alone(
        { authorize: web.byAuthorization, quotas: { principal: { sessions: 1 } } },
        server
      )
      const ann = { authorization: "ann" }
      const left = yield* Effect.forkChild(client.post(web.handshake("2025-11-25"), ann), { startImmediately: true })
      yield* Effect.sleep("20 millis")
      yield* Fiber.interrupt(left)
      yield* Effect.sleep("20 millis")
      assert.strictEqual(interrupted, 1)
      isStuck = false
      assert.strictEqual((yield* web.visit(client, "2025-11-25", {}, ann)).id.length, 36)
    }))

  it.effect("belongs to who began it", () =>
    Effect.gen(function*() {
      const client = yield* web.open({ authorize: web.byAuthorization })
      const visitor = yield* web.visit(client, "2025-11-25", {}, { authorization: "ann" })
      assert.strictEqual((yield* visitor.post(list)).status, 200)
      assert.strictEqual((yield* visitor.post(list, { authorization: "bob" })).status, 404)
      assert.strictEqual((yield* visitor.post(list, { authorization: undefined })).status, 404)
    }))

  it.effect("is not needed where the server keeps none", () =>
    Effect.gen(function*() {
      const client = yield* web.open({ sessions: false })
      const hello = yield* client.post(web.handshake("2025-06-18"))
      const greeted = (yield* hello.json).result
      assert.deepStrictEqual([hello.header("mcp-session-id"), greeted?.["protocolVersion"]], [null, "2025-06-18"])
      // Nothing could be sent behind the answer.
      assert.deepInclude(greeted?.["capabilities"], { tools: {} })
      const subscribing = web.request("resources/subscribe", { uri: "test://a" })
      const refused = yield* client.post(subscribing, { "mcp-protocol-version": "2025-06-18" })
      assert.strictEqual((yield* refused.json).error?.code, -32601)
      assert.strictEqual((yield* client.post({ jsonrpc: "2.0", method: "notifications/initialized" })).status, 202)
      const echo = yield* client.post(web.call("echo", { text: "hi" }), { "mcp-protocol-version": "2025-06-18" })
      assert.strictEqual(web.textOf(yield* echo.json), "hi")
      assert.strictEqual((yield* client.post(list, { "mcp-protocol-version": "1999-01-01" })).status, 400)
      assert.strictEqual((yield* client.post([list, list], { "mcp-protocol-version": "2025-06-18" })).status, 400)
      assert.strictEqual((yield* client.post([list, list])).status, 200)
      const get = yield* client.send("GET", { accept: "text/event-stream" })
      assert.deepStrictEqual([get.status, get.header("allow")], [405, "POST"])
    }))
})

describe("sessions that nobody uses", () => {
  it.effect("end when they were idle for long", () =>
    Effect.gen(function*() {
      const client = yield* web.open({ sessions: { idle: "10 minutes" } })
      const used = yield* web.visit(client)
      const left = yield* web.visit(client)
      yield* TestClock.adjust("6 minutes")
      assert.strictEqual((yield* used.post(list)).status, 200)
      yield* TestClock.adjust("6 minutes")
      assert.strictEqual((yield* used.post(list)).status, 200)
      assert.strictEqual((yield* left.post(list)).status, 404)
    }))

  it.effect("do not end while something runs in them, or their stream is read", () =>
    Effect.gen(function*() {
      const { server, waiting } = yield* sample
      const client = yield* web.open({ sessions: { idle: "10 minutes" } }, server)
      const [running, reading] = [yield* web.visit(client), yield* web.visit(client)]
      const pending = yield* Effect.forkChild(running.post(web.call("wait", { name: "a" })))
      const { finish } = yield* Queue.take(waiting)
      const standing = yield* reading.get()
      yield* TestClock.adjust("35 minutes")
      finish("done")
      assert.strictEqual(web.textOf(yield* (yield* Fiber.join(pending)).read.message), "done")
      // From the end of what they were used for, they have their time.
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual((yield* running.post(list)).status, 200)
      standing.abort()
      assert.strictEqual((yield* reading.post(list)).status, 200)
      yield* TestClock.adjust("25 minutes")
      assert.strictEqual((yield* running.post(list)).status, 404)
    }))

  it.effect("make room for new ones, the one that was used longest ago first", () =>
    Effect.gen(function*() {
      const { server, waiting } = yield* sample
      const client = yield* web.alone({ sessions: { max: 2 } }, server)
      const [first, second] = [yield* web.visit(client), yield* web.visit(client)]
      yield* Effect.forkChild(first.post(web.call("wait", { name: "a" })))
      yield* Queue.take(waiting)
      const third = yield* web.visit(client)
      assert.strictEqual((yield* second.post(list)).status, 404)
      assert.strictEqual((yield* first.post(list)).status, 200)
      yield* Effect.forkChild(third.post(web.call("wait", { name: "b" })))
      yield* Queue.take(waiting)
      const full = yield* client.post(web.handshake("2025-11-25"))
      assert.deepStrictEqual([full.status, full.header("retry-after")], [503, "10"])
    }))
})

describe("calls whose clients have left", () => {
  const open = Effect.gen(function*() {
    const { interrupted, server, waiting } = yield* sample
    const client = yield* web.alone({ limits: { budget: 350_000 } }, server)
    const abandon = Effect.fnUntraced(function*(visitor: web.Visitor, length: number, accept: string) {
      const calling = yield* Effect.forkChild(visitor.post(web.call("wait", { name: "x".repeat(length) }), { accept }))
      const { finish } = yield* Queue.take(waiting)
      yield* Fiber.interrupt(calling)
      return () => finish("done")
    })
    return { abandon, client, interrupted }
  })

  for (const accept of [web.both, "application/json"]) {
    it.effect(`hold no more than there may be in all: whose hold most are over (${accept})`, () =>
      Effect.gen(function*() {
        const { abandon, client, interrupted } = yield* open
        const [modest, greedy] = [yield* web.visit(client), yield* web.visit(client)]
        yield* abandon(modest, 10_000, accept)
        yield* abandon(greedy, 30_000, accept)
        yield* abandon(greedy, 30_000, accept)
        assert.strictEqual((yield* greedy.post(list)).status, 200)
        yield* abandon(modest, 20_000, accept)
        assert.strictEqual((yield* Queue.take(interrupted)).length, 30_000)
        assert.strictEqual((yield* greedy.post(list)).status, 404)
        assert.strictEqual((yield* modest.post(list)).status, 200)
      }))

    it.effect(`hold nothing when they have ended (${accept})`, () =>
      Effect.gen(function*() {
        const { abandon, client } = yield* open
        const visitor = yield* web.visit(client)
        for (let call = 0; call < 20; call++) {
          const finish = yield* abandon(visitor, 50_000, accept)
          finish()
          for (let turn = 0; turn < 50; turn++) yield* Effect.yieldNow
        }
        assert.strictEqual((yield* visitor.post(list)).status, 200)
      }))
  }
})

describe("a server of legacy revisions alone", () => {
  it.effect("agrees on one of its own", () =>
    Effect.gen(function*() {
      const server = yield* McpServer.make({ name: "s", version: "1", protocolVersions: ["2025-06-18"], features: [] })
      const client = yield* web.open({}, server)
      const answer = yield* client.post(web.handshake("2025-11-25"))
      assert.strictEqual((yield* answer.json).result?.["protocolVersion"], "2025-06-18")
      const id = answer.header("mcp-session-id") ?? ""
      const other = yield* client.post(web.request("ping"), {
        "mcp-session-id": id,
        "mcp-protocol-version": "2025-11-25"
      })
      assert.strictEqual(other.status, 400)
    }))
})
