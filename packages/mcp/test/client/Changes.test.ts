import { assert, describe, it } from "@effect/vitest"
import type { Call } from "@parley/peer/Handler"
import { Deferred, Effect, Fiber, Logger, References, type Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { ListChanged, Resumed, Subscribed, Updated } from "../../src/client/McpEvent.ts"
import type { McpHandlers } from "../../src/client/McpHandlers.ts"
import * as Envelope from "../../src/wire/Envelope.ts"
import * as Scripted from "./scripted.ts"

/** What a stream has given so far. */
const follow = <A, E>(stream: Stream.Stream<A, E>) =>
  Effect.gen(function*() {
    const seen: Array<A> = []
    const fiber = yield* Effect.forkScoped(Stream.runForEach(stream, (one) => Effect.sync(() => seen.push(one))))
    yield* Scripted.settle
    return { seen, fiber }
  })

describe("changes of the legacy era", () => {
  const subscribing = {
    "resources/subscribe": Scripted.always({}),
    "resources/unsubscribe": Scripted.always({})
  }

  it.effect("a resource is subscribed to while a stream runs, and no longer", () =>
    Effect.gen(function*() {
      const { client, server, written } = yield* Scripted.connect(Scripted.legacy(subscribing))
      const first = yield* follow(client.subscribe("file:///a"))
      const second = yield* follow(client.subscribe("file:///a"))
      for (const uri of ["file:///a", "file:///b", "file:///a/part"]) {
        yield* server.notify("notifications/resources/updated", { uri })
        yield* Scripted.settle
      }
      const expected = [new Subscribed(), new Updated({ uri: "file:///a" }), new Updated({ uri: "file:///a/part" })]
      assert.deepStrictEqual(first.seen, expected)
      assert.deepStrictEqual(second.seen, expected)
      yield* Fiber.interrupt(first.fiber)
      assert.notInclude(Scripted.methods(written), "resources/unsubscribe")
      yield* Fiber.interrupt(second.fiber)
      assert.strictEqual(Scripted.methods(written).at(-1), "resources/unsubscribe")
      yield* server.notify("notifications/resources/updated", { uri: "file:///a" })
      yield* Scripted.settle
      assert.deepStrictEqual(second.seen, expected)
    }))

  it.effect("a subscription that the server refuses fails the stream", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.connect(
        Scripted.legacy({ ...subscribing, "resources/subscribe": Scripted.refusing(-32002, "no such resource") })
      )
      const error = yield* Effect.flip(Stream.runDrain(client.subscribe("file:///a")))
      assert.deepInclude(error, { _tag: "ProtocolError", code: -32002 })
    }))

  it.effect("the changes of lists come without being asked for", () =>
    Effect.gen(function*() {
      const { client, server, written } = yield* Scripted.connect(Scripted.legacy())
      const before = written.length
      const { seen } = yield* follow(client.changes)
      yield* server.notify("notifications/tools/list_changed")
      yield* Scripted.settle
      yield* server.notify("notifications/prompts/list_changed")
      yield* server.notify("notifications/resources/list_changed")
      yield* Scripted.settle
      assert.deepStrictEqual(seen, [
        new Subscribed(),
        new ListChanged({ list: "tools" }),
        new ListChanged({ list: "prompts" }),
        new ListChanged({ list: "resources" })
      ])
      assert.lengthOf(written, before)
    }))

  it.effect("a slow reader is told once of what changed often", () =>
    Effect.gen(function*() {
      const { client, server } = yield* Scripted.connect(Scripted.legacy(subscribing))
      const seen: Array<unknown> = []
      yield* Effect.forkScoped(Stream.runForEach(client.subscribe("a:"), (one) =>
        Effect.andThen(
          Effect.sync(() => seen.push(one)),
          Effect.sleep("1 second")
        )))
      yield* Scripted.settle
      for (let count = 0; count < 100; count++) {
        yield* server.notify("notifications/resources/updated", { uri: "a:" })
      }
      yield* Scripted.settle
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(seen, [new Subscribed(), new Updated({ uri: "a:" })])
    }))

  it.effect("a reader that is too slow for what changes is told that it has missed some", () =>
    Effect.gen(function*() {
      const { client, server } = yield* Scripted.connect(Scripted.legacy(subscribing))
      const seen: Array<unknown> = []
      yield* Effect.forkScoped(Stream.runForEach(client.subscribe("a:/"), (one) =>
        Effect.andThen(
          Effect.sync(() => seen.push(one)),
          Effect.sleep("1 second")
        )))
      yield* Scripted.settle
      for (let count = 0; count <= 1_024; count++) {
        yield* server.notify("notifications/resources/updated", { uri: `a:/${count}` })
      }
      yield* Scripted.settle
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(seen, [new Subscribed(), new Resumed({ reason: "Overrun" })])
    }))
})

