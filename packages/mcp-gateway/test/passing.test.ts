import { assert, describe, it } from "@effect/vitest"
import { Updated } from "@parley/mcp/client/McpEvent"
import * as McpPrompt from "@parley/mcp/McpPrompt"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as Content from "@parley/mcp/payload/Content"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { Deferred, Effect, Fiber, Schema, Stream } from "effect"
import { clientOf, named, pairs, through } from "./support/pairs.ts"

const every = [Content.text("text"), Content.image("AAAA", "image/png"), Content.audio("AAAA", "audio/wav"), {
  ...Content.link({ uri: "test://linked", name: "linked" }),
  _meta: { kept: true }
}]

/** A server with something of everything, and what a test may wait for. */
const sample = Effect.gen(function*() {
  const started = yield* Deferred.make<void>()
  const ended = yield* Deferred.make<string>()
  const server = yield* McpServer.make({
    name: "sample",
    version: "1",
    instructions: "Read this first.",
    features: [
      McpTool.raw(
        "everything",
        { inputSchema: { type: "object", "x-kept": 1 }, description: "All content", meta: { kept: true } },
        (args, call) =>
          Effect.succeed(McpTool.result({
            content: every,
            structuredContent: { args, meta: call.meta["test/kept"] ?? null },
            meta: { "test/result": 1 }
          }))
      ),
      McpTool.make("fail", {}, () => Effect.succeed(McpTool.failure("it failed"))),
      McpTool.make("refuse", {}, () => Effect.fail(ErrorResponse.make(1234, "refused", { why: "so" }))),
      McpTool.make("count", { params: { to: Schema.Int } }, ({ to }, call) =>
        Effect.as(
          Effect.forEach(Array.from({ length: to }, (_, n) => n + 1), (n) =>
            call.progress({ progress: n, total: to, message: `step ${n}` })),
          "counted"
        )),
      McpTool.make("hang", {}, () =>
        Effect.onExit(
          Effect.andThen(Deferred.succeed(started, undefined), Effect.never),
          (exit) => Deferred.succeed(ended, exit._tag)
        )),
      McpResource.make("test://a", { name: "a", mimeType: "text/plain" }, () => Effect.succeed("A")),
      McpResource.template(
        "test://items/{id}",
        {
          name: "items",
          complete: { id: (prefix) => Effect.succeed(["one", "two"].filter((id) => id.startsWith(prefix))) }
        },
        ({ id }) => Effect.succeed(id)
      ),
      McpPrompt.make(
        "greet",
        { params: { name: Schema.String }, description: "Greets" },
        ({ name }) => Effect.succeed([McpPrompt.user(`Hello, ${name}`), McpPrompt.assistant("Hello")])
      )
    ]
  })
  return { server, started, ended }
})

