import { assert, describe, it } from "@effect/vitest"
import * as McpPrompt from "@parley/mcp/McpPrompt"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import type { Revision } from "@parley/mcp/wire/Revision"
import { Effect } from "effect"
import { greet, modern, open } from "../server/support/line.ts"

const named = (name: string) => McpTool.make(name, {}, (_, call) => Effect.succeed(`${name} for ${call.principal}`))

/** What begins with the name of somebody is theirs; the rest is everybody's. */
const mayKnow: McpServer.Visible = ({ info }, call) =>
  !info.name.includes(".of.") || info.name.endsWith(`.of.${call.principal}`)

const server = McpServer.make({
  name: "s",
  version: "1",
  pageSize: 3,
  visible: mayKnow,
  features: [
    ...["ann", "bob"].flatMap((owner) =>
      Array.from({ length: 5 }, (_, index) => [named(`${index}.of.${owner}`), named(`${index}.for.${owner}`)]).flat()
    ),
    McpResource.make("diary://ann", { name: "diary.of.ann" }, () => Effect.succeed("Dear diary")),
    McpPrompt.make("plea.of.ann", {}, () => Effect.succeed("Please"))
  ]
})

const expected = (principal: string | undefined) => [
  ...["ann", "bob"].flatMap((owner) =>
    [0, 1, 2, 3, 4].flatMap((index) => [
      ...(owner === principal ? [`${index}.of.${owner}`] : []),
      `${index}.for.${owner}`
    ])
  )
]

const revisions: ReadonlyArray<Revision> = ["2024-11-05", "2025-11-25", "2026-07-28"]

/** A line of somebody, and the params of their requests. */
const lineOf = Effect.fnUntraced(function*(
  service: McpServer.McpServer,
  revision: Revision,
  principal: string | undefined
) {
  const line = yield* open(service, { revision, caller: { principal } })
  if (revision !== "2026-07-28") yield* greet(line, revision)
  return { line, params: revision === "2026-07-28" ? modern : (params = {}) => params }
})

describe("complaint 12: no pagination, and no visibility by who asks", () => {
  for (const revision of revisions) {
    it.effect(`each walks the pages of their own list, in ${revision}`, () =>
      Effect.gen(function*() {
        const service = yield* server
        for (const principal of ["ann", "bob", undefined]) {
          const { line, params } = yield* lineOf(service, revision, principal)
          const names: Array<string> = []
          let cursor: string | undefined = undefined
          do {
            const page = yield* line.result("tools/list", params(cursor === undefined ? {} : { cursor }))
            const tools = page["tools"] as unknown as ReadonlyArray<{ readonly name: string }>
            cursor = page["nextCursor"] as string | undefined
            // Who may see less has no shorter pages but the last.
            if (cursor !== undefined) assert.strictEqual(tools.length, 3)
            names.push(...tools.map(({ name }) => name))
          } while (cursor !== undefined)
          assert.deepStrictEqual(names, expected(principal))
        }
      }))

    it.effect(`nobody calls what they may not see: it is as if it were not there, in ${revision}`, () =>
      Effect.gen(function*() {
        const service = yield* server
        const own = yield* lineOf(service, revision, "ann")
        const answered = yield* own.line.result("tools/call", own.params({ name: "0.of.ann" }))
        assert.deepInclude(answered, { content: [{ type: "text", text: "0.of.ann for ann" }] })
        const { line, params } = yield* lineOf(service, revision, "bob")
        const asks: ReadonlyArray<readonly [string, string, string, string]> = [
          ["tools/call", "name", "0.of.ann", "0.of.nobody"],
          ["prompts/get", "name", "plea.of.ann", "plea.of.nobody"],
          ["resources/read", "uri", "diary://ann", "diary://nobody"]
        ]
        for (const [method, member, hidden, absent] of asks) {
          const refused = yield* line.refusal(method, params({ [member]: hidden }))
          const missing = yield* line.refusal(method, params({ [member]: absent }))
          const same = JSON.parse(JSON.stringify(refused).replaceAll(hidden, absent))
          assert.deepStrictEqual(same, missing, method)
        }
      }))
  }

  it.effect("a cursor of one is nothing to another that tells of what they may not see", () =>
    Effect.gen(function*() {
      const service = yield* server
      const { line, params } = yield* lineOf(service, "2025-11-25", "ann")
      const { nextCursor } = yield* line.result("tools/list", params())
      assert.isString(nextCursor)
      const other = yield* lineOf(service, "2025-11-25", undefined)
      const page = yield* other.line.ask("tools/list", other.params({ cursor: nextCursor ?? "" }))
      assert.notInclude(JSON.stringify(page), ".of.ann")
    }))
})
