import { assert, describe, it } from "@effect/vitest"
import * as McpGateway from "@parley/mcp-gateway/McpGateway"
import * as Pins from "@parley/mcp-gateway/Pins"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpTool from "@parley/mcp/McpTool"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { clientAs, made, reach, settled } from "../support/gateways.ts"

const tool = (name: string, description = name) => McpTool.make(name, { description }, () => Effect.succeed(name))

describe("the status of a gateway", () => {
  it.effect("names each server, and all that is dropped or refused, with the reason", () =>
    Effect.gen(function*() {
      const one = yield* made("one", [
        tool("kept"),
        tool("denied"),
        tool("changed", "now"),
        tool("new"),
        McpResource.make("file:///a", { name: "a" }, () => Effect.succeed("1"))
      ])
      const two = yield* made("two", [McpResource.make("FILE:///a", { name: "a" }, () => Effect.succeed("2"))])
      const [kept, , changed] = yield* (yield* clientAs(one, undefined)).listTools()
      const pins = Pins.of({
        tools: [kept!, { ...changed!, description: "before" }],
        resources: [{ uri: "file:///a", name: "a" }]
      })
      const gateway = yield* McpGateway.make({
        name: "gateway",
        version: "1",
        status: { scopes: ["operate"] },
        servers: {
          one: { connect: reach(one), label: "One", credentials: "service", tools: { deny: ["denied"] }, pins },
          two: { connect: reach(two) },
          gone: { connect: () => Effect.never }
        }
      })
      yield* settled
      const client = yield* clientAs(gateway, "ada", { timeout: "1 hour" })
      const reading = yield* Effect.forkChild(client.readResource("gateway://status"), { startImmediately: true })
      yield* settled
      yield* TestClock.adjust("10 seconds")
      const [contents] = (yield* Fiber.join(reading)).contents
      const { servers } = JSON.parse(contents !== undefined && "text" in contents ? contents.text : "")
      assert.deepStrictEqual(servers, [
        {
          name: "one",
          label: "One",
          credentials: "service",
          isReached: true,
          calls: 0,
          unoffered: [
            { kind: "tool", name: "denied", why: "rules", reason: "`tools` of the configuration leaves it out" },
            { kind: "tool", name: "changed", why: "changed", reason: "it has changed since it was approved" },
            { kind: "tool", name: "new", why: "unapproved", reason: "nobody has approved it" }
          ]
        },
        {
          name: "two",
          label: "two",
          credentials: "service",
          isReached: true,
          calls: 0,
          unoffered: [{
            kind: "resource",
            name: "FILE:///a",
            why: "taken",
            reason: "the server one lists this URI before"
          }]
        },
        { name: "gone", label: "gone", credentials: "service", isReached: false, calls: 0, unoffered: [] }
      ])
    }))
})
