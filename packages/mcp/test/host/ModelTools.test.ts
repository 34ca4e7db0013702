import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as ModelTools from "../../src/host/ModelTools.ts"
import * as McpServer from "../../src/McpServer.ts"
import * as McpTool from "../../src/McpTool.ts"
import * as Content from "../../src/payload/Content.ts"
import { clientOf } from "../composition/support/clients.ts"

const weather = McpTool.make(
  "get.weather",
  {
    description: "What it is like outside\u{E0041}",
    params: { city: Schema.String },
    result: Schema.Struct({ degrees: Schema.Finite })
  },
  ({ city }) => city === "Oslo" ? Effect.succeed({ degrees: 3 }) : Effect.fail(new Error(`no ${city}`))
)

const picture = McpTool.raw("picture", { inputSchema: { type: "object" } }, () =>
  Effect.succeed(McpTool.result({
    content: [
      Content.text("see"),
      { type: "image", data: "aGk=", mimeType: "image/png" },
      { type: "image", data: "aGk=", mimeType: "image/x-raw" }
    ]
  })))

const clients = Effect.gen(function*() {
  const one = yield* McpServer.make({ name: "one", version: "1", features: [weather, picture] })
  const two = yield* McpServer.make({
    name: "two",
    version: "1",
    features: [McpTool.make("weather", {}, () => Effect.succeed("rain"))]
  })
  return { home: yield* clientOf(one), "home_get": yield* clientOf(two) }
})

describe("the tools of servers for the APIs of models", () => {
  it.effect("have names and descriptions that models take, in each format", () =>
    Effect.gen(function*() {
      const tools = yield* ModelTools.make(yield* clients, { filter: ({ name }) => name !== "picture" })
      const names = ["home_get_weather", "home_get_weather_2"]
      assert.deepStrictEqual(tools.openai.map((tool) => tool.function.name), names)
      assert.deepStrictEqual(tools.responses.map(({ name }) => name), names)
      assert.deepStrictEqual(tools.anthropic.map(({ name }) => name), names)
      const [openai] = tools.openai
      const [anthropic] = tools.anthropic
      assert.deepStrictEqual(openai?.function.parameters, anthropic?.input_schema)
      assert.strictEqual(anthropic?.description, "What it is like outside\\udb40\\udc41")
      assert.deepStrictEqual(tools.responses[1], {
        type: "function",
        name: "home_get_weather_2",
        description: "weather",
        parameters: { type: "object", properties: {}, additionalProperties: false },
        strict: false
      })
      assert.deepStrictEqual([tools.find("home_get_weather")?.server, tools.find("weather")], ["home", undefined])
    }))

  it.effect("are called by those names, and what a model does wrong is a result", () =>
    Effect.gen(function*() {
      const { call } = yield* ModelTools.make(yield* clients)
      const shown = (name: string, args?: string | object) =>
        Effect.map(call(name, args), (result) => [result.isError === true, ModelTools.toText(result)])
      assert.deepStrictEqual(yield* shown("home_get_weather", { city: "Oslo" }), [false, "{\"degrees\":3}"])
      assert.deepStrictEqual(yield* shown("home_get_weather", "{\"city\":\"Oslo\"}"), [false, "{\"degrees\":3}"])
      assert.deepStrictEqual(yield* shown("home_get_weather_2", ""), [false, "rain"])
      assert.deepStrictEqual(yield* shown("home_get_weather", { city: "Rome" }), [true, "no Rome"])
      assert.deepStrictEqual(yield* shown("weather"), [true, "There is no tool \"weather\"."])
      for (const args of ["{\"city\":", "[]", "1"]) {
        assert.deepStrictEqual(yield* shown("home_get_weather", args), [
          true,
          "The arguments of a tool are one JSON object."
        ])
      }
      const deep = `{"city":${"[".repeat(600)}${"]".repeat(600)}}`
      assert.deepStrictEqual(yield* shown("home_get_weather", deep), [
        true,
        "The arguments of a tool nest at most 256 levels."
      ])
      const [isError, text] = yield* shown("home_get_weather", {})
      assert.isTrue(isError)
      assert.include(text, "city")
    }))

  it.effect("give results as Anthropic takes them, with the images that its models see", () =>
    Effect.gen(function*() {
      const { call } = yield* ModelTools.make(yield* clients)
      assert.deepStrictEqual(ModelTools.toAnthropic(yield* call("home_picture")), {
        content: [
          { type: "text", text: "see" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
          { type: "text", text: "[image, image/x-raw]" }
        ],
        is_error: false
      })
    }))

  it("give failures as Anthropic takes them: with texts only, and with at least one", () => {
    const image = { type: "image", data: "aGk=", mimeType: "image/png" } as const
    const textsOf = (...content: ReadonlyArray<Content.Content>) => ModelTools.toAnthropic({ content, isError: true })
    const failed = { content: [Content.text("The tool failed without saying why.")], is_error: true }
    assert.deepStrictEqual(textsOf(), failed)
    assert.deepStrictEqual(textsOf(Content.text(""), Content.text(" \n")), failed)
    assert.deepStrictEqual(textsOf(Content.text("no"), Content.text(""), image), {
      content: [Content.text("no"), Content.text("[image, image/png]")],
      is_error: true
    })
    assert.deepStrictEqual(ModelTools.toAnthropic({ content: [] }), { content: [], is_error: false })
  })
})