describe("changes of the modern era", () => {
  const tagged = (id: Call["id"], more: Schema.JsonObject = {}): Schema.JsonObject => ({
    ...more,
    _meta: { "io.modelcontextprotocol/subscriptionId": Number(id) }
  })

  const filterOf = ({ params }: Call): Schema.JsonObject =>
    (params as { readonly notifications: Schema.JsonObject }).notifications

  const acknowledge = (call: Call, notifications = filterOf(call)) =>
    Effect.orDie(call.peer.notify("notifications/subscriptions/acknowledged", tagged(call.id, { notifications })))

  /** A server that keeps every stream open, and knows their ids. */
  const listening = () => {
    const ids: Array<Call["id"]> = []
    const stopped: Array<Call["id"]> = []
    return {
      ids,
      stopped,
      handlers: Scripted.modern({
        "subscriptions/listen": (call) =>
          Effect.andThen(
            Effect.suspend(() => {
              ids.push(call.id)
              return acknowledge(call)
            }),
            Effect.onInterrupt(Effect.never, () => Effect.sync(() => stopped.push(call.id)))
          )
      })
    }
  }

  it.effect("each stream listens by itself, hears what names its request, and stops with it", () =>
    Effect.gen(function*() {
      const { handlers, ids, stopped } = listening()
      const { client, server, written } = yield* Scripted.connect(handlers)
      const a = yield* follow(client.subscribe("file:///a"))
      const b = yield* follow(client.subscribe("file:///b"))
      const lists = yield* follow(client.changes)
      assert.deepStrictEqual(
        Scripted.of(written, "subscriptions/listen").map(({ params }) => params?.["notifications"]),
        [
          { resourceSubscriptions: ["file:///a"] },
          { resourceSubscriptions: ["file:///b"] },
          { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
        ]
      )
      yield* server.notify("notifications/resources/updated", tagged(ids[1], { uri: "file:///b/part" }))
      yield* server.notify("notifications/tools/list_changed", tagged(ids[2]))
      yield* Scripted.settle
      assert.deepStrictEqual(a.seen, [new Subscribed()])
      assert.deepStrictEqual(b.seen, [new Subscribed(), new Updated({ uri: "file:///b/part" })])
      assert.deepStrictEqual(lists.seen, [new Subscribed(), new ListChanged({ list: "tools" })])
      yield* Fiber.interrupt(b.fiber)
      yield* Scripted.settle
      assert.deepStrictEqual(stopped, [ids[1]])
    }))

  it.effect("no time ends a stream", () =>
    Effect.gen(function*() {
      const { handlers, ids } = listening()
      const { client, server } = yield* Scripted.connect(handlers)
      const { seen } = yield* follow(client.subscribe("a:"))
      yield* TestClock.adjust("2 days")
      yield* server.notify("notifications/resources/updated", tagged(ids[0], { uri: "a:" }))
      yield* Scripted.settle
      assert.deepStrictEqual(seen, [new Subscribed(), new Updated({ uri: "a:" })])
    }))

  it.effect("a stream that the server ends is made again, and says so", () =>
    Effect.gen(function*() {
      const ids: Array<Call["id"]> = []
      const { client, server } = yield* Scripted.connect(Scripted.modern({
        "subscriptions/listen": (call) =>
          Effect.andThen(
            acknowledge(call),
            ids.push(call.id) === 1
              ? Effect.as(Effect.sleep("10 seconds"), { resultType: "complete", ...tagged(call.id) })
              : Effect.never
          )
      }))
      const { seen } = yield* follow(client.subscribe("a:"))
      yield* TestClock.adjust("10200 millis")
      assert.lengthOf(ids, 2)
      yield* server.notify("notifications/resources/updated", tagged(ids[0], { uri: "a:old" }))
      yield* server.notify("notifications/resources/updated", tagged(ids[1], { uri: "a:" }))
      yield* Scripted.settle
      assert.deepStrictEqual(seen, [new Subscribed(), new Resumed({ reason: "Ended" }), new Updated({ uri: "a:" })])
    }))

  it.effect("a stream that is acknowledged again says nothing", () =>
    Effect.gen(function*() {
      const { handlers, ids } = listening()
      const { client, server } = yield* Scripted.connect(handlers)
      const { seen } = yield* follow(client.changes)
      const notifications = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
      for (let time = 0; time < 10; time++) {
        yield* server.notify("notifications/subscriptions/acknowledged", tagged(ids[0], { notifications }))
        yield* Scripted.settle
      }
      assert.deepStrictEqual(seen, [new Subscribed()])
    }))

  it.effect("a server that ends every stream at once is not asked for ever", () =>
    Effect.gen(function*() {
      const { client, written } = yield* Scripted.connect(
        Scripted.modern({ "subscriptions/listen": Scripted.always({ resultType: "complete", ...tagged(0) }) })
      )
      const running = yield* Effect.forkChild(Effect.flip(Stream.runDrain(client.changes)))
      yield* TestClock.adjust("5 minutes")
      const error = yield* Fiber.join(running)
      assert.deepInclude(error, { _tag: "InvalidResult", method: "subscriptions/listen" })
      assert.lengthOf(Scripted.of(written, "subscriptions/listen"), 11)
    }))

  it.effect("a server that never acknowledges a stream is not waited for", () =>
    Effect.gen(function*() {
      const stopped: Array<Call["id"]> = []
      const { client } = yield* Scripted.connect(
        Scripted.modern({
          "subscriptions/listen": ({ id }) =>
            Effect.onInterrupt(Effect.never, () => Effect.sync(() => stopped.push(id)))
        }),
        { timeout: "3 seconds" }
      )
      const running = yield* Effect.forkChild(Effect.flip(Stream.runDrain(client.changes)))
      yield* TestClock.adjust("2999 millis")
      assert.deepStrictEqual(stopped, [])
      yield* TestClock.adjust("1 milli")
      assert.deepInclude(yield* Fiber.join(running), { _tag: "RequestTimeout", method: "subscriptions/listen" })
      yield* Scripted.settle
      assert.lengthOf(stopped, 1)
    }))

  it.effect("what the server does not agree to fails the stream", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.connect(Scripted.modern({
        "subscriptions/listen": (call) => Effect.andThen(acknowledge(call, {}), Effect.never)
      }))
      const error = yield* Effect.flip(Stream.runDrain(client.subscribe("a:")))
      assert.deepInclude(error, { _tag: "UnsupportedCapability", capability: "resources.subscribe" })
    }))

  it.effect("a connection that is gone ends the stream", () =>
    Effect.gen(function*() {
      const { handlers } = listening()
      const { client, drop } = yield* Scripted.connect(handlers)
      const running = yield* Effect.forkChild(Effect.flip(Stream.runDrain(client.changes)))
      yield* Scripted.settle
      yield* drop
      assert.strictEqual((yield* Fiber.join(running))._tag, "Disconnected")
    }))
})

