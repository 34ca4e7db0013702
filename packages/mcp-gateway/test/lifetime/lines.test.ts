/** What a line of a server that is lost, or that changes while it is read, means for those who use it. */
import { assert, describe, it } from "@effect/vitest"
import * as McpUpstream from "@parley/mcp-gateway/McpUpstream"
import type * as McpClient from "@parley/mcp/McpClient"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import { Disconnected } from "@parley/peer/Caller"
import { Deferred, Effect, Exit, Fiber, Queue, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { made, reach, settled } from "../support/gateways.ts"
import { clientOf } from "../support/pairs.ts"

/** A bridge of one caller, whose first line ends with a Scope. */
const bridged = (
  server: McpServer.McpServer,
  bend: (client: McpClient.McpClient) => Partial<McpClient.McpClient> = () => ({})
) =>
  Effect.gen(function*() {
    const first = yield* Scope.make()
    const scopes: Array<Scope.Scope> = [first, yield* Effect.scope]
    let lines = 0
    const bridge = yield* McpUpstream.bridge({
      name: "far",
      budget: { deadline: "1 hour" },
      connect: (options) =>
        Scope.provide(
          Effect.map(reach(server, "2025-11-25")(options), (client) => ({ ...client, ...bend(client) })),
          scopes[Math.min(lines++, 1)]!
        ),
      sole: Effect.succeed({})
    })
    const outer = yield* McpServer.make({ name: "outer", version: "1", features: [] })
    yield* outer.mount(bridge)
    yield* bridge.ready
    const client = yield* clientOf(outer, { protocolVersion: "2025-11-25", cacheSize: 0 })
    return { bridge, client, lose: Scope.close(first, Exit.void), lines: () => lines }
  })

const now = McpTool.make("now", {}, () => Effect.succeed("noon"))

const namesOf = (client: McpClient.McpClient) => Effect.map(client.listTools(), (all) => all.map(({ name }) => name))

describe("a list in flight", () => {
  it.effect("is the one known last when its line is lost", () =>
    Effect.gen(function*() {
      const server = yield* made("far", [now])
      let reads = 0
      const { client, lose } = yield* bridged(server, ({ listTools }) => ({
        listTools: () => reads++ === 0 ? listTools() : Effect.never
      }))
      yield* settled
      yield* server.listChanged("tools")
      yield* settled
      const names = yield* Effect.forkChild(namesOf(client), { startImmediately: true })
      yield* settled
      assert.isUndefined(names.pollUnsafe())
      yield* lose
      assert.deepStrictEqual(yield* Fiber.join(names), ["now"])
    }))
})

describe("a line that is lost while its lists are read for the first time", () => {
  it.effect("leaves the server away, which is reached again", () =>
    Effect.gen(function*() {
      const server = yield* made("far", [now])
      const states: Array<string> = []
      const first = yield* Scope.make()
      const scopes: Array<Scope.Scope> = [first, yield* Effect.scope]
      let lines = 0
      const bridge = yield* McpUpstream.bridge({
        name: "far",
        connect: (options) => {
          const isFirst = lines === 0
          const opened = Effect.map(reach(server, "2025-11-25")(options), (client) => ({
            ...client,
            ...(isFirst && { listTools: () => Effect.never })
          }))
          return Scope.provide(opened, scopes[Math.min(lines++, 1)]!)
        },
        sole: Effect.succeed({}),
        onState: ({ _tag }) => Effect.sync(() => void states.push(_tag))
      })
      yield* settled
      assert.strictEqual(lines, 1)
      yield* Scope.close(first, Exit.void)
      yield* settled
      assert.deepStrictEqual(states, ["Away"])
      assert.deepInclude(bridge.cause(), { _tag: "Disconnected" })
      for (let second = 0; second < 3; second++) yield* TestClock.adjust("1 second")
      yield* settled
      assert.deepStrictEqual([states, lines], [["Away", "Reached"], 2])
    }))
})

describe("a change while the lists are read", () => {
  it.effect("reaches who asks after it, and the only client is told of it", () =>
    Effect.gen(function*() {
      const server = yield* made("far", [now])
      let names = ["now"]
      const tools = Effect.suspend(() => {
        const infos = names.map((name) => ({ name, inputSchema: { type: "object" as const } }))
        return isSlow ? Effect.delay(Effect.succeed(infos), "1 second") : Effect.succeed(infos)
      })
      let isSlow = false
      const { client } = yield* bridged(server, () => ({ listTools: () => tools }))
      const heard = yield* Queue.unbounded<string>()
      yield* Effect.forkScoped(
        Stream.runForEach(client.changes, (event) => Queue.offer(heard, "list" in event ? event.list : event._tag))
      )
      assert.strictEqual(yield* Queue.take(heard), "Subscribed")
      isSlow = true
      yield* server.listChanged("prompts")
      yield* TestClock.adjust(300)
      names = ["now", "later"]
      yield* server.listChanged("tools")
      yield* settled
      const asked = yield* Effect.forkChild(namesOf(client), { startImmediately: true })
      yield* TestClock.adjust(3_000)
      assert.deepStrictEqual(yield* Fiber.join(asked), ["now", "later"])
      assert.deepStrictEqual(yield* Queue.clear(heard), ["tools"])
    }))
})

describe("a call whose server turns out to be gone", () => {
  it.effect("fails for the reason that is known, and not because we close its line", () =>
    Effect.gen(function*() {
      const server = yield* made("far", [now, McpTool.make("wait", {}, () => Effect.never)])
      const reason = { _tag: "Lost", cause: new Error("connect ECONNREFUSED") } as const
      const gone = Effect.fail(new Disconnected({ reason, sent: false }))
      const bridge = yield* McpUpstream.bridge({
        name: "far",
        budget: { deadline: "1 hour" },
        connect: (options) => Effect.map(reach(server, "2025-11-25")(options), (near) => ({ ...near, ping: gone })),
        sole: Effect.succeed({})
      })
      const causes: Array<unknown> = []
      const outer = yield* McpServer.make({
        name: "outer",
        version: "1",
        features: [],
        middleware: (handler) => (call) =>
          Effect.tapError(
            handler(call),
            (error) => Effect.sync(() => causes.push(error instanceof Error && error.cause))
          )
      })
      yield* outer.mount(bridge)
      yield* bridge.ready
      const client = yield* clientOf(outer, { protocolVersion: "2025-11-25" })
      const call = yield* Effect.forkChild(Effect.flip(client.callTool("wait", {}, { timeout: "1 hour" })), {
        startImmediately: true
      })
      yield* settled
      for (let second = 0; second < 31; second++) yield* TestClock.adjust("1 second")
      yield* Fiber.join(call)
      assert.lengthOf(causes, 1)
      assert.deepInclude(causes[0], { _tag: "Disconnected", method: "tools/call", reason, sent: true })
    }))
})

describe("a line that connects again by itself", () => {
  it.effect("is looked after when a call fails, and shows at once that its server is gone", () =>
    Effect.gen(function*() {
      const server = yield* made("far", [now])
      const gone = Effect.fail(new Disconnected({ reason: { _tag: "Lost", cause: new Error("no") }, sent: true }))
      const { bridge, client } = yield* bridged(server, () => ({
        disconnected: Effect.never,
        callTool: () => gone,
        ping: gone
      }))
      assert.isUndefined(bridge.cause())
      yield* Effect.flip(client.callTool("now"))
      yield* settled
      assert.isDefined(bridge.cause())
    }))
})

describe("a line that the server closes while it is idle", () => {
  it.effect("is known to be closed at once, and takes no call on the next one with it", () =>
    Effect.gen(function*() {
      const done = yield* Deferred.make<string>()
      const server = yield* made("far", [now, McpTool.make("wait", {}, () => Deferred.await(done))])
      const { bridge, client, lines, lose } = yield* bridged(server)
      yield* client.callTool("now")
      yield* lose
      yield* settled
      assert.isDefined(bridge.cause())
      const reached = yield* Effect.forkChild(bridge.again, { startImmediately: true })
      yield* TestClock.adjust("300 millis")
      yield* Fiber.join(reached)
      const call = yield* Effect.forkChild(client.callTool("wait", {}, { timeout: "1 hour" }), {
        startImmediately: true
      })
      for (let second = 0; second < 50; second++) yield* TestClock.adjust("1 second")
      assert.isUndefined(call.pollUnsafe())
      yield* Deferred.succeed(done, "over")
      assert.propertyVal((yield* Fiber.join(call)).content[0], "text", "over")
      assert.strictEqual(lines(), 2)
    }))
})
