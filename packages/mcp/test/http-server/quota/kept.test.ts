import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as web from "../support/web.ts"
import { at, open, tally, visit } from "./support/addressed.ts"

const ping = web.request("ping")

/** Half of it is for what sessions keep, a tenth of that for each party. */
const limits = { budget: 1_000_000 }

/** An `initialize` that says so much of its client: a hundred objects weigh about ten thousand. */
const talkative = (objects: number) =>
  web.request("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: { experimental: { x: { y: Array.from({ length: objects }, () => ({})) } } },
    clientInfo: { name: "c", version: "1" }
  })

const statusOf = (visitor: web.Visitor) => Effect.map(visitor.post(ping), ({ status }) => status)

const many = (count: number) => Array.from({ length: count }, (_, index) => index)

describe("what sessions keep", () => {
  it.effect("ends none of a principal, and none that has made a call, for another", () =>
    Effect.gen(function*() {
      const client = yield* open({ limits, quotas: false, authorize: web.byAuthorization })
      const held = (objects: number, headers: web.Headers) =>
        Effect.map(client.post(talkative(objects), headers), (answer) => answer.header("mcp-session-id"))
      const named = yield* held(1_500, at("192.0.2.1", { authorization: "ann" }))
      const active = yield* held(1_500, at("192.0.2.2"))
      const use = (id: string | null, more: web.Headers) =>
        Effect.map(client.post(ping, { ...more, "mcp-session-id": id ?? "" }), ({ status }) => status)
      yield* use(active, at("192.0.2.2"))
      const light = yield* Effect.forEach(many(10), (index) => visit(client, `198.51.100.${index}`))
      const heavy = yield* Effect.forEach(many(50), (index) => held(800, at(`203.0.113.${index}`)))
      assert.deepStrictEqual([yield* use(named, { authorization: "ann" }), yield* use(active, {})], [200, 200])
      assert.deepStrictEqual(tally(yield* Effect.forEach(light, statusOf)), { 200: 10 })
      const alive = yield* Effect.filter(heavy, (id) => Effect.map(use(id, {}), (status) => status === 200))
      assert.isBelow(alive.length, 3)
    }))

  it.effect("ends the one that wants more where no other may end", () =>
    Effect.gen(function*() {
      const client = yield* open({ limits, quotas: false })
      const first = yield* client.post(talkative(4_500), at("192.0.2.1"))
      const id = first.header("mcp-session-id") ?? ""
      assert.strictEqual((yield* client.post(ping, { "mcp-session-id": id })).status, 200)
      assert.strictEqual((yield* client.post(talkative(4_500), at("192.0.2.2"))).status, 503)
      assert.strictEqual((yield* client.post(ping, { "mcp-session-id": id })).status, 200)
      assert.strictEqual((yield* client.post(talkative(10), at("192.0.2.2"))).status, 200)
    }))

  it.effect("is bounded for each party that has a quota, so that none can take all by calls", () =>
    Effect.gen(function*() {
      const client = yield* open({ limits })
      const greedy = at("192.0.2.1")
      const statuses = yield* Effect.forEach(many(40), () =>
        Effect.gen(function*() {
          const { header, status } = yield* client.post(talkative(100), greedy)
          const id = header("mcp-session-id")
          if (id !== null) yield* client.post(ping, { ...greedy, "mcp-session-id": id })
          return status
        }))
      const counts = tally(statuses)
      assert.isAtLeast(counts[200] ?? 0, 2)
      assert.isAtMost(counts[200] ?? 0, 4)
      assert.strictEqual((counts[200] ?? 0) + (counts[503] ?? 0), 40)
      const others = yield* Effect.forEach(many(10), (index) => visit(client, `198.51.100.${index}`))
      assert.deepStrictEqual(tally(yield* Effect.forEach(others, statusOf)), { 200: 10 })
    }))

  it.effect("of a party is given back with its sessions", () =>
    Effect.gen(function*() {
      const client = yield* open({ limits })
      for (let round = 0; round < 20; round++) {
        const answer = yield* client.post(talkative(300), at("192.0.2.1"))
        assert.strictEqual(answer.status, 200)
        const headers = at("192.0.2.1", { "mcp-session-id": answer.header("mcp-session-id") ?? "" })
        assert.strictEqual((yield* client.send("DELETE", headers)).status, 204)
      }
    }))
})
