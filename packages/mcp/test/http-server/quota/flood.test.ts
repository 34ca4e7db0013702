import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as web from "../support/web.ts"
import { at, bare, begin, flood, open, tally, visit } from "./support/addressed.ts"

const list = web.request("tools/list")
const ping = web.request("ping")

const statusOf = (visitor: web.Visitor) => Effect.map(visitor.post(ping), ({ status }) => status)

const many = (count: number) => Array.from({ length: count }, (_, index) => index)

/** An address of its own for each number, each in a network of its own. */
const addressOf = (index: number) =>
  index % 2 === 0 ? `198.51.${index >> 8}.${index & 255}` : `2001:db8:${index.toString(16)}::1`

describe("a flood of handshakes", () => {
  it.effect("from one address gets 429, and ends no session of anybody", () =>
    Effect.gen(function*() {
      const { client, post } = yield* bare({ authorize: web.byAuthorization })
      const named = yield* visit(client, "203.0.113.1", { authorization: "ann" })
      const active = yield* visit(client, "203.0.113.2")
      yield* active.post(list)
      const quiet = yield* visit(client, "203.0.113.3")
      const statuses = yield* Effect.forEach(many(10_000), () => post(web.handshake("2025-11-25"), "203.0.113.66"))
      assert.deepStrictEqual(tally(statuses), { 200: 1_000, 429: 9_000 })
      assert.deepStrictEqual(yield* Effect.forEach([named, active, quiet], statusOf), [200, 200, 200])
      assert.strictEqual(yield* begin(client, at("203.0.113.67")), 200)
    }))

  it.effect("from one network of IPv6 is that of one client", () =>
    Effect.gen(function*() {
      const client = yield* open({ quotas: { address: { sessions: 5 } } })
      const counts = yield* flood(client, 20, (index) => at(`2001:db8:1:2:${index.toString(16)}::1`))
      assert.deepStrictEqual(counts, { 200: 5, 429: 15 })
      assert.strictEqual(yield* begin(client, at("2001:db8:1:3::1")), 200)
      // An address of IPv4 in the form of IPv6 is the same address.
      const mixed = yield* flood(client, 10, (index) => at(index % 2 === 0 ? "192.0.2.1" : "::ffff:192.0.2.1"))
      assert.deepStrictEqual(mixed, { 200: 5, 429: 5 })
    }))

  it.effect("from everywhere ends no session of a principal, and none that has made a call", () =>
    Effect.gen(function*() {
      const client = yield* open({ authorize: web.byAuthorization, sessions: { max: 100 } })
      const named = yield* Effect.forEach(
        many(10),
        (index) => visit(client, "203.0.113.1", { authorization: `${index}` })
      )
      const active = yield* Effect.forEach(many(10), (index) => visit(client, addressOf(index)))
      yield* Effect.forEach(active, (visitor) => visitor.post(list))
      const quiet = yield* visit(client, "203.0.113.3")
      assert.deepStrictEqual(yield* flood(client, 1_000, (index) => at(addressOf(index))), { 200: 1_000 })
      assert.deepStrictEqual(tally(yield* Effect.forEach([...named, ...active], statusOf)), { 200: 20 })
      assert.strictEqual(yield* statusOf(quiet), 404)
    }))

  it.effect("gets 503 where none may end for it, and room as soon as one has ended", () =>
    Effect.gen(function*() {
      const client = yield* open({ authorize: web.byAuthorization, sessions: { max: 3 } })
      const named = yield* visit(client, "203.0.113.1", { authorization: "ann" })
      const active = yield* visit(client, "203.0.113.2")
      yield* active.post(list)
      const busy = yield* visit(client, "203.0.113.3")
      const stream = yield* busy.get()
      const refused = yield* client.post(web.handshake("2025-11-25"), at("203.0.113.4"))
      assert.deepStrictEqual([refused.status, refused.header("retry-after")], [503, "10"])
      assert.deepStrictEqual(yield* Effect.forEach([named, active, busy], statusOf), [200, 200, 200])
      yield* active.remove
      assert.strictEqual(yield* begin(client, at("203.0.113.4")), 200)
      stream.abort()
    }))

  it.effect("makes room for others from its own sessions: those of the party that has most, the oldest first", () =>
    Effect.gen(function*() {
      const client = yield* open({ sessions: { max: 6 } })
      const quiet = yield* visit(client, "203.0.113.1")
      const greedy = yield* Effect.forEach(many(5), () => visit(client, "203.0.113.66"))
      assert.deepStrictEqual(yield* flood(client, 3, (index) => at(addressOf(index))), { 200: 3 })
      assert.deepStrictEqual(
        yield* Effect.forEach([quiet, ...greedy], statusOf),
        [200, 404, 404, 404, 200, 200]
      )
    }))

  it.effect("does not end what has only said that it is initialized, unless there is no room", () =>
    Effect.gen(function*() {
      const client = yield* open({ sessions: { max: 2 } })
      const [first, second] = [yield* visit(client, "203.0.113.1"), yield* visit(client, "203.0.113.2")]
      // A notification is use, and no call.
      yield* first.post({ jsonrpc: "2.0", method: "notifications/initialized" })
      assert.strictEqual(yield* begin(client, at("203.0.113.3")), 200)
      assert.deepStrictEqual(yield* Effect.forEach([first, second], statusOf), [200, 404])
    }))

  it.effect("is in the log once in a minute for each party, with the option that would admit it", () =>
    Effect.gen(function*() {
      const quotas = { address: { sessions: 1 }, principal: { sessions: 2 } }
      const { lines, post } = yield* bare({ authorize: web.byAuthorization, quotas })
      const hello = web.handshake("2025-11-25")
      const addressed = Effect.repeat(post(hello, "2001:db8::1"), { times: 50 })
      yield* addressed
      yield* Effect.repeat(post(hello, "192.0.2.1", { authorization: "an\u001b\nn" }), { times: 50 })
      yield* TestClock.adjust("1 minute")
      yield* addressed
      const line = (from: string, reason: string) => `Refused a request from ${from} to "/mcp" with 429: ${reason}`
      const allowed = "`quotas.address.sessions` allows 2001:db8::/64 no more than 1 at once"
      assert.deepStrictEqual(lines, [
        line("2001:db8::1", allowed),
        line("192.0.2.1", `\`quotas.principal.sessions\` allows "an\\u001b\\nn" no more than 2 at once`),
        line("2001:db8::1", allowed)
      ])
    }))
})

