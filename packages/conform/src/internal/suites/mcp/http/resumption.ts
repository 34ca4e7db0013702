/** Streams that are resumed: the ids of their events, and what comes behind one of them. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { NotApplicable } from "../../../../Suite.ts"
import * as HttpLine from "../../../probe/HttpLine.ts"
import * as Json from "../../../probe/Json.ts"
import * as operations from "../../../protocol/mcp/operations.ts"
import * as Wire from "../../../protocol/mcp/Wire.ts"
import * as Rule from "../Rule.ts"
import { isOfRequest } from "./sessions.ts"

const page = Rule.section("2025-11-25", "basic/transports#resumability-and-redelivery")

const idsOf = ({ http }: Wire.Reply): ReadonlyArray<string> => http?.eventIds ?? []

/** Two requests of one session that are answered on streams of their own, and a conversation of that session. */
const streams = Rule.once((dialogue) =>
  Effect.gen(function*() {
    const calls = yield* Effect.orElseSucceed(dialogue.calls, () => [])
    const conversation = yield* dialogue.shared
    const call = calls.find(({ reply }) => idsOf(reply).length > 0)
    const ask = (progressToken: string) =>
      call === undefined
        ? conversation.request("ping")
        : operations.call(conversation, call.tool, call.args, { meta: { progressToken } })
    const [own, other] = [yield* ask("of a stream"), yield* ask("of another stream")]
    const [first] = idsOf(own)
    return first === undefined || idsOf(other).length === 0
      ? yield* new NotApplicable({ reason: "no event has an id" })
      : { conversation, own, other, first }
  })
)

const unique = Rule.onHttp(Rule.legacy, {
  id: "mcp/http/event-ids",
  title: "The ids of events are unique in a session",
  level: "must",
  section: page
}, (dialogue) =>
  Effect.gen(function*() {
    yield* Effect.andThen(dialogue.exercised, Effect.ignore(streams(dialogue)))
    const sessions = dialogue.recorded().map(({ replies }) => replies.flatMap(idsOf))
    if (sessions.every((ids) => ids.length === 0)) return yield* new NotApplicable({ reason: "no event has an id" })
    return sessions.flatMap((ids) => {
      const again = ids.find((id, at) => ids.indexOf(id) !== at)
      return again === undefined
        ? []
        : [Rule.finding("an id for each event", `the id ${JSON.stringify(again)} on two streams`)]
    })
  }))

/** How long the server may take to send again what it has. */
const mostOfReplay = Duration.seconds(2)

const resumed = Rule.onHttp(Rule.legacy, {
  id: "mcp/http/resumed",
  title: "A stream that is resumed with Last-Event-ID brings no message of another stream",
  level: "must",
  section: page
}, (dialogue) =>
  Effect.gen(function*() {
    const { conversation, first, other, own } = yield* streams(dialogue)
    const { run: { patience, target } } = dialogue
    if (target._tag !== "Http") return yield* new NotApplicable({ reason: "the endpoint is none of HTTP" })
    // On a line of its own: what comes again there is no second answer.
    const http = yield* HttpLine.make(target, { patience })
    const { heads, isStream, texts } = yield* http.exchange({
      method: "GET",
      headers: { ...Wire.inSession(conversation.session), accept: "text/event-stream", "last-event-id": first }
    }, { patience: mostOfReplay, enough: (texts) => texts.some(Json.isResponse) })
    if (!isStream) return yield* new NotApplicable({ reason: "the server resumes no stream" })
    const foreign = other.exchange.flatMap(({ text }) => isOfRequest(text) ? [text] : [])
    const found = texts.find((text) => foreign.includes(text))
    return found === undefined ? [] : [Rule.finding(
      `nothing behind the event ${JSON.stringify(first)} but messages of its stream`,
      "a message of a stream that began later",
      [...own.exchange, ...other.exchange, ...heads]
    )]
  }))

export const rules: ReadonlyArray<Rule.McpRule> = [resumed]

/** Those that look at what has passed. */
export const watching: ReadonlyArray<Rule.McpRule> = [unique]
