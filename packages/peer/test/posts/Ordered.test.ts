/** Responses that wait for the handlers of the notifications before them, where texts come by several lanes. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, type Duration, Effect, Fiber, Result, Scope } from "effect"
import { TestClock } from "effect/testing"
import { type Caller, Exchange, type Router, type Session } from "../../src/index.ts"
import { asking, makeLane, open, question } from "../lanes.ts"
import { notification, routerOf, settle, success } from "../wire.ts"
import { makeExchange } from "./exchanges.ts"

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

/** What was seen in its order, and notifications `slow` that take until the gate opens. */
const witness = Effect.gen(function*() {
  const seen: Array<unknown> = []
  const gate = yield* Deferred.make<void>()
  const see = (value: unknown) => Effect.sync(() => void seen.push(value))
  const handlers: Router.Handlers = {
    slow: ({ params }) => Effect.andThen(Deferred.await(gate), see(params)),
    quick: ({ params }) => see(params)
  }
  return { seen, see, handlers, pass: Deferred.succeed(gate, undefined) }
})

/** A caller over exchanges whose responses wait. */
const ordered = (handlers: Router.Handlers = {}, options: Exchange.CallerOptions = {}) =>
  Effect.gen(function*() {
    const witnessed = yield* witness
    const wire = makeExchange()
    const router = yield* routerOf({ ...witnessed.handlers, ...handlers })
    const scope = yield* Scope.make()
    yield* Effect.addFinalizer((exit) => Scope.close(scope, exit))
    const { caller, take } = yield* Scope.provide(
      Exchange.make(wire.exchange, { router, responses: "afterNotifications", ...options }),
      scope
    )
    const call = (options?: { readonly timeout?: Duration.Input }) =>
      started(Effect.tap(caller.request("m", undefined, options), witnessed.see))
    return { ...wire, ...witnessed, scope, caller, call, take: (text: string) => take(text) ?? Effect.void }
  })

