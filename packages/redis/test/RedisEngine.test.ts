/** The promises of an engine whose Redis does not answer, is cut off, or refuses. */
import { assert, describe, it } from "@effect/vitest"
import * as RedisNodes from "@parley/redis/RedisNodes"
import { Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as FakeRedis from "./support/FakeRedis.ts"

const engineOf = Effect.fnUntraced(function*(options?: RedisNodes.RedisEngineOptions) {
  const fake = yield* FakeRedis.make
  return { fake, engine: yield* Effect.provide(RedisNodes.makeEngine(options), fake.context) }
})

/** Starts something, and lets it go as far as it can. */
const started = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.tap(Effect.forkChild(effect, { startImmediately: true }), () => FakeRedis.settled)

const texts = ({ sent }: FakeRedis.Connection) =>
  sent.flatMap(([name, , text = ""]) => name === "PUBLISH" ? [text.slice(1)] : [])

describe("a Redis that does not answer", () => {
  it.effect("is given up after its time, and nothing more is asked until it answers", () =>
    Effect.gen(function*() {
      const { engine, fake } = yield* engineOf({ timeout: "1 second" })
      const asking = yield* started(engine.owner("key"))
      yield* TestClock.adjust("900 millis")
      assert.isUndefined(asking.pollUnsafe())
      yield* TestClock.adjust("400 millis")
      const error = yield* Effect.flip(Fiber.join(asking))
      assert.deepInclude(error, { _tag: "Overloaded", key: "key" })
      assert.include(error.reason, "has not answered for 1")
      const again = yield* Effect.flip(engine.owner("other"))
      assert.include(again.reason, "has not answered for 1")
      assert.lengthOf(fake.connections[0]?.sent ?? [], 1)

      fake.connections[0]?.answer(null)
      yield* FakeRedis.settled
      const third = yield* started(engine.owner("third"))
      fake.connections[0]?.answer(["node"])
      assert.strictEqual(yield* Fiber.join(third), "node")
    }))

  it.effect("leaves it open whether a text was published", () =>
    Effect.gen(function*() {
      const { engine } = yield* engineOf({ timeout: "1 second" })
      const publishing = yield* started(engine.publish("a", "b", "text"))
      yield* TestClock.adjust("2 seconds")
      assert.isTrue(yield* Fiber.join(publishing))
      assert.strictEqual((yield* Effect.flip(engine.publish("a", "b", "text")))._tag, "Overloaded")
    }))

  it.effect("for long loses its connection, which it is told to close before anything is sent over the next", () =>
    Effect.gen(function*() {
      const { engine, fake } = yield* engineOf({ timeout: "1 second" })
      yield* started(engine.publish("a", "b", "one"))
      yield* TestClock.adjust("6 seconds")
      yield* started(engine.publish("a", "b", "two"))
      const [first, second] = fake.connections
      assert.isFalse(first?.isOpen)
      assert.deepStrictEqual(second?.sent.map(([name, what]) => [name, what]), [
        ["CLIENT", "KILL"],
        ["PUBLISH", "{parley}:inbox/b"]
      ])
    }))

  it.effect("while a connection is opened is told to those who wait for it, whose commands are not sent later", () =>
    Effect.gen(function*() {
      const { engine, fake } = yield* engineOf({ timeout: "1 second" })
      const goOn = fake.hang()
      const publishing = yield* started(engine.publish("a", "b", "text"))
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* Effect.flip(Fiber.join(publishing)))._tag, "Overloaded")
      yield* TestClock.adjust("4 seconds")
      goOn()
      yield* FakeRedis.settled
      yield* started(engine.publish("a", "b", "later"))
      assert.deepStrictEqual(fake.connections.flatMap(texts), ["later"])
    }))
})

