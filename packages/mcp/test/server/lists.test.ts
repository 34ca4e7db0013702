import { assert, describe, it } from "@effect/vitest"
import * as McpPrompt from "@parley/mcp/McpPrompt"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as Revision from "@parley/mcp/wire/Revision"
import { Arbitrary, Effect, Exit, Schema, Scope } from "effect"
import { type Line, open, spoken } from "./support/line.ts"

type Json = Schema.JsonObject

const Size = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10 })))

const tool = (name: string) => McpTool.make(name, {}, () => Effect.succeed(name))

const namesIn = (list: Schema.Json | undefined) =>
  (list as ReadonlyArray<{ readonly name: string }>).map(({ name }) => name)

/** The names on each page of a list. */
const pages = Effect.fnUntraced(function*(line: Line, method: string, member: string, params: (more?: Json) => Json) {
  const names: Array<ReadonlyArray<string>> = []
  for (let cursor: Schema.Json | undefined, first = true; first || cursor !== undefined; first = false) {
    const page: Json = yield* line.result(method, params(cursor === undefined ? {} : { cursor }))
    names.push(namesIn(page[member]))
    cursor = page["nextCursor"]
  }
  return names
})

describe("a list", () => {
  it.effect("comes in pages, in the order of the features, in every revision", () =>
    Effect.gen(function*() {
      const names = ["c", "a", "d", "b", "e"]
      const server = yield* McpServer.make({
        name: "s",
        version: "1",
        pageSize: 2,
        features: names.flatMap((name): ReadonlyArray<McpServer.Feature> => [
          tool(name),
          McpResource.make(`test://${name}`, { name }, () => Effect.succeed("")),
          McpResource.template(`test://${name}/{x}`, { name }, () => Effect.succeed("")),
          McpPrompt.make(name, {}, () => Effect.succeed(""))
        ])
      })
      const lists = [
        ["tools/list", "tools"],
        ["resources/list", "resources"],
        ["resources/templates/list", "resourceTemplates"],
        ["prompts/list", "prompts"]
      ] as const
      for (const revision of Revision.all) {
        const { line, params } = yield* spoken(server, revision)
        for (const [method, member] of lists) {
          assert.deepStrictEqual(yield* pages(line, method, member, params), [["c", "a"], ["d", "b"], ["e"]])
          assert.deepStrictEqual(yield* pages(line, method, member, params), [["c", "a"], ["d", "b"], ["e"]])
        }
      }
    }))

  it.effect("knows only its own cursors", () =>
    Effect.gen(function*() {
      const features = [
        tool("a"),
        tool("b"),
        McpPrompt.make("a", {}, () => Effect.succeed("")),
        McpPrompt.make("b", {}, () => Effect.succeed(""))
      ]
      const server = yield* McpServer.make({ name: "s", version: "1", pageSize: 1, features })
      const { line, params } = yield* spoken(server, "2025-11-25")
      const { nextCursor } = yield* line.result("prompts/list", params())
      for (const cursor of ["", "x", "%", 7, null, ["a"], nextCursor ?? "", "dG9vbHMgeg"]) {
        assert.strictEqual((yield* line.refusal("tools/list", params({ cursor }))).code, -32602, String(cursor))
      }
      assert.deepInclude(yield* line.result("prompts/list", params({ cursor: nextCursor ?? "" })), {
        prompts: [{ name: "b" }]
      })
    }))

  it.effect.prop(
    "has each entry on one page, whatever the size of a page",
    { count: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 }))), size: Size },
    ({ count, size }) =>
      Effect.gen(function*() {
        const names = Array.from({ length: count }, (_, index) => `tool-${index}`)
        const server = yield* McpServer.make({ name: "s", version: "1", pageSize: size, features: names.map(tool) })
        const { line, params } = yield* spoken(server, "2025-06-18")
        const found = yield* pages(line, "tools/list", "tools", params)
        assert.deepStrictEqual(found.flat(), names)
        assert.isTrue(found.every((page) => page.length > 0 && page.length <= size))
        assert.strictEqual(found.length, Math.ceil(count / size))
      }),
    { arbitrary: { runs: 20 } }
  )

  it.effect("goes on where it was when entries come and go", () =>
    Effect.gen(function*() {
      const features = ["a", "b", "c", "d"].map(tool)
      const server = yield* McpServer.make({ name: "s", version: "1", pageSize: 2, features })
      const { line } = yield* spoken(server, "2025-06-18")
      const first = yield* line.result("tools/list")
      const scope = yield* Scope.make()
      yield* Scope.provide(server.add([tool("e")]), scope)
      const rest = yield* line.result("tools/list", { cursor: first["nextCursor"] ?? "" })
      assert.deepStrictEqual(namesIn(rest["tools"]), ["c", "d"])
      const last = yield* line.result("tools/list", { cursor: rest["nextCursor"] ?? "" })
      assert.deepStrictEqual(namesIn(last["tools"]), ["e"])
      yield* Scope.close(scope, Exit.void)
      assert.notProperty(yield* line.result("tools/list", { cursor: first["nextCursor"] ?? "" }), "nextCursor")
      // The entry before the page has gone with the scope.
      assert.deepStrictEqual(
        namesIn((yield* line.result("tools/list", { cursor: rest["nextCursor"] ?? "" }))["tools"]),
        []
      )
    }))

  it.effect("says for how long it may be kept, and by whom", () =>
    Effect.gen(function*() {
      const hints = Effect.fnUntraced(function*(more: Partial<McpServer.ServerOptions>) {
        const server = yield* McpServer.make({ name: "s", version: "1", features: [tool("a")], ...more })
        const { line, params } = yield* spoken(server, "2026-07-28")
        const { cacheScope, ttlMs } = yield* line.result("tools/list", params())
        return [ttlMs, cacheScope]
      })
      assert.deepStrictEqual(yield* hints({}), [0, "public"])
      assert.deepStrictEqual(yield* hints({ visible: () => true }), [0, "private"])
      assert.deepStrictEqual(yield* hints({ cache: { ttlMs: 9, cacheScope: "private" } }), [9, "private"])
    }))

  it.effect("has pages of at least one entry", () =>
    Effect.gen(function*() {
      for (const pageSize of [0, -1, 1.5, Number.NaN]) {
        const none = yield* Effect.exit(McpServer.make({ name: "s", version: "1", features: [tool("a")], pageSize }))
        assert.isTrue(Exit.hasDies(none), String(pageSize))
      }
    }))

  it.effect("has no two entries of one name", () =>
    Effect.gen(function*() {
      const twice = yield* Effect.exit(McpServer.make({ name: "s", version: "1", features: [tool("a"), tool("a")] }))
      assert.isTrue(Exit.isFailure(twice))
      const server = yield* McpServer.make({ name: "s", version: "1", features: [tool("a")] })
      assert.isTrue(Exit.isFailure(yield* Effect.exit(server.add([tool("b"), tool("a")]))))
      const { line } = yield* spoken(server, "2025-06-18")
      assert.deepStrictEqual(namesIn((yield* line.result("tools/list"))["tools"]), ["a"])
    }))
})

