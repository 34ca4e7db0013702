import { assert, describe, it } from "@effect/vitest"
import * as McpPrompt from "@parley/mcp/McpPrompt"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as Revision from "@parley/mcp/wire/Revision"
import { Deferred, Effect, Exit, Fiber, PubSub, Scope, Stream } from "effect"
import { clientAs, settled } from "../composition/support/clients.ts"
import { greet, modern, open, spoken } from "./support/line.ts"

const tool = (name: string) => McpTool.make(name, {}, () => Effect.succeed(name))
const prompt = (name: string) => McpPrompt.make(name, {}, () => Effect.succeed(name))
const resource = (name: string) => McpResource.make(`test://${name}`, { name }, () => Effect.succeed(name))

const made = McpServer.make({
  name: "s",
  version: "1",
  subscriptions: 3,
  features: [
    tool("a"),
    prompt("a"),
    resource("a"),
    resource("b"),
    McpResource.template("test://many/{x}", { name: "many" }, () => Effect.succeed(""))
  ]
})

/** Adds features, and takes them away. */
const comeAndGo = (server: McpServer.McpServer, ...features: ReadonlyArray<McpServer.Feature>) =>
  Effect.scoped(server.add(features))

describe("in the legacy era", () => {
  for (const revision of Revision.ofEra("legacy")) {
    it.effect(`a client of ${revision} is told of lists that change, once it is ready`, () =>
      Effect.gen(function*() {
        const server = yield* made
        const line = yield* open(server, { revision })
        yield* line.result("initialize", {
          protocolVersion: revision,
          capabilities: {},
          clientInfo: { name: "c", version: "1" }
        })
        yield* comeAndGo(server, tool("early"))
        yield* line.write({ jsonrpc: "2.0", method: "notifications/initialized" })
        yield* line.result("ping")
        assert.deepStrictEqual(line.aside, [])
        const scope = yield* Scope.make()
        yield* Scope.provide(server.add([tool("b")]), scope)
        assert.strictEqual((yield* line.next).method, "notifications/tools/list_changed")
        assert.strictEqual((yield* line.result("tools/call", { name: "b" }))["isError"], undefined)
        yield* Scope.close(scope, Exit.void)
        assert.strictEqual((yield* line.next).method, "notifications/tools/list_changed")
        assert.strictEqual((yield* line.refusal("tools/call", { name: "b" })).code, -32602)
        yield* comeAndGo(server, prompt("b"))
        assert.strictEqual((yield* line.next).method, "notifications/prompts/list_changed")
        yield* server.listChanged("resources")
        assert.strictEqual((yield* line.next).method, "notifications/prompts/list_changed")
        assert.strictEqual((yield* line.next).method, "notifications/resources/list_changed")
      }))

    it.effect(`a client of ${revision} is told of the resources that it subscribed to`, () =>
      Effect.gen(function*() {
        const server = yield* made
        const { line } = yield* spoken(server, revision)
        assert.deepStrictEqual(yield* line.result("resources/subscribe", { uri: "test://a" }), {})
        assert.deepStrictEqual(yield* line.result("resources/subscribe", { uri: "test://a" }), {})
        yield* server.resourceUpdated("test://b")
        yield* server.resourceUpdated("test://a")
        const told = yield* line.next
        assert.deepInclude(told, { method: "notifications/resources/updated", params: { uri: "test://a" } })
        assert.deepStrictEqual(yield* line.result("resources/unsubscribe", { uri: "test://a" }), {})
        assert.deepStrictEqual(yield* line.result("resources/unsubscribe", { uri: "test://never" }), {})
        yield* server.resourceUpdated("test://a")
        yield* line.result("ping")
        assert.deepStrictEqual(line.aside, [])
        assert.strictEqual((yield* line.refusal("resources/subscribe", { uri: "test://nowhere" })).code, -32002)
      }))
  }

  it.effect("a resource that tells of no more changes is listened to again by who subscribes again", () =>
    Effect.gen(function*() {
      let times = 0
      const watched = {
        ...resource("watched"),
        watch: () => Stream.fromEffect(Effect.sync(() => ++times))
      }
      const server = yield* McpServer.make({ name: "s", version: "1", features: [watched] })
      const line = yield* open(server, { revision: "2025-11-25" })
      yield* greet(line, "2025-11-25")
      yield* line.result("resources/subscribe", { uri: "test://watched" })
      yield* line.result("resources/subscribe", { uri: "test://watched" })
      assert.strictEqual(times, 2)
    }))

  it.effect("nobody subscribes to more than the server allows", () =>
    Effect.gen(function*() {
      const { line } = yield* spoken(yield* made, "2025-06-18")
      for (const x of ["1", "2", "3"]) yield* line.result("resources/subscribe", { uri: `test://many/${x}` })
      const { code, message } = yield* line.refusal("resources/subscribe", { uri: "test://many/4" })
      assert.deepStrictEqual([code, message], [-31000, "No more than 3 resources at once"])
      yield* line.result("resources/unsubscribe", { uri: "test://many/1" })
      yield* line.result("resources/subscribe", { uri: "test://many/4" })
    }))

  it.effect("what a client is told is for it alone", () =>
    Effect.gen(function*() {
      const server = yield* made
      const one = yield* spoken(server, "2025-06-18")
      const two = yield* spoken(server, "2024-11-05")
      yield* one.line.result("resources/subscribe", { uri: "test://a" })
      yield* server.resourceUpdated("test://a")
      assert.strictEqual((yield* one.line.next).method, "notifications/resources/updated")
      yield* two.line.result("ping")
      assert.deepStrictEqual(two.line.aside, [])
    }))

  it.effect("a client that does not read is owed each change once, and holds up nobody", () =>
    Effect.gen(function*() {
      const server = yield* made
      const told: Array<string> = []
      const reads = yield* Deferred.make<void>()
      const connection = server.connect({
        record: { revision: "2025-06-18", ready: true, subscriptions: ["test://a", "test://b"] },
        peer: {
          notify: (method: string, params: unknown) =>
            Effect.andThen(
              Effect.sync(() => told.push(`${method} ${JSON.stringify(params)}`)),
              Deferred.await(reads)
            )
          // Nothing else of it is used for changes.
        } as never
      })
      for (let i = 0; i < 1_000; i++) {
        yield* server.resourceUpdated("test://a")
        yield* server.resourceUpdated("test://b")
        yield* server.listChanged("tools")
      }
      const a = `notifications/resources/updated {"uri":"test://a"}`
      const b = `notifications/resources/updated {"uri":"test://b"}`
      assert.deepStrictEqual(told, [a])
      yield* Deferred.succeed(reads, undefined)
      for (let i = 0; i < 20; i++) yield* Effect.yieldNow
      assert.deepStrictEqual(told, [a, b, "notifications/tools/list_changed undefined", a])
      yield* connection.close
      yield* server.listChanged("tools")
      assert.strictEqual(told.length, 4)
    }))
})

