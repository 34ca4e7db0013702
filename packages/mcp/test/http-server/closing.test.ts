import { assert, describe, it } from "@effect/vitest"
import type { Responder } from "@parley/http/HttpEndpoint"
import type { RequestRules } from "@parley/http/shared"
import * as McpHttp from "@parley/mcp/McpHttp"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { modern } from "../server/support/line.ts"
import { sample } from "./support/sample.ts"

const headers: { readonly [name: string]: string } = {
  accept: "application/json, text/event-stream",
  "content-type": "application/json",
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": "subscriptions/listen"
}

const head: RequestRules.Head = { method: "POST", url: "/mcp", address: undefined, header: (name) => headers[name] }

describe("an endpoint that closes", () => {
  it.effect("waits a moment for who listens and reads nothing, and no longer", () =>
    Effect.gen(function*() {
      const { server } = yield* sample
      const scope = yield* Scope.make()
      const endpoint = yield* Scope.provide(McpHttp.endpoint(server), scope)
      const writes = yield* Deferred.make<void>()
      const stalled: Responder = {
        start: () => Effect.void,
        write: () => Effect.andThen(Deferred.succeed(writes, undefined), Effect.never),
        toStream: () => undefined
      }
      const params = modern({ notifications: { toolsListChanged: true } })
      const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params })
      const answering = yield* Effect.forkChild(endpoint.answer(head, text, stalled))
      yield* Deferred.await(writes)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* TestClock.adjust("999 millis")
      assert.isUndefined(closing.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(closing)
      yield* Fiber.interrupt(answering)
    }))
})
