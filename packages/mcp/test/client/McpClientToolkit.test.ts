import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Schema, Stream } from "effect"
import { LanguageModel, Prompt, Tool } from "effect/ai"
import type { Response } from "effect/ai"
import * as McpClientToolkit from "../../src/McpClientToolkit.ts"
import * as Scripted from "./scripted.ts"

const inputSchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const

const listed: Schema.JsonObject = {
  tools: [
    {
      name: "get.weather",
      title: "Weather",
      description: "What it is like outside",
      inputSchema,
      annotations: { readOnlyHint: true, destructiveHint: false }
    },
    { name: "get/weather", inputSchema: { type: "object" } },
    { name: "secret", inputSchema: { type: "object" } },
    { name: "for-pages", inputSchema: { type: "object" }, _meta: { ui: { visibility: ["app"] } } }
  ]
}

const serve = (result: Schema.Json) =>
  Scripted.legacy({ "tools/list": Scripted.always(listed), "tools/call": Scripted.always(result) })

/** A model that calls a tool once, and keeps what it was offered and shown. */
const fakeModel = (calls: ReadonlyArray<readonly [string, Schema.Json]>) =>
  Effect.gen(function*() {
    const seen: Array<LanguageModel.ProviderOptions> = []
    const model = yield* LanguageModel.make({
      generateText: (options) => {
        seen.push(options)
        const parts = calls.map(([name, params], index): Response.PartEncoded => ({
          type: "tool-call",
          id: `call-${index}`,
          name,
          params
        }))
        return Effect.succeed(parts)
      },
      streamText: () => Stream.empty
    })
    return { model, seen }
  })

describe("the tools of a server as a toolkit", () => {
  it.effect("a model is offered them with their schemas, and its call reaches the server", () =>
    Effect.gen(function*() {
      const { client, written } = yield* Scripted.connect(serve({ content: [{ type: "text", text: "sunny" }] }))
      const toolkit = yield* McpClientToolkit.make(client, {
        prefix: "home__",
        filter: ({ name }) => name !== "secret"
      })
      assert.deepStrictEqual(Object.keys(toolkit.tools), ["home__get_weather", "home__get_weather_2"])
      const { model, seen } = yield* fakeModel([["home__get_weather", { city: "Oslo" }]])
      const response = yield* model.generateText({ prompt: "How is Oslo?", toolkit })
      const [tool] = seen[0]?.tools ?? []
      assert.isDefined(tool)
      assert.strictEqual(Tool.getDescription(tool), "What it is like outside")
      assert.deepStrictEqual(Tool.getJsonSchema(tool), inputSchema)
      assert.deepInclude(Scripted.of(written, "tools/call")[0]?.params, {
        name: "get.weather",
        arguments: { city: "Oslo" }
      })
      const [result] = response.toolResults
      assert.isFalse(result?.isFailure)
      assert.deepStrictEqual(result?.result.content, [{ type: "text", text: "sunny" }])
      const shown = Prompt.fromResponseParts(response.content).content.flatMap((message) =>
        message.role === "tool" ? message.content : []
      )
      const outputs = shown.flatMap((part) => part.type === "tool-result" ? part.modelOutput ?? [] : [])
      assert.strictEqual(Prompt.toolModelOutputToText(outputs), "sunny")
    }))

  it.effect("every name that a server may choose can be called", () =>
    Effect.gen(function*() {
      const names = ["__proto__", "", "constructor", "…"]
      const { client, written } = yield* Scripted.connect(Scripted.legacy({
        "tools/list": Scripted.always({ tools: names.map((name) => ({ name, inputSchema: { type: "object" } })) }),
        "tools/call": Scripted.always({ content: [] })
      }))
      const toolkit = yield* McpClientToolkit.make(client)
      const offered = Object.keys(toolkit.tools)
      assert.deepStrictEqual(offered, ["_proto__", "_", "constructor", "__2"])
      for (const name of offered) yield* Stream.runDrain(yield* toolkit.handle(name, {}))
      assert.deepStrictEqual(Scripted.of(written, "tools/call").map(({ params }) => params?.["name"]), names)
    }))

  it.effect("pictures and files reach the model as such", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.connect(serve({
        content: [
          { type: "image", data: "AAEC", mimeType: "image/png" },
          { type: "resource", resource: { uri: "a:b", blob: "AAEC" } },
          { type: "resource", resource: { uri: "a:c", text: "words" } },
          { type: "resource_link", uri: "a:d", name: "d", description: "more" }
        ]
      }))
      const toolkit = yield* McpClientToolkit.make(client)
      const [last] = yield* Stream.runCollect(yield* toolkit.handle("secret", {}))
      const parts = last?.modelOutput ?? []
      assert.deepStrictEqual(
        parts.map((part) => part.type === "text" ? part.text : [part.mediaType, part.fileName, part.data]),
        [["image/png", undefined, "AAEC"], ["application/octet-stream", "a:b", "AAEC"], "words", "d: a:d\nmore"]
      )
    }))

  it.effect("structured content is shown where there is nothing else", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.connect(serve({ content: [], structuredContent: { degrees: 21 } }))
      const toolkit = yield* McpClientToolkit.make(client)
      const [last] = yield* Stream.runCollect(yield* toolkit.handle("secret", {}))
      const [part] = last?.modelOutput ?? []
      assert.deepInclude(part, { type: "text", text: "{\"degrees\":21}" })
    }))

  it.effect("a tool that fails is seen by the model, or fails the effect where that is wanted", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.connect(
        serve({ content: [{ type: "text", text: "no rain gauge" }], isError: true })
      )
      const { model } = yield* fakeModel([["secret", {}]])
      const response = yield* model.generateText({ prompt: "?", toolkit: yield* McpClientToolkit.make(client) })
      const [result] = response.toolResults
      assert.isTrue(result?.isFailure)
      assert.include(JSON.stringify(result?.encodedResult), "no rain gauge")
      const strict = yield* McpClientToolkit.make(client, { failureMode: "error" })
      const exit = yield* Effect.exit(model.generateText({ prompt: "?", toolkit: strict }))
      const reason = Exit.isFailure(exit) ? exit.cause.reasons.find(Cause.isFailReason)?.error : undefined
      assert.deepInclude(reason, { _tag: "ToolError", tool: "secret" })
    }))

  it.effect("arguments that are no object never reach the server", () =>
    Effect.gen(function*() {
      const { client, written } = yield* Scripted.connect(serve({ content: [] }))
      const toolkit = yield* McpClientToolkit.make(client)
      const [last] = yield* Stream.runCollect(yield* toolkit.handle("secret", [1]))
      assert.isTrue(last?.isFailure)
      assert.lengthOf(Scripted.of(written, "tools/call"), 0)
    }))

  it.effect("what the server says of a tool is there for those who ask before it runs", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.connect(serve({ content: [] }))
      const { tools } = yield* McpClientToolkit.make(client, { needsApproval: ({ name }) => name === "secret" })
      const weather = tools["get_weather"]
      const secret = tools["secret"]
      assert.isDefined(weather)
      assert.isDefined(secret)
      assert.isTrue(secret.needsApproval)
      assert.isFalse(weather.needsApproval)
      assert.isTrue(weather.annotations.mapUnsafe.get(Tool.Readonly.key))
      assert.strictEqual(weather.annotations.mapUnsafe.get(Tool.Title.key), "Weather")
      assert.isTrue(secret.annotations.mapUnsafe.get(Tool.Destructive.key))
    }))
})
