import { assert, describe, it } from "@effect/vitest"
import { BoundedLog } from "@parley/transport/shared"
import { Deferred, Effect, Fiber, Logger, Result, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { SessionExpired } from "../../src/client/McpClientError.ts"
import type * as McpClientTransport from "../../src/client/McpClientTransport.ts"
import { Resumed, Subscribed, Updated } from "../../src/client/McpEvent.ts"
import * as Scripted from "./scripted.ts"

/** A link with a session that can expire: what is asked of an expired one never reaches the server. */
const sessions = () => {
  const state = {
    expired: false,
    /** Whether a new session expires at once. */
    hopeless: false,
    settled: [] as Array<string | undefined>,
    host: undefined as McpClientTransport.Host | undefined
  }
  const change = (open: McpClientTransport.Open): McpClientTransport.Open => (host) => {
    state.host = host
    return Effect.map(open(host), (transport): McpClientTransport.McpClientTransport => ({
      ...transport,
      request: (method, params, options) =>
        Effect.suspend(() => {
          if (method === "initialize") {
            return Effect.tap(transport.request(method, params, options), () =>
              Effect.sync(() => {
                state.expired = state.hopeless
              }))
          }
          return state.expired
            ? Effect.fail(new SessionExpired({ method }))
            : transport.request(method, params, options)
        }),
      settle: (codec) => Effect.sync(() => state.settled.push(codec?.revision))
    }))
  }
  return { state, change }
}

const tools = { "tools/list": Scripted.always({ tools: [] }), "tools/call": Scripted.always({ content: [] }) }

describe("a session that expires", () => {
  it.effect("it is made again once however many calls find out, and each call is made once more", () =>
    Effect.gen(function*() {
      const { change, state } = sessions()
      const { client, written } = yield* Scripted.connect(
        Scripted.legacy(tools),
        { protocolVersion: "2025-06-18" },
        change
      )
      yield* client.callTool("before")
      state.expired = true
      const calls = Array.from({ length: 10 }, (_, index) => client.callTool(`call-${index}`))
      yield* Effect.all(calls, { concurrency: "unbounded" })
      assert.lengthOf(Scripted.of(written, "initialize"), 2)
      assert.lengthOf(Scripted.of(written, "notifications/initialized"), 2)
      assert.lengthOf(Scripted.of(written, "tools/call"), 11)
      assert.deepStrictEqual(state.settled, ["2025-06-18", undefined, "2025-06-18"])
      assert.deepStrictEqual(Scripted.methods(written).slice(3, 5), ["initialize", "notifications/initialized"])
    }))

  it.effect("a call that meets an expired session again fails with SessionExpired", () =>
    Effect.gen(function*() {
      const { change, state } = sessions()
      const { client, written } = yield* Scripted.connect(
        Scripted.legacy(tools),
        { protocolVersion: "2025-06-18" },
        change
      )
      state.expired = true
      state.hopeless = true
      const error = yield* Effect.flip(client.callTool("t"))
      assert.deepInclude(error, { _tag: "SessionExpired", method: "tools/call" })
      assert.lengthOf(Scripted.of(written, "initialize"), 2)
    }))

  it.effect("where no new session can be made, calls fail as that did, and the next one tries again", () =>
    Effect.gen(function*() {
      let isUp = true
      const { change, state } = sessions()
      const { client, written } = yield* Scripted.connect(
        Scripted.legacy({
          ...tools,
          initialize: () =>
            Effect.suspend(() =>
              isUp ? Effect.succeed(Scripted.initialized("2025-06-18")) : Scripted.refusing(-32000, "down")()
            )
        }),
        { protocolVersion: "2025-06-18" },
        change
      )
      state.expired = true
      isUp = false
      const first = yield* Effect.flip(client.callTool("t"))
      assert.deepInclude(first, { _tag: "ProtocolError", method: "initialize", text: "down" })
      isUp = true
      // The link has no session now, so it must not be asked before there is one.
      state.expired = false
      yield* client.callTool("t")
      assert.deepStrictEqual(Scripted.methods(written).slice(-3), [
        "initialize",
        "notifications/initialized",
        "tools/call"
      ])
    }))

  it.effect("a call that is interrupted while a session is made again does not keep the others from it", () =>
    Effect.gen(function*() {
      let count = 0
      const gate = yield* Deferred.make<void>()
      const { change, state } = sessions()
      const { client } = yield* Scripted.connect(
        Scripted.legacy({
          ...tools,
          initialize: () =>
            Effect.as(++count === 1 ? Effect.void : Deferred.await(gate), Scripted.initialized("2025-06-18"))
        }),
        { protocolVersion: "2025-06-18" },
        change
      )
      state.expired = true
      const first = yield* Effect.forkChild(client.callTool("t"))
      yield* Scripted.settle
      const second = yield* Effect.forkChild(client.callTool("t"))
      yield* Scripted.settle
      yield* Fiber.interrupt(first)
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual((yield* Fiber.join(second)).content, [])
      assert.strictEqual(count, 2)
    }))

  it.effect("subscriptions are made again and say so, and the level of log messages is said again", () =>
    Effect.gen(function*() {
      const { change, state } = sessions()
      const { client, server, written } = yield* Scripted.connect(
        Scripted.legacy({
          ...tools,
          "resources/subscribe": Scripted.always({}),
          "resources/unsubscribe": Scripted.always({}),
          "logging/setLevel": Scripted.always({})
        }),
        { protocolVersion: "2025-06-18", logLevel: "error" },
        change
      )
      const updates: Array<unknown> = []
      const changes: Array<unknown> = []
      yield* Effect.forkScoped(Stream.runForEach(client.subscribe("a:"), (one) => Effect.sync(() => updates.push(one))))
      yield* Effect.forkScoped(Stream.runForEach(client.changes, (one) => Effect.sync(() => changes.push(one))))
      yield* Scripted.settle
      state.expired = true
      yield* client.listTools()
      yield* Scripted.settle
      yield* server.notify("notifications/resources/updated", { uri: "a:" })
      yield* Scripted.settle
      assert.lengthOf(Scripted.of(written, "resources/subscribe"), 2)
      assert.lengthOf(Scripted.of(written, "logging/setLevel"), 2)
      const resumed = new Resumed({ reason: "SessionExpired" })
      assert.deepStrictEqual(updates, [new Subscribed(), resumed, new Updated({ uri: "a:" })])
      assert.deepStrictEqual(changes, [new Subscribed(), resumed])
    }))

  it.effect("a link that finds out by itself has the session made again", () =>
    Effect.gen(function*() {
      const { change, state } = sessions()
      const { written } = yield* Scripted.connect(Scripted.legacy(tools), { protocolVersion: "2025-06-18" }, change)
      state.host?.onSessionExpired()
      yield* Scripted.settle
      assert.lengthOf(Scripted.of(written, "initialize"), 2)
    }))
})

describe("a link with headers", () => {
  const tool = (name: string, region: Schema.JsonObject): Schema.JsonObject => ({
    name,
    inputSchema: { type: "object", properties: { region } }
  })

  const listed = {
    tools: [
      tool("good", { type: "string", "x-mcp-header": "Region" }),
      tool("bad", { type: "number", "x-mcp-header": "Region" }),
      tool("plain", { type: "number" })
    ]
  }

  const withHeaders =
    (tools: Array<string | undefined>) => (open: McpClientTransport.Open): McpClientTransport.Open => (host) =>
      Effect.map(open(host), (transport): McpClientTransport.McpClientTransport => ({
        ...transport,
        kind: "http",
        request: (method, params, options) => {
          if (method === "tools/call") tools.push(options?.tool?.name)
          return transport.request(method, params, options)
        }
      }))

  it.effect("tools with annotations that break a rule are dropped where they would matter, and nowhere else", () =>
    Effect.gen(function*() {
      const serve = { "tools/list": Scripted.always(listed) }
      const names = (client: Scripted.Scripted["client"]) =>
        Effect.map(client.listTools(), (tools) => tools.map(({ name }) => name))
      const over = yield* Scripted.connect(Scripted.modern(serve), {}, withHeaders([]))
      assert.deepStrictEqual(yield* names(over.client), ["good", "plain"])
      const old = yield* Scripted.connect(Scripted.legacy(serve), {}, withHeaders([]))
      assert.deepStrictEqual(yield* names(old.client), ["good", "bad", "plain"])
      const bare = yield* Scripted.connect(Scripted.modern(serve))
      assert.deepStrictEqual(yield* names(bare.client), ["good", "bad", "plain"])
    }))

  it.effect("tools that are dropped fill no log, however many there are and however often they are listed", () => {
    const lines: Array<string> = []
    const logger = Logger.make<unknown, void>(({ message }) => void lines.push(String(message)))
    return Effect.gen(function*() {
      const tools = Array.from({ length: 50 }, (_, n) => tool(`bad${n}`, { type: "number", "x-mcp-header": "Region" }))
      const { client } = yield* Scripted.connect(
        Scripted.modern({ "tools/list": Scripted.always({ tools }) }),
        { cacheSize: 0 },
        withHeaders([])
      )
      for (let n = 0; n < 3; n++) assert.deepStrictEqual(yield* client.listTools(), [])
      assert.strictEqual(lines.filter((line) => line.startsWith("dropped the tool ")).length, BoundedLog.perMinute)
      yield* TestClock.adjust("1 minute")
      yield* client.listTools()
      assert.match(lines[BoundedLog.perMinute] ?? "", /; 140 more lines about this server were left out$/)
    }).pipe(Effect.provide(Logger.layer([logger])))
  })

  it.effect("a call tells the link the tool, and lists the tools again where the server says that they differ", () =>
    Effect.gen(function*() {
      const told: Array<string | undefined> = []
      let calls = 0
      const { client, written } = yield* Scripted.connect(
        Scripted.modern({
          "tools/list": Scripted.always({ ...listed, ttlMs: 60_000, cacheScope: "public" }),
          "tools/call": () =>
            ++calls === 1 ? Scripted.refusing(-32020, "Header mismatch")() : Effect.succeed({ content: [] })
        }),
        {},
        withHeaders(told)
      )
      yield* client.callTool("good", { region: "eu" })
      yield* client.callTool("good", { region: "eu" })
      assert.deepStrictEqual(told, [undefined, "good", "good"])
      assert.lengthOf(Scripted.of(written, "tools/list"), 1)
    }))

  it.effect("a mismatch that stays is the failure of the call", () =>
    Effect.gen(function*() {
      const { client, written } = yield* Scripted.connect(
        Scripted.modern({
          "tools/list": Scripted.always(listed),
          "tools/call": Scripted.refusing(-32020, "Header mismatch")
        }),
        {},
        withHeaders([])
      )
      const outcome = yield* Effect.result(client.callTool("good"))
      assert.isTrue(Result.isFailure(outcome))
      assert.lengthOf(Scripted.of(written, "tools/call"), 2)
    }))
})
