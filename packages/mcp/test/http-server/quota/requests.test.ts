import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Queue } from "effect"
import { settled } from "../../support/settled.ts"
import { sample } from "../support/sample.ts"
import * as web from "../support/web.ts"
import { at, bare, open, visit } from "./support/addressed.ts"

const ping = web.request("ping")

const [here, there] = ["192.0.2.1", "192.0.2.2"]

const listen = (client: web.Client, address: string) =>
  web.modern(client, "subscriptions/listen", { notifications: { toolsListChanged: true } }, at(address))

const wait = (client: web.Client, address: string, name = "a") =>
  web.modern(client, "tools/call", { name: "wait", arguments: { name } }, at(address))

const statusOf = ({ status }: web.Answer) => status

const served = Effect.fnUntraced(function*(calls: number) {
  const { server, waiting } = yield* sample
  const client = yield* open({ quotas: { address: { calls } } }, server)
  return { client, waiting }
})

describe("calls beyond the quota", () => {
  it.effect("are refused with their ids in both eras, and those of others are not", () =>
    Effect.gen(function*() {
      const { client, waiting } = yield* served(2)
      const [visitor, other] = [yield* visit(client, here), yield* visit(client, there)]
      const running = [
        yield* Effect.forkChild(wait(client, here)),
        yield* Effect.forkChild(visitor.post(web.call("wait", { name: "b" })))
      ]
      const waits = [yield* Queue.take(waiting), yield* Queue.take(waiting)]
      const legacy = yield* visitor.post(ping)
      assert.deepStrictEqual([legacy.status, legacy.header("retry-after")], [429, "1"])
      const { error, id } = yield* legacy.json
      assert.deepStrictEqual([id, error?.code], [ping.id, -31000])
      const modern = yield* web.modern(client, "tools/list", {}, at(here))
      assert.strictEqual(modern.status, 429)
      assert.strictEqual((yield* modern.json).error?.code, -31000)
      assert.strictEqual((yield* other.post(ping)).status, 200)
      // A message that is no call needs no quota.
      assert.strictEqual(
        (yield* visitor.post({ jsonrpc: "2.0", method: "notifications/roots/list_changed" })).status,
        202
      )
      for (const { finish } of waits) finish("done")
      for (const fiber of running) yield* Effect.flatMap(Fiber.join(fiber), ({ text }) => text)
      assert.strictEqual((yield* visitor.post(ping)).status, 200)
    }))

  it.effect("are counted until they end: a legacy one goes on without its client, a modern one does not", () =>
    Effect.gen(function*() {
      const { client, waiting } = yield* served(1)
      const visitor = yield* visit(client, here)
      const modern = yield* Effect.forkChild(wait(client, here))
      yield* Queue.take(waiting)
      yield* Fiber.interrupt(modern)
      yield* settled
      const legacy = yield* Effect.forkChild(visitor.post(web.call("wait", { name: "b" })))
      const { finish } = yield* Queue.take(waiting)
      yield* Fiber.interrupt(legacy)
      yield* settled
      assert.strictEqual((yield* visitor.post(ping)).status, 429)
      finish("done")
      yield* settled
      assert.strictEqual((yield* visitor.post(ping)).status, 200)
    }))

  it.effect("end with their session", () =>
    Effect.gen(function*() {
      const { client, waiting } = yield* served(1)
      const visitor = yield* visit(client, here)
      yield* Effect.forkChild(visitor.post(web.call("wait", { name: "b" })))
      yield* Queue.take(waiting)
      yield* visitor.remove
      yield* settled
      assert.strictEqual((yield* visit(client, here)).id.length, 36)
    }))

  it.effect("are each of a batch, which is refused as a whole", () =>
    Effect.gen(function*() {
      const client = yield* open({ quotas: { address: { calls: 2 } } })
      const visitor = yield* web.visit(client, "2025-03-26", {}, at(here))
      const note = { jsonrpc: "2.0", method: "notifications/initialized" }
      const batch = (calls: number) => [note, ...Array.from({ length: calls }, () => web.request("ping"))]
      const statuses = yield* Effect.forEach([2, 3, 2], (calls) => Effect.map(visitor.post(batch(calls)), statusOf))
      assert.deepStrictEqual(statuses, [200, 429, 200])
    }))

  it.effect("are counted where there are no sessions, and what cannot be read is not", () =>
    Effect.gen(function*() {
      const { server, waiting } = yield* sample
      const client = yield* open({ sessions: false, quotas: { address: { calls: 1 } } }, server)
      yield* Effect.forkChild(client.post(web.call("wait", { name: "a" }), at(here)))
      yield* Queue.take(waiting)
      assert.strictEqual((yield* client.post(ping, at(here))).status, 429)
      assert.strictEqual((yield* client.post("{", at(here))).status, 400)
      assert.strictEqual((yield* client.post(ping, at(there))).status, 200)
    }))

  it.effect("are none when they were answered, whatever the answer was", () =>
    Effect.gen(function*() {
      const { lines, post } = yield* bare({ quotas: { address: { calls: 1 } } })
      const modern = web.request("tools/call", { _meta: web.meta, name: "none", arguments: {} })
      const all = [ping, modern, [ping], web.handshake("2025-11-25"), web.request("initialize", { protocolVersion: 1 })]
      for (const message of [...all, ...all]) assert.notStrictEqual(yield* post(message, here), 429)
      assert.deepStrictEqual(lines, [])
    }))
})

