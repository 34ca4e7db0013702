import { assert, describe, it } from "@effect/vitest"
import * as McpPrompt from "@parley/mcp/McpPrompt"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpTool from "@parley/mcp/McpTool"
import * as McpToolkit from "@parley/mcp/McpToolkit"
import * as Excerpt from "@parley/protocol/text/Excerpt"
import { Effect } from "effect"
import { Tool, Toolkit } from "effect/ai"

const nothing = () => Effect.succeed("")

describe("the name of a tool", () => {
  const makers: ReadonlyArray<readonly [title: string, make: (name: string) => unknown]> = [
    ["of Schemas", (name) => McpTool.make(name, {}, nothing)],
    ["of JSON Schemas", (name) => McpTool.raw(name, { inputSchema: { type: "object" } }, nothing)],
    ["of a toolkit", (name) => McpToolkit.tools(Toolkit.make(Tool.make(name)))]
  ]

  for (const [title, make] of makers) {
    it(`${title} is refused where the specification has none such`, () => {
      for (const name of ["", "bad name!", "a/b", "größe", "a\n", "a".repeat(129)]) {
        assert.throws(() => make(name), TypeError, Excerpt.quoted(name), name)
      }
      for (const name of ["a", "getUser", "DATA_EXPORT_v2", "admin.tools-list", "a".repeat(128)]) make(name)
    })
  }
})

it("the name of a prompt, a resource or a template is not empty", () => {
  assert.throws(() => McpPrompt.make("", {}, nothing), TypeError, "prompt")
  assert.throws(() => McpResource.make("test://a", { name: "" }, nothing), TypeError, "test://a")
  assert.throws(() => McpResource.template("test://{a}", { name: "" }, nothing), TypeError, "test://{a}")
})
