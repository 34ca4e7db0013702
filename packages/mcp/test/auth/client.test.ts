import { assert, describe, it } from "@effect/vitest"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { challenge, issuer, server, World } from "../../../oauth/test/support/World.ts"
import * as transports from "../http-client/support/transports.ts"
import { mcp } from "./support/mcp.ts"

describe("a client of MCP whose server wants a token", () => {
  it.effect("the time of calls stands still while a person is asked", () =>
    Effect.gen(function*() {
      const world = mcp(new World())
      const decided = yield* Deferred.make<void>()
      const authorize: typeof world.authorize = (request) =>
        Effect.andThen(Deferred.await(decided), world.authorize(request))
      const opening = yield* Effect.forkChild(McpHttpClient.make(world.fetcher, {
        name: "me",
        version: "1",
        url: server,
        auth: { grant: world.grant({ authorize }) }
      }))
      yield* TestClock.adjust("10 minutes")
      yield* Deferred.succeed(decided, undefined)
      const client = yield* Fiber.join(opening)
      yield* client.ping
      assert.strictEqual(world.asked.length, 1)
    }))

  it.effect("a stream that waits for messages asks nobody", () =>
    Effect.gen(function*() {
      const world = mcp(new World())
      const { [server]: serve } = world.routes
      world.routes[server] = (seen) => seen.method === "GET" ? challenge() : serve?.(seen) ?? {}
      const transport = yield* transports.open(server, { fetcher: Effect.succeed(world.fetcher), auth: world.auth() })
      yield* transport.request("ping")
      world.routes[`${issuer}/token`] = () => ({ status: 400, json: { error: "invalid_grant" } })
      // The stream is opened behind this.
      yield* transport.notify("notifications/initialized")
      yield* TestClock.adjust("10 minutes")
      assert.isAbove(world.seen.filter(({ method, url }) => method === "GET" && url.href === server).length, 1)
      assert.strictEqual(world.asked.length, 1)
    }))
})
