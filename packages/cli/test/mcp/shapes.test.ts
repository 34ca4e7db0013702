import { assert, describe, it } from "@effect/vitest"
import type { ToolInfo } from "@parley/mcp/payload/Listing"
import { Effect } from "effect"
import * as Grammar from "../../src/internal/arguments/grammar/Grammar.ts"
import { Margin } from "../../src/internal/mcp/dialog/Margin.ts"
import * as ToolArguments from "../../src/internal/mcp/offer/ToolArguments.ts"
import * as ToolShape from "../../src/internal/mcp/offer/ToolShape.ts"

describe("the arguments of a tool", () => {
  it("are shown in a few words, behind their references, those that are required first", () => {
    const lines = ToolShape.linesOf(ToolShape.parametersOf({
      inputSchema: {
        type: "object",
        properties: {
          tags: { type: "array", items: { anyOf: [{ type: "string" }, { type: "integer" }] }, description: "Words" },
          tree: { $ref: "#/$defs/tree" },
          mode: { enum: ["a", 1, null], default: "a" },
          count: { allOf: [{ minimum: 1 }], type: "integer" },
          loop: { $ref: "#/$defs/loop" },
          whatever: true
        },
        required: ["mode", "tree"],
        $defs: {
          tree: { anyOf: [{ type: "object" }, { $ref: "#/$defs/tree" }] },
          loop: { $ref: "#/$defs/loop" }
        }
      }
    }))
    assert.deepStrictEqual(lines, [
      "tree      object | any, required",
      "mode      \"a\" | 1 | null, required",
      "tags      (string | integer)[]  Words",
      "count     integer 1..",
      "loop      any",
      "whatever  any"
    ])
  })
})

/** The arguments that words give a tool, or why they give none. */
const readBy = (tool: ToolInfo, words: ReadonlyArray<string>) =>
  Effect.runSync(
    Effect.flatMap(Effect.fromResult(Grammar.parse(words, { isList: false })), Grammar.give).pipe(
      Effect.mapError(({ message }) => message),
      Effect.flatMap((given) => Effect.fromResult(ToolArguments.fromGiven(tool, given))),
      Effect.match({ onFailure: (problem) => problem, onSuccess: (args) => args })
    )
  )

describe("words of the command line", () => {
  const tool: ToolInfo = {
    name: "tool",
    inputSchema: {
      type: "object",
      properties: {
        text: { type: "string" },
        count: { type: "integer" },
        either: { anyOf: [{ type: "string" }, { type: "number" }] },
        tags: { type: "array" },
        mode: { enum: ["a", 1] },
        any: {}
      },
      required: ["text"],
      additionalProperties: true
    }
  }
  const read = (...words: ReadonlyArray<string>) => readBy(tool, words)

  it("keep the digits of their numbers", () => {
    const wild = ["1234567890123456789", "1e400", "0.1000000000000000055", "-0", "1.0"]
    for (const text of wild) {
      const json = `{"text":"x","any":${text},"tags":[${text}]}`
      const words = ["text=x", `any=${text}`, `tags=[${text}]`]
      assert.strictEqual(JSON.stringify(read(...words)), json)
      assert.strictEqual(JSON.stringify(read(json)), json)
    }
    assert.strictEqual(
      JSON.stringify(read("text=x", "count=1234567890123456789")),
      `{"text":"x","count":1234567890123456789}`
    )
  })

  it("become what the schema of each argument says", () => {
    assert.deepStrictEqual(read("text=42", "count=42", "either=42", "tags=[42]", "mode=1", "any={}"), {
      text: "42",
      count: 42,
      either: 42,
      tags: [42],
      mode: 1,
      any: {}
    })
    assert.deepStrictEqual(read("text=", "either=true", "mode=a", "any=a=b"), {
      text: "",
      either: "true",
      mode: "a",
      any: "a=b"
    })
    assert.deepStrictEqual(read(`{"text":"a","other":1}`), { text: "a", other: 1 })
    assert.deepStrictEqual(read("text=a", "either:=\"42\"", "any:=[1]"), { text: "a", either: "42", any: [1] })
  })

  it("are refused where one is missing, unknown or of another type", () => {
    assert.strictEqual(read("count=1"), "text is missing")
    assert.strictEqual(read("text=a", "count=1e99999"), "count must be integer, but is \"1e99999\"")
    assert.strictEqual(read("text=a", "txt=b"), "txt is not an argument")
    assert.strictEqual(read("text=a", "mode=b"), "mode must be \"a\" | 1, but is \"b\"")
    assert.strictEqual(read(`{"text":1}`), "text must be string, but is 1")
    assert.strictEqual(read("text:=1"), "text must be string, but is 1")
    assert.strictEqual(read("[1]"), "\"[1]\" is not an object")
    assert.match(String(read("{text: 1}")), /^"\{text: 1\}" is not JSON: /)
  })

  it("may be any, where a tool names none", () => {
    const open = { ...tool, inputSchema: { type: "object" as const } }
    assert.deepStrictEqual(readBy(open, ["a=1", "b=c"]), { a: 1, b: "c" })
  })
})

/** A stream of so many columns, and what it holds in the end as a terminal shows it. */
const screen = (columns?: number) => {
  let text = ""
  return {
    stream: {
      isTTY: columns !== undefined,
      columns,
      write: (more: string) => {
        text += more
      }
    },
    lines: () => text.split("\n").map((line) => line.slice(line.lastIndexOf("\u001b[K") + 1).replace("[K", ""))
  }
}

describe("the margin", () => {
  it("keeps one bar below the lines on a terminal, and takes it away", () => {
    const { lines, stream } = screen(60)
    const margin = new Margin(stream)
    margin.show({ progress: 1, total: 4, message: "first" })
    margin.say("info: a line")
    margin.show({ progress: 2, total: 4, message: "second\nand a text that is too long for the terminal" })
    assert.deepStrictEqual(lines(), [
      "info: a line",
      `${"█".repeat(12)}${"░".repeat(12)} 2/4 second and a text that is too `
    ])
    margin.clear()
    assert.deepStrictEqual(lines(), ["info: a line", ""])
  })

  it("writes lines elsewhere, and control characters as what they are", () => {
    const { lines, stream } = screen()
    const margin = new Margin(stream)
    margin.show({ progress: 3 })
    margin.say("\u001b[2J")
    margin.say("x\nparley: your session has expired, sign in at https://evil.example")
    margin.clear()
    assert.deepStrictEqual(lines(), [
      "progress: 3",
      "\\u001b[2J",
      "x\\u000aparley: your session has expired, sign in at https://evil.example",
      ""
    ])
  })
})
