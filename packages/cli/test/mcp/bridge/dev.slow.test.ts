/** Every pair of eras and wires, 500 restarts, and processes that end while somebody is asked. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import "./dev.test.ts"
import * as developed from "./developed.ts"

describe("parley mcp dev", () => {
  it.live("starts a server again that has ended by itself, and tells the call why", () =>
    Effect.gen(function*() {
      const folder = yield* developed.folder
      const dev = yield* developed.started("stdio", "legacy", folder)
      const client = yield* dev.connect()
      const error = yield* Effect.flip(client.callTool("die", { key: "a" }))
      assert.include(developed.textOf(error), "code 7")
      yield* client.callTool("now", { key: "b" })
      assert.lengthOf(folder.calls(), 2)
    }), 60_000)

  it.live("takes a question back whose server is gone", () =>
    Effect.gen(function*() {
      const folder = yield* developed.folder
      const dev = yield* developed.started("stdio", "legacy", folder)
      const asked = yield* Deferred.make<void>()
      const taken = yield* Deferred.make<void>()
      const elicit = () =>
        Effect.onInterrupt(Effect.andThen(Deferred.succeed(asked, undefined), Effect.never), () =>
          Deferred.succeed(taken, undefined))
      const client = yield* dev.connect({ protocolVersion: "2025-11-25", handlers: { elicit } })
      const call = yield* Effect.forkChild(Effect.flip(client.callTool("ask", { key: "a" })))
      yield* Deferred.await(asked)
      yield* folder.tools("now")
      yield* Deferred.await(taken)
      assert.include(developed.textOf(yield* Fiber.join(call)), "restarted")
    }), 60_000)

  it.live("tells a modern client that comes back with an answer that its server is gone", () =>
    Effect.gen(function*() {
      const folder = yield* developed.folder
      const dev = yield* developed.started("stdio", "legacy", folder)
      const elicit = () =>
        folder.tools("now", "ask").pipe(
          Effect.andThen(dev.said("starting the server again")),
          Effect.andThen(dev.said("ready")),
          Effect.as({ action: "accept" as const, content: { name: "Ada" } })
        )
      const client = yield* dev.connect({ protocolVersion: "2026-07-28", handlers: { elicit } })
      const error = yield* Effect.flip(client.callTool("ask", { key: "a" }))
      assert.include(developed.textOf(error), "restarted")
      assert.lengthOf(folder.calls(), 1)
    }), 60_000)
})
