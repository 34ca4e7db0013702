import { assert, describe, it } from "@effect/vitest"
import * as McpUpstream from "@parley/mcp-gateway/McpUpstream"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import type { ClientCapabilities } from "@parley/mcp/payload/Capabilities"
import * as Content from "@parley/mcp/payload/Content"
import { Disconnected } from "@parley/peer/Caller"
import { Deferred, Effect, Exit, Fiber, Queue, Schema, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { made, reach } from "../support/gateways.ts"
import { clientOf, pairs } from "../support/pairs.ts"

const capabilities: ClientCapabilities = { elicitation: { form: {} } }

const features = [
  McpTool.make("now", {}, () => Effect.succeed("noon")),
  McpTool.make("ask", { params: { as: Schema.String } }, ({ as }, call) =>
    Effect.map(
      call.elicit("q", { message: as, fields: { name: Schema.String } }),
      (answer) => answer._tag === "Accepted" ? answer.content.name : answer._tag
    ))
]

describe("a bridge with one caller", () => {
  it.effect.each(pairs)(
    "serves all of it by one connection, which declares what the caller can be asked: %j",
    ({ far, near }) =>
      Effect.gen(function*() {
        const server = yield* made("far", features)
        const known = yield* Deferred.make<ClientCapabilities>()
        let connections = 0
        const bridge = yield* McpUpstream.bridge({
          name: "far",
          connect: (options) => {
            connections++
            return reach(server, far)(options)
          },
          sole: Deferred.await(known)
        })
        const outer = yield* McpServer.make({ name: "outer", version: "1", features: [] })
        yield* outer.mount(bridge)
        yield* Effect.yieldNow
        assert.strictEqual(connections, 0)
        yield* Deferred.succeed(known, capabilities)
        yield* bridge.ready
        const handlers = {
          elicit: ({ message }: { readonly message: string }) =>
            Effect.succeed({ action: "accept" as const, content: { name: message } })
        }
        const client = yield* clientOf(outer, { protocolVersion: near, handlers })
        assert.deepStrictEqual((yield* client.listTools()).map(({ name }) => name), ["now", "ask"])
        const answers = yield* Effect.forEach(["a", "b", "c"], (as) => client.callTool("ask", { as }))
        assert.deepStrictEqual(
          answers.map(({ content }) => content),
          ["a", "b", "c"].map((text) => [Content.text(text)])
        )
        assert.strictEqual(connections, 1)
      })
  )

  it.effect("keeps its lists while the server is away, tells of those that differ, and reaches it again when it is wanted", () =>
    Effect.gen(function*() {
      const states = yield* Queue.unbounded<McpUpstream.UpstreamState["_tag"]>()
      const end = yield* Scope.make()
      let there: McpServer.McpServer | undefined = yield* made("far", features)
      let scope: Scope.Scope = end
      const bridge = yield* McpUpstream.bridge({
        name: "far",
        connect: (options) =>
          there === undefined
            ? Effect.fail(new Disconnected({ reason: { _tag: "EndOfInput" }, sent: false }))
            : Scope.provide(reach(there, "2025-11-25")(options), scope),
        sole: Effect.succeed({}),
        onState: ({ _tag }) => Queue.offer(states, _tag)
      })
      const outer = yield* McpServer.make({ name: "outer", version: "1", features: [] })
      yield* outer.mount(bridge)
      yield* bridge.ready
      const client = yield* clientOf(outer, { protocolVersion: "2025-11-25", cacheSize: 0 })
      const names = Effect.map(client.listTools(), (tools) => tools.map(({ name }) => name))
      const heard = yield* Queue.unbounded<string>()
      yield* Effect.forkScoped(
        Stream.runForEach(client.changes, (event) => Queue.offer(heard, "list" in event ? event.list : event._tag))
      )
      assert.strictEqual(yield* Queue.take(states), "Reached")
      assert.strictEqual(yield* Queue.take(heard), "Subscribed")
      assert.deepStrictEqual(yield* names, ["now", "ask"])
      there = undefined
      yield* Scope.close(end, Exit.void)
      yield* Effect.flip(client.callTool("now"))
      assert.strictEqual(yield* Queue.take(states), "Away")
      assert.isDefined(bridge.cause())
      assert.deepStrictEqual(yield* names, ["now", "ask"])
      there = yield* made("far", [...features, McpTool.make("later", {}, () => Effect.succeed(""))])
      scope = yield* Effect.scope
      const again = yield* Effect.forkChild(bridge.again, { startImmediately: true })
      // Less than the wait before the next attempt that nobody asks for.
      yield* TestClock.adjust("300 millis")
      yield* Fiber.join(again)
      assert.strictEqual(yield* Queue.take(states), "Reached")
      assert.isUndefined(bridge.cause())
      assert.strictEqual(yield* Queue.take(heard), "tools")
      assert.deepStrictEqual(yield* names, ["now", "ask", "later"])
      assert.deepStrictEqual(yield* Queue.clear(heard), [])
    }))
})
