import { assert, describe, it } from "@effect/vitest"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import type * as Revision from "@parley/mcp/wire/Revision"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { Effect, Fiber, Metric } from "effect"
import { TestClock } from "effect/testing"
import { Durations } from "../../src/internal/telemetry/Durations.ts"

const features = [
  McpTool.make("slow", {}, () => Effect.as(Effect.sleep("15 seconds"), "done")),
  McpTool.make("fails", {}, () => Effect.fail("no")),
  McpTool.make("refuses", {}, () => Effect.fail(ErrorResponse.make(1001, "Insufficient funds")))
]

const connect = (metrics: boolean, revision: Revision.Revision = "2026-07-28") =>
  Effect.flatMap(McpServer.make({ name: "s", version: "1", features, metrics }), (server) =>
    Effect.provideService(
      McpMemoryClient.make({ name: "c", version: "1", protocolVersion: revision, metrics }),
      McpServer.McpServer,
      server
    ))

/** Runs an effect with metrics of its own. */
const metered = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.provideService(effect, Metric.MetricRegistry, new Map())

/** The histograms by their names, as pairs of attributes and state. */
const histograms = Effect.map(
  Metric.snapshot,
  (all) => (name: string) =>
    all.flatMap(({ attributes, id, state }) =>
      id === name && "buckets" in state
        ? [{ attributes, count: state.count, sum: state.sum, buckets: state.buckets }]
        : []
    )
)

describe("the durations of operations", () => {
  for (const side of ["client", "server"] as const) {
    it.effect(`are mcp.${side}.operation.duration, by method, tool, revision and error`, () =>
      metered(Effect.gen(function*() {
        const client = yield* connect(true)
        const fiber = yield* Effect.forkChild(client.callTool("slow"), { startImmediately: true })
        yield* TestClock.adjust("15 seconds")
        yield* Fiber.join(fiber)
        yield* Effect.flip(client.callTool("fails"))
        yield* Effect.flip(client.callTool("refuses"))
        yield* Effect.flip(client.callTool("made up"))
        const found = (yield* histograms)(`mcp.${side}.operation.duration`)
        const call = {
          "mcp.method.name": "tools/call",
          "gen_ai.operation.name": "execute_tool",
          "mcp.protocol.version": "2026-07-28",
          unit: "s"
        }
        const refused = { "error.type": "-32602", "rpc.response.status_code": "-32602" }
        assert.sameDeepMembers(found.map(({ attributes, count }) => ({ attributes, count })), [
          { attributes: { ...call, "gen_ai.tool.name": "slow" }, count: 1 },
          { attributes: { ...call, "gen_ai.tool.name": "fails", "error.type": "tool_error" }, count: 1 },
          {
            attributes: {
              ...call,
              "gen_ai.tool.name": "refuses",
              "error.type": "1001",
              "rpc.response.status_code": "1001"
            },
            count: 1
          },
          {
            // A name that a client makes up is in no metric of the server.
            attributes: side === "client"
              ? { ...call, "gen_ai.tool.name": "made up", ...refused }
              : { ...call, ...refused },
            count: 1
          }
        ])
        const slow = found.find(({ attributes }) => attributes?.["gen_ai.tool.name"] === "slow")
        assert.strictEqual(slow?.sum, 15)
        const bounds = slow?.buckets.map(([bound]) => bound).filter(Number.isFinite)
        assert.deepStrictEqual(bounds, [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300])
        assert.deepStrictEqual((yield* histograms)(`rpc.${side}.call.duration`), [])
      })))
  }

  for (const revision of ["2025-11-25", "2026-07-28"] as const) {
    it.effect(`are those of sessions, too, from their beginning to their end: ${revision}`, () =>
      metered(Effect.gen(function*() {
        yield* Effect.scoped(Effect.andThen(connect(true, revision), TestClock.adjust("15 seconds")))
        for (const side of ["client", "server"]) {
          const found = (yield* histograms)(`mcp.${side}.session.duration`)
          assert.deepStrictEqual(found.map(({ attributes, count, sum }) => ({ attributes, count, sum })), [
            {
              attributes: side === "server" && revision === "2026-07-28"
                ? { unit: "s" }
                : { "mcp.protocol.version": revision, unit: "s" },
              count: 1,
              sum: 15
            }
          ])
        }
      })))
  }

  it.effect("are not recorded unless that is wanted", () =>
    metered(Effect.gen(function*() {
      const client = yield* connect(false)
      yield* Effect.flip(client.callTool("fails"))
      assert.deepStrictEqual(yield* Metric.snapshot, [])
    })))

  it.effect("share one histogram beyond the bound", () =>
    metered(Effect.gen(function*() {
      const durations = new Durations("d", "")
      const context = yield* Effect.context<never>()
      for (let code = 0; code < 2_050; code++) durations.record({ "error.type": String(code) }, 1e9, context)
      durations.record({ "error.type": "0" }, 1e9, context)
      const found = (yield* histograms)("d")
      assert.strictEqual(found.length, 2_049)
      const counts = found.filter(({ count }) => count > 1).map(({ attributes, count }) => ({ attributes, count }))
      assert.sameDeepMembers(counts, [
        { attributes: { "mcp.method.name": "_OTHER", unit: "s" }, count: 2 },
        { attributes: { "error.type": "0", unit: "s" }, count: 2 }
      ])
    })))
})