describe("subscriptions/listen", () => {
  const listen = (notifications: object) => modern({ notifications: notifications as never })

  const tag = (id: number | string) => ({ "io.modelcontextprotocol/subscriptionId": id })

  it.effect("acknowledges first, tells only what was asked for, and tags every message", () =>
    Effect.gen(function*() {
      const server = yield* made
      const line = yield* open(server, { revision: "2026-07-28" })
      const ask = (id: number | string, notifications: object) =>
        line.write({ jsonrpc: "2.0", id, method: "subscriptions/listen", params: listen(notifications) })
      yield* ask("tools", { toolsListChanged: true, promptsListChanged: false })
      assert.deepInclude(yield* line.next, {
        method: "notifications/subscriptions/acknowledged",
        params: { notifications: { toolsListChanged: true }, _meta: tag("tools") }
      })
      yield* ask(0, { promptsListChanged: true, resourceSubscriptions: ["test://b", "test://nowhere"] })
      assert.deepInclude(yield* line.next, {
        method: "notifications/subscriptions/acknowledged",
        params: { notifications: { promptsListChanged: true, resourceSubscriptions: ["test://b"] }, _meta: tag(0) }
      })
      yield* server.listChanged("resources")
      yield* server.resourceUpdated("test://a")
      yield* comeAndGo(server, tool("b"))
      assert.deepInclude(yield* line.next, {
        method: "notifications/tools/list_changed",
        params: { _meta: tag("tools") }
      })
      assert.strictEqual((yield* line.next).method, "notifications/tools/list_changed")
      yield* server.resourceUpdated("test://b")
      assert.deepInclude(yield* line.next, {
        method: "notifications/resources/updated",
        params: { uri: "test://b", _meta: tag(0) }
      })
      yield* server.listChanged("prompts")
      assert.deepInclude(yield* line.next, {
        method: "notifications/prompts/list_changed",
        params: { _meta: tag(0) }
      })
    }))

  it.effect("ends in silence when its client cancels it", () =>
    Effect.gen(function*() {
      const server = yield* made
      const line = yield* open(server, { revision: "2026-07-28" })
      const params = listen({ toolsListChanged: true })
      yield* line.write({ jsonrpc: "2.0", id: "l", method: "subscriptions/listen", params })
      assert.strictEqual((yield* line.next).method, "notifications/subscriptions/acknowledged")
      yield* line.write({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "l" } })
      yield* comeAndGo(server, tool("b"))
      yield* line.result("tools/list", modern())
      assert.deepStrictEqual(line.aside, [])
    }))

  it.effect("ends with a result when the server closes, and no later than the input does", () =>
    Effect.gen(function*() {
      const server = yield* made
      const line = yield* open(server, { revision: "2026-07-28" })
      for (const id of [7, "x"]) {
        const params = listen({ toolsListChanged: true })
        yield* line.write({ jsonrpc: "2.0", id, method: "subscriptions/listen", params })
        yield* line.next
      }
      const connection = server.connect({ era: "modern" })
      const handler = connection.router.handlerOf("subscriptions/listen")
      const sent: Array<string> = []
      const streaming = yield* Effect.forkChild(
        handler?.({
          id: 9,
          method: "subscriptions/listen",
          params: listen({}),
          extra: undefined,
          // Nothing else of it is used.
          peer: { notify: (method: string) => Effect.sync(() => void sent.push(method)) } as never,
          progress: () => Effect.void,
          partialResult: undefined,
          connection: undefined,
          afterReply: () => {},
          onClose: () => () => {}
        }) ?? Effect.void,
        { startImmediately: true }
      )
      yield* connection.close
      assert.deepStrictEqual(yield* Fiber.join(streaming), {
        resultType: "complete",
        _meta: { ...tag(9), "io.modelcontextprotocol/serverInfo": { name: "s", version: "1" } }
      })
      assert.deepStrictEqual(sent, ["notifications/subscriptions/acknowledged"])
      // The others are not concerned.
      yield* server.listChanged("tools")
      assert.strictEqual((yield* line.next).method, "notifications/tools/list_changed")
      assert.strictEqual((yield* line.next).method, "notifications/tools/list_changed")
      yield* line.close
      assert.strictEqual(yield* line.ended, "EndOfInput")
    }))

  it.effect("hears of no more resources than the server allows, and of none where there are none", () =>
    Effect.gen(function*() {
      const line = yield* open(yield* made, { revision: "2026-07-28" })
      const resourceSubscriptions = ["1", "2", "3", "4"].map((x) => `test://many/${x}`)
      assert.strictEqual((yield* line.refusal("subscriptions/listen", listen({ resourceSubscriptions }))).code, -31000)
      assert.strictEqual((yield* line.refusal("subscriptions/listen", modern())).code, -32602)
      const bare = yield* open(yield* McpServer.make({ name: "s", version: "1", features: [tool("a")] }))
      const all = { promptsListChanged: true, resourcesListChanged: true, resourceSubscriptions: ["test://a"] }
      yield* bare.write({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: listen(all) })
      assert.deepStrictEqual((yield* bare.next).params, { notifications: {}, _meta: tag(1) })
    }))

  it.effect("is the only way to hear of changes in its era", () =>
    Effect.gen(function*() {
      const server = yield* made
      const line = yield* open(server, { revision: "2026-07-28" })
      yield* line.result("tools/list", modern())
      yield* comeAndGo(server, tool("b"))
      yield* line.result("tools/list", modern())
      assert.deepStrictEqual(line.aside, [])
      // A legacy client on the same server hears of them by itself.
      const other = yield* open(server)
      yield* greet(other, "2025-11-25")
      yield* other.result("ping")
      yield* comeAndGo(server, tool("b"))
      assert.strictEqual((yield* other.next).method, "notifications/tools/list_changed")
    }))
})