describe("what passes through", () => {
  for (const pair of pairs) {
    const near = Effect.fnUntraced(function*(server: McpServer.McpServer) {
      const between = yield* through(server, pair.far)
      return yield* clientOf(between, { protocolVersion: pair.near })
    })

    it.effect(`is as it is without a server in between: ${named(pair)}`, () =>
      Effect.gen(function*() {
        const { server } = yield* sample
        const direct = yield* clientOf(server, { protocolVersion: pair.near })
        const passed = yield* near(server)
        const told = (client: typeof direct) =>
          Effect.all([
            client.listTools(),
            client.listResources(),
            client.listResourceTemplates(),
            client.listPrompts(),
            client.callTool("everything", { a: 1 }, { meta: { "test/kept": "yes" } }),
            Effect.flip(client.callTool("fail")),
            Effect.flip(client.callTool("refuse")),
            Effect.flip(client.callTool("count", { to: "many" })),
            Effect.flip(client.callTool("nothing")),
            client.readResource("test://a"),
            client.readResource("test://items/7"),
            Effect.flip(client.readResource("test://none")),
            client.getPrompt("greet", { name: "Ada" }),
            Effect.flip(client.getPrompt("greet")),
            client.complete({ _tag: "Template", uri: "test://items/{id}" }, { name: "id", value: "t" })
          ])
        const plain = (value: unknown) => JSON.parse(JSON.stringify(value, (key, one) => key === "id" ? 0 : one))
        assert.deepStrictEqual(plain(yield* told(passed)), plain(yield* told(direct)))
      }))

    it.effect(`has its progress in order, and before the result: ${named(pair)}`, () =>
      Effect.gen(function*() {
        const { server } = yield* sample
        const client = yield* near(server)
        const seen: Array<string> = []
        yield* client.callTool("count", { to: 20 }, { onProgress: ({ message = "" }) => void seen.push(message) })
        assert.deepStrictEqual(seen, Array.from({ length: 20 }, (_, n) => `step ${n + 1}`))
      }))

    it.effect(`is cancelled on both sides: ${named(pair)}`, () =>
      Effect.gen(function*() {
        const { ended, server, started } = yield* sample
        const client = yield* near(server)
        const fiber = yield* Effect.forkChild(client.callTool("hang"))
        yield* Deferred.await(started)
        yield* Fiber.interrupt(fiber)
        assert.strictEqual(yield* Deferred.await(ended), "Failure")
      }))

    it.effect(`changes when the server does: ${named(pair)}`, () =>
      Effect.gen(function*() {
        const { server } = yield* sample
        const client = yield* near(server)
        const heard = yield* Deferred.make<void>()
        yield* Effect.forkScoped(Stream.runForEach(client.changes, (event) =>
          event._tag === "ListChanged" && event.list === "tools" ? Deferred.succeed(heard, undefined) : Effect.void))
        yield* Effect.forEach(Array.from({ length: 50 }), () =>
          Effect.yieldNow)
        yield* server.add([McpTool.make("new", {}, () => Effect.succeed("new"))])
        yield* Deferred.await(heard)
        assert.include((yield* client.listTools()).map(({ name }) => name), "new")
        assert.deepStrictEqual((yield* client.callTool("new")).content, [Content.text("new")])
      }))

    it.effect(`tells of a resource that somebody listens to: ${named(pair)}`, () =>
      Effect.gen(function*() {
        const { server } = yield* sample
        const client = yield* near(server)
        const heard = yield* Deferred.make<Updated>()
        yield* Effect.forkScoped(Stream.runForEach(client.subscribe("test://a"), (event) =>
          event._tag === "Updated" ? Deferred.succeed(heard, event) : Effect.void))
        for (let tries = 0; tries < 200; tries++) {
          yield* server.resourceUpdated("test://a")
          yield* Effect.yieldNow
        }
        assert.deepStrictEqual(yield* Deferred.await(heard), new Updated({ uri: "test://a" }))
      }))

    it.effect(`asks for a resource by the name that its server lists, however a client spells it: ${named(pair)}`, () =>
      Effect.gen(function*() {
        const listed = "KBInfo://Main/café menu"
        const asked: Array<string> = []
        const server = yield* McpServer.make({
          name: "s",
          version: "1",
          features: [
            McpResource.make(listed, { name: "menu" }, (_, uri) => Effect.as(Effect.sync(() => asked.push(uri)), "x"))
          ]
        })
        const client = yield* near(server)
        const spelling = "kbinfo://main/caf%c3%a9%20menu"
        yield* client.readResource(spelling)
        assert.deepStrictEqual(asked, [listed])
        const heard = yield* Deferred.make<Updated>()
        yield* Effect.forkScoped(
          Stream.runForEach(
            client.subscribe(spelling),
            (event) => event._tag === "Updated" ? Deferred.succeed(heard, event) : Effect.void
          )
        )
        for (let tries = 0; tries < 200; tries++) {
          yield* server.resourceUpdated(listed)
          yield* Effect.yieldNow
        }
        assert.deepStrictEqual(yield* Deferred.await(heard), new Updated({ uri: spelling }))
      }))
  }
})
