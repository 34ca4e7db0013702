import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Queue } from "effect"
import { TestClock } from "effect/testing"
import { sample } from "../../http-server/support/sample.ts"
import * as web from "../../http-server/support/web.ts"

describe("complaint 16: streams on which nothing happens are dropped after five minutes", () => {
  it.effect("every stream says something each 15 seconds, and so does a call that takes ten minutes", () =>
    Effect.gen(function*() {
      const { server, waiting } = yield* sample
      const client = yield* web.open({}, server)
      const visitor = yield* web.visit(client)
      const standing = yield* visitor.get()
      const listen = { notifications: { toolsListChanged: true } }
      const listening = yield* web.modern(client, "subscriptions/listen", listen)
      const calls = [
        visitor.post(web.call("wait", { name: "legacy" })),
        web.modern(client, "tools/call", { name: "wait", arguments: { name: "modern" } })
      ]
      const pending = yield* Effect.forEach(calls, (call) => Effect.forkChild(call, { startImmediately: true }))
      const running = [yield* Queue.take(waiting), yield* Queue.take(waiting)]
      yield* TestClock.adjust("15 seconds")
      const answers = yield* Effect.forEach(pending, Fiber.join)
      const streams = [standing, listening, ...answers]
      const alive = Effect.fnUntraced(function*({ read }: web.Answer) {
        while (true) {
          const event = yield* read.next
          if (event === undefined) return assert.fail("the stream has ended")
          if (event.comment !== undefined) return undefined
        }
      })
      yield* Effect.forEach(streams, alive)
      for (let quarter = 1; quarter < 40; quarter++) {
        yield* TestClock.adjust("15 seconds")
        yield* Effect.forEach(streams, alive)
      }
      for (const { finish } of running) finish("done")
      for (const { read } of answers) assert.strictEqual(web.textOf(yield* read.message), "done")
    }))
})
