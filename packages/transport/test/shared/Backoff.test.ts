/** The waits of everything that tries again. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Random, Schedule } from "effect"
import { TestClock } from "effect/testing"
import { Backoff } from "../../src/shared/index.ts"

const millis = (wait: Effect.Effect<Duration.Duration>) => Effect.map(wait, Duration.toMillis)

const many = <A>(effect: Effect.Effect<A>) => Effect.all(Array.from({ length: 500 }, () => effect))

describe("a wait before another attempt", () => {
  it.effect("is up to a fifth longer or shorter, or up to a fifth longer", () =>
    Effect.gen(function*() {
      const spread = yield* many(millis(Backoff.spread("1 second")))
      const longer = yield* many(millis(Backoff.atLeast("1 second")))
      for (const [waits, least] of [[spread, 800], [longer, 1_000]] as const) {
        assert.isTrue(waits.every((wait) => wait >= least && wait <= 1_200))
        assert.isAbove(Math.max(...waits) - Math.min(...waits), (1_200 - least) * 0.9)
        assert.isAbove(new Set(waits).size, 490)
      }
    }).pipe(Random.withSeed("waits")))

  it.effect("grows by its factor up to its bound, and is spread beyond it, too", () =>
    Effect.gen(function*() {
      const schedule = Backoff.make({ first: "1 second", factor: 1.5, most: "3 seconds" })
      const waits = yield* many(Effect.gen(function*() {
        const step = yield* Schedule.toStep(schedule)
        const each: Array<number> = []
        for (let at = 0; at < 5; at++) each.push(Duration.toMillis((yield* Effect.orDie(step(at, undefined)))[1]))
        return each
      }))
      for (const [at, wait] of [1_000, 1_500, 2_250, 3_000, 3_000].entries()) {
        const these = waits.map((each) => each[at] ?? 0)
        assert.isTrue(these.every((one) => one >= wait * 0.8 && one <= wait * 1.2), `${wait}`)
        assert.isAbove(new Set(these).size, 490)
      }
    }).pipe(Random.withSeed("waits")))

  it.effect("does not bring back together those that failed together", () =>
    Effect.gen(function*() {
      const attempts: Array<Array<number>> = []
      const attempt = (client: number) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          ;(attempts[client] ??= []).push(now)
          return Effect.fail("refused")
        })
      const schedule = Schedule.upTo(Backoff.make({ first: "1 second", most: "10 seconds" }), { times: 4 })
      yield* Effect.forkChild(Effect.forEach(
        Array.from({ length: 200 }, (_, client) => client),
        (client) => Effect.ignore(Effect.retry(attempt(client), schedule)),
        { concurrency: "unbounded" }
      ))
      for (let tick = 0; tick < 200; tick++) yield* TestClock.adjust("100 millis")
      for (let round = 1; round <= 4; round++) {
        const times = attempts.map((each) => each[round] ?? 0)
        const together = Math.max(...times.map((one) => times.filter((other) => Math.abs(other - one) < 10).length))
        assert.isAtMost(together, 30, `round ${round}`)
      }
    }).pipe(Random.withSeed("waits")))

  it.effect("is slept by loops", () =>
    Effect.gen(function*() {
      const before = yield* Clock.currentTimeMillis
      const slept = yield* Effect.forkChild(Effect.andThen(Backoff.sleep("1 second"), Clock.currentTimeMillis), {
        startImmediately: true
      })
      for (let tick = 0; tick < 13; tick++) yield* TestClock.adjust("100 millis")
      const time = (slept.pollUnsafe() as { readonly value: number }).value - before
      assert.isTrue(time >= 800 && time <= 1_300, `${time}`)
    }).pipe(Random.withSeed("waits")))
})
