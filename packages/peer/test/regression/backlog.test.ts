/**
 * What waits behind a text without room was weighed and copied again for each text that found room: the time for a chunk
 * grew with the square of its length.
 */
import { assert, it } from "@effect/vitest"
import { Budget } from "@parley/transport/shared"
import type { Transport } from "@parley/transport/Transport"
import { Arbitrary, Effect, Schema } from "effect"
import * as Peer from "../../src/Peer.ts"
import { connect, notification, request, routerOf, settle } from "../wire.ts"

/** A transport that brings these chunks. */
const bringing = (...chunks: ReadonlyArray<ReadonlyArray<string>>): Transport => {
  const waiting = [...chunks]
  return {
    receive: Effect.suspend(() => {
      const [first, ...others] = waiting.shift() ?? []
      return first === undefined ? Effect.never : Effect.succeed([first, ...others] as const)
    }),
    send: () => Effect.void,
    close: Effect.void
  }
}

const narrow = { inFlight: 1, inbox: 1, batch: 1, drain: 0 }

// A second where the time grows with the number of texts, and minutes where it grows with its square.
it.effect("a long chunk is handed on, however much waits behind each text", () =>
  Effect.gen(function*() {
    const count = 40_000
    const cancelOfNone = notification("$/cancelRequest", { id: "none" })
    const texts = Array.from({ length: count }, (_, id) => request(id, "m"))
    let done = 0
    const router = yield* routerOf({ m: () => Effect.andThen(Effect.yieldNow, Effect.sync(() => void done++)) })
    yield* Peer.make(bringing([...texts, cancelOfNone]), { router, limits: narrow })
    while (done < count) yield* settle
  }))

it.effect.prop(
  "the budget knows what waits, after every text that leaves, and nothing at the end",
  [
    Arbitrary.array(
      Arbitrary.array(Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40_000 }))), {
        minLength: 1,
        maxLength: 8
      }),
      { minLength: 1, maxLength: 6 }
    )
  ],
  ([lengths]) =>
    Effect.scoped(Effect.gen(function*() {
      let id = 0
      const chunks = lengths.map((chunk) => chunk.map((length) => request(id++, "m", ["x".repeat(length)])))
      const transport = bringing(...chunks)
      const inner = Budget.make(1_000_000_000)
      let kept = 0
      const budget: Budget.Budget = { ...bound(inner), keep: (weight) => void (kept += weight) }
      let done = 0
      const router = yield* routerOf({
        m: () =>
          Effect.andThen(
            Effect.yieldNow,
            Effect.sync(() => {
              done++
              assert.isAtLeast(kept, 0)
            })
          )
      })
      yield* Effect.provideService(Peer.make(transport, { router, limits: narrow }), Budget.Budget, budget)
      for (let turns = 0; done < id && turns < 100; turns++) yield* settle
      assert.deepStrictEqual([done, kept], [id, 0])
    })),
  { arbitrary: { runs: 30 } }
)

/** Its methods belong to it. */
const bound = (budget: Budget.Budget): Budget.Budget => ({
  limit: budget.limit,
  take: (weight) => budget.take(weight),
  isSpent: () => budget.isSpent(),
  fits: (weight) => budget.fits(weight),
  taken: () => budget.taken(),
  onRoom: (wake) => budget.onRoom(wake),
  share: () => budget.share(),
  evict: () => budget.evict(),
  unread: (now, before) => budget.unread(now, before),
  keep: (weight) => budget.keep(weight),
  onEvict: (end) => budget.onEvict(end)
})

it.effect("calls that may overtake are found without a look at those that may not", () =>
  Effect.gen(function*() {
    let looks = 0
    const router = {
      handlerOf: () => () => Effect.never,
      isConcurrent: (method: string) => {
        looks++
        return method === "quick"
      }
    }
    const { wire } = yield* connect({}, { router, limits: { inFlight: 1, inbox: 5_000, drain: 0 } })
    const count = 1_000
    const behind = Array.from({ length: count }, (_, id) => request(`behind ${id}`, "m"))
    const after = Array.from({ length: count }, (_, id) => request(`after ${id}`, "m"))
    // The request holds the only place, and the notification holds back the calls behind it.
    yield* wire.send(request(0, "m"), notification("n"), ...behind, request(1, "quick"), ...after)
    yield* settle
    assert.isBelow(looks / count, 20)
  }))
