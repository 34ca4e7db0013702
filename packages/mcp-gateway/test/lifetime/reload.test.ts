import { assert, describe, it } from "@effect/vitest"
import * as McpGateway from "@parley/mcp-gateway/McpGateway"
import type { McpClient } from "@parley/mcp/McpClient"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpTool from "@parley/mcp/McpTool"
import * as Content from "@parley/mcp/payload/Content"
import type { Revision } from "@parley/mcp/wire/Revision"
import { Deferred, Effect, Fiber, PubSub, Schema, type Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { clientAs, made, names, reach, settled } from "../support/gateways.ts"
import { pairs } from "../support/pairs.ts"

const times = process.env["SLOW"] === "1" ? 1_000 : 25

const text = ({ content }: { readonly content: ReadonlyArray<Content.Content> }) =>
  content.map((one) => one.type === "text" ? one.text : "").join()

/** A server that says which it is, a call of which lasts until it is told, and how often it was connected and left. */
const serverOf = Effect.fnUntraced(function*(name: string, far: Revision) {
  const end = yield* Deferred.make<void>()
  const changes = yield* PubSub.unbounded<void>()
  const state = { open: 0, opened: 0 }
  const server = yield* made(name, [
    McpTool.make("who", {}, () => Effect.succeed(name)),
    McpTool.make("slow", {}, () => Effect.as(Deferred.await(end), name)),
    McpTool.make("ask", {}, (_, call) =>
      Effect.map(
        call.elicit("q", { message: "?", fields: { name: Schema.String } }),
        (answer) => `${name} ${answer._tag}`
      )),
    {
      ...McpResource.make("file:///a", { name: "a" }, () => Effect.succeed(name)),
      watch: () => Stream.fromPubSub(changes)
    }
  ])
  const member: McpGateway.Member = {
    connect: (options) =>
      Effect.andThen(
        Effect.acquireRelease(
          Effect.sync(() => {
            state.open++
            state.opened++
          }),
          () => Effect.sync(() => state.open--)
        ),
        reach(server, far)(options)
      )
  }
  return { end, changes, state, member }
})

/** How often the client hears that the resource has changed. */
const updatesOf = Effect.fnUntraced(function*(client: McpClient) {
  const updates = { count: 0 }
  yield* Effect.forkScoped(
    Stream.runForEach(
      client.subscribe("file:///a"),
      (event) => Effect.sync(() => event._tag === "Updated" && updates.count++)
    )
  )
  return updates
})

const gatewayOf = (servers: McpGateway.Servers): Effect.Effect<McpGateway.McpGateway, never, Scope.Scope> =>
  Effect.tap(McpGateway.make({ name: "gateway", version: "1", servers }), () => settled)

describe("a reload", () => {
  it.effect.each(pairs)(
    "under 64 calls loses none, and ends the old server behind the last: %j",
    ({ far, near }) =>
      Effect.gen(function*() {
        const one = yield* serverOf("one", far)
        const two = yield* serverOf("two", far)
        const still = yield* serverOf("still", far)
        const same = { ...still.member, prefix: "still_" }
        const gateway = yield* gatewayOf({ files: one.member, still: same })
        const clients = yield* Effect.forEach(
          Array.from({ length: 4 }),
          (_, n) => clientAs(gateway, `p${n}`, { protocolVersion: near, timeout: "1 hour" })
        )
        const running = yield* Effect.forEach(
          Array.from({ length: 64 }),
          (_, n) => Effect.forkChild(clients[n % 4]!.callTool("files_slow"), { startImmediately: true })
        )
        const asked = yield* Effect.forkChild(clients[0]!.callTool("still_slow"), { startImmediately: true })
        yield* settled
        const opened = still.state.opened
        const reloading = yield* Effect.forkChild(gateway.reload({ files: two.member, still: same }))
        for (const client of clients) yield* client.callTool("files_who")
        yield* Fiber.join(reloading)
        for (const client of clients) assert.strictEqual(text(yield* client.callTool("files_who")), "two")
        yield* TestClock.adjust("20 seconds")
        for (const call of [...running, asked]) assert.isUndefined(call.pollUnsafe())
        assert.isAbove(one.state.open, 0)
        yield* Deferred.succeed(one.end, undefined)
        for (const call of running) assert.strictEqual(text(yield* Fiber.join(call)), "one")
        yield* settled
        assert.strictEqual(one.state.open, 0)
        // A server whose entry is the same stays, with its connections.
        assert.strictEqual(still.state.opened, opened)
        yield* Deferred.succeed(still.end, undefined)
        assert.strictEqual(text(yield* Fiber.join(asked)), "still")
      }),
    20_000
  )

  it.effect.each(pairs)(
    "keeps a question of a server that goes, and brings the answer back: %j",
    ({ far, near }) =>
      Effect.gen(function*() {
        const one = yield* serverOf("one", far)
        const two = yield* serverOf("two", far)
        const gateway = yield* gatewayOf({ files: one.member })
        const answer = yield* Deferred.make<void>()
        const client = yield* clientAs(gateway, "ada", {
          protocolVersion: near,
          timeout: "1 hour",
          handlers: {
            elicit: () => Effect.as(Deferred.await(answer), { action: "accept" as const, content: { name: "Ada" } })
          }
        })
        const call = yield* Effect.forkChild(client.callTool("files_ask"), { startImmediately: true })
        yield* settled
        yield* gateway.reload({ files: two.member })
        yield* TestClock.adjust("20 seconds")
        yield* Deferred.succeed(answer, undefined)
        assert.strictEqual(text(yield* Fiber.join(call)), "one Accepted")
        yield* settled
        assert.strictEqual(one.state.open, 0)
      }),
    20_000
  )

  it.effect.each(pairs)(
    "tells clients of other lists, and of what they listen to at another server: %j",
    ({ far, near }) =>
      Effect.gen(function*() {
        const one = yield* serverOf("one", far)
        const two = yield* serverOf("two", far)
        const gateway = yield* gatewayOf({ files: one.member })
        const client = yield* clientAs(gateway, "ada", { protocolVersion: near, timeout: "1 hour" })
        const lists: Array<string> = []
        yield* Effect.forkScoped(Stream.runForEach(client.changes, (event) =>
          Effect.sync(() =>
            event._tag === "ListChanged" && lists.push(event.list)
          )))
        const updates = yield* updatesOf(client)
        yield* settled
        yield* PubSub.publish(one.changes, undefined)
        yield* settled
        yield* TestClock.adjust("1 second")
        assert.strictEqual(updates.count, 1)
        yield* gateway.reload({ files: two.member, more: { ...one.member } })
        yield* settled
        yield* TestClock.adjust("1 second")
        assert.includeMembers(lists, ["tools", "resources", "prompts"])
        const before = updates.count
        yield* PubSub.publish(two.changes, undefined)
        yield* settled
        yield* TestClock.adjust("1 second")
        assert.isAbove(updates.count, before)
        assert.deepStrictEqual(names(yield* client.listTools()), [
          "files_who",
          "files_slow",
          "files_ask",
          "more_who",
          "more_slow",
          "more_ask"
        ])
      }),
    20_000
  )

  it.effect.each(pairs)(
    "tells clients of a resource that another server has by then: %j",
    ({ far, near }) =>
      Effect.gen(function*() {
        const one = yield* serverOf("one", far)
        const two = yield* serverOf("two", far)
        const gateway = yield* gatewayOf({ files: one.member })
        const client = yield* clientAs(gateway, "ada", { protocolVersion: near, timeout: "1 hour" })
        const updates = yield* updatesOf(client)
        yield* settled
        yield* gateway.reload({ more: two.member })
        yield* settled
        yield* TestClock.adjust("1 second")
        // The resource of another server may be another one.
        assert.strictEqual(updates.count, 1)
        yield* PubSub.publish(two.changes, undefined)
        yield* settled
        yield* TestClock.adjust("1 second")
        assert.strictEqual(updates.count, 2)
        yield* PubSub.publish(one.changes, undefined)
        yield* gateway.reload({})
        yield* settled
        yield* PubSub.publish(two.changes, undefined)
        yield* settled
        yield* TestClock.adjust("1 second")
        assert.strictEqual(updates.count, 2)
      }),
    20_000
  )

  it.effect("that takes a server away ends it, and one with a conflict changes nothing", () =>
    Effect.gen(function*() {
      const one = yield* serverOf("one", "2026-07-28")
      const two = yield* serverOf("two", "2026-07-28")
      const other = { ...two.member, prefix: "two_" }
      const gateway = yield* gatewayOf({ one: { ...one.member, prefix: "one_" }, two: other })
      const client = yield* clientAs(gateway, "ada", { timeout: "1 hour" })
      const conflict = yield* Effect.flip(gateway.reload({ two: other, three: { ...one.member, prefix: "two_x" } }))
      assert.include(conflict.message, "`prefix`")
      assert.lengthOf(yield* client.listTools(), 6)
      const { opened } = two.state
      yield* gateway.reload({ two: other })
      assert.deepStrictEqual(names(yield* client.listTools()), ["two_who", "two_slow", "two_ask"])
      yield* TestClock.adjust("20 seconds")
      yield* settled
      assert.strictEqual(one.state.open, 0)
      assert.strictEqual(two.state.opened, opened)
    }))

  it.effect("again and again leaves nothing behind", () =>
    Effect.gen(function*() {
      const one = yield* serverOf("one", "2025-11-25")
      const gateway = yield* gatewayOf({
        files: one.member
      })
      const client = yield* clientAs(gateway, "ada", { timeout: "1 hour" })
      for (let time = 0; time < times; time++) {
        yield* gateway.reload({ files: { ...one.member } })
        if (time % 5 === 0) assert.strictEqual(text(yield* client.callTool("files_who")), "one")
        yield* TestClock.adjust("20 seconds")
      }
      yield* settled
      assert.isAtMost(one.state.open, 2)
    }), 60_000)
})
