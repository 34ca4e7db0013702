import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Logger, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as Scripted from "./scripted.ts"

const tool = (name: string): Schema.JsonObject => ({ name, inputSchema: { type: "object" } })

const Cursor = Schema.Struct({ cursor: Schema.optionalKey(Schema.String) })

const cursorOf = (params: unknown): string | undefined => Schema.decodeUnknownSync(Cursor)(params ?? {}).cursor

/** Pages of one tool each; the cursor is the number of the page. */
const pages = (count: number, more: Schema.JsonObject = {}) => ({
  "tools/list": ({ params }: { readonly params: unknown }) => {
    const at = Number(cursorOf(params) ?? 0)
    return Effect.succeed({
      tools: [tool(`tool-${at}`)],
      ...(at + 1 < count && { nextCursor: String(at + 1) }),
      ...more
    })
  }
})

describe("lists", () => {
  it.effect("a list is read page after page, and no page more than is wanted", () =>
    Effect.gen(function*() {
      const { client, written } = yield* Scripted.connect(Scripted.legacy(pages(5)))
      const two = yield* Stream.runCollect(Stream.take(client.tools, 2))
      assert.deepStrictEqual(two.map(({ name }) => name), ["tool-0", "tool-1"])
      assert.lengthOf(Scripted.of(written, "tools/list"), 2)
      const all = yield* client.listTools()
      assert.deepStrictEqual(all.map(({ name }) => name), ["tool-0", "tool-1", "tool-2", "tool-3", "tool-4"])
    }))

  it.effect("every list has a stream and a snapshot", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.connect(Scripted.legacy({
        "resources/list": Scripted.always({ resources: [{ uri: "a:b", name: "b" }] }),
        "resources/templates/list": Scripted.always({ resourceTemplates: [{ uriTemplate: "a:{b}", name: "b" }] }),
        "prompts/list": Scripted.always({ prompts: [{ name: "p" }] })
      }))
      assert.deepStrictEqual(yield* client.listResources(), [{ uri: "a:b", name: "b" }])
      assert.deepStrictEqual(yield* Stream.runCollect(client.resources), [{ uri: "a:b", name: "b" }])
      assert.deepStrictEqual(yield* client.listResourceTemplates(), [{ uriTemplate: "a:{b}", name: "b" }])
      assert.deepStrictEqual(yield* Stream.runCollect(client.resourceTemplates), [{ uriTemplate: "a:{b}", name: "b" }])
      assert.deepStrictEqual(yield* client.listPrompts(), [{ name: "p" }])
      assert.deepStrictEqual(yield* Stream.runCollect(client.prompts), [{ name: "p" }])
    }))

  it.effect("a list that is given all at once has a weight, however few its entries are; the stream has none", () =>
    Effect.gen(function*() {
      const description = "d".repeat(8 * 1024 * 1024)
      const { client, written } = yield* Scripted.connect(Scripted.legacy({
        "tools/list": ({ params }) => {
          const at = Number(cursorOf(params) ?? 0)
          return Effect.succeed({ tools: [{ ...tool(`tool-${at}`), description }], nextCursor: String(at + 1) })
        }
      }))
      const error = yield* Effect.flip(client.listTools())
      assert.deepInclude(error, {
        _tag: "InvalidResult",
        method: "tools/list",
        rule: "the list takes more than 67108864 bytes"
      })
      assert.lengthOf(Scripted.of(written, "tools/list"), 8)
      assert.lengthOf(yield* Stream.runCollect(Stream.take(client.tools, 9)), 9)
    }))

  const endless: ReadonlyArray<
    readonly [string, (cursor: string | undefined, count: number) => readonly [string, string], ReadonlyArray<string>]
  > = [
    ["leads back to its own page", (cursor) => cursor === "a" ? ["second", "a"] : ["first", "a"], ["first", "second"]],
    [
      "leads round in a circle",
      (cursor) => [`after ${cursor}`, { a: "b", b: "c", c: "b" }[cursor ?? "c"] ?? "a"],
      ["after undefined", "after b", "after c"]
    ],
    ["leads to the page that it stands on", () => ["only", "a"], ["only"]],
    ["is new each time, and leads nowhere else", (_, count) => ["only", String(count)], ["only"]]
  ]

  for (const [name, page, names] of endless) {
    const served = () => {
      let count = 0
      return {
        "tools/list": ({ params }: { readonly params: unknown }) => {
          const [entry, nextCursor] = page(cursorOf(params), count++)
          return Effect.succeed({ tools: [tool(entry)], nextCursor })
        }
      }
    }

    it.effect(`a cursor that ${name} ends the list with a warning, and what came is kept`, () => {
      const lines: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) =>
        void lines.push(`${logLevel} ${[message].flat().join(" ")}`)
      )
      return Effect.gen(function*() {
        const { client, written } = yield* Scripted.connect(Scripted.legacy(served()))
        assert.deepStrictEqual((yield* client.listTools()).map(({ name }) => name), names)
        assert.isAtMost(Scripted.of(written, "tools/list").length, names.length + 1)
        assert.deepStrictEqual((yield* Stream.runCollect(client.tools)).map(({ name }) => name), names)
        assert.lengthOf(lines, 2)
        assert.match(
          lines[0] ?? "",
          /^Warn the list of tools\/list ends at its cursor "\w+", and the pages before are kept/
        )
      }).pipe(Effect.provide(Logger.layer([logger])))
    })

    it.effect(`a cursor that ${name} is refused by a strict client`, () =>
      Effect.gen(function*() {
        const { client } = yield* Scripted.connect(Scripted.legacy(served()), { strict: true })
        const error = yield* Effect.flip(client.listTools())
        assert.deepInclude(error, { _tag: "InvalidResult", method: "tools/list", path: ["nextCursor"] })
      }))
  }

  it.effect("pages without entries repeat nothing", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.connect(Scripted.legacy({
        "tools/list": ({ params }) => {
          const at = Number(cursorOf(params) ?? 0)
          return Effect.succeed(at < 5 ? { tools: [], nextCursor: String(at + 1) } : { tools: [tool("last")] })
        }
      }))
      assert.deepStrictEqual((yield* client.listTools()).map(({ name }) => name), ["last"])
    }))

  it.effect("an empty cursor is a cursor like any other", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.connect(Scripted.legacy({
        "tools/list": ({ params }) =>
          Effect.succeed(
            cursorOf(params) === "" ? { tools: [tool("second")] } : { tools: [tool("first")], nextCursor: "" }
          )
      }))
      assert.deepStrictEqual((yield* client.listTools()).map(({ name }) => name), ["first", "second"])
    }))

  it.effect("schemas come back to the last keyword", () =>
    Effect.gen(function*() {
      const inputSchema = {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object" as const,
        $defs: { a: { $anchor: "x" } },
        allOf: [{ if: {}, else: {} }],
        additionalProperties: false
      }
      const { client } = yield* Scripted.connect(
        Scripted.modern({ "tools/list": Scripted.always({ tools: [{ name: "t", inputSchema, "x-more": 1 }] }) })
      )
      const [listed] = yield* client.listTools()
      assert.deepStrictEqual(listed?.inputSchema, inputSchema)
      assert.property(listed, "x-more")
    }))
})