describe("a session beyond the quota", () => {
  it.effect("is refused with the id of its handshake, and says when to try again", () =>
    Effect.gen(function*() {
      const client = yield* open({ quotas: { address: { sessions: 1 } } })
      const visitor = yield* visit(client, "192.0.2.1")
      const handshake = web.handshake("2025-11-25")
      const refused = yield* client.post(handshake, at("192.0.2.1"))
      assert.deepStrictEqual(
        [refused.status, refused.header("retry-after"), refused.header("content-type")],
        [429, "60", "application/json"]
      )
      const { error, id } = yield* refused.json
      assert.strictEqual(id, handshake.id)
      assert.deepStrictEqual(error, {
        code: -31000,
        message: "Too many sessions of one client: it may have 1 at once. Try again later."
      })
      yield* visitor.remove
      assert.strictEqual(yield* begin(client, at("192.0.2.1")), 200)
    }))

  it.effect("is that of a principal wherever it calls from, and of an address where there is no name", () =>
    Effect.gen(function*() {
      const client = yield* open({
        authorize: web.byAuthorization,
        quotas: { address: { sessions: 1 }, principal: { sessions: 2 } }
      })
      const ann = { authorization: "ann" }
      const statuses = yield* Effect.forEach(
        [at("192.0.2.1"), at("192.0.2.1"), at("192.0.2.1", ann), at("192.0.2.2", ann), at("127.0.0.1", ann)],
        (headers) => begin(client, headers)
      )
      assert.deepStrictEqual(statuses, [200, 429, 200, 200, 429])
    }))

  it.effect("is none on this machine, where no address is known, and where quotas are switched off", () =>
    Effect.gen(function*() {
      const quotas = { address: { sessions: 1 } }
      const client = yield* open({ quotas })
      for (const headers of [at("127.0.0.1"), at("127.8.8.8"), at("::1"), at("::ffff:127.0.0.1"), {}]) {
        assert.deepStrictEqual(yield* flood(client, 5, () => headers), { 200: 5 })
      }
      const set = yield* open({ quotas: { loopback: { sessions: 2 } } })
      for (const headers of [at("127.0.0.1"), {}]) {
        assert.deepStrictEqual(yield* flood(set, 5, () => headers), { 200: 2, 429: 3 })
      }
      const free = yield* open({ quotas: false })
      assert.deepStrictEqual(yield* flood(free, 1_001, () => at("192.0.2.1")), { 200: 1_001 })
    }))
})
