/** Log messages: at the level that was asked for, in their shape. */
import * as LogLevel from "@parley/mcp/payload/LogLevel"
import { ErrorCode, JsonObject } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { messagesOf } from "../base/capabilities.ts"
import * as Rule from "../Rule.ts"

const sets = Rule.legacy({
  id: "mcp/logging/set-level",
  title: "logging/setLevel takes each level, and is answered with an empty result",
  level: "must",
  section: Rule.section("2025-11-25", "server/utilities/logging#setting-log-level")
}, (dialogue) =>
  Effect.gen(function*() {
    yield* Rule.needs(dialogue, "logging")
    const conversation = yield* dialogue.shared
    // The last level is the one at which most is told.
    const found = yield* Effect.forEach(LogLevel.all.toReversed(), (level) =>
      Effect.map(conversation.request("logging/setLevel", { level }), (reply) =>
        reply.outcome._tag === "Result" && JsonObject.isObject(reply.outcome.result)
          ? []
          : [Rule.breach(`an empty result for the level ${level}`, reply)]))
    return found.flat().slice(0, 3)
  }))

const refuses = Rule.legacy({
  id: "mcp/logging/unknown-level",
  title: "A level that does not exist is refused with -32602",
  level: "should",
  section: Rule.section("2025-11-25", "server/utilities/logging#error-handling")
}, (dialogue) =>
  Effect.gen(function*() {
    yield* Rule.needs(dialogue, "logging")
    const reply = yield* (yield* dialogue.shared).request("logging/setLevel", { level: "parley" })
    return reply.outcome._tag === "Error" && reply.outcome.code === ErrorCode.InvalidParams
      ? []
      : [Rule.breach("the error -32602", reply)]
  }))

const shape = Rule.each({
  id: "mcp/logging/message",
  title: "Log messages have a level of the specification, and data",
  level: "must",
  section: Rule.section("2025-11-25", "server/utilities/logging#log-message-notifications")
}, (dialogue) =>
  Effect.map(messagesOf(dialogue), (messages) =>
    messages.flatMap(({ message, text }) => {
      if (message["method"] !== "notifications/message") return []
      const decoded = dialogue.accord.codec.decode.log(message["params"])
      return Result.isFailure(decoded)
        ? [Rule.finding("a log message in its shape", decoded.failure.message, [{ direction: "received", text }])]
        : []
    }).slice(0, 3)))

const unasked = Rule.modern(
  {
    id: "mcp/logging/unasked",
    title: "No log messages come for a request that names no level",
    level: "must",
    section: Rule.section("2026-07-28", "server/utilities/logging#per-request-log-level")
  },
  (dialogue) =>
    Effect.map(
      messagesOf(dialogue),
      (messages) =>
        messages.flatMap(({ message, text }) =>
          message["method"] === "notifications/message"
            ? [Rule.finding("no notifications/message, because no request named a level", "that notification", [
              { direction: "received", text }
            ])]
            : []
        ).slice(0, 3)
    )
)

export const rules: ReadonlyArray<Rule.McpRule> = [sets, refuses]

/** Those that look at what has passed. */
export const watching: ReadonlyArray<Rule.McpRule> = [shape, unasked]
