/** How a reconnecting caller gets its connections, and what it does first on each. */
import { assert, describe, it } from "@effect/vitest"
import { type Transport, transportError } from "@parley/transport/Transport"
import { Clock, Duration, Effect, Exit, Fiber, Logger, Schedule, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { connecting, disconnected, latest, methods, second, show, started, station, watching } from "./reconnections.ts"
import * as sleeps from "./sleeps.ts"
import { request, routerOf, settle } from "./wire.ts"

describe("attempts", () => {
  it.effect("its states come in order, from the one it has, and end with Closed", () =>
    Effect.gen(function*() {
      const at = station("fails", "opens", "dies")
      const scope = yield* Scope.make()
      const caller = yield* Scope.provide(connecting(at, { schedule: second }), scope)
      const { end, seen } = yield* watching(caller)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(show(yield* caller.state), "connected 1")
      yield* latest(at).cut
      yield* TestClock.adjust("1 second")
      yield* TestClock.adjust("1 second")
      yield* Scope.close(scope, Exit.void)
      yield* end
      assert.deepStrictEqual(seen, [
        "waiting 2: Open, 1000",
        "connecting 2",
        "connected 1",
        "waiting 3: EndOfInput, 1000",
        "connecting 3",
        "waiting 4: Open, 1000",
        "connecting 4",
        "connected 2",
        "closed: Closed",
        "end"
      ])
      assert.deepStrictEqual((yield* watching(caller)).seen, ["closed: Closed", "end"])
    }))

  it.effect("who lags behind misses the oldest states, and holds up nothing", () =>
    Effect.gen(function*() {
      const at = station(...Array.from({ length: 99 }, () => "fails" as const))
      const caller = yield* connecting(at, { schedule: second })
      const seen: Array<string> = []
      yield* started(Stream.runForEach(caller.changes, (state) =>
        Effect.andThen(
          Effect.sync(() => seen.push(show(state))),
          seen.length === 1 ? Effect.sleep("1 hour") : Effect.void
        )))
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(show(yield* caller.state), "connected 1")
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual([seen[0], seen.at(-1)], ["waiting 2: Open, 1000", "connected 1"])
      assert.isAtMost(seen.length, 70)
    }))

  it.effect("by default they are from 100 ms on twice as long each time up to 10 seconds, with jitter", () =>
    Effect.gen(function*() {
      const at = station(...Array.from({ length: 12 }, () => "fails" as const))
      const caller = yield* connecting(at)
      const delays: Array<number> = []
      for (let attempt = 0; attempt < 12; attempt++) {
        const state = yield* caller.state
        assert.strictEqual(state._tag, "Waiting")
        const milliseconds = state._tag === "Waiting" ? state.milliseconds : 0
        delays.push(milliseconds)
        yield* TestClock.adjust(Duration.millis(Math.ceil(milliseconds)))
      }
      for (const [index, delay] of delays.entries()) {
        const plain = Math.min(100 * 2 ** index, 10_000)
        assert.isAtLeast(delay, plain * 0.8)
        assert.isAtMost(delay, plain * 1.2)
      }
      assert.strictEqual(show(yield* caller.state), "connected 1")
      assert.isAbove(new Set(delays.map((delay, index) => delay / (100 * 2 ** index))).size, 6)
    }))

  it.effect("a connection that ends at once is no busy loop: the schedule goes on", () =>
    Effect.gen(function*() {
      const at = station()
      const schedule = Schedule.exponential("1 second")
      const caller = yield* connecting(at, { schedule, onConnect: () => Effect.void })
      for (const wait of [1, 2, 4, 8]) {
        yield* latest(at).cut
        const before = at.attempts()
        yield* TestClock.adjust(Duration.millis(wait * 1000 - 1))
        assert.strictEqual(at.attempts(), before)
        yield* TestClock.adjust(1)
        assert.strictEqual(at.attempts(), before + 1)
      }
      // One that has held starts it over.
      yield* TestClock.adjust("5 seconds")
      yield* latest(at).cut
      assert.strictEqual(show(yield* caller.state), "waiting 1: EndOfInput, 1000")
    }))

  it.effect("a schedule that ends fails every call, waiting or later, for the last reason", () =>
    Effect.gen(function*() {
      const at = station("fails", "fails", "fails")
      const schedule = second.pipe(Schedule.upTo({ times: 2 }))
      const caller = yield* connecting(at, { schedule })
      const { end, seen } = yield* watching(caller)
      const calls = yield* Effect.forEach(
        [caller.request("m"), caller.notify("m"), caller.batch([{ method: "m" }]), caller.connected],
        (call) => started(Effect.flip<unknown, unknown, never>(call))
      )
      yield* TestClock.adjust("2 seconds")
      for (const call of calls) assert.deepStrictEqual(disconnected(yield* Fiber.join(call)), ["Open", false])
      yield* end
      assert.deepStrictEqual(seen.slice(-2), ["closed: Open", "end"])
      for (const call of [caller.request("m"), caller.notify("m"), caller.batch([{ method: "m" }]), caller.connected]) {
        assert.deepStrictEqual(disconnected(yield* Effect.flip<unknown, unknown, never>(call)), ["Open", false])
      }
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(at.attempts(), 3)
    }))

  it.effect("a reason that is not worth another attempt ends it", () =>
    Effect.gen(function*() {
      const at = station()
      const caller = yield* connecting(at, { while: ({ _tag }) => _tag !== "EndOfInput" })
      yield* latest(at).cut
      assert.strictEqual(show(yield* caller.state), "closed: EndOfInput")
    }))

  it.effect("a schedule or a `while` that dies ends it too, and nobody waits for ever", () =>
    Effect.gen(function*() {
      const at = station()
      const caller = yield* connecting(at, {
        while: () => {
          throw new Error("broken")
        }
      })
      yield* latest(at).cut
      assert.deepStrictEqual(disconnected(yield* Effect.flip(caller.request("m"))), ["Open", false])
    }))

  it.effect("an attempt that takes too long has failed", () =>
    Effect.gen(function*() {
      const at = station("hangs", "opens")
      let connections = 0
      const caller = yield* connecting(at, {
        schedule: second,
        limits: { handshake: 3000 },
        onConnect: () => ++connections === 1 ? Effect.never : Effect.void
      })
      yield* TestClock.adjust(2999)
      assert.strictEqual(show(yield* caller.state), "connecting 1")
      yield* TestClock.adjust(1)
      assert.strictEqual(show(yield* caller.state), "waiting 2: Open, 1000")
      yield* TestClock.adjust(4000)
      assert.strictEqual(show(yield* caller.state), "waiting 3: Open, 1000")
      assert.isTrue(latest(at).isReleased())
      yield* TestClock.adjust(1000)
      assert.strictEqual(show(yield* caller.state), "connected 1")
    }))

  it.effect("everything of a connection is released before the next one is opened", () =>
    Effect.gen(function*() {
      const at = station()
      const released: Array<boolean> = []
      const open = Effect.andThen(
        Effect.sync(() => at.lines.length > 0 && released.push(latest(at).isReleased())),
        at.open
      )
      yield* connecting(at, { open, schedule: Schedule.forever })
      yield* latest(at).cut
      yield* settle
      yield* latest(at).cut
      yield* settle
      assert.deepStrictEqual(released, [true, true])
    }))

  it.effect("promise 19: end of input drains: what was read is answered, and holds up the next connection for half a second at most", () =>
    Effect.gen(function*() {
      const router = yield* routerOf({ slow: () => Effect.as(Effect.sleep("2 seconds"), "done") })
      const sent: Array<unknown> = []
      const chunks = [[request(1, "slow"), request(2, "slow")] as const]
      const half: Transport = {
        receive: Effect.suspend(() => {
          const chunk = chunks.shift()
          return chunk === undefined
            ? Effect.andThen(settle, Effect.fail(transportError({ _tag: "EndOfInput" })))
            : Effect.succeed(chunk)
        }),
        send: (texts) => Effect.sync(() => void sent.push(...texts.map((text) => JSON.parse(text)))),
        close: Effect.void
      }
      const at = station()
      const open = Effect.suspend(() => chunks.length > 0 ? Effect.succeed(half) : at.open)
      const caller = yield* connecting(at, {
        open,
        router,
        schedule: Schedule.forever,
        limits: { drain: 5000, inFlight: 1 }
      })
      yield* settle
      assert.deepStrictEqual([show(yield* caller.state), sent], ["waiting 2: EndOfInput, 0", []])
      yield* TestClock.adjust("490 millis")
      assert.strictEqual(at.lines.length, 0)
      yield* TestClock.adjust("10 millis")
      assert.deepStrictEqual([at.lines.length, sent], [1, []])
      yield* TestClock.adjust("2 seconds")
      yield* TestClock.adjust("2 seconds")
      yield* settle
      assert.deepStrictEqual(sent, [1, 2].map((id) => ({ jsonrpc: "2.0", id, result: "done" })))
      assert.strictEqual(show(yield* caller.state), "connected 2")
    }))

  it.effect("promise 21: no timer without need: a connection that is there needs none", () =>
    Effect.gen(function*() {
      const at = station("fails")
      const { clock, counts } = yield* sleeps.counted
      const caller = yield* Effect.provideService(connecting(at, { schedule: second }), Clock.Clock, clock)
      const call = yield* started(caller.request("m"))
      assert.strictEqual(counts.asleep, 2)
      yield* TestClock.adjust("1 second")
      yield* latest(at).answer(1, null)
      yield* Fiber.join(call)
      yield* settle
      assert.strictEqual(counts.asleep, 0)
    }))
})

describe("`onConnect`", () => {
  it.effect("runs on each connection before any call goes out, and the other side may call meanwhile", () =>
    Effect.gen(function*() {
      const at = station()
      const router = yield* routerOf({ hello: () => Effect.succeed("hi") })
      const caller = yield* connecting(at, {
        schedule: second,
        router,
        onConnect: (peer) => Effect.andThen(peer.request("login"), peer.notify("ready"))
      })
      for (const connection of [1, 2]) {
        const call = yield* started(caller.request("m"))
        yield* settle
        assert.strictEqual(show(yield* caller.state), `connecting ${connection}`)
        yield* latest(at).send(request("theirs", "hello"))
        yield* settle
        assert.deepStrictEqual(latest(at).received[1], { jsonrpc: "2.0", id: "theirs", result: "hi" })
        yield* latest(at).answer(1, true)
        assert.deepStrictEqual(methods(latest(at)), ["login", undefined, "ready", "m"])
        yield* latest(at).answer(2, connection)
        assert.strictEqual(yield* Fiber.join(call), connection)
        yield* latest(at).cut
        yield* TestClock.adjust("1 second")
      }
    }))

  it.effect("that fails or dies is a failed attempt, and its connection is released", () =>
    Effect.gen(function*() {
      const at = station()
      let connections = 0
      const caller = yield* Effect.provide(
        connecting(at, {
          schedule: second,
          onConnect: () =>
            [Effect.fail("refused"), Effect.die("broken"), Effect.interrupt][connections++] ?? Effect.void
        }),
        Logger.layer([])
      )
      for (const [attempt, cause] of ["refused", "broken"].entries()) {
        const state = yield* caller.state
        const reason = { _tag: "Open", cause }
        assert.deepStrictEqual(
          state,
          { _tag: "Waiting", attempt: attempt + 2, reason, milliseconds: 1000 } as typeof state
        )
        assert.isTrue(latest(at).isReleased())
        yield* TestClock.adjust("1 second")
      }
      assert.strictEqual(show(yield* caller.state), "waiting 4: Open, 1000")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(show(yield* caller.state), "connected 1")
    }))

  it.effect("does not outlive its connection", () =>
    Effect.gen(function*() {
      const at = station()
      const caller = yield* connecting(at, { schedule: second, onConnect: () => Effect.never })
      yield* latest(at).cut
      assert.strictEqual(show(yield* caller.state), "waiting 2: EndOfInput, 1000")
    }))

  it.effect("what it acquires and forks lasts as long as the connection", () =>
    Effect.gen(function*() {
      const at = station()
      const events: Array<string> = []
      const log = (event: string) => Effect.sync(() => void events.push(event))
      yield* connecting(at, {
        schedule: second,
        onConnect: () =>
          Effect.andThen(
            Effect.acquireRelease(log("acquired"), () => log("released")),
            Effect.forkScoped(Effect.onInterrupt(Effect.never, () => log("interrupted")), { startImmediately: true })
          )
      })
      assert.deepStrictEqual(events, ["acquired"])
      yield* latest(at).cut
      assert.deepStrictEqual(events, ["acquired", "interrupted", "released"])
    }))
})