describe("streams beyond the quota", () => {
  it.effect("are refused in both eras, while calls go on", () =>
    Effect.gen(function*() {
      const client = yield* open({ quotas: { address: { streams: 2 } } })
      const [visitor, other] = [yield* visit(client, here), yield* visit(client, there)]
      const [get, listening] = [yield* visitor.get(), yield* listen(client, here)]
      assert.deepStrictEqual([get.status, listening.status], [200, 200])
      const refused = yield* visitor.get()
      assert.deepStrictEqual([refused.status, refused.header("retry-after")], [429, "10"])
      assert.strictEqual(yield* refused.text, "Too many streams of one client: it may have 2 at once. Try again later.")
      const deaf = yield* listen(client, here)
      assert.deepStrictEqual([deaf.status, deaf.header("retry-after")], [429, "10"])
      assert.strictEqual((yield* deaf.json).error?.code, -31000)
      assert.strictEqual((yield* other.get()).status, 200)
      assert.strictEqual((yield* visitor.post(ping)).status, 200)
      get.abort()
      yield* settled
      assert.strictEqual((yield* listen(client, here)).status, 200)
      listening.abort()
      yield* settled
      assert.strictEqual((yield* visitor.get()).status, 200)
    }))

  it.effect("are no calls, and what is refused is no stream", () =>
    Effect.gen(function*() {
      const client = yield* open({ quotas: { address: { calls: 1, streams: 1 } } })
      const visitor = yield* visit(client, here)
      for (let time = 0; time < 3; time++) {
        assert.strictEqual((yield* visitor.get("none_1")).status, 400)
        const odd = yield* web.modern(client, "subscriptions/listen", { notifications: 1 }, at(here))
        assert.strictEqual((yield* odd.json).error?.code, -32602)
      }
      assert.strictEqual((yield* listen(client, here)).status, 200)
      assert.strictEqual((yield* visitor.post(ping)).status, 200)
    }))

  it.effect("end with the session", () =>
    Effect.gen(function*() {
      const client = yield* open({ quotas: { address: { streams: 1 } } })
      const visitor = yield* visit(client, here)
      const standing = yield* visitor.get()
      yield* visitor.remove
      yield* standing.read.rest
      yield* settled
      assert.strictEqual((yield* (yield* visit(client, here)).get()).status, 200)
    }))
})