describe("a resource that a caller may not see, where another one is at its URI", () => {
  for (const revision of ["2025-11-25", "2026-07-28"] as const) {
    it.effect(`tells that caller of no changes, in ${revision}`, () =>
      Effect.gen(function*() {
        const changes = yield* PubSub.unbounded<void>()
        const secret: McpServer.Feature = {
          ...resource("a/b"),
          visible: ({ principal }) => principal === "ada",
          watch: () => Stream.fromPubSub(changes)
        }
        const shown = McpResource.template("test://{x}/b", { name: "shown" }, () => Effect.succeed("shown"))
        const server = yield* McpServer.make({ name: "s", version: "1", features: [secret, shown] })
        const heard = Effect.fnUntraced(function*(principal: string) {
          const client = yield* clientAs(server, principal, { protocolVersion: revision })
          const told: Array<string> = []
          const hear = Stream.runForEach(
            client.subscribe("test://a/b"),
            ({ _tag }) => Effect.sync(() => told.push(_tag))
          )
          yield* Effect.forkScoped(hear)
          yield* settled
          return told
        })
        const all = [yield* heard("ada"), yield* heard("eve")]
        const before = all.map(({ length }) => length)
        yield* PubSub.publish(changes, undefined)
        yield* settled
        assert.deepStrictEqual(all.map(({ length }, index) => length - (before[index] ?? 0)), [1, 0])
      }))
  }
})

