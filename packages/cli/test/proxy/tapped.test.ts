import { assert, it } from "@effect/vitest"
import type { Exchange } from "@parley/peer/shared"
import { Weight } from "@parley/protocol/shared"
import { Tap } from "@parley/traffic"
import { Budget } from "@parley/transport/shared"
import { Effect, Fiber } from "effect"
import * as tapped from "../../src/internal/proxy/tapped.ts"

const settle = Effect.replicateEffect(Effect.yieldNow, 20, { discard: true })

it.effect("an answer that waits to be shown counts on the budget, until its post is given up", () =>
  Effect.gen(function*() {
    const budget = Budget.make(1_000_000)
    const answered: Exchange.Exchange = {
      post: (_, take) => Effect.as(Effect.suspend(() => take("x".repeat(1_000)) ?? Effect.void), "answer")
    }
    const unread = Tap.make((frame) => frame._tag === "Received" ? Effect.never : Effect.void)
    const { post } = tapped.exchange(answered, unread)
    const posted = yield* Effect.forkChild(
      Effect.provideService(post("{}", () => undefined), Budget.Budget, budget),
      { startImmediately: true }
    )
    yield* settle
    assert.strictEqual(budget.taken(), 2 * Weight.ofWaiting("x".repeat(1_000)))
    yield* Fiber.interrupt(posted)
    assert.strictEqual(budget.taken(), 0)
  }))
