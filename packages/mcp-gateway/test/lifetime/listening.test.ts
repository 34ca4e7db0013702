/** Calls of a party behind its subscriptions, whose server takes its time. */
import { assert, describe, it } from "@effect/vitest"
import type * as McpClient from "@parley/mcp/McpClient"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { clientAs, gatewayOf, reach, settled } from "../support/gateways.ts"
import { pairs } from "../support/pairs.ts"

/** A server whose tool changes its resource, reached by a line on which subscriptions are late. */
const late = (wait: Effect.Effect<void>, far: (typeof pairs)[number]["far"]) =>
  Effect.gen(function*() {
    let touched = 0
    const server: McpServer.McpServer = yield* McpServer.make({
      name: "far",
      version: "1",
      features: [
        McpResource.make("test://r", { name: "r" }, () => Effect.succeed("text")),
        McpTool.make("touch", {}, () => {
          touched++
          return Effect.as(server.resourceUpdated("test://r"), "")
        })
      ]
    })
    const connect = (options: McpClient.ClientOptions) =>
      Effect.map(reach(server, far)(options), (client): McpClient.McpClient => ({
        ...client,
        subscribe: (uri) => Stream.unwrap(Effect.as(wait, client.subscribe(uri)))
      }))
    return { gateway: yield* gatewayOf({ far: { server, connect } }), touched: () => touched }
  })

/** The tags of what a client hears, which calls as soon as it is subscribed. */
const listening = (client: McpClient.McpClient, call: Effect.Effect<unknown, unknown>) => {
  const heard: Array<string> = []
  return Effect.as(
    Effect.forkScoped(
      Stream.runForEach(client.subscribe("test://r"), ({ _tag }) => {
        heard.push(_tag)
        return _tag === "Subscribed" ? call : Effect.void
      }),
      { startImmediately: true }
    ),
    heard
  )
}

describe("a call behind a subscription", () => {
  it.effect.each(pairs)(
    "reaches a server when that listens, so that its caller hears of what it changes: %j",
    ({ far, near }) =>
      Effect.gen(function*() {
        const { gateway, touched } = yield* late(Effect.sleep("300 millis"), far)
        const client = yield* clientAs(gateway, "ada", { protocolVersion: near })
        const heard = yield* listening(client, client.callTool("far_touch"))
        yield* settled
        assert.deepStrictEqual([heard, touched()], [["Subscribed"], 0])
        yield* TestClock.adjust("300 millis")
        yield* settled
        assert.deepStrictEqual([heard, touched()], [["Subscribed", "Updated"], 1])
      })
  )

  it.effect.each(pairs)(
    "waits a second for a server that answers none, and nobody else waits: %j",
    ({ far, near }) =>
      Effect.gen(function*() {
        const { gateway, touched } = yield* late(Effect.never, far)
        const ada = yield* clientAs(gateway, "ada", { protocolVersion: near })
        const eve = yield* clientAs(gateway, "eve", { protocolVersion: near })
        yield* listening(ada, Effect.void)
        yield* settled
        const calling = yield* Effect.forkChild(ada.callTool("far_touch"), { startImmediately: true })
        yield* settled
        assert.strictEqual(touched(), 0)
        yield* eve.callTool("far_touch")
        assert.strictEqual(touched(), 1)
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(calling)
        yield* ada.callTool("far_touch")
        assert.strictEqual(touched(), 3)
      })
  )
})
