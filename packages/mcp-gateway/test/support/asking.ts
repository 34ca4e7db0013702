/** A server whose tools ask their clients, and clients that answer with their own name. */
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as Content from "@parley/mcp/payload/Content"
import { Effect, Schema } from "effect"

/** How often the tools of a server have done what they do once. */
export interface Runs {
  charged: number
}

export const make = Effect.gen(function*() {
  const runs: Runs = { charged: 0 }
  const server = yield* McpServer.make({
    name: "asking",
    version: "1",
    features: [
      McpTool.make("greet", {}, (_, call) =>
        Effect.map(
          call.elicit("name", { message: "Your name?", fields: { name: Schema.String } }),
          (answer) => answer._tag === "Accepted" ? answer.content.name : answer._tag
        )),
      McpTool.make("twice", { params: { as: Schema.String } }, ({ as }, call) =>
        Effect.gen(function*() {
          const first = yield* call.elicit("first", { message: "Your name?", fields: { name: Schema.String } })
          const roots = yield* call.listRoots()
          return JSON.stringify([as, first, roots])
        })),
      McpTool.make("book", {}, (_, call) =>
        Effect.gen(function*() {
          const charge = yield* call.memo("charge", Schema.Number, Effect.sync(() => ++runs.charged))
          const [person, model, roots] = yield* Effect.all([
            call.elicit("name", { message: "Your name?", fields: { name: Schema.String } }),
            call.sample("model", { messages: [{ role: "user", content: Content.text("Hi") }], maxTokens: 10 }),
            call.listRoots()
          ], { concurrency: "unbounded" })
          const last = yield* call.elicit("sure", { message: "Sure?", fields: { sure: Schema.Boolean } })
          return JSON.stringify([charge, person, model.content, roots, last])
        }))
    ]
  })
  return { server, runs }
})

/** Answers everything with a name. */
export const handlers = (name: string) => ({
  elicit: (form: { readonly message: string }) =>
    // Other calls run meanwhile.
    Effect.as(Effect.yieldNow, {
      action: "accept" as const,
      content: form.message === "Sure?" ? { sure: true } : { name }
    }),
  sample: () => Effect.succeed({ role: "assistant" as const, content: Content.text(`I am of ${name}`), model: "none" }),
  roots: Effect.succeed([{ uri: `file:///${name}` }])
})

/** What `book` gives to somebody of a name. */
export const booked = (name: string, charge: number) =>
  JSON.stringify([
    charge,
    { _tag: "Accepted", content: { name } },
    { type: "text", text: `I am of ${name}` },
    [{ uri: `file:///${name}` }],
    { _tag: "Accepted", content: { sure: true } }
  ])
