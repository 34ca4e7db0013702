/** Servers that shut down in order, and callers that go on with the next connection. */
import { assert, describe, it } from "@effect/vitest"
import { Retry } from "@parley/middleware"
import { Dialect } from "@parley/protocol"
import { Transport } from "@parley/transport"
import { Clock, Deferred, Effect, Exit, Fiber, Option, Result, Scope } from "effect"
import { TestClock } from "effect/testing"
import { ErrorResponse, Peer } from "../src/index.ts"
import { released } from "../src/internal/reconnect/Connection.ts"
import { connecting, latest, methods, refused, second, show, started, station } from "./reconnections.ts"
import { connect, failure, request, routerOf, settle } from "./wire.ts"

const unstarted = (id: number) => JSON.stringify(failure(id, -32000, "Shutting down", { started: false }))

/** A caller with a connection, and a call that runs on it. */
const running = Effect.gen(function*() {
  const at = station()
  const caller = yield* connecting(at, { schedule: second, limits: { drain: 20_000 } })
  const call = yield* started(caller.request("slow"))
  yield* settle
  return { at, caller, call, old: latest(at) }
})

describe("a side that shuts down", () => {
  it.effect("promise 9: closing ends every call with Disconnected: a call is retried only when it was not sent, or the other side said that it did not start it, or its method is idempotent: it marks what it refuses, and what it ends, in two ways", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({ hang: () => Effect.never }, { limits: { inFlight: 1, drain: 1_000 } })
      yield* wire.send(request(1, "hang"), request(2, "hang"))
      yield* settle
      const shutdown = yield* started(peer.shutdown)
      yield* wire.send(request(3, "hang"), `[${request(4, "hang")}]`)
      assert.deepStrictEqual(yield* wire.take(3), [
        failure(2, -32000, "Shutting down", { started: false }),
        failure(3, -32000, "Shutting down", { started: false }),
        [failure(4, -32000, "Shutting down", { started: false })]
      ])
      yield* TestClock.adjust("1010 millis")
      yield* Fiber.join(shutdown)
      yield* settle
      assert.deepStrictEqual(wire.received.slice(3), [failure(1, -32000, "Shutting down", { started: true })])
    }))

  it.effect("says so by the code of its dialect, and by no other", () =>
    Effect.gen(function*() {
      const dialect = Dialect.make({ ...Dialect.jsonRpc, name: "test", shutDownCode: -31_100 })
      const { peer, wire } = yield* connect({}, { dialect })
      const calls = yield* Effect.forEach(["a", "b"], (method) => started(Effect.result(peer.request(method))))
      yield* wire.send(
        JSON.stringify(failure(1, -31_100, "Shutting down", { started: false })),
        JSON.stringify(failure(2, -32_000, "Shutting down", { started: false }))
      )
      const errors = yield* Effect.forEach(calls, (call) => Effect.map(Fiber.join(call), Result.getFailure))
      assert.deepStrictEqual(errors.map((error) => Option.getOrUndefined(error)?._tag), ["Disconnected", "RemoteError"])
    }))

  const dialects = [Dialect.jsonRpc, Dialect.make({ name: "own", shutDownCode: -31_100, version: "omit" })]
  const ended = (id: number, code: number, { version }: Dialect.Dialect) => ({
    ...(version === "omit" ? {} : { jsonrpc: "2.0" }),
    id,
    error: { code, message: "Shutting down", data: { started: true } }
  })

  it.effect.each(dialects)(
    "answers what it ends with the code of its dialect: $name",
    (dialect) =>
      Effect.gen(function*() {
        const { peer, wire } = yield* connect({
          hang: () => Effect.never,
          told: ({ draining = Effect.never }) => Effect.flatMap(draining, (error) => Effect.fail(error)),
          says: ({ draining = Effect.never }) => Effect.andThen(draining, Effect.fail(ErrorResponse.shuttingDown())),
          // Other errors of the code are those of the application.
          busy: ({ draining = Effect.never }) =>
            Effect.andThen(draining, Effect.fail(ErrorResponse.make(-32000, "Busy")))
        }, { dialect, limits: { drain: 1_000 } })
        yield* wire.send(...["told", "says", "busy", "hang"].map((method, index) => request(index + 1, method)))
        yield* settle
        const shutdown = yield* started(peer.shutdown)
        yield* TestClock.adjust("1010 millis")
        yield* Fiber.join(shutdown)
        yield* settle
        const code = dialect.shutDownCode
        const [told, says, busy, hang] = yield* wire.take(4)
        assert.deepStrictEqual([told, says, hang], [1, 2, 4].map((id) => ended(id, code, dialect)))
        assert.deepInclude(busy, { error: { code: -32000, message: "Busy" } })
      })
  )

  it.effect.each(dialects)(
    "is left by its caller at once, which knows it by the code of its dialect: $name",
    (dialect) =>
      Effect.gen(function*() {
        for (const [code, isLeft] of [[dialect.shutDownCode, true], [-31_000, false]] as const) {
          const at = station()
          const caller = yield* connecting(at, { dialect, schedule: second })
          const call = yield* started(Effect.flip(caller.request("slow")))
          yield* settle
          yield* latest(at).send(JSON.stringify(ended(1, code, dialect)))
          assert.deepInclude(yield* Fiber.join(call), { _tag: "RemoteError", code } as const)
          assert.strictEqual(show(yield* caller.state), isLeft ? "waiting 2: ShuttingDown, 1000" : "connected 1")
        }
      })
  )

  it.effect("tells handlers at once, and those that begin in its last moment", () =>
    Effect.gen(function*() {
      const events: Array<string> = []
      const { peer, wire } = yield* connect({
        watch: ({ draining = Effect.never }) =>
          Effect.andThen(draining, Effect.fail(ErrorResponse.shuttingDown())).pipe(
            Effect.onExit(() => Effect.sync(() => void events.push("ended")))
          )
      }, { limits: { drain: 1_000 } })
      yield* wire.send(request(1, "watch"))
      yield* settle
      yield* peer.shutdown
      yield* settle
      assert.deepStrictEqual([wire.received, events], [[failure(1, -32000, "Shutting down", { started: true })], [
        "ended"
      ]])
    }))
})

