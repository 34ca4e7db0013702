import { assert, describe, it } from "@effect/vitest"
import type { McpHandlers } from "@parley/mcp/client/McpHandlers"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpServer from "@parley/mcp/McpServer"
import type { ElicitForm, ElicitResult } from "@parley/mcp/payload/Elicitation"
import type * as Revision from "@parley/mcp/wire/Revision"
import { Effect, type Schema } from "effect"
import { dialects, featuresOf, type Style } from "./dialects.ts"

const revisions = ["2025-11-25", "2026-07-28"] as const satisfies ReadonlyArray<Revision.Revision>

const styles: ReadonlyArray<Style> = ["Effect", "Promise"]

type Name = keyof typeof dialects

// Every name is a key of the record.
const names = Object.keys(dialects) as ReadonlyArray<Name>

const rows = names.flatMap((name) =>
  styles.flatMap((style) => revisions.map((revision) => ({ name, style, revision })))
)

/** A client of the server in a dialect, whose person answers forms. */
const connect = Effect.fnUntraced(function*(
  { name, revision, style }: typeof rows[number],
  answer: ElicitResult = { action: "decline" }
) {
  const forms: Array<ElicitForm> = []
  const handlers: McpHandlers = {
    elicit: (form) =>
      Effect.sync(() => {
        forms.push(form)
        return answer
      })
  }
  const server = yield* McpServer.make({ name: "s", version: "1", features: featuresOf(dialects[name], style) })
  const client = yield* Effect.provideService(
    McpMemoryClient.make({ name: "c", version: "1", protocolVersion: revision, handlers, limits: { drain: 0 } }),
    McpServer.McpServer,
    server
  )
  return { client, forms }
})

const days = { type: "integer", minimum: 1, maximum: 7 }

/** What the dialects write otherwise than Effect; nothing else may differ. */
const own: { readonly [name in Name]: { readonly days: Schema.JsonObject; readonly closed: Schema.JsonObject } } = {
  effect: { days, closed: {} },
  zod: { days: { ...days, default: 3 }, closed: { additionalProperties: false } },
  valibot: { days: { ...days, default: 3 }, closed: { additionalProperties: false } },
  arktype: { days, closed: { additionalProperties: false } }
}

/** The paths at which the issues of a refusal stand. */
const pathsOf = (message: string): ReadonlyArray<string> =>
  Array.from(message.matchAll(/(?:search: |; )([\w.]+): /g), ([, path = ""]) => path).toSorted()

describe.each(rows)("a server in $name, whose handlers give each a $style, in $revision", (row) => {
  it.effect("lists the same tools and prompts", () =>
    Effect.gen(function*() {
      const { client } = yield* connect(row)
      const { closed, days } = own[row.name]
      const [search] = yield* client.listTools()
      assert.deepStrictEqual(search, {
        name: "search",
        description: "Finds a hotel.",
        inputSchema: {
          type: "object",
          properties: {
            city: { type: "string", description: "A name such as Oslo" },
            days,
            tags: { type: "array", items: { type: "string" } }
          },
          required: ["city"],
          additionalProperties: false
        },
        outputSchema: {
          type: "object",
          properties: { city: { type: "string" }, nights: { type: "integer" } },
          required: ["city", "nights"],
          ...closed
        }
      })
      assert.deepStrictEqual(yield* client.listPrompts(), [{
        name: "review",
        arguments: [{ name: "language", description: "The language of the code", required: true }]
      }])
    }))

  it.effect("gives the same results, with defaults filled in", () =>
    Effect.gen(function*() {
      const { client } = yield* connect(row)
      const given = yield* client.callTool("search", { city: "Oslo", days: 5, tags: ["sea"] })
      assert.deepStrictEqual(given.structuredContent, { city: "Oslo", nights: 4 })
      assert.deepStrictEqual(given.content, [{ type: "text", text: `{"city":"Oslo","nights":4}` }])
      const short = yield* client.callTool("search", { city: "Oslo" })
      assert.deepStrictEqual(short.structuredContent, { city: "Oslo", nights: 2 })
      const { messages } = yield* client.getPrompt("review", { language: "Go" })
      assert.deepStrictEqual(messages, [{
        role: "user",
        content: { type: "text", text: "Review this Go code." }
      }])
    }))

  it.effect("refuses the same arguments, at the same paths", () =>
    Effect.gen(function*() {
      const { client } = yield* connect(row)
      const refused = (args: Schema.JsonObject) =>
        Effect.map(Effect.flip(client.callTool("search", args)), (error) => {
          assert.strictEqual(error._tag, "ToolError")
          return pathsOf(error.message)
        })
      assert.deepStrictEqual(yield* refused({ city: 1 }), ["city"])
      assert.deepStrictEqual(yield* refused({}), ["city"])
      assert.deepStrictEqual(yield* refused({ city: 1, days: 8 }), ["city", "days"])
      assert.deepStrictEqual(yield* refused({ city: "Oslo", tags: ["sea", 2] }), ["tags.1"])
      assert.deepStrictEqual(yield* refused({ city: "Oslo", town: "Oslo" }), ["town"])
      const misspelt = yield* Effect.flip(client.callTool("search", { city: "Oslo", dayz: 2 }))
      assert.strictEqual(
        misspelt.message,
        `the tool search failed: Invalid arguments for the tool search: dayz: There is no such argument; did you mean "days"?`
      )
      const prompt = yield* Effect.flip(client.getPrompt("review", { language: "C" }))
      assert.deepInclude(prompt, { _tag: "ProtocolError", code: -32602 })
      const missing = yield* Effect.flip(client.getPrompt("review"))
      assert.deepInclude(missing, { _tag: "ProtocolError", code: -32602 })
    }))

  it.effect("tells the model why the tool failed", () =>
    Effect.gen(function*() {
      const { client } = yield* connect(row)
      const error = yield* Effect.flip(client.callTool("search", { city: "Atlantis" }))
      assert.deepInclude(error, { _tag: "ToolError", message: "the tool search failed: Atlantis is lost" })
    }))

  it.effect("asks with the same form, and reads its answer", () =>
    Effect.gen(function*() {
      const content = { name: "Ada", board: "half", guests: 2 }
      const { client, forms } = yield* connect(row, { action: "accept", content })
      const result = yield* client.callTool("wish")
      assert.deepStrictEqual(result.content, [{
        type: "text",
        text: JSON.stringify({ _tag: "Accepted", content })
      }])
      const name = row.name === "arktype" ? { type: "string" } : { type: "string", title: "Name" }
      assert.deepStrictEqual(forms.map(({ requestedSchema }) => requestedSchema), [{
        type: "object",
        properties: {
          name,
          board: { type: "string", enum: ["full", "half"] },
          guests: { type: "integer", minimum: 1 }
        },
        required: row.name === "arktype" ? ["board", "name"] : ["name", "board"]
      }])
      const declining = yield* connect(row)
      assert.deepStrictEqual((yield* declining.client.callTool("wish")).content, [{
        type: "text",
        text: `{"_tag":"Declined"}`
      }])
    }))
})
