/** Whole texts that waited for room were counted by nobody: each connection could hold one as long as a frame. */
import { assert, it } from "@effect/vitest"
import { MemoryTransport } from "@parley/transport"
import { Budget } from "@parley/transport/shared"
import { Effect } from "effect"
import { Peer } from "../../src/index.ts"
import { request, routerOf, settle } from "../wire.ts"

/** An eighth of it is 102,400. */
const limit = 8_192 * 100

/** A peer with a share of the budget, which is sent a request of so many characters. */
const asked = (budget: Budget.Budget, length: number) =>
  Effect.gen(function*() {
    const [near, far] = yield* MemoryTransport.makePair()
    const share = budget.share()
    const router = yield* routerOf({ echo: ({ params }) => Effect.succeed(params ?? null) })
    const peer = yield* Effect.provideService(
      Peer.make(near, { router, limits: { drain: 0 } }),
      Budget.Budget,
      share
    )
    yield* Effect.forkScoped(Effect.ignore(far.send([request(1, "echo", ["x".repeat(length)])])))
    yield* settle
    return { peer, answer: far.receive }
  })

const overrun = { _tag: "Overrun" } as const

it.effect("promise 17: calls beyond the in-flight limit wait in a bounded inbox, and texts that wait for room take no more than an eighth of the budget", () =>
  Effect.gen(function*() {
    const budget = Budget.make(limit)
    budget.take(limit)
    const heavy = yield* asked(budget, 200_000)
    assert.strictEqual(yield* heavy.peer.state, "open")
    const light = yield* asked(budget, 90_000)
    assert.deepStrictEqual(yield* heavy.peer.disconnected, overrun)
    assert.strictEqual(yield* light.peer.state, "open")
    budget.take(-limit)
    yield* settle
    assert.strictEqual((yield* light.answer).length, 1)
    budget.take(limit)
    const other = yield* asked(budget, 90_000)
    assert.deepStrictEqual([yield* light.peer.state, yield* other.peer.state], ["open", "open"])
  }))

it.effect("promise 17: calls beyond the in-flight limit wait in a bounded inbox, and texts of what any connection may read ahead end nobody", () =>
  Effect.gen(function*() {
    const budget = Budget.make(limit)
    budget.take(limit)
    const peers = yield* Effect.replicateEffect(asked(budget, 60_000), 8)
    for (const { peer } of peers) assert.strictEqual(yield* peer.state, "open")
  }))
