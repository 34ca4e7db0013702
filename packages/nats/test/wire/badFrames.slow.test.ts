/** Bad frames over a real server. */
import { it } from "@effect/vitest"
import * as Dialect from "@parley/protocol/Dialect"
import { Effect } from "effect"
import { holds } from "../../../node/test/badFrames/responses.ts"
import { served } from "../support/nats.ts"
import * as NatsServer from "../support/NatsServer.ts"
import { responses, rows } from "./badFrames.ts"

NatsServer.suites("a bad frame is answered by its reason and its kind", () => {
  rows("over NATS", Effect.map(served(), ({ client }) => client), [Dialect.jsonRpc])
})

NatsServer.suites("a bad frame that is a response", () => {
  it.live("promise 7: a call ends exactly once, at once: over NATS", () =>
    Effect.flatMap(served(), ({ client }) => holds(responses("over NATS", Effect.succeed(client)))).pipe(Effect.scoped))
})
