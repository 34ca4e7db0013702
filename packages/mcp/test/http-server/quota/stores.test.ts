import { assert, describe, it } from "@effect/vitest"
import * as SessionStore from "@parley/mcp/http/SessionStore"
import { Effect, Layer } from "effect"
import { KeyValueStore } from "effect/persistence"
import * as web from "../support/web.ts"
import { at, begin, open, visit } from "./support/addressed.ts"

const ping = web.request("ping")

const stored = Effect.provide(Layer.provide(SessionStore.layerKeyValue, KeyValueStore.layerMemory))

const statusOf = (client: web.Client, { headers }: web.Visitor) =>
  Effect.map(client.post(ping, headers), ({ status }) => status)

describe("a session in a store", () => {
  it.effect("counts on the quota of who brings it back", () =>
    Effect.gen(function*() {
      const quotas = { address: { sessions: 1 } }
      const [first, second] = [yield* open({ quotas }), yield* open({ quotas })]
      const visitor = yield* visit(first, "192.0.2.1")
      assert.strictEqual(yield* statusOf(second, visitor), 200)
      assert.strictEqual(yield* begin(second, at("192.0.2.1")), 429)
      assert.strictEqual(yield* begin(second, at("192.0.2.2")), 200)
      yield* second.send("DELETE", visitor.headers)
      assert.strictEqual(yield* begin(second, at("192.0.2.1")), 200)
    }).pipe(stored))

  it.effect("is refused beyond that quota, and is still there when there is room", () =>
    Effect.gen(function*() {
      const quotas = { address: { sessions: 1 } }
      const [first, second] = [yield* open({ quotas }), yield* open({ quotas })]
      const visitor = yield* visit(first, "192.0.2.1")
      const other = yield* visit(second, "192.0.2.1")
      const refused = yield* second.post(ping, visitor.headers)
      assert.deepStrictEqual([refused.status, refused.header("retry-after")], [429, "60"])
      assert.strictEqual((yield* second.send("GET", visitor.headers)).status, 429)
      yield* other.remove
      assert.strictEqual(yield* statusOf(second, visitor), 200)
    }).pipe(stored))

  it.effect("counts on no quota of somebody who asks for it in vain, and is not kept from its owner by that", () =>
    Effect.gen(function*() {
      const options = { authorize: web.byAuthorization, quotas: { principal: { sessions: 1 } } }
      const store = yield* SessionStore.SessionStore
      const slow = { ...store, get: (id: string) => Effect.andThen(Effect.yieldNow, store.get(id)) }
      const [first, second] = [yield* open(options), yield* open({ ...options, store: slow })]
      const ann = yield* visit(first, "192.0.2.1", { authorization: "ann" })
      const bob = { ...ann.headers, authorization: "bob" }
      assert.strictEqual((yield* second.post(ping, bob)).status, 404)
      assert.strictEqual(yield* begin(second, { authorization: "bob" }), 200)
      const both = [second.post(ping, bob), second.post(ping, ann.headers)]
      const answers = yield* Effect.all(both, { concurrency: "unbounded" })
      assert.deepStrictEqual(answers.map(({ status }) => status), [404, 200])
    }).pipe(stored))

  it.effect("may leave the process for another, whoever it is of: it comes back with its next request", () =>
    Effect.gen(function*() {
      const client = yield* open({ authorize: web.byAuthorization, sessions: { max: 2 } })
      const named = yield* visit(client, "192.0.2.1", { authorization: "ann" })
      const active = yield* visit(client, "192.0.2.2")
      yield* active.post(ping)
      assert.strictEqual(yield* begin(client, at("192.0.2.3")), 200)
      for (const visitor of [named, active, named]) assert.strictEqual(yield* statusOf(client, visitor), 200)
    }).pipe(stored))
})
