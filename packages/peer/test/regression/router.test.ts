/**
 * `Router.answer` ended, without a text, when a handler ended another one in its first step, and never for others; and
 * its interruption did not wait for handlers. An answer that a session had waited to begin left its handler running where
 * this interrupted it in its first step.
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Logger, Option } from "effect"
import { TestClock } from "effect/testing"
import * as lanes from "../lanes.ts"
import { notification, request, routerOf, settle } from "../wire.ts"

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

const parsed = (reply: Option.Option<string>): unknown => JSON.parse(Option.getOrElse(reply, () => "null"))

describe("Router.answer", () => {
  it.effect("waits for a handler whose first step ends another", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<string>()
      const router = yield* routerOf({
        wait: () => Deferred.await(gate),
        open: () => Effect.as(Deferred.succeed(gate, "opened"), "ok")
      })
      assert.deepStrictEqual(parsed(yield* router.answer(`[${request(1, "wait")},${request(2, "open")}]`)), [
        { jsonrpc: "2.0", id: 1, result: "opened" },
        { jsonrpc: "2.0", id: 2, result: "ok" }
      ])
    }))

  it.effect("waits for its handlers when it is interrupted", () =>
    Effect.gen(function*() {
      const go = yield* Deferred.make<void>()
      const ended: Array<string> = []
      const router = yield* routerOf({
        wait: () =>
          Effect.onInterrupt(
            Effect.never,
            () => Effect.andThen(Deferred.await(go), Effect.sync(() => ended.push("wait")))
          ),
        note: () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => ended.push("note")))
      })
      const answer = yield* started(router.answer(`[${request(1, "wait")},${notification("note")}]`))
      const interruption = yield* started(Fiber.interrupt(answer))
      yield* settle
      assert.isUndefined(interruption.pollUnsafe())
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(interruption)
      assert.deepStrictEqual(ended, ["note", "wait"])
    }))

  it.effect("ends although the handler of a notification does not", () =>
    Effect.gen(function*() {
      const router = yield* routerOf({
        hang: () => Effect.never,
        echo: (call) => Effect.succeed(call.params ?? null)
      })
      const answer = yield* started(router.answer(`[${request(1, "echo", [1])},${notification("hang")}]`))
      yield* TestClock.adjust("1 hour")
      yield* settle
      assert.isDefined(answer.pollUnsafe())
      assert.deepStrictEqual(parsed(yield* Fiber.join(answer)), [{ jsonrpc: "2.0", id: 1, result: [1] }])
    }))
})

/** The handler of `stop` interrupts the answer to its own text and asks, that of `end` ends there; `other` asks. */
const texts = [
  request(3, "stop"),
  `[${request(3, "stop")},${request(4, "other")}]`,
  `[${request(3, "end")},${request(4, "other")}]`,
  `[${notification("stop")},${request(4, "other")}]`,
  `[${request(3, "stop")},${notification("other")}]`,
  `[${request(4, "other")},${request(3, "end")}]`
]

/** What is seen of such a text, which waits for room first, or does not. */
const interrupted = (text: string, isWaiting: boolean) =>
  Effect.gen(function*() {
    const gate = yield* Deferred.make<void>()
    const stop = Effect.sync(() => last?.interruptUnsafe())
    const { lane, sent } = lanes.makeLane()
    const session = yield* lanes.open({
      hold: () => Effect.as(Deferred.await(gate), null),
      stop: (call) => Effect.andThen(stop, lanes.ask(call)),
      end: () => Effect.as(stop, null),
      other: lanes.ask
    }, { limits: { inFlight: 2, inbox: 2, batch: 2 } })
    const before = isWaiting ? [10, 11, 12, 13].map((id) => session.answer(request(id, "hold"))) : []
    const holding = yield* Effect.forEach(before, started)
    const last: Fiber.Fiber<unknown> | undefined = yield* Effect.forkChild(session.answer(text, lane))
    yield* settle
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.joinAll(holding)
    yield* settle
    return { sent, isOver: last.pollUnsafe() !== undefined, running: session.running(), waiting: session.waiting() }
  })

it.effect.each(texts)(
  "promise 8: an interrupted or timed-out call leaves nothing behind: nor does an answer that waited: %s",
  (text) =>
    Effect.gen(function*() {
      const logged: Array<unknown> = []
      const logger = Logger.make(({ message }) => void logged.push(message))
      const seen = yield* Effect.provide(interrupted(text, true), Logger.layer([logger]))
      assert.deepStrictEqual(seen, yield* interrupted(text, false))
      assert.deepStrictEqual({ ...seen, sent: [] }, { sent: [], isOver: true, running: 0, waiting: 0 })
      assert.deepStrictEqual(logged, [])
    })
)

it.effect("a handler runs in the span of its call, not in that of its start", () =>
  Effect.gen(function*() {
    const router = yield* Effect.withSpan(
      routerOf({ m: () => Effect.map(Effect.orDie(Effect.currentSpan), ({ name }) => name) }),
      "start"
    )
    const reply = yield* Effect.withSpan(router.answer(request(1, "m")), "call")
    assert.deepStrictEqual(parsed(reply), { jsonrpc: "2.0", id: 1, result: "call" })
  }))
