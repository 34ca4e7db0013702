/** The document that an endpoint gives as `rpc.discover`. */
import * as OpenRpc from "@parley/openrpc/OpenRpc"
import * as Peer from "@parley/peer/Peer"
import * as Router from "@parley/peer/Router"
import { Exchange } from "@parley/peer/shared"
import * as Dialect from "@parley/protocol/Dialect"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Endpoint from "../Endpoint.ts"
import * as connect from "../wire/connect.ts"
import type { Wire } from "../wire/Wire.ts"

/** How long a server may take that does not know the method: some never answer before a handshake of their own. */
const patience = Duration.seconds(5)

/** The document, or why there is none. */
export const discovered = (wire: Wire, timeout: Duration.Duration): Effect.Effect<Result.Result<Schema.Json, string>> =>
  Effect.scoped(ask(wire, Duration.min(timeout, patience))).pipe(
    Effect.mapError((error) => error.message),
    Effect.result
  )

const ask = Effect.fnUntraced(function*(wire: Wire, timeout: Duration.Duration) {
  const limits = { handshake: Math.max(1, Math.ceil(Duration.toMillis(timeout))) }
  const dialect = Dialect.jsonRpc
  const { endpoint } = wire
  if (Endpoint.isPosts(endpoint)) {
    const caller = yield* Exchange.makeCaller(yield* connect.exchange({ ...wire, endpoint }, limits), {
      dialect,
      timeout
    })
    return yield* caller.request(OpenRpc.discover)
  }
  const transport = yield* connect.transport({ ...wire, endpoint }, limits, quiet)
  const peer = yield* Peer.make(transport, { dialect, router: yield* Router.make(), timeout })
  return yield* peer.request(OpenRpc.discover)
})

/** A server may complain on stderr about a method that it does not know: the complaint is dropped. */
const quiet = { onStderr: () => Effect.void, endGrace: 500, killGrace: 1_000 }
