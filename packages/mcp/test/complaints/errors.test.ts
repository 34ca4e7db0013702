import { assert, describe, it } from "@effect/vitest"
import * as McpPrompt from "@parley/mcp/McpPrompt"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as Revision from "@parley/mcp/wire/Revision"
import { Cause, Data, Effect, Layer, Logger } from "effect"
import { spoken } from "../server/support/line.ts"

class Full extends Data.TaggedError("Full")<{ readonly message: string }> {}

const broken = Effect.die(new Error("db password=secret"))

const server = McpServer.make({
  name: "s",
  version: "1",
  features: [
    McpTool.make("full", {}, () => Effect.fail(new Full({ message: "no room" }))),
    McpTool.make("broken", {}, () => broken),
    McpTool.make("throws", {}, () => {
      throw new Error("db password=secret")
    }),
    McpTool.make("rejects", {}, () => Effect.promise(() => Promise.reject(new Error("db password=secret")))),
    McpResource.make("text://broken", { name: "broken" }, () => broken),
    McpPrompt.make("broken", {}, () => broken)
  ]
})

/** Keeps what is logged, as text. */
const keeping = () => {
  const texts: Array<string> = []
  const logger = Logger.make<unknown, void>(({ cause, message }) => {
    texts.push(`${JSON.stringify(message)} ${Cause.pretty(cause)}`)
  })
  return { texts, layer: Logger.layer([logger]) }
}

const asks: ReadonlyArray<readonly [string, { readonly [member: string]: string }]> = [
  ["tools/call", { name: "broken" }],
  ["tools/call", { name: "throws" }],
  ["tools/call", { name: "rejects" }],
  ["resources/read", { uri: "text://broken" }],
  ["prompts/get", { name: "broken" }]
]

describe("complaint 17: errors say too little, or what they should not", () => {
  for (const revision of Revision.all) {
    it.effect(`an unknown tool is an error of the protocol, and a tool that failed is a result, in ${revision}`, () =>
      Effect.gen(function*() {
        const { line, params } = yield* spoken(yield* server, revision)
        assert.strictEqual((yield* line.refusal("tools/call", params({ name: "nobody" }))).code, -32602)
        assert.deepInclude(yield* line.result("tools/call", params({ name: "full" })), {
          content: [{ type: "text", text: "no room" }],
          isError: true
        })
      }))

    it.effect(`a defect is told to nobody but the log, in ${revision}`, () =>
      Effect.gen(function*() {
        const { layer, texts } = keeping()
        yield* Effect.gen(function*() {
          const { line, params } = yield* spoken(yield* server, revision)
          for (const [method, ask] of asks) {
            const refused = yield* line.refusal(method, params(ask))
            assert.deepStrictEqual(refused, { code: -32603, message: "Internal error" }, JSON.stringify(ask))
          }
        }).pipe(Effect.provide(Layer.fresh(layer)))
        assert.strictEqual(texts.filter((text) => text.includes("db password=secret")).length, asks.length)
      }))
  }
})