describe("log messages", () => {
  const logged = () => {
    const lines: Array<readonly [string, unknown, unknown]> = []
    const logger = Logger.make(({ fiber, logLevel, message }) => {
      const [text] = Array.isArray(message) ? message : [message]
      lines.push([logLevel, text, fiber.getRef(References.CurrentLogAnnotations)])
    })
    return { lines, layer: Logger.layer([logger]) }
  }

  it.effect("they go to the logger, with the nearest level and what the server said of them", () => {
    const { layer, lines } = logged()
    return Effect.gen(function*() {
      const { server } = yield* Scripted.connect(Scripted.legacy())
      yield* server.notify("notifications/message", { level: "notice", logger: "db", data: "slow" })
      yield* server.notify("notifications/message", { level: "critical", data: { disk: "full" } })
      yield* Scripted.settle
      assert.deepStrictEqual(lines, [
        ["Info", "slow", { "mcp.level": "notice", "mcp.logger": "db", "mcp.server": "scripted" }],
        ["Fatal", { disk: "full" }, { "mcp.level": "critical", "mcp.server": "scripted" }]
      ])
    }).pipe(Effect.provide(layer))
  })

  it.effect("a handler that takes its time gets them in order, and the newest of those that waited", () => {
    const { layer, lines } = logged()
    return Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const heard: Array<unknown> = []
      const log: NonNullable<McpHandlers["log"]> = ({ data }) => {
        if (data === "throw") throw new Error("a handler that throws")
        return Effect.andThen(Deferred.await(begun), Effect.sync(() => heard.push(data)))
      }
      const { server } = yield* Scripted.connect(Scripted.legacy(), { handlers: { log } })
      const say = (data: Schema.Json) => server.notify("notifications/message", { level: "info", data })
      for (let count = 0; count < 1_000; count++) yield* say(count)
      yield* Scripted.settle
      yield* Deferred.succeed(begun, undefined)
      yield* Scripted.settle
      assert.deepStrictEqual(heard, [0, ...Array.from({ length: 256 }, (_, index) => 744 + index)])
      assert.deepStrictEqual(lines.map(([level, text]) => [level, text]), [
        ["Warn", "743 log messages of the server scripted were dropped: their handler is slow"]
      ])
      yield* say("throw")
      yield* say("last")
      yield* Scripted.settle
      assert.deepStrictEqual(heard.slice(-1), ["last"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("the level is said to a session once, and with each request of the modern era", () =>
    Effect.gen(function*() {
      const old = yield* Scripted.connect(Scripted.legacy({ "logging/setLevel": Scripted.always({}) }), {
        logLevel: "warning"
      })
      assert.deepInclude(Scripted.of(old.written, "logging/setLevel")[0]?.params, { level: "warning" })
      yield* old.client.setLogLevel("debug")
      assert.deepInclude(Scripted.of(old.written, "logging/setLevel")[1]?.params, { level: "debug" })
      const { client, written } = yield* Scripted.connect(
        Scripted.modern({ "tools/call": Scripted.always({ content: [] }) })
      )
      yield* client.callTool("t")
      yield* client.setLogLevel("error")
      yield* client.callTool("t")
      yield* client.setLogLevel(undefined)
      yield* client.callTool("t")
      const levels = Scripted.of(written, "tools/call").map(({ params }) =>
        Envelope.metaOf(params)?.[Envelope.logLevel]
      )
      assert.deepStrictEqual(levels, [undefined, "error", undefined])
      assert.notInclude(Scripted.methods(written), "logging/setLevel")
    }))

  it.effect("a server without logging is not asked for messages, and one that refuses is no failure", () => {
    const { layer, lines } = logged()
    return Effect.gen(function*() {
      const { client, written } = yield* Scripted.connect(Scripted.legacy({}, {}), { logLevel: "info" })
      const error = yield* Effect.flip(client.setLogLevel("info"))
      assert.deepInclude(error, { _tag: "UnsupportedCapability", capability: "logging" })
      assert.notInclude(Scripted.methods(written), "logging/setLevel")
      assert.lengthOf(lines, 0)
      yield* Scripted.connect(Scripted.legacy(), { logLevel: "info" })
      assert.deepStrictEqual(lines.map(([level]) => level), ["Warn"])
    }).pipe(Effect.provide(layer))
  })
})
