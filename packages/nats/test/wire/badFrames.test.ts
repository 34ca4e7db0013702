/** Bad frames over a server in memory. `badFrames.slow.test.ts` has a real one. */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { dialects } from "../../../node/test/badFrames/messages.ts"
import { holds } from "../../../node/test/badFrames/responses.ts"
import { FakeNats } from "../support/fake/FakeNats.ts"
import { responses, rows } from "./badFrames.ts"

const connect = Effect.map(FakeNats.make(), (nats) =>
  Effect.map(nats.connected, ({ client }) =>
    // A service asks its connection where the server is.
    Object.create(client, { connection: { value: { getServer: () => "127.0.0.1:4222" } } })))

describe("a bad frame is answered by its reason and its kind", () => {
  rows("over NATS in memory", connect, dialects)
})

describe("a bad frame that is a response", () => {
  it.live("promise 7: a call ends exactly once, at once: over NATS in memory", () =>
    holds(responses("over NATS", connect)))
})
