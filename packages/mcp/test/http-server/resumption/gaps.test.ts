/** What somebody who comes back for a stream may read, and what they learn where it is gone. */
import { assert, describe, it } from "@effect/vitest"
import type { Journal } from "@parley/mesh/Journal"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import { Deferred, Effect, Fiber, Queue } from "effect"
import { settled } from "../../support/settled.ts"
import { sample } from "../support/sample.ts"
import * as web from "../support/web.ts"

/** A journal that counts the items that are read. */
const counted = Effect.map(MemoryNodes.makeJournal(), (whole) => {
  const state = { items: 0 }
  const journal: Journal = {
    ...whole,
    read: (...asked) =>
      Effect.tap(whole.read(...asked), (items) =>
        Effect.sync(() => {
          state.items += items.length
        }))
  }
  return { journal, state }
})

describe("who comes back for a stream", () => {
  it.effect("has the call that waits for it ended, where its events are gone", () =>
    Effect.gen(function*() {
      const { server, waiting } = yield* sample
      const journal = yield* MemoryNodes.makeJournal({ weight: 100 })
      const visitor = yield* web.visit(yield* web.alone({ journal }, server))
      const call = web.call("wait", { name: "a" })
      const pending = yield* Effect.forkChild(visitor.post(call))
      const running = yield* Queue.take(waiting)
      running.tell("one")
      const { abort, read } = yield* Fiber.join(pending)
      yield* read.message
      abort()
      running.tell("two")
      running.finish("three")
      yield* settled
      const again = yield* visitor.get(read.lastId())
      assert.strictEqual(again.status, 200)
      assert.deepInclude(yield* again.read.message, {
        id: call.id,
        error: {
          code: -31_005,
          message: "A part of the answer to this request is not kept any more; the request may have run"
        }
      })
      assert.deepStrictEqual(yield* again.read.rest, [])
    }))

  it.effect("with an id that nobody was given reads no more than the event that it names", () =>
    Effect.gen(function*() {
      const { server, waiting } = yield* sample
      const { journal, state } = yield* counted
      const visitor = yield* web.visit(yield* web.alone({ journal }, server))
      const pending = yield* Effect.forkChild(visitor.post(web.call("wait", { name: "a" })))
      const { finish, tell } = yield* Queue.take(waiting)
      for (let n = 0; n < 50; n++) tell(`${n}`)
      yield* (yield* Fiber.join(pending)).read.message
      finish("done")
      yield* settled
      state.items = 0
      const stream = crypto.randomUUID()
      assert.strictEqual(yield* web.goneOf(visitor.get(`${stream}.7_3`)), -31_005)
      assert.strictEqual(yield* web.goneOf(visitor.get(`${stream}_3`)), 400)
      assert.strictEqual(state.items, 2)
    }))

  it.effect("beyond their quota of streams reads nothing", () =>
    Effect.gen(function*() {
      const { server } = yield* sample
      const { journal, state } = yield* counted
      const client = yield* web.alone({
        journal,
        authorize: web.byAuthorization,
        quotas: { principal: { streams: 1 } }
      }, server)
      const visitor = yield* web.visit(client, "2025-11-25", {}, { authorization: "ann" })
      const standing = yield* visitor.get()
      yield* standing.read.next
      state.items = 0
      assert.strictEqual((yield* visitor.get(`${crypto.randomUUID()}.7_0`)).status, 429)
      assert.strictEqual(state.items, 0)
    }))

  it.effect("together with many others leaves the journal to those who write", () =>
    Effect.gen(function*() {
      const { server } = yield* sample
      const whole = yield* MemoryNodes.makeJournal()
      const goOn = yield* Deferred.make<void>()
      let [now, most] = [0, 0]
      const journal: Journal = {
        ...whole,
        read: (...asked) =>
          Effect.suspend(() => {
            most = Math.max(most, ++now)
            return Effect.ensuring(
              Effect.andThen(Deferred.await(goOn), whole.read(...asked)),
              Effect.sync(() => void now--)
            )
          })
      }
      const visitor = yield* web.visit(yield* web.alone({ journal }, server))
      const readers = yield* Effect.forEach(Array.from({ length: 8 }), () =>
        Effect.forkChild(visitor.get(`${crypto.randomUUID()}.7_0`), { startImmediately: true }))
      yield* settled
      yield* Deferred.succeed(goOn, undefined)
      yield* Effect.forEach(readers, Fiber.join)
      assert.strictEqual(most, 2)
    }))
})
