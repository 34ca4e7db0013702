/** One connection after the other, when a test is the other side of each. */
import { assert, describe, it } from "@effect/vitest"
import * as Laws from "@parley/conformance/Laws"
import { Retry } from "@parley/middleware"
import type { Transport } from "@parley/transport/Transport"
import { Context, Effect, Exit, Fiber, Layer, Logger, Result, Schedule, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Caller, Reconnecting } from "../src/index.ts"
import { connecting, disconnected, latest, limits, methods, second, started, station } from "./reconnections.ts"
import { notification, request, routerOf, settle } from "./wire.ts"

describe("a reconnecting caller", () => {
  it.effect("makes calls over the connection that is there", () =>
    Effect.gen(function*() {
      const at = station()
      const caller = yield* connecting(at)
      const call = yield* started(caller.request("m", [1]))
      const batch = yield* started(caller.batch([{ method: "a" }, { method: "b", notification: true }]))
      yield* caller.notify("n")
      yield* settle
      assert.deepStrictEqual(methods(latest(at)), ["m", "a", "b", "n"])
      yield* latest(at).answer(1, "one")
      yield* latest(at).answer(2, "two")
      assert.strictEqual(yield* Fiber.join(call), "one")
      assert.deepStrictEqual(yield* Fiber.join(batch), [Result.succeed("two"), undefined])
    }))

  it.effect("promise 9: closing ends every call with Disconnected: those of a lost connection, each once", () =>
    Effect.gen(function*() {
      const at = station()
      const caller = yield* connecting(at)
      const call = yield* started(Effect.flip(caller.request("m")))
      yield* settle
      yield* latest(at).cut
      assert.deepStrictEqual(disconnected(yield* Fiber.join(call)), ["EndOfInput", true])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(methods(latest(at)), [])
    }))

  it.effect("promise 16: ids start at 1 and are never reused: on every connection anew, and a late response settles nothing", () =>
    Effect.gen(function*() {
      const at = station()
      const caller = yield* connecting(at, { schedule: second })
      yield* started(Effect.exit(caller.request("old")))
      yield* settle
      yield* latest(at).cut
      yield* TestClock.adjust("1 second")
      const call = yield* started(caller.request("new"))
      yield* settle
      assert.deepStrictEqual(at.lines.map(({ received }) => received.map(({ id }) => id)), [[1], [1]])
      yield* Effect.exit(at.lines[0]!.send(JSON.stringify({ jsonrpc: "2.0", id: 1, result: "late" })))
      yield* settle
      assert.isUndefined(call.pollUnsafe())
      yield* latest(at).answer(1, "mine")
      assert.strictEqual(yield* Fiber.join(call), "mine")
    }))

  it.effect("calls that are made without a connection wait for it, and go out in the order they were made", () =>
    Effect.gen(function*() {
      const at = station("fails")
      const caller = yield* connecting(at, { schedule: second })
      const calls = yield* Effect.forEach(["a", "b"], (method) => started(caller.request(method)))
      yield* started(caller.notify("c"))
      yield* started(caller.batch([{ method: "d" }, { method: "e" }]))
      yield* started(Effect.andThen(caller.notify("f"), caller.notify("g")))
      yield* started(caller.notify("h"))
      assert.deepStrictEqual(yield* caller.batch([]), [])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(methods(latest(at)), ["a", "b", "c", "d", "e", "f", "h", "g"])
      yield* latest(at).answer(1, "A")
      yield* latest(at).answer(2, "B")
      assert.deepStrictEqual(yield* Effect.forEach(calls, Fiber.join), ["A", "B"])
    }))

  it.effect("who calls again at once, whatever comes of it, does not hold up the connection", () =>
    Effect.gen(function*() {
      const at = station("fails")
      const caller = yield* connecting(at, { schedule: second })
      let calls = 0
      const stubborn: Effect.Effect<unknown> = Effect.suspend(() =>
        // Only so that the test ends where it fails.
        ++calls > 10_000 ? Effect.never : Effect.catch(caller.request("m", [1n] as never), () => stubborn)
      )
      const fiber = yield* started(stubborn)
      yield* started(caller.notify("next"))
      yield* started(Effect.andThen(caller.connected, Fiber.interrupt(fiber)))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(methods(latest(at)), ["next"])
      assert.isBelow(calls, 10_000)
    }))

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind: where it waits for a connection", () =>
    Effect.gen(function*() {
      const at = station("fails")
      const caller = yield* connecting(at, { schedule: second })
      const calls = yield* Effect.forEach(
        [caller.request("m"), caller.notify("m"), caller.batch([{ method: "m" }])],
        (call) => started<unknown, unknown, never>(call)
      )
      for (const call of calls) yield* Fiber.interrupt(call)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(methods(latest(at)), [])
    }))

  it.effect("the time that a call waits for a connection is its own", () =>
    Effect.gen(function*() {
      const at = station("fails", "fails")
      const caller = yield* connecting(at, { schedule: second, timeout: 500 })
      const late = yield* started(Effect.flip(caller.request("late")))
      const batch = yield* started(caller.batch([{ method: "x" }, { method: "n", notification: true }]))
      const notifications = yield* started(Effect.flip(caller.batch([{ method: "n", notification: true }])))
      const notified = yield* started(Effect.flip(caller.notify("n")))
      const patient = yield* started(Effect.flip(caller.request("patient", [], { timeout: 2500 })))
      const many = yield* started(caller.batch([{ method: "patient too" }], { timeout: 2500 }))
      yield* TestClock.adjust(510)
      const attempt = "could not be opened: refused"
      const error = new Caller.RequestTimeout({ method: "late", milliseconds: 500, attempt })
      assert.deepStrictEqual(yield* Fiber.join(late), error)
      assert.strictEqual(
        error.message,
        "no connection for late within 500 ms; last attempt: could not be opened: refused"
      )
      assert.deepStrictEqual(
        yield* Fiber.join(batch),
        [Result.fail(new Caller.RequestTimeout({ method: "x", milliseconds: 500, attempt })), undefined]
      )
      assert.deepStrictEqual(disconnected(yield* Fiber.join(notifications)), ["Open", false])
      assert.deepStrictEqual(disconnected(yield* Fiber.join(notified)), ["Open", false])
      yield* TestClock.adjust(1490)
      assert.deepStrictEqual(methods(latest(at)), ["patient", "patient too"])
      yield* TestClock.adjust(490)
      assert.isUndefined(patient.pollUnsafe())
      yield* TestClock.adjust(20)
      const timeout = yield* Fiber.join(patient)
      assert.deepStrictEqual(
        timeout,
        new Caller.RequestTimeout({ method: "patient", id: 1, milliseconds: 2500 })
      )
      assert.deepStrictEqual(
        yield* Fiber.join(many),
        [Result.fail(new Caller.RequestTimeout({ method: "patient too", id: 2, milliseconds: 2500 }))]
      )
    }))

  it.effect("calls that wait for a connection are bounded in number", () =>
    Effect.gen(function*() {
      const at = station("fails")
      const caller = yield* connecting(at, { schedule: second, limits: { waiting: 3 } })
      const first = yield* started(Effect.exit(caller.request("a")))
      yield* started(Effect.exit(caller.batch([{ method: "b" }, { method: "c" }])))
      const overloaded = new Caller.Overloaded({ limit: 3 })
      assert.deepStrictEqual(yield* Effect.flip(caller.request("d")), overloaded)
      assert.deepStrictEqual(yield* caller.batch([{ method: "d" }]), [Result.fail(overloaded)])
      assert.deepStrictEqual(disconnected(yield* Effect.flip(caller.notify("d"))), ["Open", false])
      yield* Fiber.interrupt(first)
      yield* started(caller.notify("e"))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(methods(latest(at)), ["b", "c", "e"])
    }))
})

