/** The discipline of capabilities: what is declared is served, what is not is neither served nor told nor asked. */
import { ErrorCode, JsonObject } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { NotApplicable } from "../../../../Suite.ts"
import * as Json from "../../../probe/Json.ts"
import * as List from "../../../protocol/mcp/List.ts"
import * as Rule from "../Rule.ts"
import type { Dialogue } from "../Subject.ts"

/** A method, and the capability of servers that have it. */
interface Method {
  readonly method: string
  readonly capability: ReadonlyArray<string>
  /** The params of a request that changes nothing; `undefined` where there is nothing to ask with. */
  readonly params: (dialogue: Dialogue) => Effect.Effect<Schema.JsonObject | undefined>
}

const nothing = () => Effect.succeed({})

const methods: ReadonlyArray<Method> = [
  { method: "tools/list", capability: ["tools"], params: nothing },
  { method: "resources/list", capability: ["resources"], params: nothing },
  { method: "prompts/list", capability: ["prompts"], params: nothing },
  {
    method: "completion/complete",
    capability: ["completions"],
    params: () =>
      Effect.succeed({
        ref: { type: "ref/prompt", name: "parley-conform-unknown" },
        argument: { name: "parley", value: "" }
      })
  },
  { method: "logging/setLevel", capability: ["logging"], params: () => Effect.succeed({ level: "warning" }) },
  {
    method: "resources/subscribe",
    capability: ["resources", "subscribe"],
    params: (dialogue) =>
      Effect.match(dialogue.listed(List.resources), {
        onFailure: () => undefined,
        onSuccess: ({ entries }) => {
          const uri = entries[0]?.["uri"]
          return uri === undefined ? undefined : { uri }
        }
      })
  }
]

/** The methods that the revision has, and that are declared or not. */
const methodsOf = (dialogue: Dialogue, isDeclared: boolean): ReadonlyArray<Method> =>
  methods.filter(({ capability, method }) =>
    dialogue.accord.codec.serverServes(method) && dialogue.has(...capability) === isDeclared
  )

const served = Rule.each({
  id: "mcp/capabilities/served",
  title: "What the server declares, it serves",
  level: "must",
  section: Rule.section("2025-11-25", "basic/lifecycle#operation")
}, (dialogue) =>
  Effect.gen(function*() {
    const declared = methodsOf(dialogue, true)
    if (declared.length === 0) return yield* new NotApplicable({ reason: "the server declares no capability" })
    const found = yield* Effect.forEach(declared, ({ capability, method, params }) =>
      Effect.gen(function*() {
        const asked = yield* params(dialogue)
        if (asked === undefined) return []
        const reply = yield* (yield* dialogue.shared).request(method, asked)
        const isUnknown = reply.outcome._tag === "Error" && reply.outcome.code === ErrorCode.MethodNotFound
        const expected = `an answer to ${method}, because the server declares the capability ${capability.join(".")}`
        return isUnknown ? [Rule.breach(expected, reply)] : []
      }))
    return found.flat()
  }))

/** A result of these says that a server has what it does not declare. */
const proving: ReadonlySet<string> = new Set(["tools/list", "resources/list", "prompts/list"])

const undeclared = Rule.each({
  id: "mcp/capabilities/undeclared",
  title: "What the server does not declare, it does not serve",
  level: "must",
  section: Rule.section("2025-11-25", "basic/lifecycle#operation")
}, (dialogue) =>
  Effect.gen(function*() {
    const others = methodsOf(dialogue, false).filter(({ method }) => proving.has(method))
    if (others.length === 0) return yield* new NotApplicable({ reason: "the server declares all capabilities" })
    const found = yield* Effect.forEach(others, ({ capability, method, params }) =>
      Effect.gen(function*() {
        const reply = yield* (yield* dialogue.shared).request(method, yield* params(dialogue))
        const expected = `no result of ${method}, because the server does not declare the capability ${
          capability.join(".")
        }`
        return reply.outcome._tag === "Result" ? [Rule.breach(expected, reply)] : []
      }))
    return found.flat()
  }))

