import { assert, describe, it } from "@effect/vitest"
import * as McpPrompt from "@parley/mcp/McpPrompt"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as Content from "@parley/mcp/payload/Content"
import * as Revision from "@parley/mcp/wire/Revision"
import { Effect, Logger, Schema } from "effect"
import { spoken } from "./support/line.ts"

const serverOf = (...features: ReadonlyArray<McpServer.Feature>) =>
  McpServer.make({ name: "s", version: "1", features })

const review = McpPrompt.make("review", {
  title: "Review",
  description: "Looks at code.",
  params: {
    code: Schema.String.annotate({ title: "Code", description: "what to look at" }),
    lines: Schema.optionalKey(Schema.FiniteFromString)
  }
}, ({ code, lines }) => Effect.succeed(`${code} in ${lines ?? "all"} lines`))

describe("a prompt", () => {
  it.effect("is listed with its arguments, each with what its Schema says", () =>
    Effect.gen(function*() {
      const { line } = yield* spoken(yield* serverOf(review), "2025-06-18")
      assert.deepStrictEqual(yield* line.result("prompts/list"), {
        prompts: [{
          name: "review",
          title: "Review",
          description: "Looks at code.",
          arguments: [
            { name: "code", title: "Code", description: "what to look at", required: true },
            { name: "lines", required: false }
          ]
        }]
      })
    }))

  it.effect("takes its arguments decoded, and refuses what does not fit", () =>
    Effect.gen(function*() {
      for (const revision of Revision.all) {
        const { line, params } = yield* spoken(yield* serverOf(review), revision)
        const get = (args: Schema.JsonObject) => params({ name: "review", arguments: args })
        const { description, messages } = yield* line.result("prompts/get", get({ code: "x", lines: "3" }))
        assert.strictEqual(description, "Looks at code.")
        assert.deepStrictEqual(messages, [{ role: "user", content: { type: "text", text: "x in 3 lines" } }])
        const refused: ReadonlyArray<readonly [args: Schema.JsonObject, first: string]> = [
          [{}, "code: Missing key"],
          [{ code: 1 }, "arguments.code: Expected string"],
          [{ code: "x", lines: "many" }, "lines: Expected"]
        ]
        for (const [args, first] of refused) {
          const { code, message } = yield* line.refusal("prompts/get", get(args))
          assert.strictEqual(code, -32602, JSON.stringify(args))
          assert.isTrue(message.startsWith(`Invalid params: ${first}`), message)
        }
        assert.deepStrictEqual(yield* line.refusal("prompts/get", params({ name: "nope" })), {
          code: -32602,
          message: "Unknown prompt: nope",
          data: { name: "nope" }
        })
      }
    }))

  it.effect("becomes messages: from text, content, or messages", () =>
    Effect.gen(function*() {
      const image = Content.image("AA==", "image/png")
      const says = (text: string) => ({ type: "text", text })
      const cases: ReadonlyArray<readonly [McpPrompt.Value, Schema.Json]> = [
        ["a", [{ role: "user", content: says("a") }]],
        [image, [{ role: "user", content: { type: "image", data: "AA==", mimeType: "image/png" } }]],
        [McpPrompt.assistant("b"), [{ role: "assistant", content: says("b") }]],
        [["a", McpPrompt.assistant("b"), McpPrompt.user("c")], [
          { role: "user", content: says("a") },
          { role: "assistant", content: says("b") },
          { role: "user", content: says("c") }
        ]]
      ]
      for (const [value, messages] of cases) {
        for (const effect of [Effect.succeed(value), Effect.as(Effect.yieldNow, value)]) {
          const { line } = yield* spoken(yield* serverOf(McpPrompt.make("p", {}, () => effect)), "2025-11-25")
          assert.deepStrictEqual(yield* line.result("prompts/get", { name: "p" }), { messages })
        }
      }
    }))

  it.effect("fails with the message of an error, or masked", () =>
    Effect.gen(function*() {
      const failing = Effect.fnUntraced(function*(effect: Effect.Effect<string, unknown>) {
        const { line } = yield* spoken(yield* serverOf(McpPrompt.make("p", {}, () => effect)), "2025-11-25")
        return yield* line.refusal("prompts/get", { name: "p" })
      })
      assert.deepStrictEqual(yield* failing(Effect.fail("no words")), { code: -32603, message: "no words" })
      assert.deepStrictEqual(yield* failing(Effect.die("secret")), { code: -32603, message: "Internal error" })
    }).pipe(Effect.provide(Logger.layer([]))))
})

describe("a completion", () => {
  const cities = ["Aachen", "Bonn", "Berlin"]
  const features = [
    McpPrompt.make("trip", {
      params: { from: Schema.String, to: Schema.String, by: Schema.String },
      complete: {
        from: (prefix) => Effect.succeed(cities.filter((city) => city.startsWith(prefix))),
        to: (_, { arguments: { from }, call }) => Effect.as(Effect.yieldNow, [`not ${from}`, `for ${call.method}`])
      }
    }, () => Effect.succeed("go")),
    McpResource.template("city://{name}/map{?zoom}", {
      name: "map",
      complete: { name: () => Effect.succeed(Array.from({ length: 250 }, (_, index) => `${index}`)) }
    }, () => Effect.succeed("")),
    McpPrompt.make("plain", { params: { a: Schema.String } }, () => Effect.succeed("go"))
  ]

  it.effect("gives the values of an argument, and knows those that are filled in", () =>
    Effect.gen(function*() {
      for (const revision of Revision.all) {
        const { line, params } = yield* spoken(yield* serverOf(...features), revision)
        const complete = (ref: Schema.JsonObject, name: string, value: string, known?: Schema.JsonObject) =>
          Effect.map(
            line.result(
              "completion/complete",
              params({
                ref,
                argument: { name, value },
                ...(known === undefined ? {} : { context: { arguments: known } })
              })
            ),
            ({ completion }) => completion
          )
        const trip = { type: "ref/prompt", name: "trip" }
        const map = { type: "ref/resource", uri: "city://{name}/map{?zoom}" }
        assert.deepStrictEqual(yield* complete(trip, "from", "B"), {
          values: ["Bonn", "Berlin"],
          total: 2,
          hasMore: false
        })
        assert.deepStrictEqual(yield* complete(trip, "to", "", { from: "Bonn" }), {
          values: [`not Bonn`, "for completion/complete"],
          total: 2,
          hasMore: false
        })
        const nothing = { values: [], total: 0, hasMore: false }
        assert.deepStrictEqual(yield* complete(trip, "by", ""), nothing)
        assert.deepStrictEqual(yield* complete(trip, "toString", ""), nothing)
        assert.deepStrictEqual(yield* complete({ type: "ref/prompt", name: "plain" }, "a", ""), nothing)
        const many = yield* complete(map, "name", "")
        assert.deepInclude(many, { total: 250, hasMore: true })
        assert.deepStrictEqual(
          (many as { readonly values: unknown }).values,
          Array.from({ length: 100 }, (_, i) => `${i}`)
        )
      }
    }))

  it.effect("of what is not there is refused", () =>
    Effect.gen(function*() {
      const { line } = yield* spoken(yield* serverOf(...features), "2025-11-25")
      const argument = { name: "a", value: "" }
      const refused = (ref: Schema.JsonObject) => line.refusal("completion/complete", { ref, argument })
      assert.strictEqual((yield* refused({ type: "ref/prompt", name: "nope" })).code, -32602)
      assert.strictEqual((yield* refused({ type: "ref/resource", uri: "city://Bonn/map" })).code, -32002)
      assert.strictEqual((yield* refused({ type: "ref/other" })).code, -32602)
    }))
})