describe("a caller whose connection drains", () => {
  it.effect("releases it, also where the caller ends before the draining has begun", () =>
    Effect.gen(function*() {
      let isReleased = false
      const live = Effect.as(
        Effect.addFinalizer(() => Effect.sync(() => void (isReleased = true))),
        { delay: 0, drained: Effect.never }
      )
      const owner = yield* Scope.make()
      yield* released(live, owner)
      yield* Scope.close(owner, Exit.void)
      assert.isTrue(isReleased)
    }))

  it.effect("promise 9: closing ends every call with Disconnected: it makes a call again that was refused unstarted, and lets those that run end", () =>
    Effect.gen(function*() {
      const { at, call, caller, old } = yield* running
      const moved = yield* started(caller.request("add", [1]))
      yield* settle
      yield* old.send(unstarted(2))
      yield* settle
      assert.strictEqual(show(yield* caller.state), "waiting 2: ShuttingDown, 1000")
      const later = yield* started(caller.request("later"))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(methods(latest(at)), ["add", "later"])
      yield* latest(at).answer(1, 3)
      yield* latest(at).answer(2, "done")
      yield* old.answer(1, "slow")
      assert.deepStrictEqual([yield* Fiber.join(moved), yield* Fiber.join(later), yield* Fiber.join(call)], [
        3,
        "done",
        "slow"
      ])
      assert.isFalse(old.isReleased())
      yield* old.cut
      assert.deepStrictEqual([old.isReleased(), latest(at).isReleased()], [true, false])
    }))

  it.effect("promise 9: closing ends every call with Disconnected: one that was refused pauses for less than a second more than nobody listens", () =>
    Effect.gen(function*() {
      const clock = yield* Clock.Clock
      for (const gap of [0, 1_000, 2_500, 7_000, 9_500]) {
        let listens = 0
        const at = station()
        const open = Effect.suspend(() => clock.currentTimeMillisUnsafe() < listens ? Effect.fail(refused) : at.open)
        const caller = yield* connecting(at, { open })
        const call = yield* started(caller.request("add"))
        yield* settle
        listens = clock.currentTimeMillisUnsafe() + gap
        yield* latest(at).send(unstarted(1))
        yield* settle
        yield* TestClock.adjust(gap)
        for (let waited = 0; at.lines.length === 1; waited += 100) {
          assert.isAtMost(waited, 700)
          yield* TestClock.adjust("100 millis")
        }
        yield* latest(at).answer(1, 3)
        assert.strictEqual(yield* Fiber.join(call), 3)
      }
    }))

  it.effect("goes on where the `moved` of a listener throws", () =>
    Effect.gen(function*() {
      const { at, caller, old } = yield* running
      const heard: Array<string> = []
      const listen = (name: string, moved: () => void) =>
        caller.listen("news", { take: () => true, end: () => void heard.push(`${name} ends`), moved })
      yield* listen("one", () => {
        throw new Error("a defect of a listener")
      })
      yield* listen("two", () => void heard.push("two moves"))
      yield* old.cut
      yield* settle
      assert.strictEqual(show(yield* caller.state), "waiting 2: EndOfInput, 1000")
      const call = yield* started(caller.request("add"))
      yield* TestClock.adjust("1 second")
      yield* latest(at).answer(1, 3)
      assert.strictEqual(yield* Fiber.join(call), 3)
      assert.sameMembers(heard, ["one ends", "two ends", "two moves"])
    }))

  it.effect("makes the calls of a `moved` on the next one", () =>
    Effect.gen(function*() {
      const { at, caller, old } = yield* running
      const fork = Effect.runForkWith(yield* Effect.context<never>())
      yield* caller.listen("news", {
        take: () => true,
        end: () => {},
        moved: () => void fork(Effect.exit(caller.request("again")))
      })
      yield* old.cut
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(methods(latest(at)), ["again"])
    }))

  it.effect("releases it after `drain`, where the other side does not", () =>
    Effect.gen(function*() {
      const { at, call, caller, old } = yield* running
      const moved = yield* started(Effect.exit(caller.request("add")))
      yield* settle
      yield* old.send(unstarted(2))
      yield* TestClock.adjust("19 seconds")
      assert.deepStrictEqual([old.isReleased(), at.lines.length, call.pollUnsafe()], [false, 2, undefined])
      yield* TestClock.adjust("2 seconds")
      assert.isTrue(old.isReleased())
      assert.deepInclude(yield* Effect.flip(Fiber.join(call)), { _tag: "Disconnected", sent: true } as const)
      yield* Fiber.interrupt(moved)
    }))

  it.effect("promise 9: closing ends every call with Disconnected: a call is retried only when it was not sent, or the other side said that it did not start it, or its method is idempotent: a third party's plain -32000 is the error of the call, whatever it says", () =>
    Effect.gen(function*() {
      const { at, caller, old } = yield* running
      const marks = [undefined, null, { started: "true" }, { started: false, job: 7 }, [false], "started"]
      const answers = marks.flatMap((data) => ["Busy", "Shutting down"].map((text) => ({ data, text })))
      for (const [index, { data, text }] of answers.entries()) {
        const call = yield* started(Effect.flip(caller.request("add")))
        yield* settle
        yield* old.send(JSON.stringify(failure(index + 2, -32000, text, data)))
        assert.deepInclude(yield* Fiber.join(call), { _tag: "RemoteError", code: -32000 } as const)
      }
      const call = yield* started(Effect.flip(caller.request("add")))
      yield* settle
      yield* old.send(JSON.stringify(failure(answers.length + 2, 1001, "Shutting down", { started: false })))
      assert.deepInclude(yield* Fiber.join(call), { _tag: "RemoteError", code: 1001 } as const)
      assert.deepStrictEqual([show(yield* caller.state), at.lines.length], ["connected 1", 1])
    }))

  it.effect("makes the members of a batch again that were refused, and no others", () =>
    Effect.gen(function*() {
      const { at, caller, old } = yield* running
      const batch = yield* started(
        caller.batch([{ method: "a" }, { method: "n", notification: true }, { method: "b" }])
      )
      yield* settle
      yield* old.send(`[{"jsonrpc":"2.0","id":2,"result":"a"},${unstarted(3)}]`)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(latest(at).received, [[{ jsonrpc: "2.0", id: 1, method: "b" }]].flat())
      yield* latest(at).send(`[{"jsonrpc":"2.0","id":1,"result":"b"}]`)
      yield* settle
      assert.deepStrictEqual(yield* Fiber.join(batch), [Result.succeed("a"), undefined, Result.succeed("b")])
    }))

  it.effect("counts the time of a call from its beginning", () =>
    Effect.gen(function*() {
      const { caller, old } = yield* running
      const call = yield* started(Effect.flip(caller.request("add", undefined, { timeout: "5 seconds" })))
      yield* TestClock.adjust("3 seconds")
      yield* old.send(unstarted(2))
      yield* TestClock.adjust("1900 millis")
      assert.isUndefined(call.pollUnsafe())
      yield* TestClock.adjust("110 millis")
      assert.deepInclude(yield* Fiber.join(call), { _tag: "RequestTimeout", milliseconds: 5_000 } as const)
    }))

  it.effect("holds a pause on both connections, until it is let go", () =>
    Effect.gen(function*() {
      const { at, call, caller, old } = yield* running
      const moved = yield* started(caller.request("add"))
      yield* settle
      const goOn = caller.pause()
      yield* old.send(unstarted(2))
      yield* TestClock.adjust("1 second")
      goOn()
      yield* old.answer(1, "slow")
      yield* latest(at).answer(1, 3)
      assert.deepStrictEqual([yield* Fiber.join(call), yield* Fiber.join(moved)], ["slow", 3])
    }))

  it.effect("closes it with its own Scope", () =>
    Effect.gen(function*() {
      const at = station()
      const scope = yield* Scope.make()
      const caller = yield* Scope.provide(connecting(at, { schedule: second, limits: { drain: 60_000 } }), scope)
      const call = yield* started(Effect.exit(caller.request("add")))
      yield* settle
      yield* latest(at).send(unstarted(1))
      yield* TestClock.adjust("1 second")
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(at.lines.map(({ isReleased }) => isReleased()), [true, true])
      assert.isTrue(Exit.isFailure(yield* Fiber.join(call)))
    }))

  it.effect("lets a caller over one connection make it again, if it retries", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect()
      const refused = yield* started(Effect.flip(peer.request("add")))
      yield* settle
      yield* wire.send(unstarted(1))
      const error = yield* Fiber.join(refused)
      assert.deepInclude(error, { _tag: "Disconnected", sent: false, reason: { _tag: "ShuttingDown" } } as const)
      assert.strictEqual(error.message, "the other side shuts down (ShuttingDown), add (id 1) not started")
      const call = yield* started(peer.pipe(Retry.caller({ schedule: second })).request("add"))
      yield* settle
      yield* wire.send(unstarted(2))
      yield* TestClock.adjust("1 second")
      yield* wire.send(`{"jsonrpc":"2.0","id":3,"result":3}`)
      assert.strictEqual(yield* Fiber.join(call), 3)
    }))
})

