/** Resources: those that are listed can be read, and others are refused. */
import * as McpError from "@parley/mcp/wire/McpError"
import { ErrorCode, JsonObject } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { NotApplicable, Unverified } from "../../../../Suite.ts"
import * as List from "../../../protocol/mcp/List.ts"
import * as Rule from "../Rule.ts"
import * as lists from "./lists.ts"

const shape = lists.shape({
  id: "mcp/resources/list",
  title: "resources/list gives resources, each with a uri and a name",
  level: "must",
  section: Rule.section("2025-11-25", "server/resources#listing-resources")
}, List.resources)

const templates = lists.shape({
  id: "mcp/resources/templates",
  title: "resources/templates/list gives templates, each with a uriTemplate and a name",
  level: "must",
  section: Rule.section("2025-11-25", "server/resources#resource-templates")
}, List.templates)

const refusals: ReadonlySet<number | undefined> = new Set([
  McpError.ResourceNotFound,
  ErrorCode.InvalidParams,
  ErrorCode.MethodNotFound
])

const readable = Rule.each({
  id: "mcp/resources/read",
  title: "A resource that is listed can be read, and its contents fit their shape",
  level: "must",
  section: Rule.section("2025-11-25", "server/resources#reading-resources")
}, (dialogue) =>
  Effect.gen(function*() {
    yield* Rule.some(yield* lists.entriesOf(dialogue, List.resources), "resources")
    const reads = yield* dialogue.reads
    const { decode } = dialogue.accord.codec
    const found = reads.flatMap(({ entry: { uri }, reply }) => {
      const { exchange, outcome } = reply
      if (outcome._tag === "Error") {
        // A resource may be out of reach for reasons of its own; one that is listed is there.
        return refusals.has(outcome.code) ? [Rule.breach(`the contents of ${uri}, which is listed`, reply)] : []
      }
      if (outcome._tag !== "Result") return []
      if (JsonObject.member(outcome.result, "resultType") === "input_required") return []
      const decoded = decode.readResourceResult(outcome.result)
      const fault = Result.isFailure(decoded)
        ? decoded.failure.message
        : lists.encodedIn(outcome.result).filter(([, text]) => !lists.isBase64(text))
          .map(([path]) => `${path}, which is no Base64`)[0]
      return fault === undefined ? [] : [Rule.finding(`contents of ${uri} that fit their shape`, fault, exchange)]
    })
    if (found.length > 0 || reads.some(({ reply }) => reply.outcome._tag === "Result")) return found
    return yield* new Unverified({ reason: "no resource could be read" })
  }))

/** A URI that no server has. */
const nowhere = "parley-conform://nowhere/at-all"

const readUnknown = Rule.once((dialogue) =>
  Effect.gen(function*() {
    yield* Rule.needs(dialogue, "resources")
    const { entries } = yield* dialogue.listed(List.templates)
    // Such a template stands for any URI.
    const isOpen = entries.some(({ uriTemplate }) => typeof uriTemplate === "string" && uriTemplate.startsWith("{"))
    if (isOpen) return yield* new NotApplicable({ reason: "a template of the server may stand for any URI" })
    return yield* (yield* dialogue.shared).request("resources/read", { uri: nowhere })
  })
)

const refusesUnknown = Rule.each({
  id: "mcp/resources/unknown-refused",
  title: "A resource that does not exist is refused",
  level: "must",
  section: Rule.section("2025-11-25", "server/resources#security-considerations")
}, (dialogue) =>
  Effect.map(
    readUnknown(dialogue),
    (reply) => reply.outcome._tag === "Error" ? [] : [Rule.breach("an error of JSON-RPC", reply)]
  ))

const codeOfUnknown = (rule: typeof Rule.legacy, level: "must" | "should", code: number, page: string) =>
  rule({
    id: `mcp/resources/unknown-${level === "must" ? "params" : "code"}`,
    title: `A resource that does not exist is refused with ${code}`,
    level,
    section: page
  }, (dialogue) =>
    Effect.map(readUnknown(dialogue), (reply) => {
      const { outcome } = reply
      // Another rule says whether it is refused at all.
      return outcome._tag !== "Error" || outcome.code === dialogue.accord.codec.features.resourceNotFound
        ? []
        : [Rule.breach(`the error ${dialogue.accord.codec.features.resourceNotFound}`, reply)]
    }))

const malformed = Rule.each({
  id: "mcp/resources/malformed",
  title: "A read that is malformed gets an error of JSON-RPC",
  level: "must",
  section: Rule.section("2025-11-25", "server/resources#security-considerations")
}, (dialogue) =>
  Effect.gen(function*() {
    yield* Rule.needs(dialogue, "resources")
    const reply = yield* (yield* dialogue.shared).request("resources/read", {})
    return reply.outcome._tag === "Error" ? [] : [Rule.breach("an error of JSON-RPC", reply)]
  }))

const subscribes = Rule.legacy({
  id: "mcp/resources/subscribe",
  title: "A resource that is listed can be subscribed to, and unsubscribed from",
  level: "must",
  section: Rule.section("2025-11-25", "server/resources#subscriptions")
}, (dialogue) =>
  Effect.gen(function*() {
    yield* Rule.needs(dialogue, "resources", "subscribe")
    const [first] = yield* Rule.some(yield* lists.entriesOf(dialogue, List.resources), "resources")
    const conversation = yield* dialogue.shared
    const uri = first?.["uri"] ?? null
    const found = yield* Effect.forEach(["resources/subscribe", "resources/unsubscribe"], (method) =>
      Effect.map(conversation.request(method, { uri }), (reply) =>
        reply.outcome._tag === "Result" && JsonObject.isObject(reply.outcome.result)
          ? []
          : [Rule.breach(`an empty result of ${method}`, reply)]))
    return found.flat()
  }))

const unasked = Rule.legacy({
  id: "mcp/resources/updates",
  title: "Updates are told of resources alone that the client has subscribed to",
  level: "must",
  section: Rule.section("2025-11-25", "server/resources#subscriptions")
}, (dialogue) =>
  Effect.map(dialogue.exercised, () =>
    dialogue.recorded().flatMap(({ conversation }) => {
      const passed = conversation.line.passed()
      const isAsked = passed.some(({ direction, text }) => direction === "sent" && text.includes("resources/subscribe"))
      const update = passed.find(({ direction, text }) =>
        direction === "received" && text.includes(`"notifications/resources/updated"`)
      )
      return update === undefined || isAsked ? [] : [Rule.finding(
        "no notifications/resources/updated in a conversation without a subscription",
        "that notification",
        [update]
      )]
    })))

export const rules: ReadonlyArray<Rule.McpRule> = [
  shape,
  templates,
  readable,
  refusesUnknown,
  codeOfUnknown(
    Rule.legacy,
    "should",
    McpError.ResourceNotFound,
    Rule.section("2025-11-25", "server/resources#error-handling")
  ),
  codeOfUnknown(
    Rule.modern,
    "must",
    ErrorCode.InvalidParams,
    Rule.section("2026-07-28", "server/resources#error-handling")
  ),
  malformed,
  subscribes
]

/** Those that look at what has passed. */
export const watching: ReadonlyArray<Rule.McpRule> = [unasked]