describe("the cache", () => {
  it.effect("a page is kept for as long as the server says, and asked for again after that", () =>
    Effect.gen(function*() {
      const { client, written } = yield* Scripted.connect(
        Scripted.modern(pages(2, { ttlMs: 10_000, cacheScope: "private" }))
      )
      const first = yield* client.listTools()
      assert.deepStrictEqual(yield* client.listTools(), first)
      assert.lengthOf(Scripted.of(written, "tools/list"), 2)
      yield* TestClock.adjust("10 seconds")
      yield* client.listTools()
      assert.lengthOf(Scripted.of(written, "tools/list"), 4)
    }))

  it.effect("a change of the list forgets its pages", () =>
    Effect.gen(function*() {
      const { client, server, written } = yield* Scripted.connect(
        Scripted.modern(pages(1, { ttlMs: 10_000, cacheScope: "public" }))
      )
      yield* client.listTools()
      yield* server.notify("notifications/prompts/list_changed")
      yield* Scripted.settle
      yield* client.listTools()
      assert.lengthOf(Scripted.of(written, "tools/list"), 1)
      yield* server.notify("notifications/tools/list_changed")
      yield* Scripted.settle
      yield* client.listTools()
      assert.lengthOf(Scripted.of(written, "tools/list"), 2)
    }))

  it.effect("a resource is kept by its uri, until it is updated", () =>
    Effect.gen(function*() {
      const { client, server, written } = yield* Scripted.connect(Scripted.modern({
        "resources/read": Scripted.always({ contents: [], ttlMs: 1_000, cacheScope: "public" })
      }))
      for (const uri of ["file:///a", "file:///a", "file:///b", "file:///b"]) yield* client.readResource(uri)
      assert.lengthOf(Scripted.of(written, "resources/read"), 2)
      yield* server.notify("notifications/resources/updated", { uri: "file:///a" })
      yield* Scripted.settle
      yield* client.readResource("file:///b")
      assert.lengthOf(Scripted.of(written, "resources/read"), 2)
      yield* client.readResource("file:///a")
      assert.lengthOf(Scripted.of(written, "resources/read"), 3)
    }))

  it.effect("a result that was on its way when it changed is not kept", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { client, server, written } = yield* Scripted.connect(Scripted.modern({
        "resources/read": () => Effect.as(Deferred.await(gate), { contents: [], ttlMs: 10_000, cacheScope: "public" }),
        "tools/list": () => Effect.as(Deferred.await(gate), { tools: [], ttlMs: 10_000, cacheScope: "public" })
      }))
      const both = Effect.all([client.readResource("a:"), client.listTools()], { concurrency: 2 })
      const running = yield* Effect.forkChild(both)
      yield* Scripted.settle
      yield* server.notify("notifications/resources/updated", { uri: "a:" })
      yield* server.notify("notifications/tools/list_changed")
      yield* Scripted.settle
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(running)
      yield* both
      yield* both
      assert.lengthOf(Scripted.of(written, "resources/read"), 2)
      assert.lengthOf(Scripted.of(written, "tools/list"), 2)
    }))

  it.effect("no more results are kept than allowed, and the one that was not used for longest goes first", () =>
    Effect.gen(function*() {
      const { client, written } = yield* Scripted.connect(
        Scripted.modern({
          "resources/read": Scripted.always({ contents: [], ttlMs: 1_000, cacheScope: "public" })
        }),
        { cacheSize: 2 }
      )
      for (const uri of ["a:", "b:", "a:", "c:", "a:"]) yield* client.readResource(uri)
      assert.lengthOf(Scripted.of(written, "resources/read"), 3)
      yield* client.readResource("b:")
      assert.lengthOf(Scripted.of(written, "resources/read"), 4)
    }))

  it.effect("results are kept up to a weight, and those that are heavy push out others", () =>
    Effect.gen(function*() {
      const text = "x".repeat(10 * 1024 * 1024)
      const { client, written } = yield* Scripted.connect(Scripted.modern({
        "resources/read": Scripted.always({
          contents: [{ uri: "a:", text }],
          ttlMs: 1_000,
          cacheScope: "public"
        })
      }))
      for (const uri of ["a:", "b:", "c:", "d:", "e:", "f:", "f:", "a:"]) yield* client.readResource(uri)
      assert.lengthOf(Scripted.of(written, "resources/read"), 6)
      for (const uri of ["g:", "a:", "b:"]) yield* client.readResource(uri)
      assert.lengthOf(Scripted.of(written, "resources/read"), 8)
    }))

  it.effect("nothing is kept where the server gives no time", () =>
    Effect.gen(function*() {
      const { client, written } = yield* Scripted.connect(
        Scripted.modern({ "resources/read": Scripted.always({ contents: [], ttlMs: 0, cacheScope: "public" }) })
      )
      yield* client.readResource("a:")
      yield* client.readResource("a:")
      assert.lengthOf(Scripted.of(written, "resources/read"), 2)
    }))
})
