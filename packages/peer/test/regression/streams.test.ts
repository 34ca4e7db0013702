/** What callbacks that throw, ends and pauses may do to each other. */
import { assert, describe, it } from "@effect/vitest"
import * as Dialect from "@parley/protocol/Dialect"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import * as Transport from "@parley/transport/Transport"
import { Deferred, Effect, Exit, Fiber, Logger, Scope } from "effect"
import { TestClock } from "effect/testing"
import { ErrorResponse, type Handler, Peer } from "../../src/index.ts"
import { connect, notification, request, routerOf, settle, success } from "../wire.ts"

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

const partial = (value: unknown, token: unknown = "partial-1") => notification("$/progress", { token, value })

/** Keeps the lines that are logged beside it. */
const logging = <A, E, R>(effect: (lines: Array<string>) => Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const logger = Logger.make((entry) => void lines.push(String(Array.isArray(entry.message) ? entry.message[0] : "")))
    return Effect.provide(effect(lines), Logger.layer([logger]))
  })

const thrown = (): never => {
  throw new Error("no")
}

describe("a callback that throws", () => {
  it.effect("costs a line in our log, and its notification", () =>
    logging((lines) =>
      Effect.gen(function*() {
        const handled: Array<unknown> = []
        const { peer, wire } = yield* connect({ item: (call) => Effect.sync(() => void handled.push(call.params)) })
        yield* peer.listen("item", { take: thrown, end: () => {} })
        const call = yield* started(peer.request("m", {}, { onPartialResult: thrown, onProgress: thrown }))
        yield* wire.take(1)
        yield* wire.send(partial(1), partial(2, "progress-1"), notification("item"), success(1, "done"))
        assert.strictEqual(yield* Fiber.join(call), "done")
        yield* settle
        assert.deepStrictEqual(handled, [])
        assert.deepStrictEqual(lines, [
          "the `onPartialResult` of the call m (id 1) threw",
          "the `onProgress` of the call m (id 1) threw",
          "the `take` of a listener to item threw"
        ])
      })
    ))

  it.effect("at the end keeps the end from nobody else", () =>
    logging((lines) =>
      Effect.gen(function*() {
        const { peer } = yield* connect()
        let ended = 0
        yield* peer.listen("item", { take: thrown, end: thrown })
        yield* peer.listen("item", { take: thrown, end: () => void ended++ })
        yield* peer.listen("other", { take: thrown, end: () => void ended++ })
        yield* peer.shutdown
        yield* settle
        assert.strictEqual(ended, 2)
        assert.deepStrictEqual(lines, ["the `end` of a listener to item threw"])
      })
    ))
})

describe("listeners", () => {
  it.effect("that come while others are asked hear what comes next, and those that go hear nothing more", () =>
    Effect.gen(function*() {
      const asked: Array<string> = []
      const { peer, wire } = yield* connect()
      const scope = yield* Scope.make()
      const listen = (name: string, take: () => void) =>
        peer.listen("item", { take: () => (asked.push(name), take(), false), end: () => {} })
      const others = listen("new", () => {})
      const scoped = yield* Scope.Scope
      yield* listen("first", () => {
        Effect.runSync(Effect.orDie(Scope.provide(others, scoped)))
        Effect.runSync(Scope.close(scope, Exit.void))
      })
      yield* Scope.provide(listen("gone", () => {}), scope)
      yield* wire.send(notification("item"))
      yield* settle
      assert.deepStrictEqual(asked, ["first"])
      yield* wire.send(notification("item"))
      yield* settle
      assert.deepStrictEqual(asked, ["first", "first", "new"])
    }))
})

