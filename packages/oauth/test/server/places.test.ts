/** Checks that wait for a place, of clients that leave meanwhile. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Schema } from "effect"
import { Party, Places } from "../../src/internal/server/Places.ts"

/** Places that are all taken until `free`. */
const taken = (most: number) =>
  Effect.gen(function*() {
    const places = new Places(most)
    const gate = yield* Deferred.make<void>()
    const holders = yield* Effect.forEach(
      Array.from({ length: most }),
      () => Effect.forkChild(places.within(Deferred.await(gate)), { startImmediately: true })
    )
    const free = Effect.andThen(Deferred.succeed(gate, undefined), Effect.forEach(holders, Fiber.join))
    /** Whether as many run at once as there are places. */
    const areWhole = Effect.gen(function*() {
      let running = 0
      const all = yield* Deferred.make<void>()
      const run = Effect.suspend(() => ++running === most ? Deferred.succeed(all, undefined) : Effect.void)
      const each = places.within(Effect.andThen(run, Deferred.await(all)))
      const fiber = yield* Effect.forkChild(Effect.all(Array.from({ length: most }, () => each), { concurrency: most }))
      yield* settled
      assert.isDefined(fiber.pollUnsafe(), `${running} of ${most} places are left`)
    })
    return { places, free, areWhole }
  })

const waiting = <A = void>(places: Places, party: string, check: Effect.Effect<A | void> = Effect.void) =>
  Effect.forkChild(Effect.provideService(places.within(check), Party, party), { startImmediately: true })

/** How many calls are on the stack. */
const depth = Effect.sync(() => {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = Infinity
  const { stack = "" } = new Error()
  Error.stackTraceLimit = stackTraceLimit
  return stack.split("\n").length
})

/** Lets all go on that can. */
const settled = Effect.repeat(Effect.yieldNow, { times: 200 })

describe("a check that waits for a place", () => {
  it.effect("ends when its client leaves, and not when a place is free", () =>
    Effect.gen(function*() {
      const { areWhole, free, places } = yield* taken(2)
      const left = yield* Effect.forEach(["a", "a", "b", "c", "c"], (party) => waiting(places, party))
      const stayed = yield* waiting(places, "a", Effect.succeed("checked"))
      yield* Effect.forEach(left, Fiber.interrupt)
      assert.isTrue(left.every((fiber) => Exit.isFailure(fiber.pollUnsafe() ?? Exit.void)))
      yield* free
      assert.strictEqual(yield* Fiber.join(stayed), "checked")
      yield* areWhole
    }))

  it.effect("costs no place, however many end as soon as they have one", () =>
    Effect.gen(function*() {
      const { areWhole, free, places } = yield* taken(2)
      const fibers = yield* Effect.forEach(Array.from({ length: 20_000 }), (_, n) => waiting(places, `${n % 7}`))
      yield* free
      yield* Effect.forEach(fibers, Fiber.join)
      yield* areWhole
    }))

  it.effect("has its place from the first that gives one back, and not within the check before it", () =>
    Effect.gen(function*() {
      const { free, places } = yield* taken(1)
      const fibers = yield* Effect.forEach(Array.from({ length: 50 }), (_, n) => waiting(places, `${n % 7}`, depth))
      yield* free
      const depths = yield* Effect.forEach(fibers, Fiber.join)
      assert.isTrue(new Set(depths).size < 10, depths.join(" "))
    }))

  it.effect.prop(
    "leaves all places there, whoever comes, ends and leaves in whatever order",
    [Schema.Array(Schema.Literals(["come", "end", "leave", "fail"])), Schema.Array(Schema.Literals(["a", "b", "c"]))],
    ([steps, parties]) =>
      Effect.gen(function*() {
        const { areWhole, free, places } = yield* taken(2)
        const checks: Array<
          { readonly done: Deferred.Deferred<void, string>; readonly fiber: Fiber.Fiber<unknown, unknown> }
        > = []
        for (const [index, step] of steps.entries()) {
          const one = checks[index % Math.max(1, checks.length)]
          if (step === "come") {
            const done = yield* Deferred.make<void, string>()
            const check = Effect.provideService(places.within(Deferred.await(done)), Party, parties[index])
            checks.push({ done, fiber: yield* Effect.forkChild(check, { startImmediately: true }) })
          } else if (one !== undefined) {
            if (step === "end") yield* Deferred.succeed(one.done, undefined)
            if (step === "fail") yield* Deferred.fail(one.done, "no")
            if (step === "leave") yield* Fiber.interrupt(one.fiber)
          }
          if (index === 5) yield* free
        }
        yield* free
        yield* Effect.forEach(checks, ({ done }) => Deferred.succeed(done, undefined))
        yield* Effect.forEach(checks, ({ fiber }) => Fiber.await(fiber))
        yield* areWhole
      })
  )
})
