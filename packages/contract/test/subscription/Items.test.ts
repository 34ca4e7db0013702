/** What waits between the receive loop and a consumer, against a model, and under a reader that it holds back. */
import { assert, describe, it } from "@effect/vitest"
import { Generators } from "@parley/conformance/shared"
import { Arbitrary, Cause, Effect, Exit, Fiber, Schema } from "effect"
import type { Contract } from "../../src/index.ts"
import * as Items from "../../src/internal/client/items.ts"

type Strategy = NonNullable<Contract.StreamOptions["strategy"]>

const Size = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 }))

const Step = Schema.Union([
  Schema.TaggedStruct("Push", { count: Size }),
  Schema.TaggedStruct("Pull", {}),
  Schema.TaggedStruct("Interrupt", {}),
  Schema.TaggedStruct("Lose", { count: Size }),
  Schema.TaggedStruct("End", {})
])

/** Pushing and pulling is what mostly happens. */
const steps = Generators.sequence(
  Arbitrary.map(
    Arbitrary.all([Arbitrary.schema(Step), Arbitrary.schema(Schema.Boolean), Arbitrary.schema(Size)]),
    ([step, usual, count]): typeof Step.Type => usual ? count > 1 ? { _tag: "Push", count } : { _tag: "Pull" } : step
  ),
  40
)

const Capacity = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 8 }))

/** What a pull gives: items, how many are missed, or the end. */
type Given = ReadonlyArray<number> | { readonly missed: number } | "end"

/** What should happen, said as plainly as possible. */
const modelOf = (strategy: Strategy, capacity: number) => {
  let kept: ReadonlyArray<number> = []
  let missed = 0
  let ended = false
  const room = strategy === "suspend" ? 2 * capacity : capacity
  return {
    push: (items: ReadonlyArray<number>) => {
      if (ended) return
      if (missed > 0) missed += items.length
      else if (kept.length < room) kept = [...kept, ...items]
      else if (strategy === "sliding") kept = [...kept, ...items].slice(-capacity)
      else if (strategy !== "dropping") missed = items.length
    },
    lose: (count: number) => {
      if (strategy === "suspend" || strategy === "fail") missed += count
    },
    end: () => {
      ended = true
    },
    take: (): Given | undefined => {
      const items = kept
      kept = []
      if (items.length > 0) return items
      return missed > 0 ? { missed } : ended ? "end" : undefined
    },
    isPaused: () => strategy === "suspend" && !ended && kept.length >= capacity
  }
}

const given = (exit: Exit.Exit<ReadonlyArray<number>, unknown>): Given => {
  if (Exit.isSuccess(exit)) return exit.value
  const error = exit.cause.reasons.find(Cause.isFailReason)?.error
  if (Cause.isDone(error)) return "end"
  assert.deepInclude(error, { _tag: "Lagged", method: "m" })
  return { missed: Object(error).missed }
}

const startPull = <A>(items: Items.Items<A, never>) => Effect.forkChild(items.pull, { startImmediately: true })

for (const strategy of ["suspend", "sliding", "dropping", "fail"] as const) {
  describe(strategy, () => {
    it.effect.prop(
      "gives what its model gives, whatever comes in between",
      { steps, capacity: Capacity },
      ({ capacity, steps }) =>
        Effect.gen(function*() {
          let pauses = 0
          const items = Items.make<number, never>("m", { strategy, capacity }, () => {
            pauses++
            let paused = true
            return () => {
              assert.isTrue(paused, "resumed twice")
              paused = false
              pauses--
            }
          })
          const model = modelOf(strategy, capacity)
          const seen: Array<Given> = []
          const expected: Array<Given> = []
          let pull: Fiber.Fiber<ReadonlyArray<number>, unknown> | undefined
          let next = 0
          for (const step of steps) {
            switch (step._tag) {
              case "Push": {
                const pushed = Array.from({ length: step.count }, () => next++)
                items.push(pushed)
                model.push(pushed)
                break
              }
              case "Pull":
                pull ??= yield* startPull(items)
                break
              case "Interrupt":
                if (pull !== undefined) yield* Fiber.interrupt(pull)
                pull = undefined
                break
              case "Lose":
                items.lose(step.count)
                model.lose(step.count)
                break
              case "End":
                items.end(Exit.fail(Cause.Done()))
                model.end()
            }
            const taken = pull === undefined ? undefined : model.take()
            if (taken !== undefined) expected.push(taken)
            const exit = pull?.pollUnsafe()
            if (exit !== undefined) {
              seen.push(given(exit))
              pull = undefined
            }
            assert.deepStrictEqual(seen, expected)
            assert.strictEqual(pauses, model.isPaused() ? 1 : 0)
          }
          if (pull !== undefined) yield* Fiber.interrupt(pull)
        }),
      { arbitrary: { runs: 300 } }
    )
  })
}

it.effect("gives what its model gives, where what slides follows items beyond the capacity", () =>
  Effect.gen(function*() {
    const items = Items.make<number, never>("m", { strategy: "sliding", capacity: 2 }, () => () => {})
    const model = modelOf("sliding", 2)
    for (const pushed of [[1, 2, 3, 4], [5]]) {
      items.push(pushed)
      model.push(pushed)
    }
    assert.deepStrictEqual(yield* items.pull, model.take())
  }))

/**
 * A reader like that of a peer: it hands on one message after another, stops where it is told to, and goes on within
 * the very call that lets it.
 */