describe("the end of a connection", () => {
  it.effect("is not told to a listener that the end of another has removed", () =>
    Effect.gen(function*() {
      const { peer } = yield* connect()
      const scope = yield* Scope.make()
      let ended = 0
      const end = () => {
        ended++
        Effect.runFork(Scope.close(scope, Exit.void))
      }
      yield* peer.listen("item", { take: thrown, end })
      yield* Scope.provide(peer.listen("item", { take: thrown, end }), scope)
      yield* peer.shutdown
      assert.strictEqual(ended, 1)
    }))

  it.effect("promise 9: closing ends every call with Disconnected, but not before it has what a pause held back", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const { peer, wire } = yield* connect({ run: () => Effect.sync(() => void seen.push("ran")) }, {
        limits: { drain: 1000 }
      })
      yield* peer.listen("item", { take: (params) => seen.push(params) > 0, end: ({ _tag }) => void seen.push(_tag) })
      const onPartialResult = (value: unknown) => seen.push(value)
      const call = yield* started(peer.request("m", {}, { onPartialResult }))
      const resume = peer.pause()
      const item = notification("item")
      // One chunk: it is what the loop holds when it hears of the end.
      yield* Effect.orDie(wire.transport.send([partial(1), item, request(1, "run"), success(1, "done"), item]))
      yield* wire.transport.close
      yield* peer.disconnected
      assert.strictEqual((yield* Effect.flip(peer.request("late")))._tag, "Disconnected")
      assert.deepStrictEqual(seen, [])
      resume()
      assert.strictEqual(yield* Fiber.join(call), "done")
      yield* settle
      assert.deepStrictEqual(seen, [1, undefined, "ran", undefined, "Disconnected"])
      assert.strictEqual(yield* peer.state, "closed")
    }))

  it.effect("promise 9: closing ends every call with Disconnected, when a pause is over, though a handler still runs", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({ hang: () => Effect.never }, { limits: { drain: 1000 } })
      const call = yield* started(Effect.flip(peer.request("m", {}, { onPartialResult: () => {} })))
      yield* wire.send(request(1, "hang"))
      const resume = peer.pause()
      yield* wire.send(partial(1))
      yield* wire.transport.close
      yield* settle
      assert.isUndefined(call.pollUnsafe())
      resume()
      assert.deepInclude(yield* Fiber.join(call), { _tag: "Disconnected", sent: true })
      assert.strictEqual(yield* peer.state, "draining")
      yield* TestClock.adjust("1010 millis")
      assert.strictEqual(yield* peer.state, "closed")
    }))

  it.effect("promise 19: end of input drains, and nobody who pauses holds it up beyond its deadline", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const { peer, wire } = yield* connect({}, { limits: { drain: 1000 } })
      const onPartialResult = (value: unknown) => seen.push(value)
      const call = yield* started(Effect.flip(peer.request("m", {}, { onPartialResult })))
      peer.pause()
      yield* wire.send(partial(1))
      yield* wire.transport.close
      yield* settle
      assert.strictEqual(yield* peer.state, "draining")
      yield* TestClock.adjust("1010 millis")
      assert.deepInclude(yield* Fiber.join(call), { _tag: "Disconnected", sent: true })
      assert.deepStrictEqual(seen, [1])
      yield* settle
      assert.strictEqual(yield* peer.state, "closed")
    }))

  it.effect("promise 9: closing ends every call with Disconnected, paused or not, when the connection is lost", () =>
    Effect.gen(function*() {
      const lost = yield* Deferred.make<never, Transport.TransportError>()
      let reads = 0
      const peer = yield* Peer.make({
        receive: Effect.suspend(() =>
          reads++ === 0
            ? Effect.andThen(Effect.yieldNow, Effect.succeed([partial(1), partial(2)] as const))
            : Deferred.await(lost)
        ),
        send: () => Effect.void,
        close: Effect.void
      })
      const seen: Array<unknown> = []
      const onPartialResult = (value: unknown) => seen.push(value)
      const call = yield* started(Effect.flip(peer.request("m", {}, { onPartialResult })))
      peer.pause()
      yield* settle
      yield* Deferred.fail(lost, Transport.transportError({ _tag: "Lost", cause: new Error("no") }))
      assert.deepInclude(yield* Fiber.join(call), { _tag: "Disconnected", sent: true })
      yield* settle
      assert.deepStrictEqual(seen, [])
      assert.strictEqual(yield* peer.state, "closed")
    }))

  it.effect("promise 19: end of input drains, and shutting down waits for no pause", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({ note: () => Effect.void }, { limits: { drain: 1000 } })
      peer.pause()
      yield* wire.send(notification("note"))
      yield* settle
      yield* peer.shutdown
      assert.strictEqual(yield* peer.state, "closed")
    }))
})

