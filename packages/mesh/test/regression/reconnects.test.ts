/** A connection to an engine may be lost and made again within a beat: what is sent meanwhile has no receiver. */
import { assert, describe, it } from "@effect/vitest"
import type { MeshEngine } from "@parley/mesh/MeshEngine"
import { Deferred, Effect, Exit, Fiber, Option, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Dice } from "../support/Dice.ts"
import { settled, two } from "../support/nodes.ts"

/** Nodes whose connections can be lost. Their names are known only when they are there. */
const reconnecting = () => {
  const deaf = new Set<string>()
  const around = (engine: MeshEngine): MeshEngine => ({
    ...engine,
    publish: (node, to, text) =>
      Effect.suspend(() => deaf.has(to) ? Effect.succeed(false) : engine.publish(node, to, text))
  })
  return { deaf, around }
}

/** Less than a beat. */
const moment = "900 millis"

describe("a node whose connection is lost and made again within a beat", () => {
  it.effect("is not gone for those who wait for its answers", () =>
    Effect.gen(function*() {
      const { around, deaf } = reconnecting()
      const { a, b } = yield* two(around)
      const goOn = yield* Deferred.make<string>()
      yield* b.serve("name", () => Deferred.await(goOn))
      const reading = yield* Effect.forkChild(Stream.runCollect(a.call({ name: "name", node: b.node }, "x")))
      yield* settled
      yield* TestClock.adjust("500 millis")
      deaf.add(b.node)
      yield* TestClock.adjust(moment)
      deaf.delete(b.node)
      yield* TestClock.adjust("10 seconds")
      yield* Deferred.succeed(goOn, "late")
      yield* settled
      assert.deepStrictEqual(reading.pollUnsafe(), Exit.succeed(["late"]))
    }))

  it.effect("gets the answers that it waits for", () =>
    Effect.gen(function*() {
      const { around, deaf } = reconnecting()
      const { a, b } = yield* two(around)
      const goOn = yield* Deferred.make<void>()
      yield* b.serve("name", (_, answer) => Effect.as(Effect.andThen(Deferred.await(goOn), answer("item")), "end"))
      const reading = yield* Effect.forkChild(Stream.runCollect(a.call({ name: "name", node: b.node }, "x")))
      yield* settled
      deaf.add(a.node)
      yield* Deferred.succeed(goOn, undefined)
      yield* TestClock.adjust(moment)
      deaf.delete(a.node)
      yield* TestClock.adjust("1 second")
      yield* settled
      assert.deepStrictEqual(reading.pollUnsafe(), Exit.succeed(["item", "end"]))
    }))

  it.effect("gets the last answer of a handler that has ended", () =>
    Effect.gen(function*() {
      const { around, deaf } = reconnecting()
      const { a, b } = yield* two(around)
      yield* b.serve("name", () => Effect.as(Effect.sleep("3500 millis"), "end"))
      const reading = yield* Effect.forkChild(Stream.runCollect(a.call({ name: "name", node: b.node }, "x")))
      yield* settled
      yield* TestClock.adjust("3400 millis")
      deaf.add(a.node)
      yield* TestClock.adjust(moment)
      deaf.delete(a.node)
      yield* TestClock.adjust("1 second")
      yield* settled
      assert.deepStrictEqual(reading.pollUnsafe(), Exit.succeed(["end"]))
    }))

  it.effect.prop(
    "loses none of its calls, whenever that is",
    [Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))],
    ([seed]) =>
      Effect.gen(function*() {
        const dice = new Dice(seed)
        const { around, deaf } = reconnecting()
        const { a, b } = yield* two(around, { window: 400 })
        yield* b.serve("name", ({ text }, answer) =>
          Effect.as(
            Effect.forEach(
              text.split(" "),
              (pause) => Effect.andThen(Effect.sleep(Number(pause)), answer(`${pause}`)),
              { discard: true }
            ),
            "end"
          ))
        const calls = yield* Effect.forEach(Array.from({ length: 8 }), () => {
          const pauses = Array.from({ length: 1 + dice.below(5) }, () => `${dice.below(2_000)}`)
          const call = Stream.runCollect(a.call({ name: "name", node: b.node }, pauses.join(" ")))
          return Effect.map(Effect.forkChild(call), (fiber) => ({ fiber, expected: [...pauses, "end"] }))
        })
        yield* settled
        for (let times = 0; times < 6; times++) {
          yield* TestClock.adjust(dice.below(1_500))
          const node = dice.below(2) === 0 ? a.node : b.node
          deaf.add(node)
          yield* TestClock.adjust(dice.below(990))
          deaf.delete(node)
          // Each of the two is back for a beat before the next loses its connection.
          yield* TestClock.adjust("1 second")
        }
        yield* TestClock.adjust("20 seconds")
        yield* settled
        for (const { expected, fiber } of calls) {
          const exit = fiber.pollUnsafe()
          assert.deepStrictEqual(exit && Exit.getSuccess(exit).pipe(Option.getOrUndefined), expected)
        }
      }),
    { arbitrary: { runs: 40 } }
  )
})

describe("a node whose connection is not made again", () => {
  it.effect("is gone in two beats for those who wait for its answers", () =>
    Effect.gen(function*() {
      const { around, deaf } = reconnecting()
      const { a, b } = yield* two(around)
      yield* b.serve("name", () => Effect.never)
      const reading = yield* Effect.forkChild(Effect.flip(Stream.runDrain(a.call({ name: "name", node: b.node }, "x"))))
      yield* TestClock.adjust("1500 millis")
      deaf.add(b.node)
      yield* TestClock.adjust("2 seconds")
      yield* settled
      assert.deepInclude(yield* Fiber.join(reading), { _tag: "OwnerGone", node: b.node, sent: true })
    }))
})
