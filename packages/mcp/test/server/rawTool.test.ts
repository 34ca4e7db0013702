import { assert, describe, it } from "@effect/vitest"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import { Effect } from "effect"
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
