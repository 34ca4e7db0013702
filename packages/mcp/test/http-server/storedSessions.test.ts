import { assert, describe, it } from "@effect/vitest"
import type * as SessionStore from "@parley/mcp/http/SessionStore"
import { Effect, Option } from "effect"
import * as web from "./support/web.ts"

const ping = web.request("ping")

/** A store in a Map. */
const storeOf = (records: Map<string, SessionStore.SessionRecord>): SessionStore.SessionStore => ({
  get: (id) => Effect.sync(() => Option.fromUndefinedOr(records.get(id))),
  put: (id, record) => Effect.sync(() => void records.set(id, record)),
  remove: (id) => Effect.sync(() => void records.delete(id))
})

/** A session of another process, as its store has it. */
const stored = Effect.gen(function*() {
  const records = new Map<string, SessionStore.SessionRecord>()
  const { headers, id } = yield* web.visit(yield* web.open({ store: storeOf(records) }))
  return { headers, id, record: records.get(id)! }
})

describe("a session of another process", () => {
  it.effect("is not taken over when it is over, though nobody has removed it", () =>
    Effect.gen(function*() {
      const { headers, id, record } = yield* stored
      const statusAfter = (hours: number) =>
        Effect.gen(function*() {
          const store = storeOf(new Map([[id, { ...record, used: record.used - hours * 3_600_000 }]]))
          const client = yield* web.open({ store, sessions: { idle: "2 hours" } })
          return (yield* client.post(ping, headers)).status
        })
      assert.strictEqual(yield* statusAfter(1), 200)
      assert.strictEqual(yield* statusAfter(4), 404)
    }))

  it.effect("is not taken over where there are as many as may be, and all are at work", () =>
    Effect.gen(function*() {
      const { headers, id, record } = yield* stored
      const client = yield* web.open({ store: storeOf(new Map([[id, record]])), sessions: { max: 1 } })
      const reading = yield* web.visit(client)
      const standing = yield* reading.get()
      assert.strictEqual((yield* client.post(ping, headers)).status, 404)
      assert.strictEqual((yield* reading.post(ping)).status, 200)
      standing.abort()
      assert.strictEqual((yield* client.post(ping, headers)).status, 200)
    }))
})
