/** What waits for a server that is not there yet, and what does not. */
import { assert, describe, it } from "@effect/vitest"
import * as McpResource from "@parley/mcp/McpResource"
import type { Feature } from "@parley/mcp/server/Feature"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { greet, meta, open } from "../../../../mcp/test/server/support/line.ts"
import { settled } from "../../../../mcp/test/support/settled.ts"
import * as Bridge from "../../../src/internal/mcp/bridge/Bridge.ts"

/** A bridge whose server has its features when it is there. */
const late = Effect.gen(function*() {
  const there = yield* Deferred.make<void>()
  let features: ReadonlyArray<Feature> = []
  const server = yield* Bridge.make({
    name: "far",
    source: {
      featuresFor: () => Exit.succeed(features),
      tool: () => undefined,
      capabilities: () => ({ resources: { subscribe: true } }),
      onChange: () => Effect.void
    },
    identity: () => undefined,
    instructions: () => undefined,
    away: () => undefined,
    settled: Deferred.await(there),
    met: () => {},
    during: (call) => call
  })
  const come = Effect.suspend(() => {
    features = [McpResource.make("far://a", { name: "a" }, () => Effect.succeed(""))]
    return Deferred.succeed(there, undefined)
  })
  return { come, line: yield* open(server) }
})

describe("a server that is not there yet", () => {
  it.effect("is waited for by a handshake, behind which a ping is answered", () =>
    Effect.gen(function*() {
      const { come, line } = yield* late
      const greeting = yield* Effect.forkChild(greet(line, "2025-11-25"), { startImmediately: true })
      yield* settled
      yield* line.write({ jsonrpc: "2.0", id: "life", method: "ping" })
      yield* settled
      assert.isUndefined(greeting.pollUnsafe())
      assert.isTrue(line.aside.some(({ id }) => id === "life"))
      yield* come
      yield* Fiber.join(greeting)
    }))

  it.effect("is waited for by who listens to its resources", () =>
    Effect.gen(function*() {
      const { come, line } = yield* late
      yield* line.write({
        jsonrpc: "2.0",
        id: 1,
        method: "subscriptions/listen",
        params: { _meta: meta(), notifications: { resourceSubscriptions: ["far://a"] } }
      })
      const next = yield* Effect.forkChild(line.next, { startImmediately: true })
      yield* settled
      assert.isUndefined(next.pollUnsafe())
      yield* come
      assert.containsSubset(yield* Fiber.join(next), {
        method: "notifications/subscriptions/acknowledged",
        params: { notifications: { resourceSubscriptions: ["far://a"] } }
      })
    }))
})