describe("a pause", () => {
  it.effect("within the taking of one notification holds back the next of the same chunk", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const { peer, wire } = yield* connect()
      let resume = () => {}
      yield* peer.listen("item", {
        take: (params) => {
          seen.push(params)
          resume = peer.pause()
          return true
        },
        end: () => {}
      })
      yield* Effect.orDie(wire.transport.send([notification("item", [1]), notification("item", [2])]))
      yield* settle
      assert.deepStrictEqual(seen, [[1]])
      resume()
      yield* settle
      assert.deepStrictEqual(seen, [[1], [2]])
    }))

  it.effect("holds back no response of a call that would take partial results, and has no way to ask for them", () =>
    Effect.gen(function*() {
      const request = ["_meta", "token"] as const
      const partialResults = { method: "p", member: "token", value: "value", request }
      for (
        const [dialect, params] of [
          [Dialect.jsonRpc, [1]],
          [Dialect.ethereum, { a: 1 }],
          [Dialect.make({ name: "test", partialResults }), { _meta: 5 }]
        ] as const
      ) {
        const { peer, wire } = yield* connect({}, { dialect })
        peer.pause()
        const call = yield* started(peer.request("m", params, { onPartialResult: () => {} }))
        yield* wire.send(success(1, "done"))
        yield* settle
        assert.deepStrictEqual(call.pollUnsafe(), Exit.succeed("done"))
      }
    }))

  it.effect("ends for a call that times out, is refused or interrupted, too", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const { peer, wire } = yield* connect({ note: (call) => Effect.sync(() => void seen.push(call.params)) })
      peer.pause()
      const onPartialResult = () => {}
      const calls = yield* Effect.forEach(
        [1, 2],
        () => started(Effect.exit(peer.request("m", {}, { onPartialResult })))
      )
      yield* Effect.forEach(calls, Fiber.interrupt)
      yield* started(Effect.exit(peer.request("m", {}, { onPartialResult, timeout: 10 })))
      yield* TestClock.adjust(20)
      yield* wire.send(notification("note", [1]))
      yield* settle
      assert.deepStrictEqual(seen, [])
      // As many calls wait as take partial results: none. One that takes none is read for.
      yield* started(Effect.exit(peer.request("m")))
      yield* settle
      assert.deepStrictEqual(seen, [[1]])
    }))
})

