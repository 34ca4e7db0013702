/** Replies that came together, and were more than the budget, ended a connection whose other side read all the time. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { pair, settle } from "../wire.ts"

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

it.effect("promise 18: callers suspend on a full outbox, and replies of more than the budget reach a peer that reads", () =>
  Effect.gen(function*() {
    const gate = yield* Deferred.make<void>()
    const text = "x".repeat(10_000)
    const [peer] = yield* pair({ get: () => Effect.as(Deferred.await(gate), text) }, {
      limits: { outbox: 20_000, budget: 200_000 }
    })
    const calls = yield* started(Effect.forEach(
      Array.from({ length: 30 }),
      () => Effect.match(peer.request("get"), { onSuccess: () => "ok", onFailure: (error) => error.message }),
      { concurrency: "unbounded" }
    ))
    yield* settle
    yield* Deferred.succeed(gate, undefined)
    yield* settle
    assert.isDefined(calls.pollUnsafe())
    assert.deepStrictEqual([...new Set(yield* Fiber.join(calls))], ["ok"])
  }))