describe("a handler", () => {
  const features = [
    resource("a"),
    prompt("a"),
    McpTool.make("touch", {}, (_, call) => Effect.as(call.server.resourceUpdated("test://a"), "touched")),
    McpTool.make("relist", {}, (_, call) =>
      Effect.as(
        Effect.forEach(["tools", "resources", "prompts"] as const, call.server.listChanged, { discard: true }),
        "relisted"
      ))
  ]

  for (const revision of Revision.all) {
    it.effect(`tells the clients of its own server what has changed, in ${revision}`, () =>
      Effect.gen(function*() {
        const server = yield* McpServer.make({ name: "s", version: "1", features })
        const { line, params } = yield* spoken(server, revision)
        if (Revision.era(revision) === "legacy") yield* line.result("resources/subscribe", { uri: "test://a" })
        else {
          const all = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
          const filter = modern({ notifications: { ...all, resourceSubscriptions: ["test://a"] } })
          yield* line.write({ jsonrpc: "2.0", id: "changes", method: "subscriptions/listen", params: filter })
          yield* line.next
        }
        yield* line.result("tools/call", params({ name: "touch" }))
        yield* line.result("tools/call", params({ name: "relist" }))
        const told = [...line.aside]
        while (told.length < 4) told.push(yield* line.next)
        assert.sameMembers(told.map(({ method }) => method), [
          "notifications/resources/updated",
          "notifications/tools/list_changed",
          "notifications/resources/list_changed",
          "notifications/prompts/list_changed"
        ])
      }))
  }
})