describe("what a call may not see", () => {
  const made = McpServer.make({
    name: "s",
    version: "1",
    pageSize: 2,
    features: [
      tool("open"),
      tool("secret"),
      tool("later"),
      tool("other"),
      McpResource.make("test://secret", { name: "secret" }, () => Effect.succeed("secret")),
      McpResource.template(
        "test://secret/{x}",
        { name: "secret", complete: { x: () => Effect.succeed(["1"]) } },
        () => Effect.succeed("secret")
      ),
      McpPrompt.make("secret", {}, () => Effect.succeed("secret"))
    ],
    visible: ({ info }, { principal }) => {
      const sees = info.name !== "secret" || principal === "admin"
      return info.name === "later" ? Effect.as(Effect.yieldNow, sees) : sees
    }
  })

  it.effect("is neither listed nor served: it is as if it were not there", () =>
    Effect.gen(function*() {
      const server = yield* made
      for (const revision of ["2025-06-18", "2026-07-28"] as const) {
        const { line, params } = yield* spoken(server, revision)
        assert.deepStrictEqual(yield* pages(line, "tools/list", "tools", params), [["open", "later"], ["other"]])
        assert.deepStrictEqual(yield* pages(line, "prompts/list", "prompts", params), [[]])
        const missing = (method: string, more: Json) =>
          Effect.map(line.refusal(method, params(more)), ({ code, message }) => ({ code, message }))
        const unknown = { code: revision === "2026-07-28" ? -32602 : -32002, message: "Resource not found" }
        assert.deepStrictEqual(yield* missing("tools/call", { name: "secret" }), {
          code: -32602,
          message: "Unknown tool: secret"
        })
        assert.deepStrictEqual(yield* missing("prompts/get", { name: "secret" }), {
          code: -32602,
          message: "Unknown prompt: secret"
        })
        assert.deepStrictEqual(yield* missing("resources/read", { uri: "test://secret" }), unknown)
        assert.deepStrictEqual(yield* missing("resources/read", { uri: "test://secret/1" }), unknown)
        const ref = { type: "ref/resource", uri: "test://secret/{x}" }
        assert.deepStrictEqual(
          yield* missing("completion/complete", { ref, argument: { name: "x", value: "" } }),
          unknown
        )
        // A cursor that names what cannot be seen is as wrong as one that names nothing.
        const cursor = btoa("tools secret").replaceAll("=", "")
        assert.deepStrictEqual(yield* missing("tools/list", { cursor }), { code: -32602, message: "Invalid cursor" })
        assert.deepInclude(yield* line.result("tools/call", params({ name: "later" })), {
          content: [{ type: "text", text: "later" }]
        })
      }
      const { line } = yield* spoken(server, "2025-06-18")
      assert.strictEqual((yield* line.refusal("resources/subscribe", { uri: "test://secret" })).code, -32002)
    }))

  it.effect("hides nothing that a URI fits as well", () =>
    Effect.gen(function*() {
      const secret = { name: "secret" }
      const server = yield* McpServer.make({
        name: "s",
        version: "1",
        features: [
          McpResource.make("test://a", secret, () => Effect.succeed("secret")),
          McpResource.template("test://{x}", secret, () => Effect.succeed("secret")),
          McpResource.template("test://{+path}", { name: "open" }, ({ path }) => Effect.succeed(path))
        ],
        visible: ({ info }) => info.name !== "secret" && Effect.as(Effect.yieldNow, true)
      })
      for (const revision of ["2025-06-18", "2026-07-28"] as const) {
        const { line, params } = yield* spoken(server, revision)
        for (const path of ["a", "b"]) {
          const uri = `test://${path}`
          const { contents } = yield* line.result("resources/read", params({ uri }))
          assert.deepStrictEqual(contents, [{ uri, text: path }])
        }
        if (revision === "2026-07-28") continue
        assert.deepStrictEqual(yield* line.result("resources/subscribe", { uri: "test://a" }), {})
      }
    }))

  it.effect("depends on who calls, each on a connection of their own", () =>
    Effect.gen(function*() {
      const server = yield* made
      const admin = yield* open(server, { revision: "2026-07-28", caller: { principal: "admin" } })
      const guest = yield* spoken(server, "2026-07-28")
      const { params } = guest
      const call = params({ name: "secret" })
      assert.deepInclude(yield* admin.result("tools/call", call), { content: [{ type: "text", text: "secret" }] })
      assert.strictEqual((yield* guest.line.refusal("tools/call", call)).code, -32602)
      assert.deepStrictEqual(yield* pages(admin, "tools/list", "tools", params), [["open", "secret"], [
        "later",
        "other"
      ]])
      assert.deepStrictEqual(yield* pages(guest.line, "tools/list", "tools", params), [["open", "later"], ["other"]])
    }))
})
