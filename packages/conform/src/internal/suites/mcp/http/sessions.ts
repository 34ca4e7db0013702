/** Sessions over HTTP: their ids, who may use them, and their end. */
import * as Effect from "effect/Effect"
import { NotApplicable, Unverified } from "../../../../Suite.ts"
import * as Json from "../../../probe/Json.ts"
import type { Conversation } from "../../../protocol/mcp/Conversation.ts"
import * as operations from "../../../protocol/mcp/operations.ts"
import * as Rule from "../Rule.ts"

const page = Rule.section("2025-11-25", "basic/transports#session-management")

/** The id of the session of a conversation. */
const idOf = ({ session: { id } }: Conversation) =>
  id === undefined
    ? Effect.fail(new NotApplicable({ reason: "the server assigns no session" }))
    : Effect.succeed(id)

/** A request that a session needs, and that changes nothing. The status of its answer decides. */
export const ask = ({ request }: Conversation, headers: Readonly<Record<string, string | undefined>> = {}) =>
  Effect.flatMap(request("ping", undefined, { headers }), ({ http }) => Rule.headOf(http))

/** The same with headers that it should not have. */
export const askWith = (conversation: Conversation, headers: Readonly<Record<string, string | undefined>>) =>
  Rule.refusal(ask(conversation, headers), ask(conversation))

const ascii = Rule.onHttp(Rule.legacy, {
  id: "mcp/http/session-id",
  title: "The id of a session has visible ASCII characters alone",
  level: "must",
  section: page
}, (dialogue) =>
  Effect.gen(function*() {
    const id = yield* idOf(yield* dialogue.shared)
    return /^[\x21-\x7e]+$/.test(id)
      ? []
      : [Rule.finding("characters from 0x21 to 0x7E", `the id ${JSON.stringify(id)}`)]
  }))

const secure = Rule.onHttp(Rule.legacy, {
  id: "mcp/http/session-secure",
  title: "The ids of sessions are unique, and cannot be guessed",
  level: "must",
  section: Rule.hijacking
}, (dialogue) =>
  Effect.scoped(Effect.gen(function*() {
    const ids = yield* Effect.forEach([1, 2, 3], () => Effect.flatMap(dialogue.open({ listens: false }), idOf))
    const differing = differingOf(ids)
    return differing >= leastDiffering ? [] : [Rule.finding(
      `ids that differ in ${leastDiffering} characters and more`,
      `ids that differ in ${differing}: ${ids.map((id) => JSON.stringify(id)).join(", ")}`
    )]
  })))

/** 8 characters of Base64 are 48 bits. Whoever guesses fewer finds a session among some thousands. */
const leastDiffering = 8

/** How many characters are left of ids when what they share at their ends is taken away. */
const differingOf = (ids: ReadonlyArray<string>): number => {
  const [first = "", ...others] = ids
  if (new Set(ids).size < ids.length) return 0
  const shared = (at: (text: string, index: number) => string | undefined) => {
    let count = 0
    while (count < first.length && others.every((other) => at(other, count) === at(first, count))) count++
    return count
  }
  const longest = Math.max(...ids.map(({ length }) => length))
  return longest - shared((text, index) => text[index]) - shared((text, index) => text.at(-1 - index))
}

const missing = Rule.onHttp(Rule.legacy, {
  id: "mcp/http/session-missing",
  title: "A request without the session that the server has assigned is refused with 400",
  level: "should",
  section: page
}, (dialogue) =>
  Effect.gen(function*() {
    const conversation = yield* dialogue.shared
    yield* idOf(conversation)
    const { heads, status } = yield* askWith(conversation, { "mcp-session-id": undefined })
    return status === 400 ? [] : [Rule.finding("the status 400", `the status ${status}`, heads)]
  }))

/** An id like the one that was assigned, which the server has not given to anybody. */
const madeUp = (id: string): string => {
  const at = id.search(/[0-9a-zA-Z](?=[^0-9a-zA-Z]*$)/)
  const one = id[at]
  const other = one === "7" ? "3" : one !== undefined && /[0-9]/.test(one) ? "7" : one === "b" ? "d" : "b"
  return at === -1 ? `${id}b` : id.slice(0, at) + other + id.slice(at + 1)
}

const notFound = Rule.onHttp(Rule.legacy, {
  id: "mcp/http/session-unknown",
  title: "A session that the server does not know is refused with 404, so that clients begin again",
  level: "should",
  section: page
}, (dialogue) =>
  Effect.gen(function*() {
    const conversation = yield* dialogue.shared
    const id = yield* idOf(conversation)
    const { heads, status } = yield* askWith(conversation, { "mcp-session-id": madeUp(id) })
    return status === 404 ? [] : [Rule.finding("the status 404", `the status ${status}`, heads)]
  }))

const terminated = Rule.onHttp(Rule.legacy, {
  id: "mcp/http/session-terminated",
  title: "A session that was ended by DELETE is answered with 404",
  level: "must",
  section: page
}, (dialogue) =>
  Effect.scoped(Effect.gen(function*() {
    const conversation = yield* dialogue.open({ listens: false })
    yield* idOf(conversation)
    const http = yield* Rule.httpOf(conversation)
    const before = yield* ask(conversation)
    const ended = yield* http.exchange({ method: "DELETE" })
    const status = ended.head?.status ?? 0
    if (status === 405) return yield* new NotApplicable({ reason: "the server lets no client end a session" })
    if (status < 200 || status >= 300) {
      return yield* new Unverified({ reason: `DELETE gave the status ${status}` })
    }
    const after = yield* Rule.refusal(ask(conversation), Effect.succeed(before))
    return after.status === 404 ? [] : [Rule.finding(
      "the status 404 for a session that has ended",
      `the status ${after.status}`,
      [...ended.heads, ...after.heads]
    )]
  })))

const responses = Rule.onHttp(Rule.legacy, {
  id: "mcp/http/session-streams",
  title: "The stream of a session carries no response, and nothing of another session",
  level: "must",
  section: Rule.section("2025-11-25", "basic/transports#listening-for-messages-from-the-server")
}, (dialogue) =>
  Effect.scoped(Effect.gen(function*() {
    const listener = yield* dialogue.open()
    yield* idOf(listener)
    const before = listener.line.passed().length
    const other = yield* dialogue.open()
    yield* other.request("ping")
    yield* other.request("parley/conform/unknown", {})
    const calls = yield* Effect.orElseSucceed(dialogue.calls, () => [])
    // The call that takes longest is the likeliest to report progress.
    const [slowest] = calls.toSorted((a, b) => b.reply.milliseconds - a.reply.milliseconds)
    if (slowest !== undefined) {
      const { args, tool } = slowest
      yield* operations.call(other, tool, args, { meta: { progressToken: "of another session" } })
    }
    const found = yield* listener.line.until(isOfRequest, dialogue.run.patience.silence, before)
    return found === undefined ? [] : [Rule.finding(
      "nothing of the requests of another session",
      Json.isResponse(found) ? "a response" : "the progress of a request",
      listener.line.passed().slice(before)
    )]
  })))

/** Whether a text belongs to one request. */
export const isOfRequest = (text: string): boolean =>
  Json.isResponse(text) || Json.objectOf(text)?.["method"] === "notifications/progress"

export const rules: ReadonlyArray<Rule.McpRule> = [
  ascii,
  secure,
  missing,
  notFound,
  terminated,
  responses
]
