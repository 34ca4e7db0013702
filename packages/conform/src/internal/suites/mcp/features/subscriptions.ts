/** Streams of changes in the modern era. */
import * as Envelope from "@parley/mcp/wire/Envelope"
import { JsonObject } from "@parley/protocol/shared"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { type Finding, NotApplicable, type Passed } from "../../../../Suite.ts"
import * as Json from "../../../probe/Json.ts"
import * as Rule from "../Rule.ts"

/** What can be listened to, each with the capability of servers that tell of it. */
const kinds = [
  ["toolsListChanged", ["tools", "listChanged"]],
  ["promptsListChanged", ["prompts", "listChanged"]],
  ["resourcesListChanged", ["resources", "listChanged"]]
] as const

const acknowledged = "notifications/subscriptions/acknowledged"

/** Opens a stream for one kind of changes, and gives what comes at first. */
const listen = Rule.once((dialogue) =>
  Effect.scoped(Effect.gen(function*() {
    const kind = kinds.find(([, capability]) => dialogue.has(...capability))?.[0]
    if (kind === undefined && !dialogue.has("resources", "subscribe")) {
      return yield* new NotApplicable({ reason: "the server declares no changes that can be listened to" })
    }
    const notifications = kind === undefined ? { resourceSubscriptions: [] } : { [kind]: true }
    const conversation = yield* dialogue.shared
    let id = 0
    const reply = yield* conversation.request("subscriptions/listen", { notifications }, {
      patience: Duration.millis(500),
      onId: (own) => {
        id = own
      }
    })
    return { asked: notifications, id, reply, texts: textsOf(reply.exchange) }
  }))
)

const textsOf = (exchange: ReadonlyArray<Passed>) =>
  exchange.flatMap(({ direction, text }) => {
    const message = direction === "received" ? Json.objectOf(text) : undefined
    return message === undefined ? [] : [message]
  })

const subscriptionOf = ({ params, result }: Schema.JsonObject): Schema.Json | undefined =>
  JsonObject.member(JsonObject.member(params ?? result, "_meta"), Envelope.subscriptionId)

const acknowledges = Rule.modern({
  id: "mcp/subscriptions/acknowledged",
  title:
    "A stream of changes begins with notifications/subscriptions/acknowledged, and agrees to no more than was asked for",
  level: "must",
  section: Rule.section("2026-07-28", "basic/patterns/subscriptions#acknowledgment")
}, (dialogue) =>
  Effect.gen(function*() {
    const { asked, reply, texts } = yield* listen(dialogue)
    if (reply.outcome._tag === "Error") return [Rule.breach("a stream of the changes that the server declares", reply)]
    const [first] = texts.filter(({ method }) => method !== undefined)
    if (first?.["method"] !== acknowledged) {
      return [Rule.finding(acknowledged, String(first?.["method"] ?? "nothing"), reply.exchange)]
    }
    const agreed = JsonObject.member(first["params"], "notifications")
    const more = Object.keys(JsonObject.isObject(agreed) ? agreed : {}).filter((kind) => !Object.hasOwn(asked, kind))
    return more.length === 0 ? [] : [Rule.finding(
      `no more than ${Object.keys(asked).join()}`,
      `an agreement on ${more.join()}, too`,
      reply.exchange
    )]
  }))

const identifies = Rule.modern({
  id: "mcp/subscriptions/identified",
  title: "Each message of a stream of changes has the id of its request as subscriptionId, with its type",
  level: "must",
  section: Rule.section("2026-07-28", "basic/patterns/subscriptions#receiving-notifications")
}, (dialogue) =>
  Effect.gen(function*() {
    const { id, reply, texts } = yield* listen(dialogue)
    if (reply.outcome._tag === "Error") return yield* new NotApplicable({ reason: "the server opens no stream" })
    return texts.flatMap((message): ReadonlyArray<Finding> =>
      subscriptionOf(message) === id || Object.hasOwn(message, "error") ? [] : [Rule.finding(
        `${Envelope.subscriptionId} ${id} in _meta`,
        JSON.stringify(subscriptionOf(message)) ?? "none",
        reply.exchange
      )]
    )
  }))

export const rules: ReadonlyArray<Rule.McpRule> = [acknowledges, identifies]
