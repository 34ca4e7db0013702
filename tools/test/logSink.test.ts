import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Logger } from "effect"
import * as LogSink from "../logs/LogSink.ts"

const clear = "a\u001b[2J"

/** What logs a character that drives a terminal, forges a line or is not seen. */
const offending: ReadonlyArray<readonly [name: string, log: Effect.Effect<void>, where: string]> = [
  ["a message", Effect.logWarning(clear), "the message: a\\u001b[2J"],
  ["a line end in a message", Effect.logInfo("a\nb"), "the message: a\\u000ab"],
  ["what is not seen", Effect.logInfo("add\u200b"), "the message: add\\u200b"],
  ["a second message", Effect.logInfo("a", "b\u202e"), "the message: b\\u202e"],
  [
    "a member of an error",
    Effect.logInfo("a", Object.assign(new Error("b"), { key: "c\u2028" })),
    "the message: Error: b"
  ],
  ["a cause", Effect.logInfo("a", Cause.fail(new Error(clear))), "the cause: Error: a\\u001b[2J"],
  ["an annotation", Effect.annotateLogs(Effect.logInfo("a"), "k", clear), "the annotation k: a\\u001b[2J"],
  ["the name of an annotation", Effect.annotateLogs(Effect.logInfo("a"), clear, "v"), "the name of an annotation: a"]
]

describe("the sink of the log", () => {
  for (const [name, log, where] of offending) {
    it.effect(`finds ${name}`, () =>
      Effect.gen(function*() {
        yield* log
        const [first = ""] = LogSink.drain()
        assert.strictEqual(first.slice(0, where.length), where)
      }))
  }

  it.effect("sees what other loggers get", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const logger = Logger.make(({ message }) => void seen.push(message))
      yield* Effect.provide(Effect.logInfo(clear), Logger.layer([logger]))
      assert.deepStrictEqual(seen, [[clear]])
      assert.strictEqual(LogSink.drain().length, 1)
    }))

  it.effect("finds nothing in what is escaped, nor in the lines of a stack", () =>
    Effect.gen(function*() {
      yield* Effect.logInfo("é ✓", { key: "value" }, Cause.fail(new Error("a\\u001b[2J")))
      assert.deepStrictEqual(LogSink.drain(), [])
    }))
})
