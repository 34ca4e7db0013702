/**
 * Pages of strangers: a server of this machine must not answer them. Which origins a server elsewhere may be used from is its
 * own matter, so that these rules look at endpoints of this machine alone.
 */
import { Address } from "@parley/http/shared"
import * as Effect from "effect/Effect"
import { NotApplicable } from "../../../../Suite.ts"
import { initializeParams } from "../../../protocol/mcp/Conversation.ts"
import * as Wire from "../../../protocol/mcp/Wire.ts"
import * as Rule from "../Rule.ts"
import type { Dialogue } from "../Subject.ts"

const foreign = "parley-conform.example.com"

/** Sends what begins a conversation, with further headers. */
const begin = (dialogue: Dialogue, headers: Readonly<Record<string, string>>) =>
  Effect.gen(function*() {
    const { accord: { codec }, era, run: { patience, target } } = dialogue
    if (target._tag !== "Http" || !Address.isLoopback(new URL(target.url).hostname)) {
      return yield* new NotApplicable({ reason: "the endpoint is none of this machine" })
    }
    const wire = yield* Wire.open({
      target,
      patience,
      envelope: era === "modern" ? Wire.envelopeOf(codec) : undefined
    })
    const reply = yield* era === "modern"
      ? wire.request("server/discover", undefined, { headers })
      : wire.request("initialize", initializeParams(codec.revision), { headers })
    return { ...yield* Rule.headOf(reply.http), reply }
  })

/** The same, as a page of a stranger would send it. */
const beginAs = (dialogue: Dialogue, headers: Readonly<Record<string, string>>) =>
  Rule.refusal(begin(dialogue, headers), begin(dialogue, {}))

const origin = Rule.onHttp(Rule.each, {
  id: "mcp/http/origin",
  title: "A page of a foreign origin is refused with 403",
  level: "must",
  section: Rule.section("2025-11-25", "basic/transports#security-warning")
}, (dialogue) =>
  Effect.scoped(Effect.gen(function*() {
    const { heads, reply, status } = yield* beginAs(dialogue, { origin: `https://${foreign}` })
    // Earlier revisions name no status.
    const isRefused = dialogue.accord.codec.revision >= "2025-11-25" ? status === 403 : reply.outcome._tag !== "Result"
    return isRefused ? [] : [Rule.finding("the status 403", `the status ${status}`, heads)]
  })))

const host = Rule.onHttp(Rule.each, {
  id: "mcp/http/host",
  title: "A request to a foreign host name is refused, because a page may have rebound the name to this machine",
  level: "should",
  section: Rule.section("2025-11-25", "basic/transports#security-warning")
}, (dialogue) =>
  Effect.scoped(Effect.gen(function*() {
    const { heads, status } = yield* beginAs(dialogue, { host: foreign })
    return status >= 400 ? [] : [Rule.finding("a refusal", `the status ${status}`, heads)]
  })))

export const rules: ReadonlyArray<Rule.McpRule> = [origin, host]