describe("what is under way to Redis", () => {
  it.effect("is bounded by its characters, but a text that comes alone always fits", () =>
    Effect.gen(function*() {
      const { engine, fake } = yield* engineOf({ pending: 2_000 })
      const large = yield* started(engine.publish("a", "b", "x".repeat(10_000)))
      const small = yield* started(engine.publish("a", "b", "x"))
      assert.lengthOf(fake.connections.flatMap(texts), 1)
      fake.connections[0]?.answer(1)
      assert.isTrue(yield* Fiber.join(large))
      fake.connections[0]?.answer(1)
      assert.isTrue(yield* Fiber.join(small))
      yield* Effect.forEach(Array.from({ length: 20 }), () => started(engine.publish("a", "b", "")))
      assert.lengthOf(fake.connections.flatMap(texts), 9)
    }))

  it.effect("waits where it is full, in its order, and is refused after its time", () =>
    Effect.gen(function*() {
      const { engine, fake } = yield* engineOf({ timeout: "1 second", pending: 600 })
      const publish = (text: string) => started(engine.publish("a", "b", text))
      const publishing = yield* Effect.forEach(["one", "two", "three", "four"], publish)
      assert.deepStrictEqual(fake.connections.flatMap(texts), ["one", "two"])
      yield* Fiber.interrupt(publishing[2]!)
      fake.connections[0]?.answer(1)
      yield* FakeRedis.settled
      assert.deepStrictEqual(fake.connections.flatMap(texts), ["one", "two", "four"])
      yield* TestClock.adjust("500 millis")
      const late = yield* publish("five")
      fake.connections[0]?.answer(1)
      yield* TestClock.adjust("600 millis")
      fake.connections[0]?.answer(1)
      yield* publish("a text that is larger than what may be under way ".repeat(20))
      const waiting = yield* publish("six")
      yield* TestClock.adjust("900 millis")
      fake.connections[0]?.answer(1)
      yield* TestClock.adjust("600 millis")
      assert.isTrue(Exit.isSuccess(yield* Fiber.await(late)))
      assert.include((yield* Effect.flip(Fiber.join(waiting))).reason, "`pending`")
    }))

  it.effect("waits with no more than 64 Mi, three quarters of it for large commands, and is refused at once beyond that", () =>
    Effect.gen(function*() {
      const { engine, fake } = yield* engineOf({ timeout: "1 second", pending: 1_048_576 })
      const publish = (text: string) => started(engine.publish("a", "b", text))
      const large = "x".repeat(1_048_576 - 257)
      // Each weighs 1 Mi: one is under way, and 48 wait.
      const first = yield* Effect.forEach(Array.from({ length: 49 }), () => publish(large))
      assert.isTrue(first.every((fiber) => fiber.pollUnsafe() === undefined))
      for (let again = 0; again < 2; again++) {
        const error = yield* Effect.flip(engine.publish("a", "b", large))
        assert.deepInclude(error, { _tag: "Overloaded", key: "b" })
        assert.include(error.reason, "`pending`")
      }
      const few = "x".repeat(3_839)
      // Each weighs 4 Ki: 16 Mi of them wait.
      const small = yield* Effect.forEach(Array.from({ length: 4_097 }), () => publish(few))
      const isOver = (fiber: Fiber.Fiber<unknown, unknown>) => fiber.pollUnsafe() !== undefined
      assert.strictEqual(small.filter(isOver).length, 1)
      // What has left, was sent or given up makes room.
      yield* Fiber.interruptAll([...first.slice(40), ...small])
      fake.connections[0]?.answer(1)
      yield* FakeRedis.settled
      assert.isFalse(isOver(yield* publish(large)))
      yield* TestClock.adjust("900 millis")
      assert.isTrue(yield* Fiber.join(first[0]!))
      yield* TestClock.adjust("400 millis")
      fake.connections[0]?.answer(1)
      yield* FakeRedis.settled
      assert.isFalse(isOver(yield* publish(large)))
    }))

  it.effect("and fails with a connection leaves it open whether it was done", () =>
    Effect.gen(function*() {
      const { engine, fake } = yield* engineOf()
      const publishing = yield* started(engine.publish("a", "b", "text"))
      const asking = yield* started(engine.owner("key"))
      fake.connections[0]?.cut()
      assert.isTrue(yield* Fiber.join(publishing))
      assert.include((yield* Effect.flip(Fiber.join(asking))).reason, "Socket closed unexpectedly")
    }))

  it.effect("goes over another connection where the one before was closed while nothing was under way", () =>
    Effect.gen(function*() {
      const { engine, fake } = yield* engineOf()
      const first = yield* started(engine.publish("a", "b", "one"))
      fake.connections[0]?.answer(1)
      yield* Fiber.join(first)
      fake.connections[0]?.cut()
      const second = yield* Effect.forkChild(engine.publish("a", "b", "two"), { startImmediately: true })
      const third = yield* started(engine.publish("a", "b", "three"))
      assert.deepStrictEqual(fake.connections.map(texts), [["one"], ["two", "three"]])
      fake.connections[1]?.answer(0)
      fake.connections[1]?.answer(1)
      assert.deepStrictEqual([yield* Fiber.join(second), yield* Fiber.join(third)], [false, true])
    }))

  it.effect.prop(
    "keeps its order, whatever is cut, answered or given up",
    [Schema.Array(Schema.Literals(["publish", "answer", "cut", "refuse", "wait", "stand still", "hang"]))],
    ([steps]) =>
      Effect.gen(function*() {
        const { engine, fake } = yield* engineOf({ timeout: "1 second", pending: 1_000 })
        let goOn: (() => void) | undefined
        const ends: Array<Fiber.Fiber<boolean, unknown>> = []
        for (const step of steps) {
          const connection = fake.connections.at(-1)
          if (step === "publish") ends.push(yield* started(engine.publish("a", "b", `${ends.length}`)))
          else if (step === "answer") connection?.answer(1)
          else if (step === "cut") connection?.cut()
          else if (step === "refuse") connection?.refuse("OOM command not allowed")
          else if (step === "wait") yield* TestClock.adjust("300 millis")
          else if (step === "stand still") yield* TestClock.adjust("6 seconds")
          else if (goOn === undefined) goOn = fake.hang()
          else goOn = void goOn()
          yield* FakeRedis.settled
        }
        goOn?.()
        yield* TestClock.adjust("1 minute")
        const sent = fake.connections.flatMap(texts).map(Number)
        assert.deepStrictEqual(sent, [...new Set(sent)].toSorted((a, b) => a - b))
        for (const [n, end] of ends.entries()) {
          const exit = end.pollUnsafe() ?? assert.fail(`the text ${n} is under way for ever`)
          // A text that was not sent is told to be taken by nobody.
          if (Exit.isSuccess(exit)) assert.include(sent, n)
        }
      }),
    { arbitrary: { runs: 200 } }
  )
})

