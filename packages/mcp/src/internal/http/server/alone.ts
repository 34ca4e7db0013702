/**
 * The legacy era over HTTP without sessions: every POST stands alone, as in the
 * modern one, and nothing can be asked of its client.
 */
import type { Reply, Responder } from "@parley/http/HttpEndpoint"
import type { Head, Refusal } from "@parley/http/RequestRules"
import type * as Session from "@parley/peer/Session"
import * as Batch from "@parley/protocol/Batch"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { McpServer } from "../../../McpServer.ts"
import * as accepting from "./accepting.ts"
import * as LateStream from "./LateStream.ts"
import * as replies from "./replies.ts"
import { requestsOf } from "./request.ts"
import * as versions from "./versions.ts"

/** @internal */
export interface Alone extends LateStream.Shared {
  readonly server: McpServer
}

/** Answers a POST. A client that goes away interrupts what runs: nobody could come back for it. @internal */
export const post = (
  alone: Alone,
  head: Head,
  principal: string | undefined,
  decoded: Session.Decoded,
  responder: Responder
): Effect.Effect<Reply | Refusal> => {
  const { server } = alone
  const requests = requestsOf(decoded.batch)
  const [first] = requests
  if (first === undefined) return Effect.succeed(replies.accepted)
  const accept = accepting.ofPost(head)
  if (accept === "nothing") return Effect.succeed(replies.notAcceptable)
  const isHandshake = first.method === "initialize"
  const unspoken = isHandshake ? undefined : versions.unspoken(server, head)
  if (unspoken !== undefined) return Effect.succeed(replies.error(400, replies.invalidRequest(unspoken), first.id))
  // What a handshake agrees on is forgotten: each request says the revision again.
  const stateless = isHandshake ? undefined : versions.ofRequest(server, head)
  const connection = server.connect({
    era: "legacy",
    stateless,
    origin: () => ({ principal, header: (name) => head.header(name) })
  })
  if (Batch.isMembers(decoded.batch) && connection.wire()?.traits.batches !== true) {
    return Effect.succeed(replies.noBatches)
  }
  const whole = (reply: Option.Option<string>) => replies.whole(reply, accept)
  return LateStream.answer(alone, connection, decoded, responder, accept, whole)
}