describe("a connection that ends for a cause", () => {
  it.effect.each([
    { name: "nobody shut down", before: () => Effect.void },
    { name: "our side shuts down", before: (peer: Peer.Peer) => started(peer.shutdown) }
  ])(
    "does not drain: neither handlers nor a write that nobody takes hold it up, where $name",
    ({ before }) =>
      Effect.gen(function*() {
        const broken = yield* Deferred.make<void>()
        const lost = Transport.transportError({ _tag: "ForeignProtocol", excerpt: "GET /" })
        const ends: Array<string> = []
        let reads = 0
        const peer = yield* Peer.make({
          receive: Effect.suspend(() =>
            reads++ === 0
              ? Effect.succeed([request(1, "stuck"), request(2, "echo")] as const)
              : Effect.andThen(Deferred.await(broken), Effect.fail(lost))
          ),
          send: () => Effect.never,
          close: Effect.sync(() => void ends.push("close"))
        }, {
          router: yield* routerOf({
            stuck: () => Effect.uninterruptible(Effect.never),
            echo: () => Effect.succeed(1)
          }),
          limits: { drain: 60_000 }
        })
        yield* settle
        yield* before(peer)
        yield* Deferred.succeed(broken, undefined)
        yield* TestClock.adjust("1010 millis")
        assert.strictEqual(yield* peer.state, "closed")
        assert.deepStrictEqual([yield* peer.closed, ends], [lost.reason, ["close"]])
      })
  )

  it.effect("is cut off where the other side takes nothing", () =>
    Effect.gen(function*() {
      const ends: Array<string> = []
      const peer = yield* Peer.make({
        receive: Effect.never,
        send: () => Effect.never,
        close: Effect.sync(() => void ends.push("close")),
        abort: Effect.sync(() => void ends.push("abort"))
      }, { limits: { writeStall: 1_000, drain: 60_000 } })
      yield* peer.notify("n")
      yield* TestClock.adjust("1010 millis")
      assert.deepStrictEqual([(yield* peer.closed)._tag, ends], ["WriteStalled", ["abort"]])
    }))
})
