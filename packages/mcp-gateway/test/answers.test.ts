/** The answers of a server behind, and those that are made for it while it is away. */
import { assert, describe, it } from "@effect/vitest"
import * as McpGateway from "@parley/mcp-gateway/McpGateway"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as Revision from "@parley/mcp/wire/Revision"
import { Deadline } from "@parley/middleware"
import { Deferred, Effect, Fiber, References } from "effect"
import { TestClock } from "effect/testing"
import { gatewayOf, made, reach, settled } from "./support/gateways.ts"

const quietly = Effect.provideService(References.MinimumLogLevel, "None")

/** Codes that the modern era forbids. */
const isForbidden = (code: number) => (code >= -32019 && code <= -32000) || code === -32042

describe("a timeout of a server behind", () => {
  it.live.each(Revision.all)(
    "is no resource that does not exist: %s",
    (revision) =>
      Effect.gen(function*() {
        const slow = yield* McpServer.make({
          name: "slow",
          version: "1",
          middleware: Deadline.handler("20 millis"),
          features: [McpResource.make("x:slow", { name: "slow" }, () => Effect.never)]
        })
        const gateway = yield* gatewayOf({ slow }, revision)
        for (const own of ["2025-11-25", "2026-07-28"] as const) {
          const client = yield* Effect.provideService(
            McpMemoryClient.make({ name: "me", version: "1", protocolVersion: own, limits: { drain: 0 } }),
            McpServer.McpServer,
            gateway
          )
          const late = yield* Effect.flip(client.readResource("x:slow"))
          assert.deepInclude(late, { _tag: "ProtocolError", text: "Deadline exceeded" })
          assert.isFalse(own === "2026-07-28" && isForbidden(Object(late).code))
          const missing = yield* Effect.flip(client.readResource("x:none"))
          assert.deepInclude(missing, { _tag: "ProtocolError", code: own === "2026-07-28" ? -32602 : -32002 })
        }
      }).pipe(Effect.scoped, quietly)
  )
})

describe("a resource that a session listened to before another process took it up", () => {
  it.effect.each<readonly [string, ReadonlyArray<string>]>([
    ["the only one", []],
    ["beside another", ["other"]]
  ])(
    "goes on once the server behind is reached that was away when its client came back: %s",
    ([, others]) =>
      Effect.gen(function*() {
        const far = yield* made("far", [McpResource.make("test://a", { name: "a" }, () => Effect.succeed(""))])
        const other = yield* made("other", [McpResource.make("other://a", { name: "a" }, () => Effect.succeed(""))])
        const back = yield* Deferred.make<void>()
        const gateway = yield* McpGateway.make({
          name: "gateway",
          version: "1",
          servers: {
            far: { connect: (options) => Effect.andThen(Deferred.await(back), reach(far, "2025-11-25")(options)) },
            ...Object.fromEntries(others.map((name) => [name, { connect: reach(other, "2025-11-25") }]))
          }
        })
        yield* settled
        const told: Array<string> = []
        const connection = gateway.connect({
          peer: {
            notify: (method: string) => Effect.sync(() => told.push(method)),
            request: () => Effect.die("nothing is asked")
          } as never,
          record: { revision: "2025-11-25", ready: true, subscriptions: ["test://a"] }
        })
        const asking = yield* Effect.forkChild(connection.restored(), { startImmediately: true })
        yield* settled
        // The first lists wait for the server so long.
        yield* TestClock.adjust("5 seconds")
        yield* Fiber.join(asking)
        assert.deepStrictEqual(connection.record().subscriptions, ["test://a"])
        yield* Deferred.succeed(back, undefined)
        yield* settled
        yield* TestClock.adjust("1 second")
        yield* connection.restored()
        yield* settled
        yield* far.resourceUpdated("test://a")
        yield* settled
        assert.deepStrictEqual(told.filter((method) => method.endsWith("/updated")), [
          "notifications/resources/updated"
        ])
        yield* connection.close
      })
  )
})
