import { assert, describe, it } from "@effect/vitest"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpServer from "@parley/mcp/McpServer"
import type * as Revision from "@parley/mcp/wire/Revision"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import * as MeshNode from "@parley/mesh/MeshNode"
import { Cause, Deferred, Effect, Exit, Fiber, Queue, type Schema, Stream } from "effect"
import { Watcher } from "../../src/internal/server/changes/Watcher.ts"
import { spoken } from "../server/support/line.ts"
import { connect, declared, name, server, Weather } from "./support/weather.ts"

describe("the notifications of an extension", () => {
  for (const revision of ["2025-06-18", "2026-07-28"] as const) {
    it.effect(`come to the client's handlers, in their order, in ${revision}`, () =>
      Effect.gen(function*() {
        const heard = yield* Queue.unbounded<unknown>()
        const client = yield* connect(
          revision,
          Weather.use({
            settings: { units: "celsius" },
            handlers: { changed: (params) => Effect.asVoid(Queue.offer(heard, params)) }
          })
        )
        const { calls } = yield* Weather.client(client)
        yield* calls.at({ station: "north" })
        yield* calls.at({ station: "south" })
        assert.deepStrictEqual(yield* Queue.takeN(heard, 2), [
          { station: "north", degrees: -3 },
          { station: "south", degrees: 21 }
        ])
      }))
  }

  it.effect("a client listens to the topics that it names, as far as it may", () =>
    Effect.gen(function*() {
      const made = yield* server
      const client = yield* Effect.provideService(
        McpMemoryClient.make({
          name: "c",
          version: "1",
          extensions: [Weather.use({ settings: { units: "celsius" } })]
        }),
        McpServer.McpServer,
        made
      )
      const subscribed = yield* Deferred.make<void>()
      const told = yield* Weather.listen(client, {
        weatherStations: ["north", "south", "secret"],
        weatherSeasons: true
      }).pipe(
        Stream.tap(({ _tag }) => _tag === "Subscribed" ? Deferred.succeed(subscribed, undefined) : Effect.void),
        Stream.filter(({ _tag }) => _tag === "Notified"),
        Stream.take(4),
        Stream.runCollect,
        Effect.forkChild({ startImmediately: true })
      )
      yield* Deferred.await(subscribed)
      yield* Weather.publish(made, "changed", { station: "secret", degrees: 0 })
      yield* Weather.publish(made, "changed", { station: "west", degrees: 0 })
      yield* Weather.publish(made, "changed", { station: "north", degrees: 1 })
      yield* Weather.publish(made, "changed", { station: "south", degrees: 3 })
      yield* Weather.publish(made, "season", { name: "winter" })
      const { calls } = yield* Weather.client(client)
      yield* calls["weather/reset"]()
      const events = yield* Fiber.join(told)
      assert.deepStrictEqual<unknown>(events.map((event) => event._tag === "Notified" ? event.params : event), [
        { station: "north", degrees: 1 },
        { station: "south", degrees: 3 },
        { name: "winter" },
        { name: "none" }
      ])
    }))

  it.effect("a topic is acknowledged as far as a client may listen, and refused where it is no topic", () =>
    Effect.gen(function*() {
      const listening = (notifications: Schema.JsonObject, capabilities: Schema.JsonObject = declared) =>
        Effect.gen(function*() {
          const { line, params } = yield* spoken(yield* server, "2026-07-28", capabilities)
          yield* line.write({
            jsonrpc: "2.0",
            id: 1,
            method: "subscriptions/listen",
            params: params({ notifications })
          })
          const { error, params: told } = yield* line.next
          return error?.code ?? told?.["notifications"]
        })
      assert.deepStrictEqual(yield* listening({ weatherStations: ["north", "secret"], weatherSeasons: true }), {
        weatherStations: ["north"],
        weatherSeasons: true
      })
      assert.deepStrictEqual(yield* listening({ weatherStations: ["secret"], weatherSeasons: false }), {
        weatherStations: []
      })
      assert.deepStrictEqual(yield* listening({ weatherStations: ["north"], toolsListChanged: true }, {}), {
        toolsListChanged: true
      })
      assert.strictEqual(yield* listening({ weatherStations: "north" }), -32602)
      assert.strictEqual(yield* listening({ weatherSeasons: ["winter"] }), -32602)
      const many = Array.from({ length: 1_025 }, (_, index) => `${index}`)
      assert.strictEqual(yield* listening({ weatherStations: many }), -31000)
    }))

  it.effect("in the legacy era they go to the sessions of clients that know the extension, but for those of a key", () =>
    Effect.gen(function*() {
      const made = yield* server
      const heard = yield* Queue.unbounded<unknown>()
      const told = (who: string) => (params: unknown) => Effect.asVoid(Queue.offer(heard, [who, params]))
      const connected = (revision: Revision.Revision, who: string) =>
        Effect.provideService(
          McpMemoryClient.make({
            name: "c",
            version: "1",
            protocolVersion: revision,
            extensions: [
              Weather.use({ settings: { units: "celsius" }, handlers: { season: told(who), changed: told(who) } })
            ]
          }),
          McpServer.McpServer,
          made
        )
      const legacy = yield* connected("2025-11-25", "legacy")
      yield* connected("2026-07-28", "modern")
      const { line } = yield* spoken(made, "2025-11-25")
      yield* legacy.ping
      yield* Weather.publish(made, "changed", { station: "north", degrees: 1 })
      yield* Weather.publish(made, "season", { name: "spring" })
      assert.deepStrictEqual(yield* Queue.take(heard), ["legacy", { name: "spring" }])
      yield* legacy.ping
      yield* line.result("ping")
      assert.deepStrictEqual(line.aside, [])
      assert.strictEqual(yield* Queue.size(heard), 0)
    }))

  it.effect("reach the clients of all nodes of a mesh", () =>
    Effect.gen(function*() {
      const engine = yield* MemoryNodes.makeEngine
      const [one, other] = yield* Effect.forEach([1, 2], () =>
        Effect.gen(function*() {
          const node = yield* server
          yield* node.share(yield* MeshNode.make(engine))
          return node
        }))
      if (one === undefined || other === undefined) return
      const { line, params } = yield* spoken(other, "2026-07-28", declared)
      const notifications = { weatherStations: ["north"], weatherSeasons: true }
      yield* line.write({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: params({ notifications }) })
      assert.strictEqual((yield* line.next).method, "notifications/subscriptions/acknowledged")
      const told = yield* Effect.forkChild(Effect.exit(line.next), { startImmediately: true })
      yield* Weather.publish(one, "changed", { station: "south", degrees: 1 })
      yield* Weather.publish(one, "season", { name: "winter" })
      // The line of the tests knows no notifications of extensions, and says what came.
      const exit = yield* Fiber.join(told)
      assert.match(String(Exit.isFailure(exit) && Cause.squash(exit.cause)), /weather\/season.*"name":"winter"/)
    }))

  it("a client that is slow is sent the newest of each key", () => {
    const watcher = new Watcher(() => true)
    const tell = (method: string, degrees: number, key?: string) =>
      watcher.mark({ extension: name, method, params: { degrees }, ...(key !== undefined && { key }) })
    tell("changed", 1, "north")
    tell("changed", 2, "south")
    tell("changed", 3, "north")
    tell("season", 4)
    tell("season", 5)
    const degrees = watcher.take().map((change) => "extension" in change ? change.params["degrees"] : change)
    assert.deepStrictEqual<unknown>(degrees, [3, 2, 5])
  })
})
