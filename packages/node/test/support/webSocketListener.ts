/** A listener for WebSockets that answers every text with itself, and what a request to upgrade says. */
import * as NodeWebSocket from "@parley/node/NodeWebSocket"
import type * as Transport from "@parley/transport/Transport"
import { Effect } from "effect"
import type { NonEmptyReadonlyArray } from "effect/Array"

type Side = Transport.Transport

/** Answers every text with itself until the input ends. */
export const echo = (side: Side) =>
  side.receive.pipe(
    // These tests send texts only.
    Effect.flatMap((texts) => side.send(texts as NonEmptyReadonlyArray<string>)),
    Effect.forever({ disableYield: true })
  )

export const listening = (
  options: Partial<NodeWebSocket.WebSocketListenerOptions> = {},
  handler: (side: Side) => Effect.Effect<unknown, unknown> = echo
) =>
  Effect.gen(function*() {
    const listener = yield* NodeWebSocket.makeListener({ port: 0, ...options })
    yield* Effect.forkScoped(listener.run(handler))
    return listener.address
  })

export const upgrade = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ=="
}
