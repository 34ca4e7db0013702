import { assert, describe, it } from "@effect/vitest"
import * as McpClient from "@parley/mcp/McpClient"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import { Deferred, Effect, Exit, Layer, Schema, Scope } from "effect"

const me = { name: "c", version: "1" }
const echo = McpTool.make("echo", { params: { text: Schema.String } }, ({ text }) => Effect.succeed(text))
const said = [{ type: "text" as const, text: "hello" }]

describe("McpMemoryClient", () => {
  it.effect("is a client of the server from here, in either era", () =>
    Effect.gen(function*() {
      for (const revision of ["2025-11-25", "2026-07-28"] as const) {
        const client = yield* McpMemoryClient.make({ ...me, protocolVersion: revision })
        assert.strictEqual(client.protocolVersion, revision)
        assert.deepStrictEqual((yield* client.callTool("echo", { text: "hello" })).content, said)
      }
    }).pipe(Effect.provide(McpServer.layer({ name: "s", version: "1", features: [echo] }))))

  it.effect("is a layer over that of the server", () =>
    Effect.gen(function*() {
      const client = yield* McpClient.McpClient
      assert.deepStrictEqual((yield* client.callTool("echo", { text: "hello" })).content, said)
    }).pipe(Effect.provide(
      McpMemoryClient.layer(me).pipe(
        Layer.provide(McpServer.layer({ name: "s", version: "1", features: [echo] }))
      )
    )))

  it.effect("ends with its Scope, and what runs on the server as well", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<void>()
      const rest = McpTool.make("rest", {}, () =>
        Effect.andThen(Deferred.succeed(started, undefined), Effect.never).pipe(
          Effect.onInterrupt(() => Deferred.succeed(ended, undefined))
        ))
      const server = yield* McpServer.make({ name: "s", version: "1", features: [rest] })
      const scope = yield* Scope.make()
      const client = yield* McpMemoryClient.make({ ...me, limits: { drain: 0 } }).pipe(
        Effect.provideService(McpServer.McpServer, server),
        Scope.provide(scope)
      )
      yield* Effect.forkChild(Effect.exit(client.callTool("rest")), { startImmediately: true })
      yield* Deferred.await(started)
      yield* Scope.close(scope, Exit.void)
      yield* Deferred.await(ended)
      assert.strictEqual((yield* client.disconnected)._tag, "Closed")
    }))
})
