import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Logger, Queue } from "effect"
import { places } from "../support/places.ts"
import { sample } from "../support/sample.ts"
import * as web from "../support/web.ts"
import { begin, flood, tally } from "./support/addressed.ts"

const ping = web.request("ping")

const unlogged = Effect.provide(Logger.layer([]))

for (const { name, serve } of places) {
  describe(name, () => {
    it.live("holds the clients of its machine to a quota where that is set", () =>
      Effect.gen(function*() {
        const { server, waiting } = yield* sample
        const client = web.over(
          yield* serve(server, { quotas: { loopback: { sessions: 2, calls: 2, streams: 1 } } }),
          fetch
        )
        const visitor = yield* web.visit(client)
        assert.deepStrictEqual(yield* flood(client, 3, () => ({})), { 200: 1, 429: 2 })
        const [standing, second] = [yield* visitor.get(), yield* visitor.get()]
        assert.deepStrictEqual([standing.status, second.status], [200, 429])
        const calls = yield* Effect.forEach(
          [1, 2],
          () => Effect.forkChild(visitor.post(web.call("wait", { name: "a" })))
        )
        const waits = [yield* Queue.take(waiting), yield* Queue.take(waiting)]
        const refused = yield* visitor.post(ping)
        assert.deepStrictEqual([refused.status, (yield* refused.json).id], [429, ping.id])
        for (const { finish } of waits) finish("done")
        for (const call of calls) yield* Effect.flatMap(Fiber.join(call), ({ text }) => text)
        assert.strictEqual((yield* visitor.post(ping)).status, 200)
        standing.abort()
      }).pipe(unlogged))

    it.live("counts the clients of a proxy on its machine by the addresses that the proxy gives", () =>
      Effect.gen(function*() {
        const { server } = yield* sample
        const url = yield* serve(server, {
          quotas: { address: { sessions: 2 } },
          proxies: { trusted: ["127.0.0.1"], header: "forwarded" }
        })
        const client = web.over(url, fetch)
        const from = (address: string) => ({ forwarded: `for=127.0.0.1, for="[${address}]:4711";proto=https` })
        assert.deepStrictEqual(yield* flood(client, 3, () => from("2001:db8::1")), { 200: 2, 429: 1 })
        assert.strictEqual(yield* begin(client, from("2001:db8:0:1::1")), 200)
        assert.deepStrictEqual(yield* flood(client, 3, () => ({})), { 200: 2, 429: 1 })
      }).pipe(unlogged))

    it.live("has none for its machine unless that is set", () =>
      Effect.gen(function*() {
        const { server } = yield* sample
        const client = web.over(yield* serve(server, { quotas: { address: { sessions: 1, calls: 1 } } }), fetch)
        const statuses = yield* Effect.forEach(
          Array.from({ length: 20 }),
          () => begin(client, {}),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(tally(statuses), { 200: 20 })
      }))
  })
}
