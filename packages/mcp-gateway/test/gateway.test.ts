import { assert, describe, it } from "@effect/vitest"
import * as McpGateway from "@parley/mcp-gateway/McpGateway"
import type * as McpClient from "@parley/mcp/McpClient"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as Content from "@parley/mcp/payload/Content"
import * as McpError from "@parley/mcp/wire/McpError"
import { Disconnected } from "@parley/peer/Caller"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { clientOf } from "./support/pairs.ts"

const tool = (name: string, description = name) =>
  McpTool.make(name, { description }, () => Effect.succeed(`I am ${name}`))

const made = (name: string, features: ReadonlyArray<McpTool.McpTool>, instructions?: string) =>
  McpServer.make({ name, version: "1", features, instructions })

/** Reaches a server, or nobody while it is down; `stop` ends the connections. */
const reachable = (server: McpServer.McpServer) => {
  let isDown = false
  const open = new Set<Scope.Closeable>()
  return {
    connect: (options: McpClient.ClientOptions) =>
      Effect.gen(function*() {
        if (isDown) return yield* new Disconnected({ reason: { _tag: "Closed" }, sent: false })
        // The far end of the connection ends with this one.
        const scope = yield* Scope.make()
        open.add(scope)
        return yield* Effect.provideService(
          McpMemoryClient.make({ ...options, limits: { drain: 0 } }),
          McpServer.McpServer,
          server
        ).pipe(Scope.provide(scope))
      }),
    stop: Effect.suspend(() => {
      isDown = true
      return Effect.forEach([...open], (scope) => Scope.close(scope, Exit.void), { discard: true })
    }),
    start: Effect.sync(() => {
      isDown = false
    })
  }
}

const names = (entries: ReadonlyArray<{ readonly name: string }>) => entries.map(({ name }) => name)

describe("a gateway", () => {
  it.effect("offers several servers as one, each behind its name", () =>
    Effect.gen(function*() {
      const one = reachable(yield* made("one", [tool("a"), tool("b")], "Use a."))
      const two = reachable(yield* made("two", [tool("a"), tool("secret_x"), tool("long")]))
      const gateway = yield* McpGateway.make({
        name: "gateway",
        version: "1",
        instructions: "Both.",
        servers: {
          one,
          two: { ...two, prefix: "t.", tools: { deny: ["secret_*"], rename: { long: "short" } } }
        }
      })
      // Each is there before a client asks how to use it.
      yield* Effect.forEach(Array.from({ length: 200 }), () => Effect.yieldNow)
      const client = yield* clientOf(gateway)
      assert.deepStrictEqual(names(yield* client.listTools()), ["one_a", "one_b", "t.a", "short"])
      assert.deepStrictEqual((yield* client.callTool("short")).content, [Content.text("I am long")])
      assert.propertyVal(yield* Effect.flip(client.callTool("t.secret_x")), "_tag", "ProtocolError")
      // By this headers of a request are held against its arguments.
      const known = ["one_a", "t.a", "short", "t.long", "t.secret_x"].map((name) => gateway.tool(name)?.name)
      assert.deepStrictEqual(known, ["a", "a", "long", undefined, undefined])
      assert.strictEqual(client.instructions, "Both.\n\n# one\n\n> Use a.")
    }))

  it.effect("goes on without a server that is gone, says which, and has it again when it is back", () =>
    Effect.gen(function*() {
      const one = reachable(yield* made("one", [tool("a")]))
      const two = reachable(yield* made("two", [tool("b")]))
      const gateway = yield* McpGateway.make({ name: "gateway", version: "1", servers: { one, two } })
      const client = yield* clientOf(gateway)
      assert.deepStrictEqual(names(yield* client.listTools()), ["one_a", "two_b"])
      yield* one.stop
      const failed = yield* Effect.flip(client.callTool("one_a"))
      assert.propertyVal(failed, "code", McpError.UpstreamFailed)
      assert.include(failed.message, "one")
      yield* TestClock.adjust("500 millis")
      assert.deepStrictEqual(names(yield* client.listTools()), ["two_b"])
      assert.propertyVal(yield* Effect.flip(client.callTool("one_a")), "code", McpError.UpstreamFailed)
      yield* one.start
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(names(yield* client.listTools()), ["one_a", "two_b"])
      assert.deepStrictEqual((yield* client.callTool("one_a")).content, [Content.text("I am a")])
    }))

  it.effect("lists what there is when a server takes its time, and tells when that is there, too", () =>
    Effect.gen(function*() {
      const quick = reachable(yield* made("quick", [tool("a")]))
      const slow = reachable(yield* made("slow", [tool("b")]))
      const gateway = yield* McpGateway.make({
        name: "gateway",
        version: "1",
        servers: { quick, slow: { connect: (options) => Effect.delay(slow.connect(options), "20 seconds") } }
      })
      const client = yield* clientOf(gateway, { timeout: "1 minute" })
      const listing = yield* Effect.forkChild(client.listTools())
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(names(yield* Fiber.join(listing)), ["quick_a"])
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(names(yield* client.listTools()), ["quick_a", "slow_b"])
    }))
})