describe("a reconnecting caller keeps the laws of callers", () => {
  const call = (transport: Transport) =>
    Reconnecting.make({ open: Effect.succeed(transport), schedule: Schedule.recurs(0), limits })
  for (const law of Laws.ofCaller({ name: "Reconnecting", call }, { runs: 10 })) {
    it.live(law.name, () => Effect.provide(law.check, Logger.layer([])))
  }
})

describe("the end", () => {
  it.effect("promise 9: closing ends every call with Disconnected: closing the Scope, those that wait for a connection too", () =>
    Effect.gen(function*() {
      for (const attempt of ["fails", "hangs"] as const) {
        const scope = yield* Scope.make()
        const caller = yield* Scope.provide(connecting(station(attempt)), scope)
        const calls = yield* Effect.forEach(
          [caller.request("m"), caller.notify("m"), caller.batch([{ method: "m" }]), caller.connected],
          (call) => started(Effect.flip<unknown, unknown, never>(call))
        )
        yield* Scope.close(scope, Exit.void)
        for (const call of calls) assert.deepStrictEqual(disconnected(yield* Fiber.join(call)), ["Closed", false])
        assert.deepStrictEqual(disconnected(yield* Effect.flip(caller.request("m"))), ["Closed", false])
      }
    }))

  it.effect("promise 9: closing ends every call with Disconnected: where a call that has waited closes the Scope", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const caller = yield* Scope.provide(connecting(station("fails"), { schedule: second }), scope)
      const closing = yield* started(Effect.andThen(caller.notify("m"), Scope.close(scope, Exit.void)))
      const next = yield* started(Effect.flip(caller.request("m")))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(closing)
      assert.deepStrictEqual(disconnected(yield* Fiber.join(next)), ["Closed", false])
      assert.deepStrictEqual(disconnected(yield* Effect.flip(caller.connected)), ["Closed", false])
    }))

  it.effect("shuts the connection down in order: what runs is answered, and calls of ours end", () =>
    Effect.gen(function*() {
      const at = station()
      const router = yield* routerOf({ slow: () => Effect.as(Effect.sleep("1 second"), "done") })
      const scope = yield* Scope.make()
      const caller = yield* Scope.provide(connecting(at, { router, limits: { drain: 5000 } }), scope)
      const call = yield* started(Effect.flip(caller.request("m")))
      yield* latest(at).send(request("theirs", "slow"))
      yield* settle
      const closing = yield* started(Scope.close(scope, Exit.void))
      assert.deepStrictEqual(disconnected(yield* Effect.flip(caller.request("later"))), ["Closed", false])
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(closing)
      assert.deepStrictEqual(latest(at).received.slice(1), [{ jsonrpc: "2.0", id: "theirs", result: "done" }])
      assert.deepStrictEqual(disconnected(yield* Fiber.join(call)), ["Closed", true])
      assert.isTrue(latest(at).isReleased())
    }))
})

