/** The bounds of what waits for a server of NATS that takes its time. */
import { assert, describe, it } from "@effect/vitest"
import { NatsNodes } from "@parley/nats"
import { type NatsClient, NatsError } from "@parley/nats/NatsClient"
import { Effect, Fiber, Latch } from "effect"
import { TestClock } from "effect/testing"
import { FakeNats } from "../support/fake/FakeNats.ts"

const settled = Effect.forEach(Array.from({ length: 50 }), () => Effect.yieldNow, { discard: true })

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

const isOver = (fiber: Fiber.Fiber<unknown, unknown>) => fiber.pollUnsafe() !== undefined

/** A client of a server that takes what is under way only each time that `take` runs. */
const slow = Effect.fnUntraced(function*(pending: number) {
  const nats = yield* FakeNats.make()
  const { client } = yield* nats.connectedWith(pending)
  const { client: other } = yield* nats.connected
  const latch = Latch.makeUnsafe()
  const heard: Array<string> = []
  yield* other.subscribe("parley.inbox.*", (message) => void heard.push(message.string().slice(0, 8)))
  let isSlow = false
  const flushed = Effect.suspend(() => isSlow ? Effect.andThen(latch.await, client.flushed) : client.flushed)
  const slow: NatsClient = Object.create(client, { flushed: { value: flushed } })
  const engine = yield* NatsNodes.makeEngine(slow)
  isSlow = true
  return { engine, heard, take: Effect.andThen(latch.release, settled) }
})

const text = (name: string, length: number) => name.padEnd(8).padEnd(length, "x")

describe("texts that wait for a slow server", () => {
  it.effect("are sent in their order, and each is refused when its time is over, counted from its asking", () =>
    Effect.gen(function*() {
      const { engine, heard, take } = yield* slow(1_000)
      const publish = (name: string, length = 900) => started(engine.publish("a", "b", text(name, length)))
      yield* publish("one")
      const two = yield* publish("two")
      const left = yield* publish("left")
      const three = yield* publish("three")
      // There is room for it, but not before the others.
      const four = yield* publish("four", 50)
      assert.deepStrictEqual(heard.map((name) => name.trim()), ["one"])
      yield* Fiber.interrupt(left)
      yield* TestClock.adjust("4 seconds")
      yield* take
      assert.deepStrictEqual(heard.map((name) => name.trim()), ["one", "two"])
      const late = yield* publish("late", 50)
      yield* TestClock.adjust("1100 millis")
      yield* settled
      assert.isTrue(isOver(three))
      const error = yield* Effect.flip(Fiber.join(three))
      assert.deepInclude(error, { _tag: "Overloaded", key: "b" })
      assert.include(error.reason, "`pending`")
      assert.deepStrictEqual(heard.map((name) => name.trim()), ["one", "two", "four", "late"])
      yield* take
      for (const fiber of [two, four, late]) assert.isTrue(yield* Fiber.join(fiber))
    }))

  it.effect("have a weight of 64 Mi at most, and are refused at once beyond it", () =>
    Effect.gen(function*() {
      const { engine, take } = yield* slow(1_048_576)
      const large = "x".repeat(1_048_576 - 256)
      const publish = (text: string) => started(engine.publish("a", "b", text))
      // Each weighs 1 Mi: one is under way, and 48 wait.
      const first = yield* Effect.forEach(Array.from({ length: 49 }), () => publish(large))
      assert.isFalse(first.some(isOver))
      const error = yield* Effect.flip(engine.publish("a", "b", large))
      assert.deepInclude(error, { _tag: "Overloaded", key: "b" })
      assert.include(error.reason, "`pending`")
      // There is room for small ones, such as the words by which nodes know that others live.
      const small = yield* publish("x")
      assert.isFalse(isOver(small))
      // What was sent, has left or was given up makes room.
      yield* take
      yield* Fiber.interruptAll(first.slice(40))
      const next = yield* publish(large)
      assert.isFalse(isOver(next))
      yield* TestClock.adjust("6 seconds")
      yield* settled
      assert.isTrue(isOver(next))
      assert.isFalse(isOver(yield* publish(large)))
    }))
})

describe("requests that wait for a slow server", () => {
  it.effect("have a weight of 64 Mi at most, and are refused at once beyond it", () =>
    Effect.gen(function*() {
      const { client } = yield* (yield* FakeNats.make()).connected
      let isFull = true
      const request: NatsClient["request"] = (subject, ...message) =>
        isFull && subject.startsWith("parley.journal.")
          ? Effect.fail(new NatsError({ subject, reason: { _tag: "Full", pending: 1_000 } }))
          : client.request(subject, ...message)
      const flushed = Effect.suspend(() => isFull ? Effect.never : client.flushed)
      const journal = yield* NatsNodes.makeJournal(
        Object.create(client, { request: { value: request }, flushed: { value: flushed } })
      )
      // Three quarters of 64 Mi are 167 of them.
      const append = (key: number) => journal.append(`${key}`, "x".repeat(300_000), 0)
      const first = yield* Effect.forEach(Array.from({ length: 167 }), (_, key) => started(append(key)))
      yield* settled
      assert.isFalse(first.some(isOver))
      const beyond = yield* started(Effect.flip(append(167)))
      yield* settled
      assert.isTrue(isOver(beyond))
      assert.include((yield* Fiber.join(beyond)).message, "`pending`")
      yield* TestClock.adjust("6 seconds")
      yield* settled
      for (const fiber of first) assert.strictEqual((yield* Effect.flip(Fiber.join(fiber)))._tag, "Overloaded")
      isFull = false
      assert.strictEqual(yield* append(168), 1)
    }))
})
