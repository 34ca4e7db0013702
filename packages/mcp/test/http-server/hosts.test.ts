import { assert, describe, it } from "@effect/vitest"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import { Deferred, Effect, Exit, Fiber, Queue, Schema, Scope } from "effect"
import { connect } from "node:net"
import { places } from "./support/places.ts"
import { sample } from "./support/sample.ts"
import * as web from "./support/web.ts"

for (const { name, serve } of places) {
  describe(name, () => {
    it.live("cancels what a modern client has asked that goes away before the answer begins", () =>
      Effect.gen(function*() {
        const { interrupted, server, waiting } = yield* sample
        const client = web.over(yield* serve(server), fetch)
        const pending = yield* Effect.forkChild(
          web.modern(client, "tools/call", { name: "wait", arguments: { name: "a" } })
        )
        yield* Queue.take(waiting)
        yield* Fiber.interrupt(pending)
        assert.strictEqual(yield* Queue.take(interrupted), "a")
      }))

    it.live("goes on with what a legacy client has asked that goes away, until it comes back", () =>
      Effect.gen(function*() {
        const { interrupted, server, waiting } = yield* sample
        const client = web.over(yield* serve(server), fetch)
        const visitor = yield* web.visit(client)
        const pending = yield* Effect.forkChild(visitor.post(web.call("wait", { name: "a" })))
        const running = yield* Queue.take(waiting)
        running.tell("one")
        const answer = yield* Fiber.join(pending)
        yield* answer.read.message
        answer.abort()
        const again = yield* visitor.get(answer.read.lastId())
        running.tell("two")
        yield* again.read.message
        again.abort()
        running.finish("three")
        const last = yield* visitor.get(again.read.lastId())
        assert.strictEqual(web.textOf(yield* last.read.message), "three")
        assert.strictEqual(yield* Queue.size(interrupted), 0)
      }))

    it.live("goes on with what a legacy client has asked that takes JSON alone, too", () =>
      Effect.gen(function*() {
        const { interrupted, server, waiting } = yield* sample
        const client = web.over(yield* serve(server), fetch)
        const visitor = yield* web.visit(client)
        const json = { accept: "application/json" }
        const pending = yield* Effect.forkChild(visitor.post(web.call("wait", { name: "a" }), json))
        const running = yield* Queue.take(waiting)
        yield* Fiber.interrupt(pending)
        // The session answers others meanwhile, and ends it in the end.
        const echo = yield* visitor.post(web.call("echo", { text: "hi" }))
        assert.strictEqual(web.textOf(yield* echo.json), "hi")
        assert.strictEqual(yield* Queue.size(interrupted), 0)
        yield* visitor.remove
        assert.strictEqual(yield* Queue.take(interrupted), "a")
        assert.strictEqual(running.name, "a")
      }))

    it.live("ends streams when it closes, and what runs in sessions", () =>
      Effect.gen(function*() {
        const { interrupted, server, waiting } = yield* sample
        const scope = yield* Scope.make()
        const client = web.over(yield* Scope.provide(serve(server), scope), fetch)
        const visitor = yield* web.visit(client)
        const standing = yield* visitor.get()
        yield* standing.read.next
        const pending = yield* Effect.forkChild(visitor.post(web.call("wait", { name: "a" })))
        const running = yield* Queue.take(waiting)
        running.tell("one")
        const { abort, read } = yield* Fiber.join(pending)
        yield* read.message
        abort()
        yield* Scope.close(scope, Exit.void)
        assert.strictEqual(yield* Queue.take(interrupted), "a")
      }))
  })
}

describe("a client that reads nothing", () => {
  it.live("holds up who writes to it, and nobody else", () =>
    Effect.gen(function*() {
      const [place] = places
      const done = yield* Deferred.make<void>()
      let told = 0
      const server = yield* McpServer.make({
        name: "s",
        version: "1",
        features: [
          McpTool.make("flood", {}, (_, call) =>
            Effect.gen(function*() {
              for (; told < 1_000; told++) yield* call.log("info", "x".repeat(100_000))
              yield* Deferred.succeed(done, undefined)
            })),
          McpTool.make("echo", { params: { text: Schema.String } }, ({ text }) => Effect.succeed(text))
        ]
      })
      const url = new URL(yield* (place ?? assert.fail("no host")).serve(server))
      const client = web.over(url.href, fetch)
      const visitor = yield* web.visit(client)
      const body = JSON.stringify(web.call("flood"))
      const headers = { ...visitor.headers, accept: web.both, "content-type": "application/json" }
      const socket = connect(Number(url.port), url.hostname)
      socket.pause()
      socket.write([
        `POST ${url.pathname} HTTP/1.1`,
        `host: ${url.host}`,
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
        `content-length: ${body.length}`,
        "",
        body
      ].join("\r\n"))
      // It stands still when the same is seen after many other calls.
      for (let before = -1; told === 0 || told !== before;) {
        before = told
        for (let times = 0; times < 20; times++) {
          const echo = yield* visitor.post(web.call("echo", { text: "hi" }))
          assert.strictEqual(web.textOf(yield* echo.json), "hi")
        }
      }
      assert.isBelow(told, 500)
      // Nobody waits for it when it has gone.
      socket.destroy()
      yield* Deferred.await(done)
      assert.strictEqual(told, 1_000)
    }))
})
