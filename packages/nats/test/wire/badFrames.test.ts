/** What a service answers to bad frames, over a server in memory. `badFrames.slow.test.ts` has a real one. */
import { describe } from "@effect/vitest"
import { Effect } from "effect"
import { dialects } from "../../../node/test/badFrames/messages.ts"
import { FakeNats } from "../support/fake/FakeNats.ts"
import { rows } from "./badFrames.ts"

describe("a bad frame is answered by its reason and its kind", () => {
  rows(
    "over NATS in memory",
    Effect.map(FakeNats.make(), (nats) =>
      Effect.map(nats.connected, ({ client }) =>
        // A service asks its connection where the server is.
        Object.create(client, { connection: { value: { getServer: () => "127.0.0.1:4222" } } }))),
    dialects
  )
})
