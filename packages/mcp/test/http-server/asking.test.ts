/** Which calls of a client wait for it, so that a session whose client has gone is over in time. */
import { assert, it } from "@effect/vitest"
import { Router, Session } from "@parley/peer"
import { Deferred, Effect, Fiber } from "effect"
import { AskingCalls } from "../../src/internal/http/session/HttpSession.ts"

const success = (id: number, result: string) => JSON.stringify({ jsonrpc: "2.0", id, result })

it.effect("counts the calls whose handlers wait for the other side, however many calls they make", () =>
  Effect.gen(function*() {
    const goOn = yield* Deferred.make<void>()
    const router = yield* Router.make()
    yield* router.addAll({
      ask: ({ peer }) =>
        Effect.all([peer.request("one"), peer.request("two"), peer.batch([{ method: "three" }])], {
          concurrency: "unbounded"
        }).pipe(Effect.as("asked"), Effect.orDie),
      work: () => Effect.as(Deferred.await(goOn), "worked")
    })
    const asking = new AskingCalls()
    const session = yield* Session.make({ router: asking.counted(router) })
    const answers = yield* Effect.forEach(
      ["ask", "work"],
      (method, id) =>
        Effect.forkChild(
          session.answer(JSON.stringify({ jsonrpc: "2.0", id, method }), { send: () => Effect.void }),
          { startImmediately: true }
        )
    )
    assert.deepStrictEqual([session.running(), session.waiting(), asking.size], [2, 3, 1])
    yield* session.answer(`[${success(1, "one")},${success(2, "two")}]`)
    assert.deepStrictEqual([session.running(), asking.size], [2, 1])
    yield* session.answer(`[${success(3, "three")}]`)
    yield* Fiber.join(answers[0]!)
    assert.deepStrictEqual([session.running(), asking.size], [1, 0])
    yield* Deferred.succeed(goOn, undefined)
    yield* Fiber.join(answers[1]!)
  }))
