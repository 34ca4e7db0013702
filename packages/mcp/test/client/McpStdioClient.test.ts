import { assert, describe, it } from "@effect/vitest"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import * as Peer from "@parley/peer/Peer"
import * as Router from "@parley/peer/Router"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import * as Transport from "@parley/transport/Transport"
import { Effect, Exit, Fiber, Schedule, Stream } from "effect"
import { TestClock } from "effect/testing"
import { ListChanged, Resumed, Subscribed } from "../../src/client/McpEvent.ts"
import * as McpStdioClient from "../../src/McpStdioClient.ts"
import * as McpDialect from "../../src/wire/McpDialect.ts"
import * as RevisionCodec from "../../src/wire/RevisionCodec.ts"
import * as Scripted from "./scripted.ts"

/** Answers a method, or ends the process. */
type Script = (number: number, exit: Effect.Effect<never>) => Router.Handlers

/** One process after the other, with the methods that each was asked for. */
const processes = (script: Script, codec?: RevisionCodec.RevisionCodec) => {
  const asked: Array<Array<string>> = []
  const peers: Array<Peer.Peer> = []
  let exit: Effect.Effect<never> = Effect.never
  const start = Effect.gen(function*() {
    const heard: Array<string> = []
    const number = asked.push(heard)
    const [ours, theirs] = yield* MemoryTransport.makePair()
    exit = Effect.andThen(theirs.close, Effect.never)
    const router = yield* Router.make()
    yield* Effect.orDie(router.addAll(script(number, exit), { order: "concurrent" }))
    const receive = Effect.tap(theirs.receive, (texts) =>
      Effect.sync(() => {
        for (const text of texts) heard.push(JSON.parse(String(text)).method ?? "answer")
      }))
    const dialect = McpDialect.make(() => codec)
    peers.push(yield* Peer.make({ ...theirs, receive }, { router, dialect, limits: { drain: 0 } }))
    return ours
  })
  return { asked, start, peer: () => peers.at(-1), exit: Effect.suspend(() => Effect.timeoutOption(exit, 0)) }
}

const options = { name: "test", version: "1", limits: { drain: 0 } }

const tools = { "tools/list": Scripted.always({ tools: [], ttlMs: 0, cacheScope: "public" }) }

/** The outcome of an effect that waits for the next process. */
const soon = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(Effect.exit(effect))
    yield* Scripted.settle
    yield* TestClock.adjust("200 millis")
    yield* Scripted.settle
    return yield* Effect.flatten(Fiber.join(fiber))
  })

