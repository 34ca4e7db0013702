/** The worker of the page: a peer that serves the desk, and ends with the worker. */
import * as Peer from "@parley/peer/Peer"
import * as Router from "@parley/peer/Router"
import * as MessagePortTransport from "@parley/transport/MessagePortTransport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Desk, dialect } from "./Desk.ts"

let pondering = 0

const handlers = Desk.toLayer({
  add: ({ left, right }) => Effect.succeed(left + right),
  ponder: () =>
    Effect.acquireUseRelease(
      Effect.sync(() => pondering++),
      () => Effect.never,
      () => Effect.sync(() => pondering--)
    ),
  // Says how many ponder now, so that the page can see that giving up reaches the worker.
  count: () => Stream.fromEffectRepeat(Effect.delay(Effect.sync(() => pondering), "10 millis"))
})

const served = Router.layer(handlers)

Effect.runFork(
  Peer.layerServing({ dialect }).pipe(
    Layer.provide(served),
    Layer.provide(MessagePortTransport.layer(self)),
    Layer.launch
  )
)