describe("a node that was silent for longer than it is known who has had its keys", () => {
  it.effect("does not bring them back, also where its first beat was not answered", () =>
    Effect.gen(function*() {
      const { engine, fake } = yield* engineOf({ timeout: "1 second" })
      const [connection] = yield* Effect.as(started(engine.beat("a", 3_000)), fake.connections)
      connection?.answer("1")
      yield* TestClock.adjust("2 hours")
      const unanswered = yield* started(engine.beat("a", 3_000))
      yield* TestClock.adjust("2 seconds")
      assert.isTrue(Exit.isFailure(yield* Fiber.await(unanswered)))
      connection?.answer("2")
      yield* FakeRedis.settled
      const answered = yield* started(engine.beat("a", 3_000))
      connection?.answer("2")
      assert.isFalse(yield* Fiber.join(answered))
      yield* started(engine.keep("key", { node: "a", epoch: 7 }))
      assert.strictEqual(connection?.sent.at(-1)?.at(-1), "0")
    }))
})

describe("a Redis that says no", () => {
  it.effect("when keys are renewed still tells a node that it has counted as dead", () =>
    Effect.gen(function*() {
      const { engine, fake } = yield* engineOf()
      const claiming = yield* started(engine.claim("key", "a"))
      fake.connections[0]?.answer(["a", "7"])
      yield* Fiber.join(claiming)
      yield* TestClock.adjust("9 hours")
      const beating = yield* started(engine.beat("a", 3_000))
      fake.connections[0]?.answer("1")
      yield* FakeRedis.settled
      fake.connections[0]?.refuse("OOM command not allowed when used memory > 'maxmemory'.")
      assert.isFalse(yield* Fiber.join(beating))
    }))

  it.effect("to all that is under way, because it is a replica now, ends each command once", () =>
    Effect.gen(function*() {
      const { engine, fake } = yield* engineOf({ timeout: "1 second", pending: 1_500 })
      const before = yield* Effect.forEach(["one", "two", "three"], (text) => started(engine.publish("a", "b", text)))
      fake.connections[0]?.refuseAll("READONLY You can't write against a read only replica.")
      yield* FakeRedis.settled
      assert.isTrue(before.every((fiber) => fiber.pollUnsafe() !== undefined))
      yield* TestClock.adjust("1 second")
      const later = yield* Effect.forEach(Array.from({ length: 9 }), () => started(engine.publish("a", "b", "")))
      assert.lengthOf(texts(fake.connections[1] ?? assert.fail("there is no other connection")), 5)
      yield* TestClock.adjust("2 seconds")
      assert.isTrue(later.every((fiber) => fiber.pollUnsafe() !== undefined))
    }))

  it.effect("is cited, and asked again", () =>
    Effect.gen(function*() {
      const { engine, fake } = yield* engineOf()
      const asking = yield* started(engine.claim("key", "a"))
      fake.connections[0]?.refuse("OOM command not allowed when used memory > 'maxmemory'.")
      assert.include((yield* Effect.flip(Fiber.join(asking))).reason, "Redis says: OOM")
      const again = yield* started(engine.claim("key", "a"))
      fake.connections[0]?.answer(["a", "7"])
      assert.deepStrictEqual(yield* Fiber.join(again), { node: "a", epoch: 7 })
    }))

  it.effect("to a script that it has forgotten is sent the script", () =>
    Effect.gen(function*() {
      const { engine, fake } = yield* engineOf()
      const asking = yield* started(engine.owner("key"))
      fake.connections[0]?.refuse("NOSCRIPT No matching script.")
      yield* FakeRedis.settled
      fake.connections[0]?.answer("a")
      assert.strictEqual(yield* Fiber.join(asking), "a")
      assert.deepStrictEqual(fake.connections[0]?.sent.map(([name]) => name), ["EVALSHA", "EVAL"])
    }))

  it.effect("to a connection is not asked at once again, but later", () =>
    Effect.gen(function*() {
      const { engine, fake } = yield* engineOf()
      fake.refusal = "NOAUTH Authentication required."
      assert.include((yield* Effect.flip(engine.owner("key"))).reason, "NOAUTH")
      fake.refusal = undefined
      assert.include((yield* Effect.flip(engine.owner("key"))).reason, "NOAUTH")
      yield* TestClock.adjust("100 millis")
      const asking = yield* started(engine.owner("key"))
      fake.connections[0]?.answer([null])
      assert.isUndefined(yield* Fiber.join(asking))
    }))
})