describe("a client of a process", () => {
  it.effect("starts a server again, in the older era, that ends instead of answering the probe", () =>
    Effect.gen(function*() {
      // As servers do that were made with rmcp before version 3.
      const { asked, start } = processes((_, exit) => Scripted.legacy({ ...tools, "server/discover": () => exit }))
      const client = yield* soon(McpStdioClient.make({ ...options, start }))
      assert.strictEqual(client.protocolVersion, "2025-11-25")
      yield* client.listTools()
      assert.deepStrictEqual(asked, [["server/discover"], ["initialize", "notifications/initialized", "tools/list"]])
    }))

  it.effect("does so for a server that was slow to start, too, and has been sent both", () =>
    Effect.gen(function*() {
      const { asked, start } = processes((_, exit) =>
        Scripted.legacy({
          "server/discover": () => Effect.andThen(Effect.sleep("20 seconds"), exit),
          initialize: () => asked.length === 1 ? Effect.never : Effect.succeed(Scripted.initialized())
        })
      )
      const connecting = yield* Effect.forkChild(McpStdioClient.make({ ...options, start }))
      yield* TestClock.adjust("20 seconds")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(connecting)).protocolVersion, "2025-11-25")
      assert.lengthOf(asked, 2)
    }))

  it.effect("starts it once only: a server that ends whatever it hears is the failure of connecting", () =>
    Effect.gen(function*() {
      const { asked, start } = processes((_, exit) => ({ "server/discover": () => exit, initialize: () => exit }))
      const error = yield* Effect.flip(soon(McpStdioClient.make({ ...options, start })))
      assert.deepInclude(error, { _tag: "Disconnected", sent: true })
      assert.lengthOf(asked, 2)
    }))

  it.effect("fails where the server cannot be started", () =>
    Effect.gen(function*() {
      const start = Effect.fail(Transport.transportError({ _tag: "Open", cause: new Error("no such program") }))
      const error = yield* Effect.flip(McpStdioClient.make({ ...options, start }))
      assert.strictEqual(error._tag === "Disconnected" && error.reason._tag, "Open")
    }))

  for (const [era, serve] of [["legacy", Scripted.legacy], ["modern", Scripted.modern]] as const) {
    describe(`in the ${era} era`, () => {
      const died = (script: Script = () => serve(tools)) =>
        Effect.gen(function*() {
          const made = processes((number, exit) => ({ ...script(number, exit), "tools/call": () => exit }))
          const client = yield* McpStdioClient.make({ ...options, start: made.start })
          const pending = yield* Effect.forkChild(Effect.flip(client.callTool("kill")))
          yield* Scripted.settle
          const error = yield* Fiber.join(pending)
          return { ...made, client, error }
        })

      it.effect("ends the calls that a dead server was asked, and the next call starts it again", () =>
        Effect.gen(function*() {
          const { asked, client, error } = yield* died()
          assert.deepInclude(error, { _tag: "Disconnected", sent: true })
          yield* TestClock.adjust("1 minute")
          assert.lengthOf(asked, 1)
          assert.deepStrictEqual(yield* soon(client.listTools()), [])
          assert.lengthOf(asked, 2)
          assert.strictEqual(asked[1]?.at(-1), "tools/list")
          assert.strictEqual(asked[1]?.[0], era === "legacy" ? "initialize" : "tools/list")
        }))

      it.effect("does not wait for the end of a server that says that it shuts down, and stays", () =>
        Effect.gen(function*() {
          const { asked, start } = processes(
            () => ({ ...serve(tools), "tools/call": () => Effect.fail(ErrorResponse.notStarted()) }),
            era === "legacy" ? RevisionCodec.of("2025-11-25") : undefined
          )
          const client = yield* McpStdioClient.make({ ...options, start })
          const calling = yield* Effect.forkChild(Effect.flip(client.callTool("any")))
          yield* Scripted.settle
          assert.isDefined(calling.pollUnsafe())
          assert.deepInclude(yield* Fiber.join(calling), { _tag: "Disconnected", sent: false })
          assert.lengthOf(asked, 1)
        }))

      it.effect("starts it once, however many calls need it", () =>
        Effect.gen(function*() {
          const { asked, client } = yield* died()
          yield* soon(Effect.all([client.listTools(), client.listTools(), client.listTools()], { concurrency: 3 }))
          assert.lengthOf(asked, 2)
          assert.lengthOf(asked[1]?.filter((method) => method === "tools/list") ?? [], 3)
        }))

      it.effect("waits longer each time that it ends early", () =>
        Effect.gen(function*() {
          const { asked, client, exit } = yield* died()
          yield* soon(client.listTools())
          yield* exit
          yield* Scripted.settle
          const third = yield* Effect.forkChild(client.listTools())
          yield* Scripted.settle
          yield* TestClock.adjust("150 millis")
          assert.lengthOf(asked, 2)
          yield* TestClock.adjust("100 millis")
          yield* Fiber.join(third)
          assert.lengthOf(asked, 3)
        }))

      it.effect("hears the changes of the next process, and says that some may have been missed", () =>
        Effect.gen(function*() {
          const listen: Router.Handlers = {
            "subscriptions/listen": ({ id, peer }) =>
              Effect.andThen(
                Effect.orDie(peer.notify("notifications/subscriptions/acknowledged", {
                  notifications: { toolsListChanged: true },
                  _meta: { "io.modelcontextprotocol/subscriptionId": Number(id) }
                })),
                Effect.never
              )
          }
          const made = processes(() => serve({ ...tools, ...listen }))
          const client = yield* McpStdioClient.make({ ...options, start: made.start })
          const seen: Array<unknown> = []
          yield* Effect.forkScoped(Stream.runForEach(client.changes, (change) => Effect.sync(() => seen.push(change))))
          yield* Scripted.settle
          yield* made.exit
          yield* Scripted.settle
          yield* TestClock.adjust("1 second")
          yield* Scripted.settle
          assert.lengthOf(made.asked, 2)
          const meta = era === "legacy" ? {} : { _meta: { "io.modelcontextprotocol/subscriptionId": 1 } }
          yield* Effect.orDie(made.peer()?.notify("notifications/tools/list_changed", meta) ?? Effect.void)
          yield* Scripted.settle
          const reason = era === "legacy" ? "SessionExpired" : "Ended"
          assert.deepStrictEqual(seen, [new Subscribed(), new Resumed({ reason }), new ListChanged({ list: "tools" })])
        }))

      it.effect("ends where its schedule ends", () =>
        Effect.gen(function*() {
          const made = processes(() => serve(tools))
          const client = yield* McpStdioClient.make({ ...options, start: made.start, restart: Schedule.recurs(0) })
          yield* made.exit
          yield* Scripted.settle
          assert.strictEqual((yield* client.disconnected)._tag, "EndOfInput")
          const outcome = yield* Effect.exit(client.listTools())
          assert.isTrue(Exit.isFailure(outcome))
          assert.lengthOf(made.asked, 1)
        }))
    })
  }
})