describe("beside calls", () => {
  it.effect("a listener hears the notifications of its connection, and of its end once", () =>
    Effect.gen(function*() {
      const at = station("fails")
      const caller = yield* connecting(at, { schedule: second })
      const heard: Array<unknown> = []
      const listener: Caller.NotificationListener = {
        take: (params) => heard.push(params) > 0,
        end: ({ reason }) => void heard.push(reason._tag)
      }
      yield* started(caller.listen("news", listener))
      yield* TestClock.adjust("1 second")
      yield* latest(at).send(notification("news", [1]))
      yield* latest(at).cut
      yield* TestClock.adjust("1 second")
      yield* latest(at).send(notification("news", [2]))
      yield* settle
      assert.deepStrictEqual(heard, [[1], "EndOfInput"])
      yield* caller.listen("news", listener)
      yield* latest(at).send(notification("news", [3]))
      yield* settle
      assert.deepStrictEqual(heard, [[1], "EndOfInput", [3]])
    }))

  it.effect("a pause holds for later connections, until it is let go", () =>
    Effect.gen(function*() {
      const at = station()
      const heard: Array<unknown> = []
      const router = yield* routerOf({ news: ({ params }) => Effect.sync(() => void heard.push(params)) })
      const caller = yield* connecting(at, { schedule: second, router })
      const goOn = caller.pause()
      const other = caller.pause()
      yield* latest(at).cut
      const early = caller.pause()
      early()
      yield* TestClock.adjust("1 second")
      yield* latest(at).send(notification("news", [1]))
      yield* settle
      goOn()
      yield* settle
      assert.deepStrictEqual(heard, [])
      other()
      other()
      yield* settle
      assert.deepStrictEqual(heard, [[1]])
    }))

  it.effect("promise 9: closing ends every call with Disconnected: and a retry makes it again when there is a connection", () =>
    Effect.gen(function*() {
      const at = station()
      const connection = yield* connecting(at, { schedule: second })
      // One more try, and no delay: it must not be spent on the connection that is lost.
      const caller = Retry.caller({ schedule: Schedule.recurs(1) })(connection)
      const idempotent = yield* started(caller.request("again", [], { idempotent: true }))
      const plain = yield* started(Effect.flip(caller.request("once")))
      yield* settle
      yield* latest(at).cut
      assert.deepStrictEqual(disconnected(yield* Fiber.join(plain)), ["EndOfInput", true])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(methods(latest(at)), ["again"])
      yield* latest(at).answer(1, "done")
      assert.strictEqual(yield* Fiber.join(idempotent), "done")
    }))

  it.effect("who calls again in the turn in which the connection was lost waits for the next one", () =>
    Effect.gen(function*() {
      for (const last of ["EndOfInput", "BadFrames"]) {
        const at = station()
        const caller = yield* connecting(at, { schedule: second, limits: { badFrames: 1 } })
        const call = yield* started(Effect.catch(caller.request("m"), () => caller.request("again")))
        yield* settle
        yield* last === "EndOfInput" ? latest(at).cut : latest(at).send("no JSON")
        yield* settle
        assert.isUndefined(call.pollUnsafe())
        yield* TestClock.adjust("1 second")
        yield* latest(at).answer(1, last)
        assert.deepStrictEqual([yield* Fiber.join(call), methods(latest(at))], [last, ["again"]])
      }
    }))

  it.effect("`connected` waits for the next connection", () =>
    Effect.gen(function*() {
      const at = station("fails")
      const caller = yield* connecting(at, { schedule: second })
      const first = yield* started(caller.connected)
      assert.isUndefined(first.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual([yield* Fiber.join(first), yield* caller.connected], [1, 1])
      yield* latest(at).cut
      const next = yield* started(caller.connected)
      assert.isUndefined(next.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(next), 2)
    }))

  it.effect("as a layer it is a Caller too, and serves its router", () =>
    Effect.gen(function*() {
      const at = station()
      const router = yield* routerOf({ hello: () => Effect.succeed("hi") })
      const context = yield* Layer.build(Reconnecting.layer({ open: at.open, limits, router }))
      yield* settle
      assert.strictEqual(Context.get(context, Caller.Caller), Context.get(context, Reconnecting.Reconnecting))
      yield* latest(at).send(request(1, "hello"))
      yield* settle
      assert.deepStrictEqual(latest(at).received, [{ jsonrpc: "2.0", id: 1, result: "hi" }] as {})
    }))
})
