import type { Reply, Responder } from "@parley/http/HttpEndpoint"
import type { RequestRules } from "@parley/http/shared"
import type { Handshake } from "@parley/transport/Handshake"
import type * as Effect from "effect/Effect"

/** Answers a request here, wherever it came in. Its handshake has its head, and its sender. @internal */
export type Answer = (
  handshake: Handshake,
  text: string,
  responder: Responder
) => Effect.Effect<Reply | RequestRules.Refusal>
