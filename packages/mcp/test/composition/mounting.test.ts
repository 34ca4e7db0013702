import { assert, describe, it } from "@effect/vitest"
import * as McpPrompt from "@parley/mcp/McpPrompt"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as Content from "@parley/mcp/payload/Content"
import { Deferred, Effect, Exit, Fiber, Logger, PubSub, Queue, Scope, Stream } from "effect"
import { clientOf, revisions } from "./support/clients.ts"

const tool = (name: string) => McpTool.make(name, {}, () => Effect.succeed(`I am ${name}`))

const names = (entries: ReadonlyArray<{ readonly name: string }>) => entries.map(({ name }) => name)

const empty = (options: Partial<McpServer.ServerOptions> = {}) =>
  McpServer.make({ name: "outer", version: "1", features: [], ...options })

const settled = Effect.forEach(Array.from({ length: 100 }), () => Effect.yieldNow, { discard: true })

describe("a mounted server", () => {
  for (const revision of revisions) {
    it.effect(`offers what it has behind a prefix: ${revision}`, () =>
      Effect.gen(function*() {
        const inner = yield* McpServer.make({
          name: "inner",
          version: "1",
          features: [
            tool("one"),
            McpResource.make("test://a", { name: "a" }, () => Effect.succeed("A")),
            McpPrompt.make("greet", {}, () => Effect.succeed("Hello"))
          ]
        })
        const outer = yield* empty({ features: [tool("own")] })
        yield* outer.mount(inner, { prefix: "in_" })
        const client = yield* clientOf(outer, { protocolVersion: revision })
        assert.deepStrictEqual(names(yield* client.listTools()), ["own", "in_one"])
        assert.deepStrictEqual(names(yield* client.listPrompts()), ["in_greet"])
        assert.deepStrictEqual((yield* client.callTool("in_one")).content, [Content.text("I am one")])
        assert.deepStrictEqual((yield* client.readResource("test://a")).contents, [{ uri: "test://a", text: "A" }])
        assert.deepStrictEqual((yield* client.getPrompt("in_greet")).messages, [McpPrompt.user("Hello")])
        assert.propertyVal(yield* Effect.flip(client.callTool("one")), "_tag", "ProtocolError")
      }))

    it.effect(`is as visible as it is by itself, and needs the same scopes: ${revision}`, () =>
      Effect.gen(function*() {
        const inner = yield* McpServer.make({
          name: "inner",
          version: "1",
          features: [
            tool("open"),
            tool("secret"),
            McpTool.make("scoped", { scopes: ["admin"] }, () => Effect.succeed(""))
          ],
          visible: ({ info }) => Effect.as(Effect.yieldNow, info.name !== "secret")
        })
        const middle = yield* empty()
        yield* middle.mount(inner, { prefix: "a_" })
        const outer = yield* empty({ visible: ({ info }) => info.name !== "b_a_nothing" })
        yield* outer.mount(middle, { prefix: "b_" })
        const client = yield* clientOf(outer, { protocolVersion: revision })
        assert.deepStrictEqual(names(yield* client.listTools()), ["b_a_open", "b_a_scoped"])
        assert.propertyVal(yield* Effect.flip(client.callTool("b_a_secret")), "_tag", "ProtocolError")
      }))

    it.effect(`tells of its changes, and is gone with its Scope: ${revision}`, () =>
      Effect.gen(function*() {
        const inner = yield* McpServer.make({ name: "inner", version: "1", features: [tool("one")] })
        const outer = yield* empty()
        const scope = yield* Scope.make()
        yield* Scope.provide(outer.mount(inner), scope)
        const client = yield* clientOf(outer, { protocolVersion: revision })
        const first = yield* Deferred.make<void>()
        yield* Effect.forkScoped(Stream.runForEach(client.changes, ({ _tag }) =>
          _tag === "ListChanged" ? Deferred.succeed(first, undefined) : Effect.void))
        yield* Effect.forEach(Array.from({ length: 50 }), () =>
          Effect.yieldNow)
        yield* inner.add([tool("two")])
        yield* Deferred.await(first)
        assert.deepStrictEqual(names(yield* client.listTools()), ["one", "two"])
        yield* Scope.close(scope, Exit.void)
        assert.deepStrictEqual(names(yield* client.listTools()), [])
      }))

    it.effect(`may take a resource over, and who has subscribed hears of it there: ${revision}`, () =>
      Effect.gen(function*() {
        const listened: Array<string> = []
        const watched = Effect.fnUntraced(function*(name: string) {
          const changes = yield* PubSub.unbounded<void>()
          const feature = {
            ...McpResource.make("test://a", { name }, () => Effect.succeed(name)),
            watch: () =>
              Stream.unwrap(Effect.as(
                Effect.acquireRelease(
                  Effect.sync(() => listened.push(name)),
                  () => Effect.sync(() => listened.push(`no more ${name}`))
                ),
                Stream.fromPubSub(changes)
              ))
          }
          return { changes, feature, server: yield* McpServer.make({ name, version: "1", features: [] }) }
        })
        const outer = yield* empty()
        const [one, two] = [yield* watched("one"), yield* watched("two")]
        for (const { server } of [one, two]) yield* outer.mount(server)
        const scope = yield* Scope.make()
        yield* Scope.provide(one.server.add([one.feature]), scope)
        const client = yield* clientOf(outer, { protocolVersion: revision })
        const updates = yield* Queue.unbounded<string>()
        yield* Effect.forkScoped(
          Stream.runForEach(client.subscribe("test://a"), (event) => Queue.offer(updates, event._tag))
        )
        assert.strictEqual(yield* Queue.take(updates), "Subscribed")
        yield* one.server.add([tool("other")])
        yield* settled
        yield* Scope.close(scope, Exit.void)
        yield* settled
        yield* two.server.add([two.feature])
        assert.strictEqual(yield* Queue.take(updates), "Updated")
        yield* settled
        assert.deepStrictEqual(listened, ["one", "no more one", "two"])
        yield* PubSub.publish(one.changes, undefined)
        yield* PubSub.publish(two.changes, undefined)
        assert.strictEqual(yield* Queue.take(updates), "Updated")
        yield* settled
        assert.strictEqual(yield* Queue.size(updates), 0)
      }))

    it.effect(`may take a resource over whose changes nobody could hear, or whose watch has failed: ${revision}`, () =>
      Effect.gen(function*() {
        const changes = yield* PubSub.unbounded<void>()
        const silent = McpResource.make("test://a", { name: "a" }, () => Effect.succeed("A"))
        for (const first of [silent, { ...silent, watch: () => Stream.fail("gone") }]) {
          const one = yield* McpServer.make({ name: "one", version: "1", features: [] })
          const two = yield* McpServer.make({ name: "two", version: "1", features: [] })
          const outer = yield* empty()
          for (const server of [one, two]) yield* outer.mount(server)
          const scope = yield* Scope.make()
          yield* Scope.provide(one.add([first]), scope)
          const client = yield* clientOf(outer, { protocolVersion: revision })
          const updates = yield* Queue.unbounded<string>()
          yield* Effect.forkScoped(
            Stream.runForEach(client.subscribe("test://a"), (event) => Queue.offer(updates, event._tag))
          )
          assert.strictEqual(yield* Queue.take(updates), "Subscribed")
          yield* settled
          yield* Scope.close(scope, Exit.void)
          yield* two.add([{
            ...McpResource.make("test://a", { name: "b" }, () => Effect.succeed("B")),
            watch: () => Stream.fromPubSub(changes)
          }])
          assert.strictEqual(yield* Queue.take(updates), "Updated")
          yield* settled
          yield* PubSub.publish(changes, undefined)
          assert.strictEqual(yield* Queue.take(updates), "Updated")
        }
      }))

    it.effect(`has pages as any other: ${revision}`, () =>
      Effect.gen(function*() {
        const features = Array.from({ length: 7 }, (_, n) => tool(`tool${n}`))
        const inner = yield* McpServer.make({ name: "inner", version: "1", features })
        const outer = yield* empty({ pageSize: 3, features: [tool("own")] })
        yield* outer.mount(inner)
        const client = yield* clientOf(outer, { protocolVersion: revision })
        assert.deepStrictEqual(names(yield* client.listTools()), ["own", ...names(features.map(({ info }) => info))])
      }))
  }

  it.effect("gives way to what has the same name, and may be selected from", () =>
    Effect.gen(function*() {
      const inner = yield* McpServer.make({
        name: "inner",
        version: "1",
        features: [tool("own"), tool("b"), tool("c")]
      })
      const outer = yield* empty({ features: [McpTool.make("own", {}, () => Effect.succeed("outer"))] })
      yield* outer.mount(inner, { select: (feature) => feature.info.name === "c" ? undefined : feature })
      const client = yield* clientOf(outer)
      assert.deepStrictEqual(names(yield* client.listTools()), ["own", "b"])
      assert.deepStrictEqual((yield* client.callTool("own")).content, [Content.text("outer")])
    }))

  it.effect("is not taken for another one that goes while its list is waited for", () =>
    Effect.gen(function*() {
      const made = (name: string) => McpServer.make({ name, version: "1", features: [tool(name)] })
      const [first, second] = [yield* made("first"), yield* made("second")]
      const listed = yield* Deferred.make<void>()
      const waited = yield* Deferred.make<void>()
      const outer = yield* empty()
      const scope = yield* Scope.make()
      yield* Scope.provide(outer.mount(first, { prefix: "a_" }), scope)
      yield* outer.mount({
        ...second,
        featuresFor: (call) =>
          Deferred.succeed(waited, undefined).pipe(
            Effect.andThen(Deferred.await(listed)),
            Effect.andThen(second.featuresFor(call))
          )
      }, { prefix: "b_" })
      const client = yield* clientOf(outer)
      const listing = yield* Effect.forkChild(client.listTools())
      yield* Deferred.await(waited)
      yield* Scope.close(scope, Exit.void)
      yield* Deferred.succeed(listed, undefined)
      assert.deepStrictEqual(names(yield* Fiber.join(listing)), ["b_second"])
    }))

  it.effect("takes no name that is taken by another spelling of it", () =>
    Effect.gen(function*() {
      const features = (who: string, resource: string, template: string) => [
        McpResource.make(resource, { name: who }, () => Effect.succeed(who)),
        McpResource.template(template, { name: who }, () => Effect.succeed(who))
      ]
      const outer = yield* empty({ features: features("own", "file:///café", "note://main/{id}") })
      const inner = yield* McpServer.make({
        name: "inner",
        version: "1",
        features: features("inner", "FILE:///caf%c3%a9", "NOTE://M%41in/{id}")
      })
      yield* Effect.provide(outer.mount(inner), Logger.layer([]))
      const client = yield* clientOf(outer)
      for (
        const uri of ["file:///café", "FILE:///caf%c3%a9", "file:///caf%C3%A9", "NOTE://M%41in/1", "note://main/1"]
      ) {
        assert.deepStrictEqual((yield* client.readResource(uri)).contents, [{ uri, text: "own" }])
      }
      assert.deepStrictEqual(names(yield* client.listResources()), ["own"])
      assert.deepStrictEqual(names(yield* client.listResourceTemplates()), ["own"])
    }))
})
