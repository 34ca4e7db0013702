/** The promises of the engine with a server that takes only a part of what it is sent. */
import { assert, describe, it } from "@effect/vitest"
import { NatsClient, NatsNodes } from "@parley/nats"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { FakeNats } from "./support/fake/FakeNats.ts"

describe("a server that takes beats, but no records of keys", () => {
  it.effect("still tells a node that it has counted as dead", () =>
    Effect.gen(function*() {
      const { client } = yield* (yield* FakeNats.make()).connected
      let isFull = false
      const request: typeof client.request = (subject, ...message) =>
        isFull && subject.startsWith("parley.mesh.key.")
          ? Effect.fail(new NatsClient.NatsError({ subject, reason: { _tag: "TimedOut", milliseconds: 5_000 } }))
          : client.request(subject, ...message)
      const engine = yield* NatsNodes.makeEngine(Object.create(client, { request: { value: request } }))
      yield* engine.beat("a", 3_000)
      yield* engine.claim("key", "a")
      yield* TestClock.adjust("30 minutes")
      isFull = true
      assert.isFalse(yield* engine.beat("a", 3_000))
    }))
})
