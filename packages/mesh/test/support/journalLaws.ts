/** What every journal does, whatever keeps its texts. */
import { assert, describe, it } from "@effect/vitest"
import type * as Journal from "@parley/mesh/Journal"
import { Effect, Fiber, Schema, type Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { settled } from "./nodes.ts"

export const entry = (position: number, text: string): Journal.Item => ({ _tag: "Entry", position, text })
export const gap = (after: number, before: number): Journal.Item => ({ _tag: "Gap", after, before })

/** The laws of journals, for one that `make` gives with these bounds. */
export const laws = (
  name: string,
  make: (bounds?: Journal.Bounds) => Effect.Effect<Journal.Journal, never, Scope.Scope>
) => {
  describe(`a journal ${name}`, () => {
    it.effect("gives what is behind a position, each key by itself", () =>
      Effect.gen(function*() {
        const journal = yield* make()
        const positions = yield* Effect.forEach(["a", "b", "c"], (text) => journal.append("k", text, 0))
        yield* journal.append("k/1", "another key", 0)
        assert.deepStrictEqual(positions, [1, 2, 3])
        assert.deepStrictEqual(yield* journal.read("k", 0), [entry(1, "a"), entry(2, "b"), entry(3, "c")])
        assert.deepStrictEqual(yield* journal.read("k", 2), [entry(3, "c")])
        assert.deepStrictEqual(yield* journal.read("k", 3), [])
        assert.deepStrictEqual(yield* journal.read("k/1", 0), [entry(1, "another key")])
      }))

    it.effect("tells a gap where a position was never there, or is no more", () =>
      Effect.gen(function*() {
        const journal = yield* make()
        assert.deepStrictEqual(yield* journal.read("k", 7), [gap(7, 1)])
        yield* journal.append("k", "a", 0)
        assert.deepStrictEqual(yield* journal.read("k", 7), [gap(7, 2)])
        yield* journal.drop("k", 0)
        assert.deepStrictEqual(yield* journal.read("k", 1), [gap(1, 1)])
        assert.deepStrictEqual(yield* journal.read("k", 0), [])
      }))

    it.effect("ends who follows a key that is dropped, though they were busy then", () =>
      Effect.gen(function*() {
        const journal = yield* make()
        yield* journal.append("k", "a", 0)
        const following = yield* Effect.forkChild(
          Stream.runForEach(journal.follow("k", 0), () => journal.drop("k", 0))
        )
        yield* settled
        yield* TestClock.adjust("10 seconds")
        yield* settled
        assert.isDefined(following.pollUnsafe())
      }))

    it.effect("keeps no more texts than `count`, nor a greater weight, but for the newest", () =>
      Effect.gen(function*() {
        const few = yield* make({ count: 3 })
        for (const text of ["a", "b", "c", "d"]) yield* few.append("k", text, 0)
        assert.deepStrictEqual(yield* few.read("k", 0), [gap(0, 2), entry(2, "b"), entry(3, "c"), entry(4, "d")])
        const light = yield* make({ weight: 1_000 })
        for (const length of [300, 300, 300]) yield* light.append("k", "x".repeat(length), 0)
        assert.deepStrictEqual(yield* light.read("k", 0), [gap(0, 3), entry(3, "x".repeat(300))])
        yield* light.append("k", "y".repeat(5_000), 0)
        assert.deepStrictEqual(yield* light.read("k", 2), [gap(2, 4), entry(4, "y".repeat(5_000))])
      }))

    it.effect("counts what a text costs beside its characters", () =>
      Effect.gen(function*() {
        const journal = yield* make({ weight: 2_600 })
        for (let n = 0; n < 100; n++) yield* journal.append("k", "", 0)
        assert.strictEqual((yield* journal.read("k", 0)).length, 11)
      }))

    it.effect("keeps nothing longer than `age`", () =>
      Effect.gen(function*() {
        const journal = yield* make({ age: 60_000 })
        yield* journal.append("k", "a", 0)
        yield* TestClock.adjust("50 seconds")
        yield* journal.append("k", "b", 0)
        yield* TestClock.adjust("20 seconds")
        assert.deepStrictEqual(yield* journal.read("k", 0), [gap(0, 2), entry(2, "b")])
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(yield* journal.read("k", 0), [gap(0, 3)])
        assert.strictEqual(yield* journal.append("k", "c", 0), 3)
      }))

    it.effect("refuses epochs that are older than one it has seen, whatever they want", () =>
      Effect.gen(function*() {
        const journal = yield* make()
        yield* journal.append("k", "a", 3)
        yield* journal.fence("k", 5)
        for (const late of [journal.append("k", "b", 4), journal.fence("k", 3), journal.drop("k", 4)]) {
          assert.deepInclude(yield* Effect.flip<unknown, unknown, never>(late), { _tag: "Fenced", newest: 5 })
        }
        yield* journal.append("k", "c", 5)
        assert.deepStrictEqual(yield* journal.read("k", 0), [entry(1, "a"), entry(2, "c")])
      }))

    it.effect("is followed from a position on, through gaps, until it is dropped", () =>
      Effect.gen(function*() {
        const journal = yield* make({ count: 4 })
        const seen: Array<Journal.Item> = []
        let isSlow = false
        const reading = yield* Effect.forkChild(
          Stream.runForEach(journal.follow("k", 0), (item) =>
            Effect.andThen(
              Effect.sync(() => void seen.push(item)),
              isSlow ? Effect.sleep("1 minute") : Effect.void
            ))
        )
        yield* settled
        yield* journal.append("k", "a", 0)
        yield* TestClock.adjust("2 seconds")
        assert.deepStrictEqual(seen.splice(0), [entry(1, "a")])
        isSlow = true
        yield* journal.append("k", "b", 0)
        yield* TestClock.adjust("2 seconds")
        for (let n = 3; n <= 20; n++) yield* journal.append("k", `${n}`, 0)
        isSlow = false
        yield* TestClock.adjust("2 minutes")
        assert.deepStrictEqual(seen, [
          entry(2, "b"),
          gap(2, 17),
          ...[17, 18, 19, 20].map((position) => entry(position, `${position}`))
        ])
        yield* journal.drop("k", 0)
        yield* TestClock.adjust("2 seconds")
        yield* Fiber.join(reading)
      }))

    it.effect.prop(
      "agrees with a list, whatever is appended and dropped, and reads what it has or says that it has not",
      [
        Schema.Array(Schema.Union([
          Schema.TaggedStruct("Append", { key: Schema.Literals(["a", "b"]) }),
          Schema.TaggedStruct("Drop", { key: Schema.Literals(["a", "b"]) }),
          Schema.TaggedStruct("Read", {
            key: Schema.Literals(["a", "b"]),
            after: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 }))
          })
        ])).check(Schema.isMaxLength(60))
      ],
      ([steps]) =>
        Effect.gen(function*() {
          const journal = yield* make({ count: 5 })
          const model = new Map<string, Array<string>>()
          for (const [n, step] of steps.entries()) {
            const texts = model.get(step.key) ?? []
            if (step._tag === "Append") {
              model.set(step.key, [...texts, `${n}`])
              assert.strictEqual(yield* journal.append(step.key, `${n}`, 0), texts.length + 1)
            } else if (step._tag === "Drop") {
              model.delete(step.key)
              yield* journal.drop(step.key, 0)
            } else {
              const first = Math.max(step.after, texts.length - 5)
              const kept = texts.slice(first).map((text, index) => entry(first + 1 + index, text))
              const expected = step.after > texts.length
                ? [gap(step.after, texts.length + 1)]
                : first > step.after
                ? [gap(step.after, first + 1), ...kept]
                : kept
              assert.deepStrictEqual(yield* journal.read(step.key, step.after), expected)
            }
          }
        }),
      { arbitrary: { runs: 60 } }
    )
  })
}
