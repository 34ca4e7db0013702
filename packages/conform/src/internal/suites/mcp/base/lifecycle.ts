/** The handshake of the legacy era, and how a revision is agreed on. */
import * as Revision from "@parley/mcp/wire/Revision"
import { ErrorCode, JsonObject } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { NotApplicable } from "../../../../Suite.ts"
import * as Json from "../../../probe/Json.ts"
import { startOf } from "../../../probe/Patience.ts"
import * as Conversation from "../../../protocol/mcp/Conversation.ts"
import * as Wire from "../../../protocol/mcp/Wire.ts"
import * as Rule from "../Rule.ts"
import type { Dialogue } from "../Subject.ts"

/** Sends `initialize` on a connection of its own. */
const initialize = ({ run: { patience, target } }: Dialogue, protocolVersion: string) =>
  Effect.scoped(Effect.flatMap(
    Wire.open({ target, patience, envelope: undefined }),
    ({ request }) =>
      request("initialize", Conversation.initializeParams(protocolVersion), {
        patience: startOf(target, patience)
      })
  ))

const answeredBy = ({ outcome }: Wire.Reply): Schema.Json | undefined =>
  outcome._tag === "Result" ? JsonObject.member(outcome.result, "protocolVersion") : undefined

const shape = Rule.legacy({
  id: "mcp/lifecycle/initialize",
  title: "The result of initialize has the version, the capabilities, and the name and version of the server",
  level: "must",
  section: Rule.section("2025-11-25", "basic/lifecycle#initialization")
}, ({ accord: { codec, exchange, result } }) => {
  const decoded = codec.decode.initializeResult(result)
  return Rule.findings(
    Result.isFailure(decoded)
      ? Rule.finding("an InitializeResult", `a result that does not fit: ${decoded.failure.message}`, exchange)
      : undefined
  )
})

/** A version that no server has. */
const absurd = "1999-12-31"

const askAbsurd = Rule.once((dialogue) => initialize(dialogue, absurd))

const unknown = Rule.legacy({
  id: "mcp/lifecycle/unknown-version",
  title: "A version that the server does not know is answered with one that it supports",
  level: "must",
  section: Rule.section("2025-11-25", "basic/lifecycle#version-negotiation")
}, (dialogue) =>
  Effect.flatMap(askAbsurd(dialogue), (reply) => {
    const answered = answeredBy(reply)
    const expected = "another protocol version, one that the server supports"
    if (answered === absurd) {
      return Rule.findings(Rule.finding(expected, `the version that was asked for, ${absurd}`, reply.exchange))
    }
    // The page on errors shows a refusal with -32602, so that this is no breach.
    const isRefused = reply.outcome._tag === "Error" && reply.outcome.code === ErrorCode.InvalidParams
    return Rule.findings(typeof answered === "string" || isRefused ? undefined : Rule.breach(expected, reply))
  }))

const kept = Rule.legacy({
  id: "mcp/lifecycle/supported-version",
  title: "A version that the server offers by itself is answered with the same version",
  level: "must",
  section: Rule.section("2025-11-25", "basic/lifecycle#version-negotiation")
}, (dialogue) =>
  Effect.gen(function*() {
    const offered = answeredBy(yield* askAbsurd(dialogue))
    if (typeof offered !== "string" || offered === absurd) {
      return yield* new NotApplicable({ reason: "the server offers no version by itself" })
    }
    // The handshake has asked for the newest.
    if (offered === Revision.latestLegacy && JsonObject.member(dialogue.accord.result, "protocolVersion") === offered) {
      return []
    }
    const reply = yield* initialize(dialogue, offered)
    return answeredBy(reply) === offered
      ? []
      : [Rule.breach(`the version ${offered}, which the server has offered`, reply)]
  }))

const known = Rule.legacy({
  id: "mcp/lifecycle/known-version",
  title: "Each version is answered with a version of MCP",
  level: "must",
  section: Rule.section("2025-11-25", "basic/lifecycle#version-negotiation")
}, (dialogue) => {
  const all = Revision.ofEra("legacy").filter((revision) => revision !== Revision.latestLegacy)
  // A process takes long to start, and the oldest differs most.
  const others = dialogue.run.target._tag === "Http" ? all : all.slice(-1)
  const { exchange, result } = dialogue.accord
  const first = isVersion(JsonObject.member(result, "protocolVersion"))
    ? []
    : [Rule.finding(`a version of MCP for ${Revision.latestLegacy}`, "another text", exchange)]
  return Effect.map(
    Effect.forEach(others, (revision) =>
      Effect.map(initialize(dialogue, revision), (reply) => {
        const isRefused = reply.outcome._tag === "Error" && reply.outcome.code === ErrorCode.InvalidParams
        return isVersion(answeredBy(reply)) || isRefused ? [] : [Rule.breach(`a version of MCP for ${revision}`, reply)]
      }), { concurrency: "unbounded" }),
    (found) => [...first, ...found.flat()]
  )
})

/** A server may offer a version that is newer than this program. */
const isVersion = (answered: Schema.Json | undefined): boolean =>
  Revision.isKnown(answered) ||
  (typeof answered === "string" && answered > Revision.latest && /^\d{4}-\d\d-\d\d$/.test(answered))

const early = Rule.legacy(
  {
    id: "mcp/lifecycle/early-requests",
    title: "Before the client is ready, the server requests nothing but ping",
    level: "should",
    section: Rule.section("2025-11-25", "basic/lifecycle#initialization")
  },
  (dialogue) =>
    Effect.map(
      dialogue.shared,
      ({ line, readyAt }) =>
        line.passed().slice(0, readyAt).filter(({ direction, text }) => direction === "received" && isEarly(text)).map(
          (passed) =>
            Rule.finding("no request but ping before notifications/initialized", "a request of the server", [passed])
        )
    )
)

const isEarly = (text: string): boolean => {
  const message = Json.objectOf(text)
  return message !== undefined && Object.hasOwn(message, "id") && Object.hasOwn(message, "method") &&
    message["method"] !== "ping"
}

export const rules: ReadonlyArray<Rule.McpRule> = [shape, unknown, kept, known, early]
