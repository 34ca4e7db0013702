/** While a call of ours waits, requests of theirs that may start at once started however much the budget had given out. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { type Handler } from "../../src/index.ts"
import { Exchange } from "../../src/shared/index.ts"
import { connect, request, routerOf, settle, success } from "../wire.ts"

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

/** Sends a hundred requests, and tells how many run and how many were refused. Each weighs at least 2,560. */
const flooding = (handler: Handler.Handler, isCalling: boolean) =>
  Effect.gen(function*() {
    let running = 0
    const { peer, wire } = yield* connect({
      m: (call) => Effect.suspend(() => (running++, handler(call)))
    }, { limits: { budget: 30_000 } })
    const call = isCalling ? yield* started(peer.request("ours")) : undefined
    yield* wire.send(...Array.from({ length: 100 }, (_, id) => request(id, "m")))
    yield* settle
    const refused = wire.received.filter((message) => Object(message).error?.code === -32000).length
    if (call !== undefined) {
      yield* wire.send(success(1, "done"))
      assert.strictEqual(yield* Fiber.join(call), "done")
    }
    return { running, refused }
  })

describe("the budget bounds the requests that start", () => {
  it.effect("while nothing of ours waits: the others are not read", () =>
    Effect.gen(function*() {
      const { refused, running } = yield* flooding(() => Effect.never, false)
      assert.isAtMost(running, 13)
      assert.strictEqual(refused, 0)
    }))

  it.effect("while a call of ours waits: the others are refused", () =>
    Effect.gen(function*() {
      const { refused, running } = yield* flooding(() => Effect.never, true)
      assert.isAtMost(running, 13)
      assert.strictEqual(refused, 100 - running)
    }))

  it.effect("while their handlers call back: the others are refused", () =>
    Effect.gen(function*() {
      const { refused, running } = yield* flooding(({ peer }) => Effect.orDie(peer.request("question")), false)
      assert.isAtMost(running, 13)
      assert.strictEqual(refused, 100 - running)
    }))
})

describe("requests that come by posts", () => {
  /** A server that answers each post by many requests, and never takes a reply. */
  const hostile = () => {
    const seen = { replies: 0 }
    const post: Exchange.Exchange["post"] = (text, take) => {
      const { method } = JSON.parse(text)
      if (method === undefined) return Effect.andThen(Effect.sync(() => seen.replies++), Effect.never)
      const flood = Array.from({ length: 10_000 }, (_, id) => request(id, "m"))
      const given = Effect.forEach(flood, (text) => take(text) ?? Effect.void, { discard: true })
      return Effect.andThen(given, Effect.never)
    }
    return { seen, post }
  }

  it.effect("promise 17: calls beyond the in-flight limit wait in a bounded inbox, and refusals do not pile up behind them", () =>
    Effect.gen(function*() {
      const { post, seen } = hostile()
      const router = yield* routerOf({ m: () => Effect.succeed("x") })
      const caller = yield* Exchange.makeCaller({ post }, { router, limits: { inFlight: 4, budget: 1_000_000 } })
      const error = yield* Effect.flip(caller.request("ours"))
      assert.deepStrictEqual(Object(error).reason, { _tag: "Overrun" })
      assert.isBelow(seen.replies, 100)
    }))

  it.effect("promise 17: calls beyond the in-flight limit wait in a bounded inbox, as do those whose replies would exceed the budget", () =>
    Effect.gen(function*() {
      const { post, seen } = hostile()
      const router = yield* routerOf({ m: () => Effect.succeed("x".repeat(100_000)) })
      const caller = yield* Exchange.makeCaller({ post }, { router, limits: { budget: 1_000_000 } })
      yield* started(caller.notify("ours"))
      yield* settle
      assert.isBelow(seen.replies, 15)
    }))
})
