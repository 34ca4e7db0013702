import { assert, it } from "@effect/vitest"
import { Budget } from "@parley/transport/shared"
import { Context, Deferred, Effect } from "effect"
import { Waiters } from "../../src/internal/conversation/Waiters.ts"
import { ask, asking, makeLane, open, question } from "../lanes.ts"
import { request, settle } from "../wire.ts"

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

/** The handler ran twice of a text that got room while others were asked in turns. */
it.effect("promise 22: when nothing moves, nothing waits that could move: and a text is taken once, though its handler lets those before it go", () =>
  Effect.gen(function*() {
    const gate = yield* Deferred.make<null>()
    const { lane, sent } = makeLane()
    const session = yield* open({ large: () => Deferred.await(gate), hold: () => Effect.never, ask }, {
      limits: { budget: 100_000 }
    })
    yield* asking(session, request(0, "large", ["x".repeat(10_000)]))
    // They spend the budget. The last of them waits.
    for (let n = 1; session.running() === n; n++) yield* asking(session, request(n, "hold"))
    // More than a step asks in vain. They wait for more room than comes, until a call of ours waits for its response.
    for (let n = 0; n < 8; n++) yield* asking(session, request(200 + n, "hold", ["x".repeat(50_000)]))
    yield* asking(session, request(300, "ask"), lane)
    yield* settle
    assert.deepStrictEqual(sent, [])
    yield* Deferred.succeed(gate, null)
    yield* settle
    assert.deepStrictEqual(sent, [question(1)])
  }))
