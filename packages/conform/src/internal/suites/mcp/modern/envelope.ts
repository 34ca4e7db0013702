/** What each request of the modern era says of itself, and servers that hold it to that. */
import * as Envelope from "@parley/mcp/wire/Envelope"
import * as McpError from "@parley/mcp/wire/McpError"
import { ErrorCode, JsonObject } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Finding, Unverified } from "../../../../Suite.ts"
import { describe } from "../../../protocol/mcp/Conversation.ts"
import type { Reply } from "../../../protocol/mcp/Wire.ts"
import * as Rule from "../Rule.ts"

const discover = Rule.modern({
  id: "mcp/discover/result",
  title: "The result of server/discover has the versions and the capabilities of the server",
  level: "must",
  section: Rule.section("2026-07-28", "server/discover#data-types")
}, ({ accord: { codec, exchange, result } }) => {
  const decoded = codec.decode.discoverResult(result)
  return Rule.findings(
    Result.isFailure(decoded)
      ? Rule.finding("a DiscoverResult", `a result that does not fit: ${decoded.failure.message}`, exchange)
      : undefined
  )
})

/** Holds the refusal of a request against its code and, over HTTP, its status. */
export const refusedWith = (
  reply: Reply,
  status: number,
  code: number
): Effect.Effect<ReadonlyArray<Finding>, Unverified> => {
  const { http, outcome } = reply
  const isCode = outcome._tag === "Error" && outcome.code === code
  if (http === undefined) return Rule.findings(isCode ? undefined : Rule.breach(`the error ${code}`, reply))
  return Effect.map(Rule.headOf(http), (head) =>
    isCode && head.status === status ? [] : [Rule.finding(
      `the status ${status} with the error ${code}`,
      `${describe(outcome)}, with the status ${head.status}`,
      head.heads
    )])
}

const missing = Rule.modern({
  id: "mcp/envelope/missing",
  title: "A request without the capabilities of its client is refused with -32602",
  level: "must",
  section: Rule.section("2026-07-28", "basic/index#meta")
}, (dialogue) =>
  Effect.gen(function*() {
    const envelope = { [Envelope.protocolVersion]: dialogue.accord.codec.revision }
    const reply = yield* (yield* dialogue.shared).request("server/discover", undefined, { envelope })
    return yield* refusedWith(reply, 400, ErrorCode.InvalidParams)
  }))

/** A version that no server has. */
const absurd = "1999-12-31"

const unsupported = Rule.modern({
  id: "mcp/envelope/unsupported-version",
  title: "A request in a version that the server does not know is refused with -32022, and the versions that it knows",
  level: "must",
  section: Rule.section("2026-07-28", "basic/versioning#protocol-version-negotiation")
}, (dialogue) =>
  Effect.gen(function*() {
    const envelope = Envelope.make({
      // It is none, which is what the rule is about.
      protocolVersion: absurd as typeof dialogue.accord.codec.revision,
      clientCapabilities: {}
    })
    const reply = yield* (yield* dialogue.shared).request("server/discover", undefined, { envelope })
    const faults = yield* refusedWith(reply, 400, McpError.UnsupportedRevision)
    if (faults.length > 0) return faults
    const data = reply.outcome._tag === "Error" ? JsonObject.member(reply.outcome.error, "data") : undefined
    const supported = JsonObject.member(data, "supported")
    return JsonObject.isArray(supported) && supported.includes(dialogue.accord.codec.revision)
      ? []
      : [Rule.breach("data.supported with the versions of the server", reply)]
  }))

export const rules: ReadonlyArray<Rule.McpRule> = [discover, missing, unsupported]