/** The notifications that need a capability. */
const told: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["notifications/tools/list_changed", ["tools", "listChanged"]],
  ["notifications/resources/list_changed", ["resources", "listChanged"]],
  ["notifications/prompts/list_changed", ["prompts", "listChanged"]],
  ["notifications/resources/updated", ["resources", "subscribe"]],
  ["notifications/message", ["logging"]]
])

const notified = Rule.each({
  id: "mcp/capabilities/notified",
  title: "The server tells nothing for which it declares no capability",
  level: "must",
  section: Rule.section("2025-11-25", "basic/lifecycle#operation")
}, (dialogue) =>
  Effect.map(messagesOf(dialogue), (messages) =>
    messages.flatMap(({ message, text }) => {
      const method = message["method"]
      const capability = typeof method === "string" ? told.get(method) : undefined
      return capability === undefined || dialogue.has(...capability) ? [] : [Rule.finding(
        `no ${method}, because the server does not declare the capability ${capability.join(".")}`,
        "that notification",
        [{ direction: "received", text }]
      )]
    })))

/** The requests of the specification that need a capability of the client; the client of the probes has none. */
const asked: ReadonlySet<Schema.Json | undefined> = new Set([
  "sampling/createMessage",
  "elicitation/create",
  "roots/list",
  "tasks/get",
  "tasks/result",
  "tasks/list",
  "tasks/cancel"
])

const requested = Rule.legacy(
  {
    id: "mcp/capabilities/requested",
    title: "The server asks for nothing that the client has not declared",
    level: "must",
    section: Rule.section("2025-11-25", "basic/lifecycle#operation")
  },
  (dialogue) =>
    Effect.map(
      messagesOf(dialogue),
      (messages) =>
        messages.flatMap(({ message, text }) =>
          Object.hasOwn(message, "id") && asked.has(message["method"])
            ? [Rule.finding(`no ${message["method"]}, because the client declares no capability`, "that request", [
              { direction: "received", text }
            ])]
            : []
        )
    )
)

const stateless = Rule.modern(
  {
    id: "mcp/capabilities/no-requests",
    title: "The server sends no requests",
    level: "must",
    section: Rule.section("2026-07-28", "basic/patterns/index")
  },
  (dialogue) =>
    Effect.map(
      messagesOf(dialogue),
      (messages) =>
        messages.flatMap(({ message, text }) =>
          Object.hasOwn(message, "id") && Object.hasOwn(message, "method")
            ? [Rule.finding("no request of the server", "a request", [{ direction: "received", text }])]
            : []
        )
    )
)

const inputs = Rule.modern(
  {
    id: "mcp/capabilities/input-requests",
    title: "Results ask for nothing that the client has not declared, and only where they may",
    level: "must",
    section: Rule.section("2026-07-28", "basic/patterns/mrtr#server-requirements-basic-workflow")
  },
  (dialogue) =>
    Effect.map(dialogue.exercised, () =>
      dialogue.recorded().flatMap(({ replies }) => replies).flatMap((reply) => {
        const { outcome } = reply
        if (outcome._tag !== "Result" || JsonObject.member(outcome.result, "resultType") !== "input_required") return []
        const asked = JsonObject.member(outcome.result, "inputRequests")
        const state = JsonObject.member(outcome.result, "requestState")
        if (asked === undefined && state === undefined) {
          return [Rule.breach("inputRequests or requestState in an InputRequiredResult", reply)]
        }
        return JsonObject.isObject(asked) && Object.keys(asked).length > 0
          ? [Rule.breach("no inputRequests, because the client declares no capability", reply)]
          : []
      }))
)

/** The messages that have come in all conversations, when the server has been exercised. */
export const messagesOf = (dialogue: Dialogue) =>
  Effect.map(
    dialogue.exercised,
    () =>
      dialogue.recorded().flatMap(({ conversation }) => conversation.line.passed()).flatMap(({ direction, text }) => {
        const message = direction === "received" ? Json.objectOf(text) : undefined
        return message === undefined ? [] : [{ message, text }]
      })
  )

export const rules: ReadonlyArray<Rule.McpRule> = [served, undeclared]

/** Those that look at what has passed. */
export const watching: ReadonlyArray<Rule.McpRule> = [notified, requested, stateless, inputs]
