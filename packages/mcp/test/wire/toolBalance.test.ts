import { assert, describe, it } from "@effect/vitest"
import type { SampleMessage } from "@parley/mcp/payload/Sampling"
import * as ClientRequests from "@parley/mcp/server/ClientRequests"
import * as RevisionCodec from "@parley/mcp/wire/RevisionCodec"
import type { Caller } from "@parley/peer"
import { Context, Effect } from "effect"
import * as Answers from "../../src/internal/client/answers/Answers.ts"

const text = { type: "text", text: "x" } as const
const use = (id: string) => ({ type: "tool_use", id, name: "t", input: {} }) as const
const result = (toolUseId: string) => ({ type: "tool_result", toolUseId, content: [] }) as const
const user = (...content: Array<Exclude<SampleMessage["content"], ReadonlyArray<unknown>>>): SampleMessage => ({
  role: "user",
  content
})
const model = (...content: Parameters<typeof user>): SampleMessage => ({ role: "assistant", content })

/** Conversations, and what is wrong with them: the path and the rule. */
const table: ReadonlyArray<readonly [string, ReadonlyArray<SampleMessage>, (readonly [string, RegExp])?]> = [
  ["plain", [user(text), model(text), user(text)]],
  ["one use", [user(text), model(use("a")), { role: "user", content: result("a") }]],
  ["two uses, in any order", [
    user(text),
    model(text, use("a"), use("b")),
    user(result("b"), result("a")),
    model(text)
  ]],
  ["the same id again later", [model(use("a")), user(result("a")), model(use("a")), user(result("a"))]],
  ["a use without result", [user(text), model(use("a"), use("b")), user(result("a"))], [
    "messages.2",
    /"b" is missing/
  ]],
  ["a use at the end", [user(text), model(use("a"))], ["messages", /"a" is missing, and no message follows/]],
  ["a text in place of the result", [model(use("a")), user(text)], ["messages.1", /"a" is missing/]],
  ["a later result", [model(use("a")), user(text), user(result("a"))], ["messages.1", /"a" is missing/]],
  ["results in two messages", [model(use("a"), use("b")), user(result("a")), user(result("b"))], [
    "messages.1",
    /"b" is missing/
  ]],
  ["a result among texts", [model(use("a")), user(text, result("a"))], ["messages.1", /mixed with other content/]],
  ["a result of no use", [user(result("a"))], ["messages.0", /"a" is of no use/]],
  ["a result of another use", [model(use("a")), user(result("b"))], ["messages.1", /"b" is of no use/]],
  ["a result twice", [model(use("a")), user(result("a"), result("a"))], ["messages.1", /"a" is of no use/]],
  ["two uses with one id", [model(use("a"), use("a")), user(result("a"))], ["messages.0", /one id/]],
  ["a use by the user", [user(use("a")), user(result("a"))], ["messages.0", /only the assistant/]],
  ["a result by the model", [model(use("a")), model(result("a"))], ["messages.1", /only the user/]]
]

for (const revision of ["2025-11-25", "2026-07-28"] as const) {
  const codec = RevisionCodec.of(revision)
  describe(`tools in sampling, ${revision}`, () => {
    for (const [name, messages, fault] of table) {
      it.effect(`tool use and results in a conversation: ${name}`, () =>
        Effect.gen(function*() {
          const answered = { role: "assistant", content: text, model: "m" } as const
          const request = { messages, maxTokens: 1, tools: [] }

          // What is sent by a handler.
          let sent = 0
          const caller = {
            request: () => Effect.sync(() => (sent++, answered))
            // Nothing else of it is used.
          } as unknown as Caller.Caller
          const asking = ClientRequests.direct({ caller, codec, capabilities: { sampling: { tools: {} } } })
          const asked = yield* Effect.result(asking.sample("k", request))

          // What is received by a client.
          let sampled = 0
          const answer = Answers.make(
            { sample: () => Effect.sync(() => (sampled++, answered)), sampling: { tools: true } },
            Context.empty()
          )
          const received = yield* Effect.result(
            answer(codec, "sampling/createMessage", JSON.parse(JSON.stringify(request)))
          )

          assert.deepStrictEqual([sent, sampled], fault === undefined ? [1, 1] : [0, 0])
          assert.deepStrictEqual(
            [asked._tag, received._tag],
            Array(2).fill(fault === undefined ? "Success" : "Failure")
          )
          if (fault === undefined || asked._tag === "Success" || received._tag === "Success") return
          const [path, rule] = fault
          assert.strictEqual(asked.failure._tag, "InvalidArguments")
          assert.match(asked.failure.message, rule)
          assert.include(asked.failure.message, path)
          assert.strictEqual(received.failure.code, -32602)
          assert.match(JSON.stringify(received.failure.data).replaceAll("\\", ""), rule)
        }))
    }
  })
}
