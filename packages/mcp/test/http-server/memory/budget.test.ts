import { assert, describe, it } from "@effect/vitest"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import { Effect, Fiber, Queue } from "effect"
import { sample } from "../support/sample.ts"
import * as web from "../support/web.ts"

const list = web.request("tools/list")

/** Half of it is for what sessions keep, a quarter for those who listen. */
const budget = 1_000_000

/** An `initialize` that says so much of its client, which is heavier than its text. */
const talkative = (objects: number) =>
  web.request("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: { experimental: { x: { y: Array.from({ length: objects }, () => ({})) } } },
    clientInfo: { name: "c", version: "1" }
  })

const idOf = (answer: web.Answer) => answer.header("mcp-session-id") ?? ""

describe("what sessions keep", () => {
  it.effect("is bounded by its weight: the heaviest are over, and those that say little stay", () =>
    Effect.gen(function*() {
      const client = yield* web.open({ limits: { budget } })
      const modest = yield* web.visit(client)
      const heavy = yield* Effect.forEach(Array.from({ length: 10 }), () => client.post(talkative(1_000)))
      const alive = yield* Effect.filter(
        heavy,
        (answer) => Effect.map(client.post(list, { "mcp-session-id": idOf(answer) }), ({ status }) => status === 200)
      )
      // A thousand objects weigh about a hundred thousand bytes.
      assert.isAtLeast(alive.length, 3)
      assert.isAtMost(alive.length, 5)
      assert.strictEqual((yield* modest.post(list)).status, 200)
    }))

  it.effect("may be too much for a session to begin", () =>
    Effect.gen(function*() {
      const client = yield* web.open({ limits: { budget } })
      const answer = yield* client.post(talkative(6_000))
      assert.deepStrictEqual([answer.status, idOf(answer)], [503, ""])
      assert.strictEqual((yield* client.post(talkative(0))).status, 200)
    }))

  it.effect("counts the resources that it listens to", () =>
    Effect.gen(function*() {
      const things = McpResource.template("test://{id}", { name: "thing" }, ({ id }) => Effect.succeed(id))
      const server = yield* McpServer.make({ name: "s", version: "1", features: [things] })
      const client = yield* web.open({ limits: { budget } }, server)
      const ping = web.request("ping")
      const [modest, greedy] = [yield* web.visit(client), yield* web.visit(client, "2025-03-26")]
      const subscribe = (index: number) =>
        greedy.post(web.request("resources/subscribe", { uri: `test://${index}${"x".repeat(8_000)}` }))
      const statuses = yield* Effect.forEach(Array.from({ length: 40 }, (_, index) => index), (index) =>
        Effect.map(subscribe(index), ({ status }) => status))
      assert.deepStrictEqual([statuses[0], statuses[25], statuses[39]], [200, 200, 404])
      assert.strictEqual((yield* modest.post(ping)).status, 200)
    }))

  it.effect("is given back when they end", () =>
    Effect.gen(function*() {
      const client = yield* web.open({ limits: { budget } })
      for (let round = 0; round < 20; round++) {
        const headers = { "mcp-session-id": idOf(yield* client.post(talkative(3_000))) }
        assert.strictEqual((yield* client.post(list, headers)).status, 200)
        assert.strictEqual((yield* client.send("DELETE", headers)).status, 204)
      }
    }))
})

describe("what clients that listen have asked for", () => {
  const listen = (client: web.Client, more: number) =>
    web.modern(client, "subscriptions/listen", {
      notifications: { toolsListChanged: true },
      more: Array.from({ length: more }, () => ({}))
    })

  it.effect("is bounded by its weight, and given back when they leave", () =>
    Effect.gen(function*() {
      const client = yield* web.open({ limits: { budget } })
      const first = yield* listen(client, 1_500)
      assert.strictEqual(first.status, 200)
      const second = yield* listen(client, 1_500)
      assert.deepStrictEqual([second.status, second.header("retry-after")], [503, "10"])
      const small = yield* listen(client, 0)
      assert.strictEqual(small.status, 200)
      first.abort()
      let third = yield* listen(client, 1_500)
      for (let turn = 0; third.status !== 200 && turn < 100; turn++) {
        yield* Effect.yieldNow
        third = yield* listen(client, 1_500)
      }
      assert.strictEqual(third.status, 200)
    }))
})

describe("the calls of all requests", () => {
  const heavy = (name: string) => ({
    name: "wait",
    arguments: { name },
    more: Array.from({ length: 6_000 }, () => ({}))
  })

  it.effect("count on one budget: one without room is refused before it is parsed, small ones are answered", () =>
    Effect.gen(function*() {
      const { server, waiting } = yield* sample
      const client = yield* web.open({ limits: { budget } }, server)
      const visitor = yield* web.visit(client)
      const first = yield* Effect.forkChild(web.modern(client, "tools/call", heavy("first")))
      const { finish } = yield* Queue.take(waiting)
      assert.strictEqual((yield* web.modern(client, "tools/call", heavy("second"))).status, 503)
      assert.strictEqual((yield* visitor.post(web.request("tools/call", heavy("third")))).status, 503)
      assert.strictEqual((yield* visitor.post(list)).status, 200)
      finish("done")
      yield* Effect.flatMap(Fiber.join(first), ({ text }) => text)
      const next = yield* Effect.forkChild(visitor.post(web.request("tools/call", heavy("next"))))
      const second = yield* Queue.take(waiting)
      second.finish("done")
      assert.strictEqual((yield* Fiber.join(next)).status, 200)
    }))

  it.effect("hold their room until they end, also when their client has left the session", () =>
    Effect.gen(function*() {
      const { server, waiting } = yield* sample
      // Half of it is for calls whose clients have left.
      const client = yield* web.open({ limits: { budget: 2 * budget } }, server)
      const visitor = yield* web.visit(client)
      const call = yield* Effect.forkChild(visitor.post(web.request("tools/call", heavy("left"))))
      const { finish } = yield* Queue.take(waiting)
      yield* Fiber.interrupt(call)
      const others = yield* Effect.forEach(
        [1, 2],
        () => Effect.forkChild(web.modern(client, "tools/call", heavy("other")))
      )
      yield* Queue.take(waiting)
      yield* Queue.take(waiting)
      assert.strictEqual((yield* web.modern(client, "tools/call", heavy("fourth"))).status, 503)
      finish("done")
      yield* Effect.repeat(Effect.yieldNow, { times: 50 })
      const last = yield* Effect.forkChild(web.modern(client, "tools/call", heavy("last")))
      yield* Queue.take(waiting)
      yield* Fiber.interruptAll([...others, last])
    }))
})
