/** Streams of changes, and calls, of a client whose credentials end. */
import { assert, describe, it } from "@effect/vitest"
import { ExpiresAt } from "@parley/oauth/AccessToken"
import * as Handshake from "@parley/transport/Handshake"
import { Context, Effect, Fiber, Queue } from "effect"
import { TestClock } from "effect/testing"
import { sample } from "../http-server/support/sample.ts"
import * as web from "../http-server/support/web.ts"
import { visited } from "../nodes/support/cluster.ts"

/** Everybody is Ann for a minute, which begins with the epoch. */
const authorize = Handshake.declare(() =>
  Effect.succeed(Context.add(Context.make(Handshake.Name, "ann"), ExpiresAt, 60_000))
)

const isOver = (fiber: Fiber.Fiber<unknown>) => Effect.sync(() => fiber.pollUnsafe() !== undefined)

/** Lets a stream that ends do so. */
const settle = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 0)))

describe("a client whose credentials end", () => {
  it.effect("hears of changes until then, and no longer, over the stream of its session", () =>
    Effect.gen(function*() {
      const { server } = yield* sample
      const client = yield* web.alone({ authorize }, server)
      const visitor = yield* web.visit(client)
      const stream = yield* visitor.get()
      assert.strictEqual(stream.status, 200)
      const reading = yield* Effect.forkChild(stream.read.rest, { startImmediately: true })
      yield* TestClock.adjust("59999 millis")
      yield* server.listChanged("tools")
      yield* settle
      assert.isFalse(yield* isOver(reading))
      yield* TestClock.adjust("1 millis")
      const events = yield* Fiber.join(reading)
      assert.isTrue(events.some(({ data }) => data?.includes("tools/list_changed")))
    }))

  it.effect("hears of changes until then, and no longer, by `subscriptions/listen`", () =>
    Effect.gen(function*() {
      const { server } = yield* sample
      const client = yield* web.alone({ authorize }, server)
      const stream = yield* web.modern(client, "subscriptions/listen", { notifications: { toolsListChanged: true } })
      assert.strictEqual(stream.status, 200)
      const reading = yield* Effect.forkChild(stream.read.rest, { startImmediately: true })
      yield* TestClock.adjust("59999 millis")
      yield* server.listChanged("tools")
      yield* settle
      assert.isFalse(yield* isOver(reading))
      yield* TestClock.adjust("1 millis")
      const events = yield* Fiber.join(reading)
      assert.isTrue(events.some(({ data }) => data?.includes("tools/list_changed")))
      assert.include(events.at(-1)?.data ?? "", `"result"`)
    }))

  it.effect("hears no longer on the node that has its session", () =>
    Effect.gen(function*() {
      const { there } = yield* visited({ authorize })
      const stream = yield* there.get()
      assert.strictEqual(stream.status, 200)
      const reading = yield* Effect.forkChild(stream.read.rest, { startImmediately: true })
      yield* settle
      for (let times = 0; times < 30 && !(yield* isOver(reading)); times++) {
        yield* TestClock.adjust("2 seconds")
        yield* settle
      }
      yield* Fiber.join(reading)
    }))

  it.effect("is answered all the same, where its call was admitted", () =>
    Effect.gen(function*() {
      const { server, waiting } = yield* sample
      const client = yield* web.alone({ authorize }, server)
      const visitor = yield* web.visit(client)
      const legacy = yield* Effect.forkChild(visitor.post(web.call("wait", { name: "a" })))
      const first = yield* Queue.take(waiting)
      const modern = yield* Effect.forkChild(
        web.modern(client, "tools/call", { name: "wait", arguments: { name: "b" } })
      )
      const second = yield* Queue.take(waiting)
      yield* TestClock.adjust("2 minutes")
      for (const { finish } of [first, second]) finish("done")
      for (const answer of [yield* Fiber.join(legacy), yield* Fiber.join(modern)]) {
        assert.strictEqual(web.textOf(yield* answer.read.message), "done")
      }
    }))
})