const readerOf = (messages: ReadonlyArray<ReadonlyArray<number>>, push: (items: ReadonlyArray<number>) => void) => {
  let at = 0
  let pauses = 0
  const read = () => {
    while (pauses === 0) {
      const message = messages[at++]
      if (message === undefined) return
      push(message)
    }
  }
  return {
    read,
    pause: () => {
      pauses++
      return () => {
        pauses--
        read()
      }
    }
  }
}

describe("a reader that is held back", () => {
  it.effect.prop(
    "brings everything, in its order, and never more than there is room for",
    { sizes: Generators.sequence(Arbitrary.schema(Size), 40), capacity: Capacity },
    ({ capacity, sizes }) =>
      Effect.gen(function*() {
        let next = 0
        let pushed = 0
        const messages = sizes.map((size) => Array.from({ length: size }, () => next++))
        const reader = readerOf(messages, (message) => {
          pushed += message.length
          items.push(message)
          assert.isAtMost(pushed - seen.length - inHand, capacity - 1 + 5, "more than there is room for")
        })
        const seen: Array<number> = []
        /** What the pull that reads on is about to give. */
        let inHand = 0
        const items = Items.make<number, never>("m", { capacity }, reader.pause)
        reader.read()
        while (seen.length < next) {
          inHand = pushed - seen.length
          const taken = yield* items.pull
          inHand = 0
          seen.push(...taken)
        }
        assert.deepStrictEqual(seen, Array.from({ length: next }, (_, index) => index))
      })
  )

  it.effect("goes on when the consumer leaves, and is held back no more", () =>
    Effect.gen(function*() {
      const taken: Array<number> = []
      const reader = readerOf([[1], [2], [3], [4]], (message) => {
        taken.push(...message)
        items.push(message)
      })
      const items = Items.make<number, never>("m", { capacity: 2 }, reader.pause)
      reader.read()
      assert.deepStrictEqual(taken, [1, 2])
      items.close()
      assert.deepStrictEqual(taken, [1, 2, 3, 4])
      assert.isTrue(Cause.hasInterruptsOnly((yield* Effect.flip(Effect.sandbox(items.pull))) as Cause.Cause<never>))
    }))

  it.effect("is not held back by a consumer that leaves within the push that would", () =>
    Effect.gen(function*() {
      let pauses = 0
      const items = Items.make<number, never>("m", { capacity: 1 }, () => {
        pauses++
        return () => void pauses--
      })
      const leaving = yield* Effect.forkChild(Effect.tap(items.pull, () => Effect.sync(() => items.close())), {
        startImmediately: true
      })
      items.push([1, 2, 3])
      assert.deepStrictEqual(yield* Fiber.join(leaving), [1, 2, 3])
      assert.strictEqual(pauses, 0)
    }))
})

describe("items", () => {
  it.effect("of one message may be more than there are places on the stack", () =>
    Effect.gen(function*() {
      for (const strategy of ["suspend", "sliding", "dropping", "fail"] as const) {
        const items = Items.make<number, never>("m", { strategy, capacity: 1 }, () => () => {})
        items.push(new Array<number>(500_000).fill(1))
        assert.strictEqual((yield* items.pull).length, 500_000)
      }
    }))

  it.effect("are waited for by several pulls at once, and each hears of the end", () =>
    Effect.gen(function*() {
      const items = Items.make<number, never>("m", {}, () => () => {})
      const [first, second] = [yield* startPull(items), yield* startPull(items)]
      items.push([1])
      assert.deepStrictEqual(first.pollUnsafe(), Exit.succeed([1] as const))
      assert.isUndefined(second.pollUnsafe())
      items.push([2])
      assert.deepStrictEqual(second.pollUnsafe(), Exit.succeed([2] as const))
      const [third, fourth] = [yield* startPull(items), yield* startPull(items)]
      yield* Fiber.interrupt(third)
      items.end(Exit.fail(Cause.Done()))
      assert.strictEqual(given(yield* Fiber.await(fourth)), "end")
    }))

  it.effect("have room for one at least", () =>
    Effect.gen(function*() {
      for (const strategy of ["suspend", "sliding", "dropping", "fail"] as const) {
        const items = Items.make<number, never>("m", { strategy, capacity: 0 }, () => () => {})
        items.push([1])
        assert.deepStrictEqual(yield* items.pull, [1])
      }
    }))

  it.effect("end with what came first: the end in order, or another", () =>
    Effect.gen(function*() {
      const items = Items.make<number, string>("m", {}, () => () => {})
      items.push([1])
      items.end(Exit.fail("broken"))
      items.end(Exit.fail(Cause.Done()))
      items.push([2])
      assert.deepStrictEqual(yield* items.pull, [1])
      assert.deepStrictEqual(yield* Effect.exit(items.pull), Exit.fail("broken"))
      assert.deepStrictEqual(yield* Effect.exit(items.pull), Exit.fail("broken"))
    }))
})

// A second where a full queue puts each item into its place, and ten minutes where it copies itself.
it("a full sliding queue of 100,000 items takes 100,000 more", () => {
  const capacity = 100_000
  const items = Items.make<number, never>("m", { strategy: "sliding", capacity }, () => () => {})
  for (let item = 0; item < 2 * capacity; item++) items.push([item])
  const kept = Effect.runSync(items.pull)
  assert.deepStrictEqual([kept.length, kept[0], kept.at(-1)], [capacity, capacity, 2 * capacity - 1])
})
