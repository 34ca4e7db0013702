import type { Reply, Responder } from "@parley/http/HttpEndpoint"
import type { Head, Refusal } from "@parley/http/RequestRules"
import type * as Effect from "effect/Effect"

/** Answers a request here, wherever it came in. @internal */
export type Answer = (
  head: Head,
  text: string,
  responder: Responder,
  principal: string | undefined
) => Effect.Effect<Reply | Refusal>
