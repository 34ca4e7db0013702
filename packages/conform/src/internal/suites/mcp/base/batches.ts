/** Batches, which one revision has: whoever agrees on it receives them. */
import { JsonObject } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { NotApplicable } from "../../../../Suite.ts"
import * as Json from "../../../probe/Json.ts"
import * as Conversation from "../../../protocol/mcp/Conversation.ts"
import * as Rule from "../Rule.ts"

const revision = "2025-03-26"

const ids = ["parley-batch-1", "parley-batch-2"] as const

const batch = JSON.stringify([
  { jsonrpc: "2.0", id: ids[0], method: "ping" },
  { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "parley-conform" } },
  { jsonrpc: "2.0", id: ids[1], method: "ping" }
])

/** Whether both requests have results, in one batch or one by one: a stream of events may bring them so. */
const isAnswered = (texts: ReadonlyArray<string>): boolean => {
  const messages = texts.flatMap((text) => {
    const json = Option.getOrElse(Json.parse(text), () => null)
    return JsonObject.isArray(json) ? json : [json]
  })
  return ids.every((id) =>
    messages.some((message) =>
      JsonObject.member(message, "id") === id && JsonObject.member(message, "result") !== undefined
    )
  )
}

const received = Rule.legacy({
  id: "mcp/batches/received",
  title: "A server that agrees on 2025-03-26 receives batches, and answers each request in them",
  level: "must",
  section: Rule.section(revision, "basic/index#batching")
}, ({ run: { patience, target, watch } }) =>
  Effect.gen(function*() {
    const { accord, http, line } = yield* Conversation.open({ target, patience, revision, listens: false })
    if (!accord.codec.features.batches) {
      return yield* new NotApplicable({ reason: `the server does not agree on ${revision}` })
    }
    yield* watch(line)
    if (http !== undefined) {
      const found = yield* http.exchange({ method: "POST", body: batch }, { enough: isAnswered })
      const { heads, status } = yield* Rule.headOf(found)
      return isAnswered(found.texts) ? [] : [finding(`the status ${status}: ${responsesIn(found.texts)}`, heads)]
    }
    const { ended, exchange, texts } = yield* line.ask(batch, isAnswered)
    return isAnswered(texts) ? [] : [finding(ended ?? responsesIn(texts), exchange)]
  }))

const responsesIn = (texts: ReadonlyArray<string>): string =>
  texts.filter((text) => Json.objectOf(text)?.["method"] === undefined).join() || "nothing"

const finding = (received: string, exchange: Parameters<typeof Rule.finding>[2]) =>
  Rule.finding("a result for each of the two requests in a batch", received, exchange)

export const rules: ReadonlyArray<Rule.McpRule> = [received]
