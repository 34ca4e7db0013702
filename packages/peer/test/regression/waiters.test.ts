import { assert, it } from "@effect/vitest"
import * as Budget from "@parley/transport/host/Budget"
import { Context, Effect } from "effect"
import { Waiters } from "../../src/internal/conversation/Waiters.ts"
import { settle } from "../wire.ts"

/** Those who wait in a conversation in which nothing happens but this. */
const make = () => {
  const waiters: Waiters = new Waiters({
    host: { budget: Budget.make(1), fork: Effect.runForkWith(Context.empty()) },
    step: () => waiters.look()
  })
  return waiters
}

it.effect("promise 22: when nothing moves, nothing waits that could move: wherever in the line it stands, and though others come behind meanwhile", () =>
  Effect.gen(function*() {
    /** Each waits for itself. */
    const never = () => () => false
    const missed: Array<number> = []
    for (let place = 0; place < 100; place++) {
      const waiters = make()
      let isSo = false
      for (let n = 0; n < 100; n++) waiters.add(n === place ? () => isSo : never())
      // The turn is somewhere else each time.
      for (let steps = 0; steps < place % 13; steps++) waiters.look()
      yield* settle
      isSo = true
      waiters.look()
      for (let turns = 0; turns < 10; turns++) {
        for (let n = 0; n < 8; n++) waiters.add(never())
        yield* Effect.yieldNow
      }
      yield* settle
      if (waiters.size === 180) missed.push(place)
    }
    assert.deepStrictEqual(missed, [])
  }))
