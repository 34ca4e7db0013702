import { assert, describe, it } from "@effect/vitest"
import * as McpUpstream from "@parley/mcp-gateway/McpUpstream"
import { InvalidResult, type McpCallError, ProtocolError } from "@parley/mcp/client/McpClientError"
import type * as McpClient from "@parley/mcp/McpClient"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import type { ResourceTemplateInfo } from "@parley/mcp/payload/Listing"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { made, reach } from "../support/gateways.ts"
import { clientOf } from "../support/pairs.ts"

const bridged = (bent: Partial<McpClient.McpClient>) =>
  Effect.gen(function*() {
    const server = yield* made("far", [
      McpTool.make("now", {}, () => Effect.succeed("noon")),
      McpResource.make("far:a", { name: "a" }, () => Effect.succeed("a"))
    ])
    const unlisted: Array<string> = []
    const bridge = yield* McpUpstream.bridge({
      name: "far",
      connect: (options) => Effect.map(reach(server)(options), (client) => ({ ...client, ...bent })),
      onState: (state) =>
        Effect.sync(() => {
          if (state._tag === "Unlisted") unlisted.push(state.method)
        })
    })
    const outer = yield* McpServer.make({ name: "outer", version: "1", features: [] })
    yield* outer.mount(bridge)
    return { bridge, outer, unlisted }
  })

const method = "resources/templates/list"

const errors: ReadonlyArray<McpCallError> = [
  new ProtocolError({ method, code: -32603, text: "no templates" }),
  new InvalidResult({ method, path: ["resourceTemplates"], rule: "is missing" })
]

describe("a list that a server does not give", () => {
  it.effect.each(errors)("is empty, and takes nothing else away: %s", (error) =>
    Effect.gen(function*() {
      const { bridge, outer, unlisted } = yield* bridged({ listResourceTemplates: () => Effect.fail(error) })
      yield* bridge.ready
      const client = yield* clientOf(outer)
      assert.lengthOf(yield* client.listTools(), 1)
      assert.deepStrictEqual(yield* client.listResourceTemplates(), [])
      yield* client.callTool("now")
      assert.deepStrictEqual(unlisted, [method])
    }))

  it.effect("is waited for no longer than others may wait, and is told of when it has come", () =>
    Effect.gen(function*() {
      const late = yield* Deferred.make<ReadonlyArray<ResourceTemplateInfo>>()
      const { bridge, outer, unlisted } = yield* bridged({ listResourceTemplates: () => Deferred.await(late) })
      const ready = yield* Effect.forkChild(bridge.ready)
      yield* TestClock.adjust(5_000)
      yield* Fiber.join(ready)
      const client = yield* clientOf(outer)
      assert.lengthOf(yield* client.listTools(), 1)
      assert.deepStrictEqual(unlisted, [method])
      yield* Deferred.succeed(late, [{ name: "late", uriTemplate: "late:{id}" }])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual((yield* client.listResourceTemplates()).map(({ name }) => name), ["late"])
    }))

  it.effect("says that a server cannot be reached whose tools have never been read", () =>
    Effect.gen(function*() {
      const { bridge } = yield* bridged({ listTools: () => Effect.fail(errors[0]!) })
      assert.isTrue(Exit.isFailure(yield* Effect.exit(bridge.ready)))
      assert.strictEqual(bridge.cause(), errors[0])
    }))
})
