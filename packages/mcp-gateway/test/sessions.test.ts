import { assert, describe, it } from "@effect/vitest"
import * as McpUpstream from "@parley/mcp-gateway/McpUpstream"
import type * as McpClient from "@parley/mcp/McpClient"
import type { ClientSession } from "@parley/mcp/McpContext"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import type { LogLevel } from "@parley/mcp/payload/LogLevel"
import { Deferred, Effect, Exit, Fiber, Logger, References, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as asking from "./support/asking.ts"
import { clientOf, named, pairs, through } from "./support/pairs.ts"

/** A server that counts its connections, which are of the legacy era. */
const counted = Effect.fnUntraced(function*(options: Partial<McpUpstream.McpUpstreamOptions> = {}) {
  const { server: far } = yield* asking.make
  const open = { now: 0, ever: 0 }
  const server = yield* Effect.orDie(McpUpstream.server({
    name: "far",
    connect: (options) =>
      Effect.andThen(
        Effect.acquireRelease(
          Effect.sync(() => {
            open.now++
            open.ever++
          }),
          () => Effect.sync(() => open.now--)
        ),
        Effect.provideService(
          McpMemoryClient.make({ ...options, protocolVersion: "2025-11-25", limits: { drain: 0 } }),
          McpServer.McpServer,
          far
        )
      ),
    ...options
  }))
  return { open, server }
})

const settled = Effect.forEach(Array.from({ length: 100 }), () => Effect.yieldNow)

describe("the connections to a server behind", () => {
  it.effect("are one for each session that can be asked, and end with it", () =>
    Effect.gen(function*() {
      const { open, server } = yield* counted()
      const scope = yield* Scope.make()
      const options = { protocolVersion: "2025-11-25" as const, handlers: asking.handlers("Ada") }
      const client = yield* Scope.provide(clientOf(server, options), scope)
      yield* client.callTool("greet")
      yield* client.callTool("greet")
      assert.deepStrictEqual(open, { now: 2, ever: 2 })
      yield* Scope.close(scope, Exit.void)
      yield* settled
      assert.deepStrictEqual(open, { now: 1, ever: 2 })
    }))

  it.effect("are one for all that nobody asks anything", () =>
    Effect.gen(function*() {
      const { open, server } = yield* counted()
      for (const revision of ["2025-11-25", "2026-07-28"] as const) {
        for (let count = 0; count < 5; count++) {
          yield* (yield* clientOf(server, { protocolVersion: revision })).listTools()
        }
      }
      assert.deepStrictEqual(open, { now: 1, ever: 1 })
    }))

  it.effect("are used again by modern clients where they are shared, and closed when nobody has used them for a while", () =>
    Effect.gen(function*() {
      const { open, server } = yield* counted({ idle: "1 minute", shared: true })
      for (const name of ["Ada", "Grace"]) {
        const client = yield* clientOf(server, { protocolVersion: "2026-07-28", handlers: asking.handlers(name) })
        yield* client.callTool("greet")
      }
      assert.deepStrictEqual(open, { now: 2, ever: 2 })
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(open, { now: 1, ever: 2 })
    }))

  it.effect("make room when there are too many: the one that nobody has used for longest ends", () =>
    Effect.gen(function*() {
      const { open, server } = yield* counted({ connections: 3 })
      for (const name of ["a", "b", "c", "d"]) {
        const client = yield* clientOf(server, { protocolVersion: "2025-11-25", handlers: asking.handlers(name) })
        yield* client.callTool("greet")
        yield* TestClock.adjust("1 second")
      }
      yield* settled
      assert.deepStrictEqual(open, { now: 3, ever: 5 })
    }).pipe(Effect.provideService(References.MinimumLogLevel, "Error")))
})

describe("a session through a server in between", () => {
  it.effect("tells that its roots have changed, and hears that a page is done", () =>
    Effect.gen(function*() {
      const changed = yield* Deferred.make<void>()
      const done = yield* Deferred.make<string>()
      const far = yield* McpServer.make({
        name: "far",
        version: "1",
        features: [
          McpTool.make("page", {}, (_, call) =>
            Effect.gen(function*() {
              call.session?.onRootsChanged(() => Deferred.doneUnsafe(changed, Effect.void))
              yield* call.elicitUrl("page", { message: "Open it", url: "https://example.org", elicitationId: "page-1" })
              yield* call.server.elicitationComplete("page-1")
              return "opened"
            }))
        ]
      })
      const client = yield* clientOf(yield* through(far, "2025-11-25"), {
        protocolVersion: "2025-11-25",
        handlers: {
          roots: Effect.succeed([]),
          elicitUrl: () => Effect.succeed({ action: "accept" as const }),
          elicitComplete: (id) => Effect.asVoid(Deferred.succeed(done, id))
        }
      })
      yield* client.callTool("page")
      assert.strictEqual(yield* Deferred.await(done), "page-1")
      yield* client.notifyRootsChanged
      yield* Deferred.await(changed)
    }))
})

describe("a call that is given up while its connection opens", () => {
  it.effect("is asked nothing later", () =>
    Effect.gen(function*() {
      const [opening, open, held] = [
        Deferred.makeUnsafe<void>(),
        Deferred.makeUnsafe<void>(),
        Deferred.makeUnsafe<void>()
      ]
      let behind: ClientSession | undefined
      const far = yield* McpServer.make({
        name: "far",
        version: "1",
        features: [
          McpTool.make(
            "hold",
            {},
            () => Effect.as(Effect.andThen(Deferred.succeed(held, undefined), Effect.never), "")
          ),
          McpTool.make("meet", {}, (_, call) =>
            Effect.sync(() => {
              behind = call.session
              return "met"
            }))
        ]
      })
      const connect = (options: McpClient.ClientOptions) =>
        Effect.provideService(
          McpMemoryClient.make({ ...options, protocolVersion: "2025-11-25", limits: { drain: 0 } }),
          McpServer.McpServer,
          far
        )
      let isSlow = false
      const server = yield* through(far, "2025-11-25", {
        connect: (options) =>
          Effect.suspend(() =>
            isSlow
              ? Effect.andThen(
                Effect.andThen(Deferred.succeed(opening, undefined), Deferred.await(open)),
                connect(options)
              )
              : connect(options)
          )
      })
      const client = yield* clientOf(server, { protocolVersion: "2026-07-28", handlers: { roots: Effect.succeed([]) } })
      yield* Effect.forkChild(client.callTool("hold"))
      yield* Deferred.await(held)
      isSlow = true
      const given = yield* Effect.forkChild(client.callTool("meet"))
      yield* Deferred.await(opening)
      yield* Fiber.interrupt(given)
      yield* settled
      yield* Deferred.succeed(open, undefined)
      yield* client.callTool("meet")
      const asked = yield* Effect.exit(behind?.ask({ method: "roots/list" }) ?? Effect.void)
      assert.isTrue(Exit.isFailure(asked))
    }))
})

describe("log messages", () => {
  for (const pair of pairs) {
    it.effect(`reach whom they are for, from the level that it wants: ${named(pair)}`, () =>
      Effect.gen(function*() {
        const far = yield* McpServer.make({
          name: "far",
          version: "1",
          features: [
            McpTool.make("log", {}, (_, call) =>
              Effect.as(
                Effect.forEach(["debug", "warning"] as const, (level) => call.log(level, `a ${level}`, "far")),
                "logged"
              ))
          ]
        })
        const server = yield* Effect.orDie(McpUpstream.server({
          name: "far",
          connect: (options) =>
            Effect.provideService(
              McpMemoryClient.make({ ...options, protocolVersion: pair.far, limits: { drain: 0 } }),
              McpServer.McpServer,
              far
            )
        }))
        const heard = (name: string, logLevel: LogLevel) => {
          const seen: Array<string> = []
          const logger = Logger.make<unknown, void>(({ message }) => void seen.push(`${name}: ${String(message)}`))
          return Effect.as(
            Effect.flatMap(
              clientOf(server, { protocolVersion: pair.near, logLevel }),
              (client) => client.callTool("log")
            )
              .pipe(
                Effect.andThen(settled),
                Effect.provide(Logger.layer([logger])),
                Effect.provideService(References.MinimumLogLevel, "Debug")
              ),
            seen
          )
        }
        assert.deepStrictEqual(yield* heard("ada", "warning"), ["ada: a warning"])
        assert.deepStrictEqual(yield* heard("grace", "debug"), ["grace: a debug", "grace: a warning"])
      }))
  }
})
