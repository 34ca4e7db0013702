import { assert, describe, it } from "@effect/vitest"
import type { Handlers } from "@parley/peer/Router"
import { Cause, Deferred, Effect, Exit, Fiber, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { McpAskedError } from "../../src/client/McpClientError.ts"
import type { Progress } from "../../src/McpClient.ts"
import * as Scripted from "./scripted.ts"

const text = (text: string): Schema.JsonObject => ({ content: [{ type: "text", text }] })

/** Both eras, with the same server behind. */
const eras: ReadonlyArray<readonly [string, (handlers?: Handlers, capabilities?: Schema.JsonObject) => Handlers]> = [
  ["legacy", Scripted.legacy],
  ["modern", Scripted.modern]
]

const weather = {
  name: "weather",
  inputSchema: { type: "object" },
  outputSchema: {
    type: "object",
    properties: { degrees: { type: "number", maximum: 60 } },
    required: ["degrees"]
  }
}

for (const [era, serve] of eras) {
  describe(`calls of a ${era} server`, () => {
    it.effect("a tool's result comes back, with its arguments sent as they are", () =>
      Effect.gen(function*() {
        const { client, written } = yield* Scripted.connect(serve({ "tools/call": Scripted.always(text("hi")) }))
        const result = yield* client.callTool("greet", { name: "Ada" })
        assert.deepStrictEqual(result.content, [{ type: "text", text: "hi" }])
        const { _meta, ...params } = Scripted.of(written, "tools/call")[0]?.params ?? {}
        assert.deepStrictEqual(params, { name: "greet", arguments: { name: "Ada" } })
        assert.property(_meta, "progressToken")
      }))

    it.effect("the time of a call stands still while a person is asked what it needs", () =>
      Effect.gen(function*() {
        const form = { mode: "form", message: "who?", requestedSchema: { type: "object", properties: {} } }
        const asked: Handlers[string] = ({ params, peer }) => {
          if (era === "legacy") {
            return Effect.as(Effect.orDie(peer.request("elicitation/create", form, { timeout: "1 hour" })), text("hi"))
          }
          return Effect.succeed(
            Object.hasOwn(Object(params), "inputResponses") ? text("hi") : {
              resultType: "input_required",
              inputRequests: { who: { method: "elicitation/create", params: form } }
            }
          )
        }
        const { client } = yield* Scripted.connect(serve({ "tools/call": asked }), {
          timeout: "1 second",
          maxTimeout: "2 seconds",
          handlers: { elicit: () => Effect.as(Effect.sleep("30 seconds"), { action: "decline" as const }) }
        })
        const call = yield* Effect.forkChild(client.callTool("ask"))
        yield* Scripted.settle
        yield* TestClock.adjust("30 seconds")
        assert.deepStrictEqual((yield* Fiber.join(call)).content, [{ type: "text", text: "hi" }])
      }))

    it.effect("an error object, a failed tool and a result that is none are three different failures", () =>
      Effect.gen(function*() {
        const results: Record<string, Effect.Effect<Schema.Json, never>> = {
          failing: Effect.succeed({ ...text("no disk"), isError: true }),
          strange: Effect.succeed({ content: [{ type: "text" }] })
        }
        const { client } = yield* Scripted.connect(
          serve({
            "tools/call": ({ params }) =>
              results[(params as { readonly name: string }).name] ??
                Scripted.refusing(-32602, "Unknown tool", { name: "?" })()
          }),
          { strict: true }
        )
        const unknown = yield* Effect.flip(client.callTool("unknown"))
        assert.deepInclude(unknown, {
          _tag: "ProtocolError",
          method: "tools/call",
          code: -32602,
          text: "Unknown tool",
          data: { name: "?" }
        })
        const failed = yield* Effect.flip(client.callTool("failing"))
        assert.strictEqual(failed._tag, "ToolError")
        assert.strictEqual(failed.message, "the tool failing failed: no disk")
        const invalid = yield* Effect.flip(client.callTool("strange"))
        assert.strictEqual(invalid._tag, "InvalidResult")
        assert.include(invalid.message, "content.0")
      }))

    it.effect("structured content is held against the output schema of a tool that was listed", () =>
      Effect.gen(function*() {
        let result: Schema.JsonObject = {}
        const { client } = yield* Scripted.connect(serve({
          "tools/list": Scripted.always({ tools: [weather] }),
          "tools/call": () => Effect.succeed({ content: [], ...result })
        }))
        // Nobody knows the schema yet.
        yield* client.callTool("weather")
        yield* client.listTools()
        const missing = yield* Effect.flip(client.callTool("weather"))
        assert.deepInclude(missing, { _tag: "InvalidResult", path: ["structuredContent"] })
        result = { structuredContent: { degrees: 61 } }
        const wrong = yield* Effect.flip(client.callTool("weather"))
        assert.deepInclude(wrong, { path: ["structuredContent", "degrees"], rule: "it should be at most 60" })
        result = { structuredContent: { degrees: 21 } }
        assert.deepStrictEqual((yield* client.callTool("weather")).structuredContent, { degrees: 21 })
        result = { isError: true }
        assert.strictEqual((yield* Effect.flip(client.callTool("weather")))._tag, "ToolError")
      }))

    it.effect("a caller's Schemas encode the arguments and decode the structured content", () =>
      Effect.gen(function*() {
        const { client, written } = yield* Scripted.connect(serve({
          "tools/call": ({ params }) =>
            Effect.succeed({
              content: [],
              structuredContent: { next: (params as { arguments: { day: string } }).arguments.day }
            })
        }))
        const options = {
          params: Schema.Struct({ day: Schema.FiniteFromString }),
          result: Schema.Struct({ next: Schema.FiniteFromString })
        }
        assert.deepStrictEqual(yield* client.callTool("next", { day: 7 }, options), { next: 7 })
        assert.deepInclude(Scripted.of(written, "tools/call")[0]?.params, { arguments: { day: "7" } })
        const wrong = yield* Effect.flip(
          client.callTool("next", { day: 7 }, { ...options, result: Schema.Struct({ next: Schema.Boolean }) })
        )
        assert.deepInclude(wrong, { _tag: "InvalidResult", path: ["structuredContent", "next"] })
        const refused = yield* Effect.flip(
          client.callTool("next", { day: 7 }, {
            params: Schema.Struct({ day: Schema.Int.check(Schema.isLessThan(7)) })
          })
        )
        assert.strictEqual(refused._tag, "InvalidArguments")
        assert.lengthOf(Scripted.of(written, "tools/call"), 2)
      }))

    it.effect("Schemas of what is no JSON travel as their JSON", () =>
      Effect.gen(function*() {
        const { client, written } = yield* Scripted.connect(serve({
          "tools/call": ({ params }) =>
            Effect.succeed({
              content: [],
              structuredContent: (params as { readonly arguments: Schema.JsonObject }).arguments
            })
        }))
        const schema = Schema.Struct({ at: Schema.Date, sum: Schema.BigInt, tags: Schema.ReadonlySet(Schema.String) })
        const value = { at: new Date(5), sum: 10n, tags: new Set(["a"]) }
        const options = { params: schema, result: schema }
        assert.deepStrictEqual(yield* client.callTool("echo", value, options), value)
        assert.deepInclude(Scripted.of(written, "tools/call")[0]?.params, {
          arguments: { at: "1970-01-01T00:00:00.005Z", sum: "10", tags: ["a"] }
        })
      }))

    it.effect("what the server does not declare is not sent", () =>
      Effect.gen(function*() {
        const { client, written } = yield* Scripted.connect(serve({}, { tools: {} }))
        const before = written.length
        const calls: ReadonlyArray<readonly [Effect.Effect<unknown, McpAskedError>, string]> = [
          [client.listPrompts(), "prompts"],
          [client.getPrompt("x"), "prompts"],
          [client.listResources(), "resources"],
          [client.readResource("a:b"), "resources"],
          [client.complete({ _tag: "Prompt", name: "x" }, { name: "a", value: "" }), "completions"]
        ]
        for (const [call, capability] of calls) {
          const error = yield* Effect.flip(call)
          assert.deepInclude(error, { _tag: "UnsupportedCapability", capability })
        }
        const error = yield* Effect.flip(Stream.runDrain(client.subscribe("a:b")))
        assert.deepInclude(error, { _tag: "UnsupportedCapability", capability: "resources.subscribe" })
        assert.strictEqual((yield* Effect.flip(Stream.runDrain(client.changes)))._tag, "UnsupportedCapability")
        yield* Scripted.settle
        assert.lengthOf(written, before)
      }))

    it.effect("a call without progress ends after its time, and is cancelled at the server", () =>
      Effect.gen(function*() {
        const { client, written } = yield* Scripted.connect(serve({ "tools/call": () => Effect.never }))
        const call = yield* Effect.forkChild(Effect.flip(client.callTool("slow")))
        yield* TestClock.adjust("29990 millis")
        assert.strictEqual(call.pollUnsafe(), undefined)
        yield* TestClock.adjust("30 millis")
        assert.deepInclude(yield* Fiber.join(call), { _tag: "RequestTimeout", milliseconds: 30_000 })
        yield* Scripted.settle
        const { id } = Scripted.of(written, "tools/call")[0] ?? {}
        assert.deepStrictEqual(Scripted.of(written, "notifications/cancelled")[0]?.params, { requestId: id ?? -1 })
      }))

    it.effect("progress gives a call its time anew without being asked for, up to a cap", () =>
      Effect.gen(function*() {
        const { client } = yield* Scripted.connect(
          serve({
            "tools/call": (call) =>
              Effect.andThen(
                Effect.forever(
                  Effect.andThen(Effect.sleep("20 seconds"), Effect.ignore(call.progress({ progress: 1 })))
                ),
                Effect.succeed(text("never"))
              )
          }),
          { maxTimeout: "1 minute" }
        )
        const call = yield* Effect.forkChild(Effect.flip(client.callTool("slow")))
        yield* TestClock.adjust("55 seconds")
        assert.strictEqual(call.pollUnsafe(), undefined)
        yield* TestClock.adjust("6 seconds")
        assert.deepInclude(yield* Fiber.join(call), { _tag: "RequestTimeout", milliseconds: 60_000 })
      }))

    it.effect("progress reaches its call in order, before the result", () =>
      Effect.gen(function*() {
        const { client } = yield* Scripted.connect(serve({
          "tools/call": (call) =>
            Effect.orDie(Effect.gen(function*() {
              yield* call.progress({ progress: 1, total: 2, message: "half" })
              yield* call.progress({ progress: 2, total: 2 })
              return text("done")
            }))
        }))
        const seen: Array<Progress> = []
        yield* client.callTool("slow", {}, { onProgress: (progress) => seen.push(progress) })
        assert.deepStrictEqual(seen, [{ progress: 1, total: 2, message: "half" }, { progress: 2, total: 2 }])
        const events = yield* Stream.runCollect(client.streamTool("slow"))
        assert.deepStrictEqual(
          events.map((event) => event._tag === "Progress" ? event.progress.progress : event.result.content),
          [1, 2, [{ type: "text", text: "done" }]]
        )
      }))

    it.effect("an interrupted call is interrupted at the server, and no timeout", () =>
      Effect.gen(function*() {
        const started = yield* Deferred.make<void>()
        const stopped = yield* Deferred.make<void>()
        const { client } = yield* Scripted.connect(serve({
          "tools/call": () =>
            Effect.andThen(Deferred.succeed(started, undefined), Effect.never).pipe(
              Effect.onInterrupt(() => Deferred.succeed(stopped, undefined))
            )
        }))
        const call = yield* Effect.forkChild(client.callTool("slow"))
        yield* Deferred.await(started)
        yield* Fiber.interrupt(call)
        yield* Deferred.await(stopped)
        const exit = yield* Fiber.await(call)
        assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      }))

    it.effect("a stream of a call that is ended early cancels the call", () =>
      Effect.gen(function*() {
        const stopped = yield* Deferred.make<void>()
        const { client } = yield* Scripted.connect(serve({
          "tools/call": (call) =>
            Effect.andThen(Effect.orDie(call.progress({ progress: 1 })), Effect.never).pipe(
              Effect.onInterrupt(() => Deferred.succeed(stopped, undefined))
            )
        }))
        const events = yield* Stream.runCollect(Stream.take(client.streamTool("slow"), 1))
        assert.deepStrictEqual(events, [{ _tag: "Progress", progress: { progress: 1 } }])
        yield* Deferred.await(stopped)
      }))

    it.effect("resources, prompts and completions come back as the server gives them", () =>
      Effect.gen(function*() {
        const { client, written } = yield* Scripted.connect(serve({
          "resources/read": Scripted.always({ contents: [{ uri: "a:b", text: "hello" }] }),
          "prompts/get": Scripted.always({ messages: [{ role: "user", content: { type: "text", text: "do" } }] }),
          "completion/complete": Scripted.always({ completion: { values: ["paris"], hasMore: false } })
        }))
        assert.deepStrictEqual((yield* client.readResource("a:b")).contents, [{ uri: "a:b", text: "hello" }])
        assert.lengthOf((yield* client.getPrompt("do", { what: "it" })).messages, 1)
        const { completion } = yield* client.complete(
          { _tag: "Template", uri: "city://{name}" },
          { name: "name", value: "par" },
          { country: "fr" }
        )
        assert.deepStrictEqual(completion.values, ["paris"])
        const { _meta: _, ...params } = Scripted.of(written, "completion/complete")[0]?.params ?? {}
        assert.deepStrictEqual(params, {
          ref: { type: "ref/resource", uri: "city://{name}" },
          argument: { name: "name", value: "par" },
          context: { arguments: { country: "fr" } }
        })
      }))

    it.effect("a request of any other method is sent with what the revision puts around it", () =>
      Effect.gen(function*() {
        const { client, written } = yield* Scripted.connect(serve({ "x/y": Scripted.always([1]) }))
        assert.deepStrictEqual(yield* client.request("x/y", { a: 1 }, { meta: { k: "v" } }), [1])
        const params = Scripted.of(written, "x/y")[0]?.params
        assert.deepInclude(params, { a: 1 })
        assert.deepInclude(params?.["_meta"], { k: "v" })
      }))

    it.effect("calls fail with Disconnected when the server goes away", () =>
      Effect.gen(function*() {
        const { client, drop } = yield* Scripted.connect(serve({ "tools/call": () => Effect.never }))
        const call = yield* Effect.forkChild(Effect.flip(client.callTool("slow")))
        yield* Scripted.settle
        yield* drop
        const error = yield* Fiber.join(call)
        assert.strictEqual(error._tag, "Disconnected")
        yield* client.disconnected
        assert.strictEqual((yield* Effect.flip(client.callTool("again")))._tag, "Disconnected")
      }))
  })
}

describe("what only one era has", () => {
  it.effect("ping is a request of the legacy era, and no method of the modern one", () =>
    Effect.gen(function*() {
      const old = yield* Scripted.connect(Scripted.legacy({ ping: Scripted.always({}) }))
      yield* old.client.ping
      const { client } = yield* Scripted.connect(Scripted.modern())
      const error = yield* Effect.flip(client.ping)
      assert.deepInclude(error, { _tag: "UnsupportedCapability", method: "ping" })
      const undiscovered = yield* Effect.flip(old.client.discover)
      assert.deepInclude(undiscovered, { _tag: "UnsupportedCapability", method: "server/discover" })
    }))

  it.effect("a pinned client learns of its server when it discovers it", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.connect(Scripted.modern({}, { tools: {} }), { protocolVersion: "2026-07-28" })
      yield* client.discover
      assert.deepStrictEqual(client.capabilities, { tools: {} })
      assert.deepStrictEqual(client.serverInfo, { name: "scripted", version: "3" })
      assert.strictEqual((yield* Effect.flip(client.listPrompts()))._tag, "UnsupportedCapability")
    }))

  it.effect("the server hears of changed roots where it can", () =>
    Effect.gen(function*() {
      const old = yield* Scripted.connect(Scripted.legacy())
      yield* old.client.notifyRootsChanged
      yield* Scripted.settle
      assert.include(Scripted.methods(old.written), "notifications/roots/list_changed")
      const { client, written } = yield* Scripted.connect(Scripted.modern())
      yield* client.notifyRootsChanged
      yield* Scripted.settle
      assert.deepStrictEqual(Scripted.methods(written), ["server/discover"])
    }))
})