describe("responses after notifications, over exchanges", () => {
  it.effect("promise 13: notifications keep their order, and a response waits for those before it, behind its exchange", () =>
    Effect.gen(function*() {
      const { call, end, give, pass, seen } = yield* ordered()
      const waiting = yield* call()
      yield* give(0, notification("quick", [1]))
      yield* give(0, notification("slow", [2]))
      yield* give(0, success(1, "response"))
      yield* give(0, notification("quick", [3]))
      yield* end(0)
      yield* settle
      assert.deepStrictEqual(seen, [[1]])
      yield* pass
      assert.strictEqual(yield* Fiber.join(waiting), "response")
      yield* settle
      assert.deepStrictEqual(seen, [[1], [2], "response", [3]])
    }))

  it.effect("promise 13: notifications keep their order, also those of other exchanges and of a stream beside them", () =>
    Effect.gen(function*() {
      const { call, give, pass, seen, take } = yield* ordered()
      yield* call()
      yield* call()
      yield* take(notification("slow", ["beside"]))
      yield* give(0, notification("slow", ["first"]))
      yield* give(1, success(2, "second"))
      yield* take(success(1, "first"))
      yield* settle
      assert.deepStrictEqual(seen, [])
      yield* pass
      yield* settle
      assert.deepStrictEqual(seen, [["beside"], ["first"], "second", "first"])
    }))

  it.effect("promise 13: notifications keep their order, and by default no response waits for them", () =>
    Effect.gen(function*() {
      const { call, give, seen } = yield* ordered({}, { responses: "atOnce" })
      yield* call()
      yield* give(0, notification("slow", [1]))
      yield* give(0, success(1, "first"))
      yield* settle
      assert.deepStrictEqual(seen, ["first"])
    }))

  for (const through of ["the peer of the call", "the caller itself"]) {
    it.effect(`promise 12: a handler may call the other side back, and then holds back no response: by ${through}`, () =>
      Effect.gen(function*() {
        const results: Array<unknown> = []
        const whole: Array<Caller.Caller> = []
        const { call, caller, end, give } = yield* ordered({
          back: (call) => {
            const caller = through === "the caller itself" ? whole[0] ?? call.peer : call.peer
            return Effect.orDie(Effect.map(caller.request("back"), (result) => void results.push(result)))
          }
        })
        whole.push(caller)
        const waiting = yield* call()
        yield* give(0, notification("back"))
        yield* give(0, success(1, "mine"))
        yield* end(0)
        assert.strictEqual(yield* Fiber.join(waiting), "mine")
        assert.deepStrictEqual(results, [])
        yield* give(1, success(2, "theirs"))
        yield* settle
        assert.deepStrictEqual(results, ["theirs"])
      }))
  }

  it.effect("promise 7: a call ends exactly once, by its response, when its time runs out meanwhile", () =>
    Effect.gen(function*() {
      const { call, end, give, pass, seen } = yield* ordered()
      const waiting = yield* call({ timeout: "2 seconds" })
      yield* give(0, notification("slow", [1]))
      yield* give(0, success(1, "in time"))
      yield* end(0)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(seen, [])
      yield* TestClock.adjust("1010 millis")
      assert.strictEqual(yield* Fiber.join(waiting), "in time")
      yield* pass
      yield* settle
      assert.deepStrictEqual(seen, ["in time", [1]])
    }))

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, also while its response is held", () =>
    Effect.gen(function*() {
      const { call, give, givenUp, pass, seen } = yield* ordered()
      const interrupted = yield* call()
      yield* give(0, notification("slow", [1]))
      yield* give(0, success(1, "given up"))
      yield* Fiber.interrupt(interrupted)
      assert.deepStrictEqual(givenUp, [0])
      yield* pass
      yield* settle
      assert.deepStrictEqual(seen, [[1]])
    }))

  it.effect("promise 8: an exchange that goes on behind the response is given up, also while that is held", () =>
    Effect.gen(function*() {
      const { call, give, givenUp, pass } = yield* ordered()
      const waiting = yield* call()
      yield* give(0, notification("slow", [1]))
      yield* give(0, success(1, "held"))
      yield* settle
      assert.deepStrictEqual(givenUp, [])
      yield* TestClock.adjust("1010 millis")
      assert.deepStrictEqual(givenUp, [0])
      yield* pass
      assert.strictEqual(yield* Fiber.join(waiting), "held")
    }))

  it.effect("promise 9: closing ends every waiting call, and a response that is held is given before", () =>
    Effect.gen(function*() {
      const { call, end, give, scope } = yield* ordered()
      const waiting = yield* call()
      yield* give(0, notification("slow", [1]))
      yield* give(0, success(1, "answered"))
      yield* end(0)
      const closing = yield* started(Scope.close(scope, yield* Effect.exit(Effect.void)))
      assert.strictEqual(yield* Fiber.join(waiting), "answered")
      yield* Fiber.join(closing)
    }))

  it.effect("promise 7: a call ends exactly once: what the answer to its batch leaves out fails behind", () =>
    Effect.gen(function*() {
      const { caller, end, give, pass, see, seen } = yield* ordered()
      const batch = yield* started(Effect.tap(caller.batch([{ method: "a" }, { method: "b" }]), () => see("batch")))
      yield* give(0, `[${notification("slow", [1])},${success(2, "b")}]`)
      yield* end(0)
      yield* settle
      assert.deepStrictEqual(seen, [])
      yield* pass
      const [first, second] = yield* Fiber.join(batch)
      assert.strictEqual(first && Result.isFailure(first) && first.failure._tag, "InvalidResponse")
      assert.strictEqual(second && (yield* Effect.fromResult(second)), "b")
      assert.deepStrictEqual(seen, [[1], "batch"])
    }))

  it.effect("promise 17: beyond the limit a text waits: a call whose response is held is no reason to read on", () =>
    Effect.gen(function*() {
      const { call, give, pass } = yield* ordered({}, { limits: { inbox: 2, batch: 1 } })
      yield* call()
      yield* give(0, notification("slow", [0]))
      yield* give(0, success(1, "held"))
      yield* give(0, notification("quick", [1]))
      yield* give(0, notification("quick", [2]))
      const third = yield* started(give(0, notification("quick", [3])))
      yield* settle
      assert.isUndefined(third.pollUnsafe())
      yield* pass
      yield* Fiber.join(third)
    }))
})

describe("responses after notifications, in a session", () => {
  it.effect("promise 13: notifications keep their order, and a response waits for those before it", () =>
    Effect.gen(function*() {
      const { handlers, pass, see, seen } = yield* witness
      const session = yield* open(handlers, { responses: "afterNotifications" })
      const { lane, sent } = makeLane()
      yield* started(Effect.tap(session.caller(lane).request("question"), see))
      assert.deepStrictEqual(sent, [question(1)])
      yield* asking(session, notification("slow", [1]))
      // The text that brings it does not wait for that.
      yield* session.answer(success(1, "response"))
      yield* settle
      assert.deepStrictEqual(seen, [])
      yield* pass
      yield* settle
      assert.deepStrictEqual(seen, [[1], "response"])
      assert.strictEqual(session.waiting(), 0)
    }))

  it.effect("promise 12: a handler may call the other side back, and then holds back no response", () =>
    Effect.gen(function*() {
      const { see, seen } = yield* witness
      const { lane } = makeLane()
      const sessions: Array<Session.Session> = []
      const session = yield* open({
        back: () =>
          sessions[0] === undefined
            ? Effect.void
            : Effect.asVoid(Effect.orDie(sessions[0].caller(lane).request("question")))
      }, { responses: "afterNotifications" })
      sessions.push(session)
      yield* started(Effect.tap(session.caller(lane).request("question"), see))
      yield* asking(session, notification("back"))
      yield* session.answer(success(1, "mine"))
      yield* settle
      assert.deepStrictEqual(seen, ["mine"])
      yield* session.answer(success(2, "theirs"))
      yield* settle
      assert.strictEqual(session.running(), 0)
    }))
})
