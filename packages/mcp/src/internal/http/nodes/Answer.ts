import type { Reply, Responder } from "@parley/http/HttpEndpoint"
import type { RequestRules } from "@parley/http/shared"
import type * as Effect from "effect/Effect"

/** Answers a request here, wherever it came in. @internal */
export type Answer = (
  head: RequestRules.Head,
  text: string,
  responder: Responder,
  principal: string | undefined
) => Effect.Effect<Reply | RequestRules.Refusal>
