/** What a service answers to bad frames, over a real server. */
import * as Dialect from "@parley/protocol/Dialect"
import { Effect } from "effect"
import { served } from "../support/nats.ts"
import * as NatsServer from "../support/NatsServer.ts"
import { rows } from "./badFrames.ts"

NatsServer.suites("a bad frame is answered by its reason and its kind", () => {
  rows("over NATS", Effect.map(served(), ({ client }) => client), [Dialect.jsonRpc])
})