describe("what runs after a reply", () => {
  const forever = (counts: { interrupted: number }) =>
    Effect.onInterrupt(Effect.never, () => Effect.sync(() => void counts.interrupted++))

  const subscribe = (counts: { interrupted: number }): Handler.Handler => (call) =>
    Effect.sync(() => {
      call.afterReply(forever(counts))
      return "subscribed"
    })

  it.effect("promise 19: end of input drains, and what runs after a reply keeps it from no end", () =>
    Effect.gen(function*() {
      const counts = { interrupted: 0 }
      const { peer, wire } = yield* connect({ subscribe: subscribe(counts) }, { limits: { drain: 60_000 } })
      yield* wire.send(request(1, "subscribe"))
      yield* wire.take(1)
      yield* settle
      assert.strictEqual(counts.interrupted, 0)
      yield* wire.transport.close
      yield* peer.closed
      assert.strictEqual(counts.interrupted, 1)
    }))

  it.effect("is interrupted when we shut down, and does not start when its handler has done so", () =>
    Effect.gen(function*() {
      const counts = { interrupted: 0 }
      const [ours, theirs] = yield* MemoryTransport.makePair()
      const self = yield* Deferred.make<Peer.Peer>()
      const router = yield* routerOf({
        subscribe: subscribe(counts),
        exit: (call) => {
          call.afterReply(Effect.sync(() => void (counts.interrupted += 100)))
          const shutdown = Effect.flatMap(Deferred.await(self), (peer) => peer.shutdown)
          return Effect.as(Effect.forkDetach(shutdown, { startImmediately: true }), "bye")
        }
      })
      const peer = yield* Peer.make(ours, { router, limits: { drain: 0 } })
      yield* Deferred.succeed(self, peer)
      yield* Effect.orDie(theirs.send([request(1, "subscribe"), request(2, "subscribe")]))
      yield* settle
      yield* Effect.orDie(theirs.send([request(3, "exit")]))
      yield* peer.closed
      assert.strictEqual(counts.interrupted % 100, 2)
    }))

  it.effect("costs a line in our log when it dies", () =>
    logging((lines) =>
      Effect.gen(function*() {
        const { peer, wire } = yield* connect({
          m: (call) => {
            call.afterReply(Effect.die("no"))
            call.afterReply(Effect.andThen(Effect.yieldNow, Effect.die("no")))
            return Effect.succeed("done")
          }
        })
        yield* wire.send(request(1, "m"))
        yield* wire.take(1)
        yield* settle
        assert.deepStrictEqual(lines, Array(2).fill("an effect that a handler gave to `afterReply` failed"))
        assert.isTrue(yield* peer.connected)
      })
    ))

  it.effect("promise 17: calls beyond the in-flight limit wait in a bounded inbox, and the budget counts what runs after replies", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      let running = 0
      const { wire } = yield* connect({
        subscribe: (call) =>
          Effect.sync(() => {
            call.afterReply(Effect.suspend(() => (running++, Deferred.await(gate))))
          })
      }, { limits: { budget: 3 * 2_560 } })
      yield* wire.send(...[1, 2, 3, 4, 5].map((id) => request(id, "subscribe")))
      yield* settle
      assert.strictEqual(running, 3)
      assert.strictEqual(wire.received.length, 3)
      yield* Deferred.succeed(gate, undefined)
      yield* settle
      assert.strictEqual(wire.received.length, 5)
    }))

  describe("has something else run in its place", () => {
    const subscribe = (seen: Array<string>): Handler.Handler => (call) =>
      Effect.sync(() => {
        call.afterReply(Effect.sync(() => void seen.push("effect")), Effect.sync(() => void seen.push("otherwise")))
        return "x".repeat(1000)
      })

    it.effect("where its call fails, its reply finds no room in a batch, or it is left by a notification that fails", () =>
      Effect.gen(function*() {
        const seen: Array<string> = []
        const { wire } = yield* connect({
          large: subscribe(seen),
          fail: (call) => Effect.andThen(subscribe(seen)(call), Effect.fail(ErrorResponse.make(1, "no"))),
          write: (call) => Effect.as(subscribe(seen)(call), BigInt(1) as unknown as null)
        }, { limits: { batchReply: 500 } })
        yield* wire.send(request(1, "fail"), request(2, "write"), `[${request(3, "large")}]`, notification("fail"))
        yield* settle
        assert.deepStrictEqual(seen, ["otherwise", "otherwise", "otherwise", "otherwise"])
        yield* wire.send(request(4, "large"))
        yield* settle
        assert.deepStrictEqual(seen.slice(4), ["effect"])
      }))

    it.effect("where its call is cancelled, and where the connection ends before its batch is answered", () =>
      Effect.gen(function*() {
        const seen: Array<string> = []
        const gate = yield* Deferred.make<void>()
        const { peer, wire } = yield* connect({
          subscribe: subscribe(seen),
          hang: (call) => Effect.andThen(subscribe(seen)(call), Effect.never),
          slow: () => Effect.onInterrupt(Effect.never, () => Deferred.await(gate))
        })
        yield* wire.send(request(1, "hang"), notification("$/cancelRequest", { id: 1 }))
        yield* settle
        assert.deepStrictEqual(seen, ["otherwise"])
        yield* wire.send(`[${request(2, "subscribe")},${request(3, "slow")}]`)
        yield* settle
        yield* started(peer.shutdown)
        yield* settle
        yield* Deferred.succeed(gate, undefined)
        yield* settle
        assert.deepStrictEqual(seen, ["otherwise", "otherwise"])
      }))

    it.effect("where its call stands alone", () =>
      Effect.gen(function*() {
        const seen: Array<string> = []
        const router = yield* routerOf({ subscribe: subscribe(seen) })
        yield* router.answer(request(1, "subscribe"))
        assert.deepStrictEqual(seen, ["otherwise"])
      }))
  })
})
