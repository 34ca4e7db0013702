/** Promises 7 to 11: what a caller can rely on. */
import { assert, describe, it } from "@effect/vitest"
import * as Dialect from "@parley/protocol/Dialect"
import * as Message from "@parley/protocol/Message"
import { Budget } from "@parley/transport/shared"
import { Arbitrary, Cause, Clock, Effect, Exit, Fiber, Logger, References, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Correlator, Peer } from "../src/index.ts"
import * as sleeps from "./sleeps.ts"
import { connect, failure, notification, request, settle, success } from "./wire.ts"

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

const Ending = Schema.Literals(["result", "error", "invalid", "timeout", "interrupt", "disconnect"])
const endings = Arbitrary.array(Arbitrary.schema(Ending), { minLength: 1, maxLength: 6 })

const Response = Schema.Literals(["settle", "refuse", "forget", "close"])
const responses = Arbitrary.array(Arbitrary.schema(Response), { minLength: 1, maxLength: 5 })

describe("a caller can rely on", () => {
  it.effect.prop("promise 7: a call ends exactly once", { order: endings }, ({ order }) =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect()
      let ended = 0
      const call = yield* started(Effect.onExit(peer.request("m"), () => Effect.sync(() => ended++)))
      yield* settle
      const end: { readonly [E in typeof Ending.Type]: Effect.Effect<unknown> } = {
        result: wire.send(success(1, "first")),
        error: wire.send(JSON.stringify(failure(1, 1, "no"))),
        invalid: wire.send(`{"jsonrpc":"2.0","id":1,"result":1,"error":{}}`),
        timeout: TestClock.adjust("31 seconds"),
        interrupt: Fiber.interrupt(call),
        disconnect: wire.transport.close
      }
      for (const ending of order) yield* Effect.andThen(Effect.ignoreCause(end[ending]), settle)
      const exit = yield* Fiber.await(call)
      assert.strictEqual(ended, 1)
      const expected = {
        result: "Success",
        error: "RemoteError",
        invalid: "InvalidResponse",
        timeout: "RequestTimeout",
        interrupt: "Interrupt",
        disconnect: "Disconnected"
      }
      assert.strictEqual(nameOf(exit), expected[order[0] ?? "result"])
    }), { arbitrary: { runs: 40 } })

  it.effect.prop(
    "promise 7: a call ends exactly once, for who registered it",
    { order: responses },
    ({ order }) =>
      Effect.gen(function*() {
        const outcomes: Array<string> = []
        const correlator = yield* Correlator.make({ onTimeout: () => {} })
        const call = correlator.register({
          method: "m",
          timeout: 1000,
          onProgress: undefined,
          resume: (outcome) => void outcomes.push(nameOf(outcome))
        })
        const settled = { _tag: "Success", id: call.id, result: null } as const
        const ways = {
          settle: () => correlator.settle(settled),
          refuse: () => correlator.refuse(new Message.InvalidResponse({ id: call.id, rule: "" })),
          forget: () => correlator.forget(call),
          close: () => correlator.close({ _tag: "Closed" }, () => true)
        }
        const answers = order.map((way) => ways[way]())
        yield* TestClock.adjust("2 seconds")
        assert.isAtMost(answers.filter((answer) => answer === true).length, 1)
        assert.strictEqual(outcomes.length, order[0] === "forget" ? 0 : 1)
        assert.strictEqual(correlator.size(), 0)
      }),
    { arbitrary: { runs: 40 } }
  )

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, and the other side is told", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect()
      yield* Fiber.interrupt(yield* Effect.tap(started(peer.request("a")), () => settle))
      const timedOut = yield* started(Effect.flip(peer.request("b", undefined, { timeout: "1 second" })))
      yield* TestClock.adjust("1010 millis")
      assert.deepInclude(yield* Fiber.join(timedOut), {
        _tag: "RequestTimeout",
        method: "b",
        id: 2,
        milliseconds: 1000
      })
      const cancel = (id: number) => ({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id } })
      yield* settle
      assert.deepStrictEqual(wire.received.slice(1, 2), [cancel(1)])
      assert.deepStrictEqual(wire.received.slice(3), [cancel(2)])
      // Nothing waits for these any more.
      yield* wire.send(success(1, "late"), success(2, "late"))
      assert.isTrue(yield* peer.connected)
    }))

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind: no place, no time, and nothing of the budget", () =>
    Effect.gen(function*() {
      const { clock, counts } = yield* sleeps.counted
      const budget = Budget.make(1_000_000)
      yield* Effect.gen(function*() {
        // Whatever is left would leave no room for the next call.
        const { peer, wire } = yield* connect({}, { limits: { waiting: 1, window: 1 } })
        const callbacks = { onProgress: () => {}, onPartialResult: () => {} }
        for (let id = 1; id <= 6; id++) {
          const call = yield* started(Effect.exit(peer.request("m", {}, { ...callbacks, timeout: "1 second" })))
          yield* wire.take(2 * id - 1)
          yield* id % 2 === 0 ? Fiber.interrupt(call) : TestClock.adjust("1010 millis")
          yield* wire.take(2 * id)
          assert.isDefined(call.pollUnsafe())
        }
        assert.strictEqual(budget.taken(), 0)
        const last = yield* started(peer.request("m"))
        yield* wire.take(13)
        yield* wire.send(success(7, "done"))
        assert.strictEqual(yield* Fiber.join(last), "done")
        yield* TestClock.adjust("10 millis")
        yield* settle
        assert.strictEqual(counts.asleep, 0)
        assert.strictEqual(budget.taken(), 0)
      }).pipe(Effect.scoped, Effect.provideService(Budget.Budget, budget), Effect.provideService(Clock.Clock, clock))
    }))

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind: methods that a dialect excepts are not cancelled", () =>
    Effect.gen(function*() {
      const dialect = Dialect.make({ name: "test", cancellation: Dialect.cancelledNotification(["initialize"]) })
      const { peer, wire } = yield* connect({}, { dialect })
      for (const method of ["initialize", "other"]) {
        yield* Fiber.interrupt(yield* Effect.tap(started(peer.request(method)), () => settle))
      }
      yield* settle
      assert.deepStrictEqual(wire.received.slice(2), [
        { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } }
      ])
    }))

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, also when the peer dies meanwhile", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect()
      const call = yield* started(
        Effect.onInterrupt(peer.request("m"), () => Effect.andThen(wire.transport.close, peer.disconnected))
      )
      yield* settle
      yield* Fiber.interrupt(call)
      assert.strictEqual(nameOf(yield* Fiber.await(call)), "Interrupt")
    }))

  it.effect("promise 9: closing ends every call with Disconnected, waiting or later", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect()
      const calls = yield* Effect.forEach([1, 2, 3], () => started(Effect.flip(peer.request("m"))))
      yield* settle
      yield* wire.transport.close
      const ended = { _tag: "Disconnected", reason: { _tag: "EndOfInput" }, sent: true } as const
      for (const call of calls) assert.deepInclude(yield* Fiber.join(call), ended)
      assert.deepInclude(yield* Effect.flip(peer.request("m")), { ...ended, sent: false })
      assert.deepInclude(yield* peer.disconnected, { _tag: "EndOfInput" })
      assert.isFalse(yield* peer.connected)
      assert.deepInclude(yield* Effect.flip(peer.batch([{ method: "m" }])), { ...ended, sent: false })
    }))

  it.effect("promise 9: closing ends every call with Disconnected, while what was read still runs", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({ hang: () => Effect.never }, { limits: { drain: 5000 } })
      const call = yield* started(Effect.flip(peer.request("m")))
      yield* wire.send(request(1, "hang"))
      yield* settle
      yield* wire.transport.close
      yield* settle
      assert.strictEqual(yield* peer.state, "draining")
      assert.isDefined(call.pollUnsafe())
      yield* TestClock.adjust("6 seconds")
    }))

  it.effect("promise 9: closing ends every call with Disconnected, `sent` when its text was handed over", () =>
    Effect.gen(function*() {
      const handed: Array<string> = []
      const peer = yield* Peer.make({
        receive: Effect.never,
        send: (texts) => Effect.andThen(Effect.sync(() => handed.push(...texts)), Effect.never),
        close: Effect.void
      }, { limits: { writeStall: 1000 } })
      const first = yield* started(Effect.flip(peer.request("handed")))
      yield* settle
      const second = yield* started(Effect.flip(peer.request("kept")))
      yield* settle
      assert.strictEqual(handed.length, 1)
      yield* TestClock.adjust("1010 millis")
      const stalled = { _tag: "Disconnected", reason: { _tag: "WriteStalled" } } as const
      assert.deepInclude(yield* Fiber.join(first), { ...stalled, sent: true })
      assert.deepInclude(yield* Fiber.join(second), { ...stalled, sent: false })
    }))

  it.effect("promise 10: a response that arrives before send returns is not lost", () =>
    Effect.gen(function*() {
      let deliver: (texts: readonly [string]) => void = () => {}
      const peer = yield* Peer.make({
        receive: Effect.callback((resume) => {
          deliver = (texts) => resume(Effect.succeed(texts))
        }),
        send: ([text]) =>
          Effect.callback(() => {
            deliver([success(JSON.parse(text).id, "early")])
          }),
        close: Effect.void
      }, { limits: { writeStall: 100 } })
      assert.strictEqual(yield* peer.request("m"), "early")
      yield* TestClock.adjust("1 second")
    }))

  it.effect("promise 10: a response that arrives before send returns is not lost, one that nobody waits for is not answered", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect()
      const call = yield* started(Effect.flip(peer.request("m")))
      yield* wire.take(1)
      yield* wire.send(
        success(99, "unknown"),
        success("1", "another type of id"),
        `{"jsonrpc":"2.0","result":1}`,
        `{"jsonrpc":"2.0","id":7,"result":1,"error":{"code":1,"message":""}}`,
        JSON.stringify(failure(null, -32700, "Parse error"))
      )
      yield* settle
      assert.strictEqual(wire.received.length, 1)
      yield* wire.send(`{"jsonrpc":"2.0","id":1,"error":"text"}`)
      assert.deepInclude(yield* Fiber.join(call), { _tag: "InvalidResponse", method: "m" })
      yield* settle
      assert.strictEqual(wire.received.length, 1)
    }))

  it.effect("promise 10: a response that arrives before send returns is not lost, nor one without its result", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect()
      const call = yield* started(Effect.flip(peer.request("m")))
      yield* wire.take(1)
      yield* wire.send(`{"jsonrpc":"2.0","id":1}`)
      assert.deepInclude(yield* Fiber.join(call), { _tag: "InvalidResponse", method: "m" })
      yield* settle
      assert.strictEqual(wire.received.length, 1)
      // Nobody waits for it now, so it may as well be a request.
      yield* wire.send(`{"jsonrpc":"2.0","id":1}`)
      yield* settle
      assert.deepStrictEqual(wire.received.slice(1), [failure(1, -32600, "Invalid Request")])
    }))

  it.effect("promise 10: a response that arrives before send returns is not lost, one that nobody waits for is logged for who debugs", () =>
    Effect.gen(function*() {
      const lines: Array<unknown> = []
      const logger = Logger.make((entry) => void lines.push(entry.message))
      for (const level of ["Info", "Debug"] as const) {
        const { wire } = yield* connect().pipe(
          Effect.provideService(References.MinimumLogLevel, level),
          Effect.provide(Logger.layer([logger]))
        )
        yield* wire.send(success(level, "late"), notification(level))
        yield* settle
      }
      assert.deepStrictEqual(lines, [
        ["dropped the response with id \"Debug\": no call waits for it"],
        ["nothing serves the notification Debug"]
      ])
    }))

  it.effect("promise 11: what belongs to a call reaches it before its response, in wire order, behind a slow handler", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const { peer, wire } = yield* connect({ slow: () => Effect.never })
      const call = yield* started(
        Effect.tap(
          peer.request("m", { a: 1 }, { onProgress: (params) => seen.push(params) }),
          (result) => Effect.sync(() => seen.push(result))
        )
      )
      const [sent] = yield* wire.take(1)
      assert.deepStrictEqual(sent, {
        jsonrpc: "2.0",
        id: 1,
        method: "m",
        params: { a: 1, workDoneToken: "progress-1" }
      })
      const progress = (value: number) => notification("$/progress", { token: "progress-1", value })
      yield* wire.send(notification("slow"), progress(1), progress(2), success(1, "done"), progress(3))
      yield* Fiber.join(call)
      yield* settle
      assert.deepStrictEqual(seen, [{ token: "progress-1", value: 1 }, { token: "progress-1", value: 2 }, "done"])
    }))

  it.effect("promise 11: what belongs to a call reaches it before its response, as its handler reports it", () =>
    Effect.gen(function*() {
      const { wire } = yield* connect({
        work: (call) => Effect.as(Effect.orDie(call.progress({ value: 1 })), "done")
      })
      yield* wire.send(
        `{"jsonrpc":"2.0","id":1,"method":"work","params":{"workDoneToken":"t"}}`,
        `{"jsonrpc":"2.0","id":2,"method":"work"}`
      )
      assert.deepStrictEqual(yield* wire.take(3), [
        { jsonrpc: "2.0", method: "$/progress", params: { token: "t", value: 1 } },
        { jsonrpc: "2.0", id: 1, result: "done" },
        { jsonrpc: "2.0", id: 2, result: "done" }
      ])
    }))
})

const nameOf = (exit: Exit.Exit<unknown, { readonly _tag: string }>): string => {
  if (Exit.isSuccess(exit)) return "Success"
  const failure = exit.cause.reasons.find(Cause.isFailReason)
  return failure === undefined && Cause.hasInterrupts(exit.cause) ? "Interrupt" : failure?.error._tag ?? "Defect"
}
