/** What every server answers: `ping`, and methods that it does not know. */
import { ErrorCode, JsonObject } from "@parley/protocol/shared"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { NotApplicable } from "../../../../Suite.ts"
import * as Json from "../../../probe/Json.ts"
import { describe } from "../../../protocol/mcp/Conversation.ts"
import * as List from "../../../protocol/mcp/List.ts"
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
  Effect.scoped(Effect.gen(function*() {
    const { args, reply: { milliseconds }, tool } = yield* slowCall(dialogue)
    const conversation = yield* dialogue.shared
    // What happens by chance, as on a machine that is busy, does not happen each time.
    let left = tries
    for (let more = 2 * tries; more > 0; more--) {
      const begun = conversation.line.passed().length
      let id = 0
      const call = operations.call(conversation, tool, args, {
        onId: (own) => {
          id = own
        }
      })
      const running = yield* Effect.forkScoped(call, { startImmediately: true })
      yield* Effect.sleep(Duration.millis(milliseconds / 4))
      const isOver = () => conversation.line.passed().slice(begun).some(({ text }) => isAnswerTo(id)(text))
      // It was too late to ask anything.
      if (isOver()) continue
      const during = yield* conversation.request("ping")
      const wasOver = isOver()
      yield* Fiber.await(running)
      const passed = conversation.line.passed().slice(begun)
      const { outcome } = during
      if (outcome._tag === "Result") {
        const after = yield* conversation.request("ping")
        const hasWaited = wasOver || during.milliseconds > milliseconds / 2
        if (!hasWaited || after.milliseconds * 4 > during.milliseconds) return []
      }
      if (--left > 0) continue
      return [Rule.finding(
        "the answer to ping while a call runs",
        outcome._tag === "Result"
          ? `the answer when the call was over, after ${during.milliseconds} milliseconds`
          : describe(outcome),
        passed
      )]
    }
    return []
  })))

/** Tells whether a text answers the request with this id. */
export const isAnswerTo = (id: number) => (text: string): boolean =>
  Json.isResponse(text) && Json.idOf(text) === String(id)

/** How often a race is tried before it is taken for what a server always does. */
export const tries = 3

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

const bare = Rule.legacy({
  id: "mcp/methods/without-params",
  title: "A list is given to a request that has no params",
  level: "must",
  section: Rule.section("2025-11-25", "basic/index#requests")
}, (dialogue) =>
  Effect.gen(function*() {
    const declared = [List.tools, List.resources, List.prompts].filter(({ capability }) => dialogue.has(capability))
    if (declared.length === 0) return yield* new NotApplicable({ reason: "the server declares no list" })
    const found = yield* Effect.forEach(declared, (list) =>
      Effect.gen(function*() {
        const { end } = yield* dialogue.listed(list)
        // A list that is refused has other faults.
        if (end._tag === "Refused") return []
        const reply = yield* (yield* dialogue.shared).request(list.method)
        return reply.outcome._tag === "Result" ? [] : [Rule.breach(`a page of ${list.method} without params`, reply)]
      }))
    return found.flat()
  }))

export const rules: ReadonlyArray<Rule.McpRule> = [ping, promptly, unknown, notification, bare]
