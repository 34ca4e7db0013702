import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect } from "effect"
import { Turn } from "../../src/internal/server/Turn.ts"

/** A turn, a way to add what writes down a number, and one to let time pass within the turn. */
const recorded = Effect.gen(function*() {
  let now = 0
  const clock = { ...(yield* Clock.Clock), currentTimeMillisUnsafe: () => now }
  const turn = new Turn(Context.add(yield* Effect.context<never>(), Clock.Clock, clock), 4)
  const sent: Array<number> = []
  const pass = (milliseconds: number) => {
    now += milliseconds
  }
  return { turn, sent, pass, add: (one: number) => turn.add(() => sent.push(one)) }
})

const nextTurn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

describe("Turn", () => {
  it.effect("runs what is added in a turn at its end, in order", () =>
    Effect.gen(function*() {
      const { add, sent } = yield* recorded
      for (const one of [1, 2, 3]) add(one)
      assert.deepStrictEqual(sent, [])
      yield* nextTurn
      assert.deepStrictEqual(sent, [1, 2, 3])
    }))

  it.effect("ends early when the first has waited while a handler took long", () =>
    Effect.gen(function*() {
      const { add, pass, sent } = yield* recorded
      add(1)
      pass(2)
      add(2)
      add(3)
      assert.deepStrictEqual(sent, [1, 2])
      yield* nextTurn
      assert.deepStrictEqual(sent, [1, 2, 3])
    }))

  it.effect("ends early when as many wait as may", () =>
    Effect.gen(function*() {
      const { add, sent } = yield* recorded
      for (const one of [1, 2, 3, 4, 5]) add(one)
      assert.deepStrictEqual(sent, [1, 2, 3, 4])
      yield* nextTurn
      assert.deepStrictEqual(sent, [1, 2, 3, 4, 5])
    }))

  it.effect("ends when it is told to, and begins again", () =>
    Effect.gen(function*() {
      const { add, sent, turn } = yield* recorded
      add(1)
      turn.end()
      assert.deepStrictEqual(sent, [1])
      add(2)
      yield* nextTurn
      assert.deepStrictEqual(sent, [1, 2])
    }))
})
