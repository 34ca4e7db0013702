import { assert, describe, it } from "@effect/vitest"
import * as McpGateway from "@parley/mcp-gateway/McpGateway"
import * as McpTool from "@parley/mcp/McpTool"
import * as Content from "@parley/mcp/payload/Content"
import { Effect, Exit, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import { clientAs, made, reach, settled } from "../support/gateways.ts"
import { pairs } from "../support/pairs.ts"

const times = process.env["SLOW"] === "1" ? 1_000 : 25

describe("a server that restarts again and again", () => {
  it.effect.each(pairs)("leaves no stale session: %j", ({ far, near }) =>
    Effect.gen(function*() {
      const server = yield* made("far", [
        McpTool.make("now", {}, () => Effect.succeed("noon")),
        McpTool.make("ask", {}, (_, call) =>
          Effect.as(call.elicit("q", { message: "?", fields: { name: Schema.String } }), "asked"))
      ])
      // The ends of the server, and how many connections of ours are open, whether their server is there or not.
      const ends = new Set<Scope.Closeable>()
      let open = 0
      const restart = Effect.suspend(() => {
        const all = [...ends]
        ends.clear()
        return Effect.forEach(all, (end) =>
          Scope.close(end, Exit.void), { discard: true })
      })
      const gateway = yield* McpGateway.make({
        name: "gateway",
        version: "1",
        servers: {
          far: {
            connect: (options) =>
              Effect.gen(function*() {
                yield* Effect.acquireRelease(
                  Effect.sync(() =>
                    open++
                  ),
                  () => Effect.sync(() => open--)
                )
                const end = yield* Scope.make()
                ends.add(end)
                return yield* Scope.provide(reach(server, far)(options), end)
              })
          }
        }
      })
      yield* settled
      const handlers = { elicit: () => Effect.succeed({ action: "accept" as const, content: { name: "Ada" } }) }
      const clients = [
        yield* clientAs(gateway, "ada", { protocolVersion: near, handlers, timeout: "1 hour" }),
        yield* clientAs(gateway, "eve", { protocolVersion: near, timeout: "1 hour" })
      ]
      for (let time = 0; time < times; time++) {
        yield* restart
        yield* TestClock.adjust("1 minute")
        yield* Effect.forEach(clients, (client) => client.callTool("far_now"))
        assert.deepStrictEqual((yield* clients[0]!.callTool("far_ask")).content, [Content.text("asked")])
        // The one that is always there, and for each client one for calls and one for calls that may ask.
        assert.isAtMost(open, 5)
        assert.strictEqual(open, ends.size)
      }
    }), 60_000)
})
