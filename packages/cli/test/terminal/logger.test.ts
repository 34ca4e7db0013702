import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Logger } from "effect"
import * as LogSink from "../../../../tools/logs/LogSink.ts"
import { format } from "../../src/internal/terminal/logger.ts"
import * as output from "../../src/internal/terminal/output.ts"

const hostile = "a\u001b]0;t\u0007\u009b2J\u202e\u200b\u{e0041}\r\n[00:00:00.000] INFO (#1): forged"

describe("the log of the command", () => {
  it.effect("has nothing that drives a terminal, and no line that another wrote", () =>
    Effect.gen(function*() {
      const entries: Array<string> = []
      const logger = Logger.map(format, (text) => void entries.push(text))
      const error = Object.assign(new Error(hostile), { stack: `Error: ${hostile}\n    at f (${hostile})` })
      yield* Effect.logWarning(hostile, { [hostile]: hostile }, error, Cause.die(error)).pipe(
        Effect.annotateLogs(hostile, hostile),
        Effect.withLogSpan(hostile),
        Effect.provide(Logger.layer([logger]))
      )
      LogSink.drain()
      assert.strictEqual(entries.length, 1)
      const lines = entries[0]?.split("\n") ?? []
      assert.match(lines[0] ?? "", /^\[\d\d:\d\d:\d\d\.\d{3}\] WARN \(#\d+\) a/)
      assert.include(lines[0], "a\\u001b]0;t\\u0007\\u009b2J\\u202e\\u200b\\udb40\\udc41\\u000d\\u000a[00:00:00.000]")
      assert.isAbove(lines.length, 1)
      for (const line of lines.slice(1)) assert.match(line, /^ {4}\S/)
      for (const line of lines) assert.notMatch(line, /[\p{C}\p{Zl}\p{Zp}]/u)
    }))
})

describe("a text of others on a terminal", () => {
  it("shows a URL as a browser takes it", () => {
    assert.strictEqual(
      output.printableUrl("https://bank.example\n.evil.example/login\u202e"),
      "https://bank.example.evil.example/login%E2%80%AE"
    )
    assert.strictEqual(output.printableUrl("no url\n\u001b"), "no url\\u000a\\u001b")
  })

  it("marks each further line of a paragraph", () => {
    assert.strictEqual(output.printableParagraph(" a\r\nb\u001b\n", "    | "), "a\n    | b\\u001b")
  })
})
