import { assert, describe, it } from "@effect/vitest"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as Revision from "@parley/mcp/wire/Revision"
import { Effect, Logger, Schema } from "effect"
import { spoken } from "./support/line.ts"

const made = (pattern: string) =>
  McpTool.raw(
    "release",
    { inputSchema: { type: "object", properties: { v: { type: "string", pattern } } } },
    ({ v }) => Effect.succeed(`released ${String(v)}`)
  )

describe("a tool with a JSON Schema of its own", () => {
  it("whose pattern cannot be run is refused where it is made, with the reason", () => {
    assert.throws(
      () => made("(a)\\1"),
      /the pattern \(a\)\\1 of the tool release cannot be run: it refers back to what a group/
    )
    assert.throws(() => made("(?i)a"), /the pattern \(\?i\)a of the tool release cannot be run: it is no regular/)
  })

  it("whose patterns have more states together than a schema may is refused, too", () => {
    const properties = Object.fromEntries(["a", "b", "c", "d", "e"].map((name) => [name, { pattern: "^.{0,65535}$" }]))
    const tool = () => McpTool.raw("release", { inputSchema: { type: "object", properties } }, () => Effect.void)
    assert.doesNotThrow(tool)
    const many = Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [`${index}`, { pattern: `^.{0,65535}${index}$` }])
    )
    const refused = () =>
      McpTool.raw("release", { inputSchema: { type: "object", properties: many } }, () => Effect.void)
    assert.throws(refused, /it takes more than 4000000 steps/)
  })

  it("whose members are named by such a pattern is refused, too", () => {
    const inputSchema = { type: "object", patternProperties: { "(a)\\1": true } } as const
    assert.throws(() => McpTool.raw("release", { inputSchema }, () => Effect.void), /cannot be run/)
  })

  it.effect("gets no argument that its pattern does not match, whatever the pattern is", () =>
    Effect.gen(function*() {
      const tool = made("^(?!.*\\.\\.)(0|[1-9]\\d*)(\\.(0|[1-9]\\d*)){2}(?:-[\\dA-Za-z-]+(?:\\.[\\w-]+)*)?$")
      const server = yield* McpServer.make({ name: "s", version: "1", features: [tool] })
      const { line, params } = yield* spoken(server, "2025-11-25")
      const called = (v: string) => line.result("tools/call", params({ name: "release", arguments: { v } }))
      assert.isTrue((yield* called("not a version"))["isError"])
      assert.deepStrictEqual((yield* called("1.2.3-rc.1"))["content"], [{ type: "text", text: "released 1.2.3-rc.1" }])
    }))
})

describe("a result that a tool gives as JSON", () => {
  const outputSchema = {
    type: "object",
    properties: { degrees: { type: "array", items: { type: "number", maximum: 60 } } },
    required: ["degrees"]
  } as const

  const Degrees = Schema.Struct({ degrees: Schema.Array(Schema.Finite.check(Schema.isLessThanOrEqualTo(60))) })

  const makers = [
    [
      "with a JSON Schema of its own",
      (give: () => McpTool.ToolResult | string) =>
        McpTool.raw("weather", { inputSchema: { type: "object" }, outputSchema }, () => Effect.sync(give))
    ],
    ["with a Schema", (give: () => McpTool.ToolResult | string) =>
      // A text is no result of this Schema, which the types say.
      McpTool.make("weather", { result: Degrees }, () => Effect.sync(give as () => McpTool.ToolResult))]
  ] as const

  const results: ReadonlyArray<readonly [string, () => McpTool.ToolResult | string, string | undefined]> = [
    ["that fits", () => McpTool.result({ structuredContent: { degrees: [21] } }), undefined],
    ["that says that the tool failed", () => McpTool.failure("no sensor"), undefined],
    ["too large", () => McpTool.result({ structuredContent: { degrees: [1, 61] } }), "structuredContent.degrees.1"],
    ["without a member", () => McpTool.result({ structuredContent: {} }), "structuredContent.degrees"],
    ["without structured content", () => McpTool.result({ content: "21" }), "structuredContent"]
  ]

  const calling = Effect.fnUntraced(function*(tool: McpTool.McpTool, revision: Revision.Revision) {
    const server = yield* McpServer.make({ name: "s", version: "1", features: [tool] })
    const { line, params } = yield* spoken(server, revision)
    return yield* line.ask("tools/call", params({ name: "weather", arguments: {} }))
  })

  for (const [kind, make] of makers) {
    for (const [name, give, path] of results) {
      it.effect(`by a tool ${kind} is held against its output schema: ${name}`, () =>
        Effect.gen(function*() {
          const logged: Array<string> = []
          const logger = Logger.make(({ cause, message }) => void logged.push(`${String(message)} ${String(cause)}`))
          for (const revision of Revision.all) {
            logged.length = 0
            const answer = yield* Effect.provide(calling(make(give), revision), Logger.layer([logger]))
            if (path === undefined) {
              assert.isUndefined(answer.error, revision)
              assert.deepStrictEqual(logged, [])
            } else {
              assert.deepStrictEqual(answer.error, { code: -32603, message: "Internal error" }, revision)
              const line = `the tool weather gave a result that does not fit its output schema at ${path}: `
              assert.include(logged.join("\n"), line)
            }
          }
        }))
    }
  }

  it.effect("as a text, where it should be structured, is refused, too", () =>
    Effect.gen(function*() {
      const tool = McpTool.raw("weather", { inputSchema: { type: "object" }, outputSchema }, () => Effect.succeed("21"))
      const answer = yield* Effect.provide(calling(tool, "2025-11-25"), Logger.layer([]))
      assert.strictEqual(answer.error?.code, -32603)
    }))
})
