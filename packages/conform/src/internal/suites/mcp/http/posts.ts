/** What a server answers to POSTs, and to GET. */
import * as Effect from "effect/Effect"
import { NotApplicable } from "../../../../Suite.ts"
import * as Rule from "../Rule.ts"
import { ask } from "./sessions.ts"

const accepted = Rule.onHttp(Rule.legacy, {
  id: "mcp/http/accepted",
  title: "A notification is answered with 202 and no body",
  level: "must",
  section: Rule.section("2025-11-25", "basic/transports#sending-messages-to-the-server")
}, (dialogue) =>
  Effect.gen(function*() {
    const { notify } = yield* dialogue.shared
    // Every server knows this one, and it names no request.
    const found = yield* notify("notifications/cancelled", { requestId: "parley-conform" })
    const { heads, status } = yield* Rule.headOf(found)
    const { texts = [] } = found ?? {}
    const isWhole = status === 202 && texts.length === 0
    // A server that does not accept it says so with the status of an error.
    return isWhole || status >= 400 ? [] : [Rule.finding(
      "the status 202 without a body",
      `the status ${status} ${texts.length === 0 ? "without" : "with"} a body`,
      heads
    )]
  }))

const types = Rule.onHttp(
  Rule.each,
  {
    id: "mcp/http/content-type",
    title: "A request is answered as application/json or text/event-stream",
    level: "must",
    section: Rule.section("2025-11-25", "basic/transports#sending-messages-to-the-server")
  },
  (dialogue) =>
    Effect.map(dialogue.exercised, () =>
      dialogue.recorded().flatMap(({ replies }) => replies).flatMap(({ http }) => {
        const { head, heads } = http ?? { head: undefined, heads: [] }
        if (head === undefined || head.status >= 300) return []
        const type = head.header("content-type") ?? "none"
        return /^(?:application\/json|text\/event-stream)\s*(?:;|$)/i.test(type)
          ? []
          : [Rule.finding("the content type application/json or text/event-stream", type, heads)]
      }).slice(0, 3))
)

const ends = Rule.onHttp(
  Rule.each,
  {
    id: "mcp/http/stream-ends",
    title: "An event stream ends after its response",
    level: "should",
    section: Rule.section("2025-11-25", "basic/transports#sending-messages-to-the-server")
  },
  (dialogue) =>
    Effect.map(
      dialogue.exercised,
      () =>
        dialogue.recorded().flatMap(({ replies }) => replies).flatMap(({ http, outcome }) =>
          http !== undefined && http.isStream && outcome._tag === "Result" && !http.isWhole
            ? [Rule.finding("the end of the stream after the response", "a stream that goes on", http.heads)]
            : []
        ).slice(0, 1)
    )
)

const get = Rule.onHttp(Rule.legacy, {
  id: "mcp/http/get",
  title: "GET opens an event stream, or is refused with 405",
  level: "must",
  section: Rule.section("2025-11-25", "basic/transports#listening-for-messages-from-the-server")
}, (dialogue) =>
  Effect.scoped(Effect.gen(function*() {
    const conversation = yield* dialogue.open({ listens: false })
    const http = yield* Rule.httpOf(conversation)
    const found = yield* http.exchange(
      { method: "GET", headers: { accept: "text/event-stream" } },
      { enough: () => true }
    )
    const { header, heads, status } = yield* Rule.refusal(Rule.headOf(found), ask(conversation))
    return status === 405 || (status === 200 && found.isStream) ? [] : [Rule.finding(
      "the status 405, or 200 as text/event-stream",
      `the status ${status} as ${header("content-type") ?? "nothing"}`,
      heads
    )]
  })))

const noGet: Rule.McpRule = {
  id: "mcp/http/no-get",
  title: "A server of modern revisions alone refuses GET and DELETE with 405",
  level: "should",
  section: Rule.section("2026-07-28", "basic/transports/streamable-http#earlier-streamable-http-revisions"),
  check: (subject) =>
    subject.found.legacy === undefined
      ? refusesGet.check(subject)
      : new NotApplicable({ reason: "the server speaks revisions that have GET and DELETE" })
}

const refusesGet = Rule.onHttp(Rule.modern, noGet, (dialogue) =>
  Effect.gen(function*() {
    const http = yield* Rule.httpOf(yield* dialogue.shared)
    const found = yield* Effect.forEach(["GET", "DELETE"] as const, (method) =>
      Effect.map(
        Effect.flatMap(http.exchange({ method }, { enough: () => true }), Rule.headOf),
        ({ heads, status }) =>
          status === 405 ? [] : [Rule.finding(`the status 405 for ${method}`, `the status ${status}`, heads)]
      ))
    return found.flat()
  }))

export const rules: ReadonlyArray<Rule.McpRule> = [accepted, get, noGet]

/** Those that look at what has passed. */
export const watching: ReadonlyArray<Rule.McpRule> = [types, ends]
