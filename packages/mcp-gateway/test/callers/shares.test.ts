import { assert, describe, it } from "@effect/vitest"
import type * as McpUpstream from "@parley/mcp-gateway/McpUpstream"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as McpError from "@parley/mcp/wire/McpError"
import { Deferred, Effect, Fiber, Logger, Schema } from "effect"
import { clientAs, gatewayOf, parties, settled } from "../support/gateways.ts"

/** A call of the client's, and whether it has been let in. */
type Attempt = Effect.Effect<boolean>

const refusedOrNot = <A, E extends { readonly _tag: string }>(call: Effect.Effect<A, E>): Attempt =>
  Effect.match(call, {
    onSuccess: () => true,
    onFailure: (error) => {
      assert.propertyVal(error, "code", McpError.Overloaded)
      return false
    }
  })

/** A server of the legacy era with a call that lasts, and one that asks its client and waits. */
const slow = Effect.map(Deferred.make<void>(), (end) => ({
  end,
  features: [
    McpTool.make("slow", {}, () => Effect.as(Deferred.await(end), "done")),
    McpTool.make("fast", {}, () => Effect.succeed("done")),
    McpTool.make(
      "ask",
      {},
      (_, call) => Effect.as(call.elicit("name", { message: "?", fields: { name: Schema.String } }), "done")
    )
  ]
}))

const handlers = { elicit: () => Effect.succeed({ action: "decline" as const }) }

const before = Effect.fnUntraced(function*(options: Partial<McpUpstream.McpUpstreamOptions>) {
  const { end, features } = yield* slow
  const server = yield* McpServer.make({ name: "far", version: "1", features })
  const gateway = yield* gatewayOf({ far: { server, ...options } }, "2025-11-25")
  yield* settled
  return { end, gateway }
})

describe("one party does not use up", () => {
  for (const { many, name, principal } of parties) {
    for (const revision of ["2025-11-25", "2026-07-28"] as const) {
      it.effect(`the connections to a server behind: ${name}, ${revision}`, () =>
        Effect.gen(function*() {
          const { end, gateway } = yield* before({ connections: 8 })
          const client = yield* clientAs(gateway, principal, { protocolVersion: revision, handlers })
          const running: Array<Fiber.Fiber<boolean>> = []
          for (let n = 0; n < 20; n++) {
            const one = many ? yield* clientAs(gateway, principal, { protocolVersion: revision, handlers }) : client
            running.push(yield* Effect.forkChild(refusedOrNot(one.callTool("far_slow"))))
            yield* settled
          }
          for (const other of ["ada", undefined]) {
            for (const can of [{ handlers }, {}]) {
              const honest = yield* clientAs(gateway, other, { protocolVersion: revision, ...can })
              yield* honest.callTool("far_fast")
            }
          }
          yield* Deferred.succeed(end, undefined)
          const letIn = yield* Effect.forEach(running, (fiber) => Fiber.join(fiber))
          assert.isTrue(letIn.some((isIn) => isIn))
          // Calls of one legacy session share its connection.
          assert.strictEqual(letIn.every((isIn) => isIn), revision === "2025-11-25" && !many)
        }))
    }

    it.effect(`the calls that wait for their clients: ${name}`, () =>
      Effect.gen(function*() {
        const { gateway } = yield* before({ waiting: 8, waitingPerPrincipal: 2, connections: 64 })
        const options = { protocolVersion: "2026-07-28" as const, handlers }
        const client = yield* clientAs(gateway, principal, options)
        const once = (one: typeof client) => refusedOrNot(one.request("tools/call", { name: "far_ask", arguments: {} }))
        let isIn = 0
        for (let n = 0; n < 5; n++) {
          if (yield* once(many ? yield* clientAs(gateway, principal, options) : client)) isIn++
        }
        assert.strictEqual(isIn, 2)
        for (const other of ["ada", undefined]) {
          assert.isTrue(yield* once(yield* clientAs(gateway, other, options)))
        }
      }))
  }

  for (const were of [[], ["ada", "eve"]]) {
    const there = were.length === 0 ? "a principal" : "principals whose connections are idle"
    it.effect(`the connections to a server behind, also as many anonymous ones, against ${there}`, () =>
      Effect.gen(function*() {
        const { end, gateway } = yield* before({ connections: 8 })
        for (const name of were) {
          yield* (yield* clientAs(gateway, name, { protocolVersion: "2025-11-25", handlers })).callTool("far_fast")
        }
        const running: Array<Fiber.Fiber<boolean>> = []
        for (let n = 0; n < 12; n++) {
          const anonymous = yield* clientAs(gateway, undefined, { protocolVersion: "2025-11-25", handlers })
          running.push(yield* Effect.forkChild(refusedOrNot(anonymous.callTool("far_slow"))))
          yield* settled
        }
        const ada = yield* clientAs(gateway, "ada", { protocolVersion: "2025-11-25", handlers })
        yield* ada.callTool("far_fast")
        yield* Deferred.succeed(end, undefined)
        const letIn = yield* Effect.forEach(running, (fiber) => Fiber.join(fiber))
        // Six of eight connections are for callers without a principal, and the gateway itself has one of them.
        assert.strictEqual(letIn.filter((isIn) => isIn).length, 5)
      }))
  }

  it.effect("the lines of the log about a server behind", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const logger = Logger.make<unknown, void>(({ logLevel, message }) => {
        if (logLevel === "Warn" || logLevel === "Info") lines.push(String(message))
      })
      const layer = Logger.layer([logger])
      yield* Effect.gen(function*() {
        const { gateway } = yield* before({ connections: 8 })
        for (let n = 0; n < 60; n++) {
          const eve = yield* clientAs(gateway, "eve", { protocolVersion: "2025-11-25", handlers })
          yield* Effect.forkChild(refusedOrNot(eve.callTool("far_slow")))
          yield* settled
        }
      }).pipe(Effect.provide(layer))
      assert.isAtMost(lines.filter((line) => line.includes("the server far")).length, 10)
    }))
})
