/** What every server answers: `ping`, and methods that it does not know. */
import { ErrorCode, JsonObject } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import { NotApplicable } from "../../../../Suite.ts"
import * as Json from "../../../probe/Json.ts"
import * as operations from "../../../protocol/mcp/operations.ts"
import * as Rule from "../Rule.ts"
import type { Dialogue } from "../Subject.ts"

const ping = Rule.legacy({
  id: "mcp/ping/answered",
  title: "ping is answered with an empty result",
  level: "must",
  section: Rule.section("2025-11-25", "basic/utilities/ping#behavior-requirements")
}, (dialogue) =>
  Effect.gen(function*() {
    const reply = yield* (yield* dialogue.shared).request("ping")
    const { outcome } = reply
    const isEmpty = outcome._tag === "Result" && JsonObject.isObject(outcome.result) &&
      Object.keys(outcome.result).every((key) => key === "_meta")
    return isEmpty ? [] : [Rule.breach("an empty result", reply)]
  }))

/** A call takes long when it takes so many milliseconds. */
const long = 150

const promptly = Rule.legacy({
  id: "mcp/ping/promptly",
  title: "ping is answered while a call runs",
  level: "must",
  section: Rule.section("2025-11-25", "basic/utilities/ping#behavior-requirements")
}, (dialogue) =>
  Effect.gen(function*() {
    const { args, tool } = yield* slowCall(dialogue)
    const conversation = yield* dialogue.shared
    const order: Array<"call" | "ping"> = []
    const note = (what: "call" | "ping") => Effect.sync(() => order.push(what))
    const begun = conversation.line.passed().length
    const [, reply] = yield* Effect.all([
      Effect.tap(operations.call(conversation, tool, args), () => note("call")),
      // The request goes out when the call does.
      Effect.tap(conversation.request("ping"), () => note("ping"))
    ], { concurrency: "unbounded" })
    const isPrompt = reply.outcome._tag === "Result" && (order[0] === "ping" || reply.milliseconds < long / 2)
    return isPrompt ? [] : [Rule.finding(
      `the answer to ping before that of a call which takes ${long} milliseconds and more`,
      reply.outcome._tag === "Result"
        ? `an answer after ${reply.milliseconds} milliseconds, when the call had been answered`
        : "no answer",
      conversation.line.passed().slice(begun)
    )]
  }))

/** The call that took longest, if that is long enough to look at something while it runs. */
export const slowCall = (dialogue: Dialogue) =>
  Effect.flatMap(dialogue.calls, (calls) => {
    const [slowest] = calls
      .filter(({ reply: { outcome } }) => outcome._tag === "Result")
      .toSorted((a, b) => b.reply.milliseconds - a.reply.milliseconds)
    return slowest === undefined || slowest.reply.milliseconds < long
      ? Effect.fail(new NotApplicable({ reason: "no tool that may be called takes long enough" }))
      : Effect.succeed(slowest)
  })

const unknown = Rule.each({
  id: "mcp/methods/unknown",
  title: "A method that the server does not know is refused with -32601",
  level: "must",
  section: Rule.section("2025-11-25", "basic/index#messages")
}, (dialogue) =>
  Effect.gen(function*() {
    const reply = yield* (yield* dialogue.shared).request("parley/conform/unknown", {})
    const { outcome } = reply
    return outcome._tag === "Error" && outcome.code === ErrorCode.MethodNotFound
      ? []
      : [Rule.breach("the error -32601", reply)]
  }))

const notification = Rule.each({
  id: "mcp/methods/notification",
  title: "A notification that the server does not know is not answered",
  level: "must",
  section: Rule.section("2025-11-25", "basic/index#notifications")
}, (dialogue) =>
  Effect.gen(function*() {
    const { http, line, notify } = yield* dialogue.shared
    const method = "notifications/parley/conform"
    if (http !== undefined) {
      const found = yield* notify(method, {})
      // Over HTTP, an error without an id may come with the status of an error.
      const isAnswer = found?.texts.some((text) => Json.isResponse(text) && (found.head?.status ?? 0) < 400) === true
      return isAnswer ? [Rule.finding("no response", "a response", found.heads)] : []
    }
    const { exchange, texts } = yield* line.ask(JSON.stringify({ jsonrpc: "2.0", method, params: {} }))
    const found = texts.find(Json.isResponse)
    return found === undefined ? [] : [Rule.finding("no response", "a response", exchange)]
  }))

export const rules: ReadonlyArray<Rule.McpRule> = [ping, promptly, unknown, notification]
