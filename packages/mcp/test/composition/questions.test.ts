import { assert, describe, it } from "@effect/vitest"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as Content from "@parley/mcp/payload/Content"
import { Deferred, Effect, Schema } from "effect"
import { clientOf, named, pairs, through } from "./support/pairs.ts"

/** A server whose tools ask, and count what they have done. */
const asking = Effect.gen(function*() {
  const runs = { charged: 0, asked: 0 }
  const server = yield* McpServer.make({
    name: "asking",
    version: "1",
    features: [
      McpTool.make("greet", {}, (_, call) =>
        Effect.map(
          call.elicit("name", { message: "Your name?", schema: { name: Schema.String } }),
          (answer) => answer._tag === "Accepted" ? `Hello, ${answer.content.name}` : answer._tag
        )),
      McpTool.make("book", {}, (_, call) =>
        Effect.gen(function*() {
          const charge = yield* call.once("charge", Schema.Number, Effect.sync(() => ++runs.charged))
          const [person, model, roots] = yield* Effect.all([
            call.elicit("name", { message: "Your name?", schema: { name: Schema.String } }),
            call.sample("model", { messages: [{ role: "user", content: Content.text("Hi") }], maxTokens: 10 }),
            call.listRoots()
          ], { concurrency: "unbounded" })
          const last = yield* call.elicit("sure", { message: "Sure?", schema: { sure: Schema.Boolean } })
          return JSON.stringify([charge, person, model.content, roots, last])
        }))
    ]
  })
  return { server, runs }
})

const handlers = (name: string) => ({
  elicit: (form: { readonly message: string }) =>
    Effect.succeed({
      action: "accept" as const,
      content: form.message === "Sure?" ? { sure: true } : { name }
    }),
  sample: () => Effect.succeed({ role: "assistant" as const, content: Content.text(`I am of ${name}`), model: "none" }),
  roots: Effect.succeed([{ uri: `file:///${name}` }])
})

describe("what a server asks reaches the client before us", () => {
  for (const pair of pairs) {
    it.live(`between ${named(pair)}`, () =>
      Effect.scoped(Effect.gen(function*() {
        const { runs, server } = yield* asking
        const near = yield* through(server, pair.far)
        const client = yield* clientOf(near, { revision: pair.near, handlers: handlers("Ada") })
        const { content } = yield* client.callTool("greet")
        assert.deepStrictEqual(content, [Content.text("Hello, Ada")])
        const booked = yield* client.callTool("book")
        assert.deepStrictEqual(booked.content, [Content.text(JSON.stringify([
          1,
          { _tag: "Accepted", content: { name: "Ada" } },
          { type: "text", text: "I am of Ada" },
          [{ uri: "file:///Ada" }],
          { _tag: "Accepted", content: { sure: true } }
        ]))])
        assert.strictEqual(runs.charged, 1)
      })))
  }
})

export { Deferred }
