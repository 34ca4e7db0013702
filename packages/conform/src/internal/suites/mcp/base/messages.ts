/** What each message of a server is, whatever it says. These rules look at all that has passed. */
import { JsonObject } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Finding, Passed } from "../../../../Suite.ts"
import * as Json from "../../../probe/Json.ts"
import * as Rule from "../Rule.ts"
import type { Recorded } from "../Subject.ts"

const valid = Rule.each({
  id: "mcp/messages/valid",
  title: "All that the server writes are messages of JSON-RPC 2.0, with fields of their types",
  level: "must",
  section: Rule.section("2025-11-25", "basic/index#messages")
}, (dialogue) =>
  Effect.map(dialogue.exercised, () =>
    dialogue.recorded().flatMap(writtenIn).flatMap((passed) => {
      const fault = faultOf(passed.text)
      return fault === undefined ? [] : [Rule.finding("a message of JSON-RPC 2.0", fault, [passed])]
    }).slice(0, mostFindings)))

/** What has to be messages. The body of HTTP that comes with the status of an error need not be one. */
const writtenIn = ({ conversation: { http, line }, replies }: Recorded): ReadonlyArray<Passed> => {
  const received = line.passed().filter(({ direction }) => direction === "received")
  if (http === undefined) return received
  const answers = replies.flatMap((reply) =>
    reply.http?.head === undefined || reply.http.head.status >= 300 ? [] : reply.http.texts
  )
  return [
    ...answers.map((text): Passed => ({ direction: "received", text })),
    ...received.filter(({ text }) => Object.hasOwn(Json.objectOf(text) ?? {}, "method") && !answers.includes(text))
  ]
}

/** One text that is no message is like another. */
const mostFindings = 5

/** What is wrong with a message, in words. A batch is judged by its messages. */
const faultOf = (text: string): string | undefined => {
  const json = Json.parse(text)
  if (json._tag === "None") return "a text that is no JSON"
  const messages = JsonObject.isArray(json.value) ? json.value : [json.value]
  return messages.map(faultIn).find((fault) => fault !== undefined)
}

const faultIn = (message: Schema.Json): string | undefined => {
  if (!JsonObject.isObject(message)) return "JSON that is no object"
  const { error, id, jsonrpc, method } = message
  const has = (name: string) => Object.hasOwn(message, name)
  if (jsonrpc !== "2.0") return "a message whose jsonrpc is not 2.0"
  if (has("method")) {
    if (typeof method !== "string") return "a method that is no string"
    if (has("id") && !isId(id)) return "the id of a request that is neither a string nor an integer"
    return has("params") && !JsonObject.isObject(message["params"]) ? "params that are no object" : undefined
  }
  if (has("result") === has("error")) {
    return has("result")
      ? "a response with a result and an error"
      : "a message that is neither a request nor a response"
  }
  if (has("result")) {
    if (!isId(id)) return "a result whose id is neither a string nor an integer"
    return JsonObject.isObject(message["result"]) ? undefined : "a result that is no object"
  }
  if (id !== undefined && id !== null && !isId(id)) return "an error whose id is neither a string nor an integer"
  if (!JsonObject.isObject(error)) return "an error that is no object"
  if (!Number.isInteger(error["code"])) return "an error whose code is no integer"
  return typeof error["message"] === "string" ? undefined : "an error whose message is no string"
}

const isId = (id: Schema.Json | undefined): boolean => typeof id === "string" || Number.isInteger(id)

const answers = Rule.each(
  {
    id: "mcp/messages/ids",
    title: "Each response has the id of a request, and no request is answered twice",
    level: "must",
    section: Rule.section("2025-11-25", "basic/index#responses")
  },
  (dialogue) =>
    Effect.map(
      dialogue.exercised,
      () =>
        dialogue.recorded().flatMap(({ conversation }) => misplaced(conversation.line.passed())).slice(0, mostFindings)
    )
)

/** Responses that answer nothing, or again. The ids of sentinels are not among the texts that passed. */
const misplaced = (passed: ReadonlyArray<Passed>): ReadonlyArray<Finding> => {
  const open = new Map<string, Passed>()
  const closed = new Map<string, Passed>()
  return passed.flatMap((one) => {
    const message = Json.objectOf(one.text)
    const id = Json.idOf(one.text)
    if (message === undefined || id === undefined || id === "null") return []
    if (one.direction === "sent") {
      if (Object.hasOwn(message, "method")) open.set(id, one)
      return []
    }
    if (!Json.isResponse(one.text) || id.startsWith(`"parley-conform-`)) return []
    const request = open.get(id)
    if (request !== undefined) {
      open.delete(id)
      closed.set(id, one)
      return []
    }
    const first = closed.get(id)
    return [
      first === undefined
        ? Rule.finding("the id of a request, with its type", `a response with the id ${id}`, [...open.values(), one])
        : Rule.finding("one response to each request", `a second response to the request ${id}`, [first, one])
    ]
  })
}

export const watching: ReadonlyArray<Rule.McpRule> = [valid, answers]
