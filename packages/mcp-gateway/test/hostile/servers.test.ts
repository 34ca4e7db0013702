import { assert, describe, it } from "@effect/vitest"
import * as McpGateway from "@parley/mcp-gateway/McpGateway"
import * as McpUpstream from "@parley/mcp-gateway/McpUpstream"
import type * as McpClient from "@parley/mcp/McpClient"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import type { Revision } from "@parley/mcp/wire/Revision"
import { Disconnected } from "@parley/peer/Caller"
import { Deferred, Effect, Exit, Fiber, Logger, References, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { clientOf, named, pairs, revisions } from "../support/pairs.ts"

const tool = (name: string) => McpTool.make(name, {}, () => Effect.succeed(`I am ${name}`))

const made = (name: string, features: ReadonlyArray<McpServer.Feature>) =>
  McpServer.make({ name, version: "1", features })

const names = (entries: ReadonlyArray<{ readonly name: string }>) => entries.map(({ name }) => name)

const settled = Effect.forEach(Array.from({ length: 200 }), () => Effect.yieldNow)

const reach = (server: McpServer.McpServer, options: McpClient.ClientOptions, revision?: Revision) =>
  Effect.provideService(
    McpMemoryClient.make({ ...options, protocolVersion: revision, limits: { drain: 0 } }),
    McpServer.McpServer,
    server
  )

/** A server before another, whose clients `bent` changes. */
const before = (
  far: McpServer.McpServer,
  bent: (client: McpClient.McpClient) => McpClient.McpClient,
  revision?: Revision,
  shared = false
) =>
  McpGateway.make({
    name: "gateway",
    version: "1",
    servers: { far: { prefix: "", shared, connect: (options) => Effect.map(reach(far, options, revision), bent) } }
  })

describe("a gateway before itself", () => {
  for (const revision of revisions) {
    it.effect(`offers nothing twice, and comes to rest: ${revision}`, () =>
      Effect.gen(function*() {
        const itself = yield* Deferred.make<McpServer.McpServer>()
        const one = yield* made("one", [tool("a")])
        const gateway = yield* McpGateway.make({
          name: "gateway",
          version: "1",
          servers: {
            itself: {
              connect: (options) => Effect.flatMap(Deferred.await(itself), (server) => reach(server, options, revision))
            },
            one: { connect: (options) => reach(one, options) }
          }
        })
        let changes = 0
        yield* gateway.onChange(() => void changes++)
        yield* Deferred.succeed(itself, gateway)
        yield* settled
        yield* one.listChanged("tools")
        yield* settled
        yield* TestClock.adjust("1 minute")
        const client = yield* clientOf(gateway)
        assert.deepStrictEqual(names(yield* client.listTools()), ["one_a"])
        assert.propertyVal(yield* Effect.flip(client.readResource("test://none")), "_tag", "ProtocolError")
        const then = changes
        yield* settled
        assert.strictEqual(changes, then)
      }).pipe(Effect.provideService(References.MinimumLogLevel, "Error")))
  }
})

describe("a server behind that does not answer", () => {
  it.effect("holds up lists once, however often they are asked for, and no call of another", () =>
    Effect.gen(function*() {
      let reads = 0
      const stuck = yield* made("stuck", [tool("a")])
      const quick = yield* made("quick", [tool("b")])
      const gateway = yield* McpGateway.make({
        name: "gateway",
        version: "1",
        servers: {
          stuck: {
            connect: (options) =>
              Effect.map(reach(stuck, options), (client) => ({
                ...client,
                listTools: () => reads++ === 0 ? client.listTools() : Effect.never
              }))
          },
          quick: { connect: (options) => reach(quick, options) }
        }
      })
      const client = yield* clientOf(gateway)
      assert.deepStrictEqual(names(yield* client.listTools()), ["stuck_a", "quick_b"])
      yield* stuck.listChanged("tools")
      yield* settled
      yield* client.callTool("quick_b")
      const first = yield* Effect.forkChild(client.listTools())
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(first)
      yield* client.callTool("quick_b")
      assert.deepStrictEqual(names(yield* client.listTools()), ["stuck_a", "quick_b"])
      assert.strictEqual(reads, 2)
    }))
})

describe("a server behind that tells of no more changes", () => {
  it.effect("is asked for them again, and its lists with them", () =>
    Effect.gen(function*() {
      let follows = 0
      const far = yield* made("far", [tool("a")])
      const lost = Stream.fail(new Disconnected({ reason: { _tag: "Closed" }, sent: true }))
      const gateway = yield* before(far, (client) => ({
        ...client,
        changes: Stream.suspend(() => follows++ === 0 ? lost : client.changes)
      }))
      const client = yield* clientOf(gateway)
      yield* client.listTools()
      yield* far.add([tool("b")])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(names(yield* client.listTools()), ["a", "b"])
    }))
})

describe("what a server behind logs on a connection of all", () => {
  it.effect("reaches no client, since nothing tells whose it is", () =>
    Effect.gen(function*() {
      const hasBegun = yield* Deferred.make<void>()
      const isWaiting = yield* Deferred.make<void>()
      const isLogged = yield* Deferred.make<void>()
      const far = yield* made("far", [
        McpTool.make("log", {}, (_, call) =>
          Deferred.succeed(hasBegun, undefined).pipe(
            Effect.andThen(Deferred.await(isWaiting)),
            Effect.andThen(call.log("error", "a secret of Ada")),
            Effect.as("logged")
          )),
        McpTool.make("wait", {}, () =>
          Effect.as(Effect.andThen(Deferred.succeed(isWaiting, undefined), Deferred.await(isLogged)), "waited"))
      ])
      // It has not said that it logs.
      const gateway = yield* before(
        far,
        (client) => {
          const { logging: _, ...capabilities } = client.capabilities ?? {}
          return { ...client, capabilities }
        },
        "2025-11-25",
        true
      )
      const heard: Array<string> = []
      const logger = Logger.make<unknown, void>(({ message }) =>
        void heard.push(String(message))
      )
      const options = { onProgress: () => {} }
      const ada = yield* clientOf(gateway, { protocolVersion: "2026-07-28" })
      const logging = yield* Effect.forkChild(ada.callTool("log", {}, options))
      yield* Deferred.await(hasBegun)
      const grace = yield* clientOf(gateway, { protocolVersion: "2026-07-28", logLevel: "debug" }).pipe(
        Effect.flatMap((client) => client.callTool("wait", {}, options)),
        Effect.provide(Logger.layer([logger])),
        Effect.forkChild
      )
      yield* Fiber.join(logging)
      yield* settled
      yield* Deferred.succeed(isLogged, undefined)
      yield* Fiber.join(grace)
      assert.deepStrictEqual(heard.filter((message) => message.includes("secret")), [])
    }))
})

describe("a resource that is listened to", () => {
  for (const pair of pairs) {
    it.effect(`is listened to again when the server behind is back: ${named(pair)}`, () =>
      Effect.gen(function*() {
        const far = yield* McpServer.make({
          name: "far",
          version: "1",
          features: [McpResource.make("test://a", { name: "a" }, () => Effect.succeed("A"))],
          capabilities: { resources: { subscribe: true } }
        })
        const open = new Set<Scope.Closeable>()
        const upstream = yield* McpUpstream.make({
          name: "far",
          connect: (options) =>
            Effect.flatMap(Scope.make(), (scope) => {
              open.add(scope)
              return Scope.provide(reach(far, options, pair.far), scope)
            })
        })
        yield* Effect.orDie(upstream.ready)
        const server = yield* made("near", [])
        yield* server.mount(upstream)
        const client = yield* clientOf(server, { protocolVersion: pair.near })
        let updates = 0
        yield* Effect.forkScoped(Stream.runForEach(client.subscribe("test://a"), ({ _tag }) =>
          Effect.sync(() => {
            if (_tag === "Updated") updates++
          })))
        yield* settled
        yield* Effect.forEach([...open], (scope) => Scope.close(scope, Exit.void), { discard: true })
        yield* TestClock.adjust("1 minute")
        yield* settled
        // What has changed meanwhile nobody has told, so the client is told to look.
        assert.isAbove(updates, 0)
        updates = 0
        yield* far.resourceUpdated("test://a")
        yield* settled
        assert.strictEqual(updates, 1)
      }).pipe(Effect.provideService(References.MinimumLogLevel, "Error")))
  }
})
