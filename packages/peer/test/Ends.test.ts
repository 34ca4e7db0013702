/** Promises 18, 19 and 21: what holds when a connection is slow, ends, or idles. */
import { assert, describe, it } from "@effect/vitest"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import * as Transport from "@parley/transport/Transport"
import { Clock, Deferred, Duration, Effect, Exit, Fiber, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import { spawnSync } from "node:child_process"
import { Peer, type Router } from "../src/index.ts"
import * as sleeps from "./sleeps.ts"
import { connect, failure, notification, pair, request, routerOf, settle, success } from "./wire.ts"

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

const text = "x".repeat(1000)

describe("a connection", () => {
  it.effect("promise 18: callers suspend on a full outbox, and go on when there is room", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const sent: Array<string> = []
      const peer = yield* Peer.make({
        receive: Effect.never,
        send: (texts) => Effect.andThen(Deferred.await(gate), Effect.sync(() => void sent.push(...texts))),
        close: Effect.void
      }, { limits: { outbox: 2000, drain: 0 } })
      let accepted = 0
      const notifier = yield* started(
        Effect.repeat(Effect.tap(peer.notify("n", [text]), () => Effect.sync(() => accepted++)), { times: 9 })
      )
      const call = yield* started(peer.request("r"))
      yield* settle
      assert.strictEqual(accepted, 2)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(notifier)
      yield* settle
      assert.strictEqual(sent.length, 11)
      yield* Fiber.interrupt(call)
    }))

  for (const how of ["at once", "together"] as const) {
    it.effect(`promise 18: callers suspend on a full outbox, but two honest peers that flood each other do not block, where handlers end ${how}`, () =>
      Effect.gen(function*() {
        const gate = yield* Deferred.make<void>()
        const [left, right] = yield* pair({
          echo: (call) => {
            const echoed = Effect.succeed(call.params ?? null)
            return how === "at once" ? echoed : Effect.andThen(Deferred.await(gate), echoed)
          }
        }, { limits: { outbox: 40_000, inFlight: 200, inbox: 300, batch: 10 } })
        const large = "x".repeat(10_000)
        const flood = (peer: Peer.Peer) =>
          Effect.all(Array.from({ length: 300 }, () => peer.request("echo", [large])), { concurrency: "unbounded" })
        const floods = yield* started(Effect.all([flood(left), flood(right)], { concurrency: "unbounded" }))
        yield* settle
        yield* Deferred.succeed(gate, undefined)
        yield* settle
        // Nothing waits any more, though no time has passed.
        assert.isDefined(floods.pollUnsafe(), "calls still wait")
        const results = yield* Fiber.join(floods)
        assert.deepStrictEqual(results.flat(), Array.from({ length: 600 }, () => [large]))
      }))
  }

  it.effect("promise 18: callers suspend on a full outbox until a write that makes no progress ends the connection", () =>
    Effect.gen(function*() {
      // Both write, neither reads: the transport takes nothing.
      const stuck = { receive: Effect.never, send: () => Effect.never, close: Effect.void }
      const peers = [yield* Peer.make(stuck, { limits: { outbox: 2000 } }), yield* Peer.make(stuck)]
      const calls = yield* Effect.forEach(
        peers,
        (peer) => started(Effect.flip(Effect.forever(peer.notify("n", [text]))))
      )
      yield* settle
      yield* TestClock.adjust("29 seconds")
      assert.isTrue(yield* (peers[0] as Peer.Peer).connected)
      yield* TestClock.adjust("1010 millis")
      for (const peer of peers) assert.deepStrictEqual(yield* peer.disconnected, { _tag: "WriteStalled" })
      yield* Effect.forEach(calls, Fiber.interrupt)
    }))

  const slow: Router.Handlers = {
    slow: () => Effect.as(Effect.sleep("1 second"), "done"),
    hang: () => Effect.never,
    echo: (call) => Effect.succeed(call.params ?? null)
  }

  it.effect("promise 19: end of input drains: what was read is run and answered", () =>
    Effect.gen(function*() {
      const replies: Array<string> = []
      let reads = 0
      const peer = yield* Peer.make({
        receive: Effect.suspend(() =>
          reads++ === 0
            ? Effect.succeed([request(1, "slow"), request(2, "slow"), request(3, "echo", [3])] as const)
            : Effect.fail(Transport.transportError({ _tag: "EndOfInput" }))
        ),
        send: (texts) => Effect.sync(() => void replies.push(...texts)),
        close: Effect.void
      }, { router: yield* routerOf(slow), limits: { inFlight: 1 } })
      yield* settle
      assert.strictEqual(yield* peer.state, "draining")
      assert.isFalse(yield* peer.connected)
      yield* TestClock.adjust("1 second")
      yield* settle
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* peer.closed, { _tag: "EndOfInput" })
      assert.deepStrictEqual(replies, [success(1, "done"), success(2, "done"), success(3, [3])])
    }))

  it.effect("promise 19: end of input drains, and so does the end of a process: what it has written last is taken", () =>
    Effect.gen(function*() {
      const exited = { _tag: "Exited", code: 0, signal: null, stderr: "" } as const
      const replies: Array<string> = []
      const notes: Array<unknown> = []
      const gate = yield* Deferred.make<void>()
      const count = 3_000
      let reads = 0
      const peer = yield* Peer.make({
        receive: Effect.suspend(() =>
          reads++ === 0
            ? Effect.as(Deferred.await(gate), [
              ...Array.from({ length: count }, (_, index) => notification("note", [index])),
              request(7, "echo", [7]),
              success(1, "done")
            ] as never)
            : Effect.fail(Transport.transportError(exited))
        ),
        send: (texts) => Effect.sync(() => void replies.push(...texts)),
        close: Effect.void
      }, {
        router: yield* routerOf({
          echo: ({ params = null }) => Effect.succeed(params),
          note: ({ params }) => Effect.andThen(Effect.yieldNow, Effect.sync(() => void notes.push(params)))
        }),
        limits: { inFlight: 1 }
      })
      const call = yield* started(peer.request("r"))
      yield* settle
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual(yield* Fiber.join(call), "done")
      assert.deepStrictEqual(yield* peer.closed, exited)
      assert.deepStrictEqual(notes, Array.from({ length: count }, (_, index) => [index]))
      // Nobody reads an answer.
      assert.lengthOf(replies, 1)
    }))

  it.effect("promise 19: end of input drains up to a deadline", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect(slow, { limits: { drain: 5000 } })
      yield* wire.send(request(1, "hang"))
      yield* settle
      yield* wire.transport.close
      yield* TestClock.adjust("4990 millis")
      assert.strictEqual(yield* peer.state, "draining")
      yield* TestClock.adjust("20 millis")
      assert.deepStrictEqual(yield* peer.closed, { _tag: "EndOfInput" })
    }))

  it.effect("promise 19: end of input drains, any other end closes at once and interrupts", () =>
    Effect.gen(function*() {
      let interrupted = 0
      let fail: () => void = () => {}
      const lost = Transport.transportError({ _tag: "LostPlace", detail: "no header", offset: 7, excerpt: "junk" })
      let reads = 0
      const peer = yield* Peer.make({
        receive: Effect.suspend(() =>
          reads++ === 0 ? Effect.succeed([request(1, "hang")] as const) : Effect.callback((resume) => {
            fail = () => resume(Effect.fail(lost))
          })
        ),
        send: () => Effect.void,
        close: Effect.void
      }, {
        router: yield* routerOf({
          hang: () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted++))
        })
      })
      const call = yield* started(Effect.flip(peer.request("m")))
      yield* settle
      fail()
      assert.deepStrictEqual(yield* peer.closed, lost.reason)
      assert.deepInclude(yield* Fiber.join(call), { _tag: "Disconnected", reason: lost.reason, sent: true } as const)
      assert.strictEqual(interrupted, 1)
    }))

  it.effect("promise 19: end of input drains, and so does shutting down from our side", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect(slow, { limits: { inFlight: 1, drain: 5000 } })
      yield* wire.send(request(1, "slow"), request(2, "slow"))
      yield* settle
      const shutdown = yield* started(peer.shutdown)
      yield* wire.send(request(3, "echo"))
      const refused = [2, 3].map((id) => failure(id, -32000, "Shutting down", { started: false }))
      assert.deepStrictEqual(yield* wire.take(2), refused)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(shutdown)
      yield* settle
      assert.deepStrictEqual(wire.received.slice(2), [{ jsonrpc: "2.0", id: 1, result: "done" }])
      assert.deepStrictEqual(yield* peer.closed, { _tag: "Closed" })
    }))

  it.effect("promise 19: end of input drains, and closing the Scope writes what waits to be written", () =>
    Effect.gen(function*() {
      const [ours, theirs] = yield* MemoryTransport.makePair()
      const scope = yield* Scope.make()
      const peer = yield* Scope.provide(Peer.make(ours), scope)
      yield* peer.notify("last", [1])
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(yield* theirs.receive, [notification("last", [1])])
      assert.deepInclude(yield* Effect.flip(peer.notify("later")), { _tag: "Disconnected", sent: false } as const)
    }))

  const Milliseconds = Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 100_000 }))

  it.effect.prop(
    "promise 21: no timer without need: a timeout never fires early, and at most 10 ms late",
    { before: Milliseconds, timeout: Milliseconds, other: Milliseconds },
    ({ before, other, timeout }) =>
      Effect.gen(function*() {
        const { peer } = yield* connect()
        yield* TestClock.adjust(before)
        yield* started(Effect.ignore(peer.request("other", undefined, { timeout: other })))
        const call = yield* started(Effect.flip(peer.request("m", undefined, { timeout })))
        yield* TestClock.adjust(timeout - 1)
        yield* settle
        assert.isUndefined(call.pollUnsafe())
        yield* TestClock.adjust(11)
        assert.deepInclude(yield* Fiber.join(call), { _tag: "RequestTimeout", milliseconds: timeout } as const)
      }),
    { arbitrary: { runs: 30 } }
  )

  it.effect("promise 21: no timer without need: a timeout may be switched off", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({}, { timeout: Duration.infinity })
      const call = yield* started(peer.request("m"))
      yield* TestClock.adjust("365 days")
      yield* wire.send(success(1, "at last"))
      assert.strictEqual(yield* Fiber.join(call), "at last")
    }))

  it.effect("promise 21: no timer without need: callers in a loop share one, and it is gone soon after the last", () =>
    Effect.gen(function*() {
      const { clock, counts } = yield* sleeps.counted
      const [, peer] = yield* Effect.provideService(pair({ echo: () => Effect.succeed(1) }), Clock.Clock, clock)
      yield* Effect.promise(async () => {
        for (let call = 0; call < 20; call++) await Effect.runPromise(peer.request("echo"))
      })
      assert.strictEqual(counts.begun, 1)
      yield* settle
      assert.strictEqual(counts.asleep, 0)
    }))

  it("promise 21: no timer without need: an idle peer lets the process exit", () => {
    const script = `
      import { Effect, Scope } from "effect"
      import * as MemoryTransport from "@parley/transport/MemoryTransport"
      import { Peer, Router } from "@parley/peer"
      const scope = Scope.makeUnsafe()
      const done = await Effect.runPromise(Scope.provide(Effect.gen(function*() {
        const [left, right] = yield* MemoryTransport.makePair()
        const router = yield* Router.make()
        yield* router.add("echo", (call) => Effect.succeed(call.params))
        yield* Peer.make(left, { router })
        const peer = yield* Peer.make(right)
        return yield* peer.request("echo", [1])
      }), scope))
      console.log(JSON.stringify(done))`
    const run = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      timeout: 20_000,
      encoding: "utf8"
    })
    assert.deepStrictEqual([run.status, run.signal, run.stdout, run.stderr], [0, null, "[1]\n", ""])
  })
})
