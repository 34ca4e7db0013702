/** Handlers that start or end while the connection does were forgotten: not answered, answered twice, or left running. */
import { assert, describe, it } from "@effect/vitest"
import * as Dialect from "@parley/protocol/Dialect"
import type * as Limits from "@parley/protocol/Limits"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import * as Transport from "@parley/transport/Transport"
import { Clock, Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Correlator, Peer, type Router } from "../../src/index.ts"
import { connect, failure, notification, request, routerOf, settle } from "../wire.ts"

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

const refused = (id: number) => failure(id, -32000, "Shutting down", { started: true })

const unstarted = (id: number) => failure(id, -32000, "Shutting down", { started: false })

/** A peer whose handler shuts it down before it waits for anything, then does the rest. */
const connectExit = (rest: Effect.Effect<string>, limits: Partial<Limits.Limits>, others: Router.Handlers = {}) =>
  Effect.gen(function*() {
    const self = yield* Deferred.make<Peer.Peer>()
    const shutdown = Effect.flatMap(Deferred.await(self), (peer) => peer.shutdown)
    const exit = () => Effect.andThen(Effect.forkDetach(shutdown, { startImmediately: true }), rest)
    const connected = yield* connect({ ...others, exit }, { limits })
    yield* Deferred.succeed(self, connected.peer)
    return connected
  })

describe("closing", () => {
  it.effect("promise 19: end of input drains, and a handler in its first step runs already", () =>
    Effect.gen(function*() {
      const { wire } = yield* connectExit(Effect.succeed("bye"), { drain: 1000 })
      yield* wire.send(request(1, "exit"))
      yield* settle
      assert.deepStrictEqual(wire.received, [{ jsonrpc: "2.0", id: 1, result: "bye" }])
    }))

  for (const drain of [0, 1000]) {
    it.effect(`promise 19: end of input drains, and in ${drain} ms ends a handler that shut down in its first step`, () =>
      Effect.gen(function*() {
        let interrupted = 0
        const forever = Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted++))
        const { peer, wire } = yield* connectExit(forever, { drain })
        yield* wire.send(request(1, "exit"))
        yield* TestClock.adjust(drain + 10)
        yield* settle
        assert.strictEqual(interrupted, 1)
        assert.strictEqual(yield* peer.state, "closed")
        assert.deepStrictEqual(wire.received, [refused(1)])
      }))
  }

  for (const [drain, after] of [[0, 1010], [500, 1510]] as const) {
    it.effect(`promise 19: end of input drains, and a second after ${drain} ms waits for no write that stalls`, () =>
      Effect.gen(function*() {
        const scope = yield* Scope.make()
        const transport = { receive: Effect.never, send: () => Effect.never, close: Effect.void }
        const limits = { drain, writeStall: 60_000 }
        const peer = yield* Scope.provide(Peer.make(transport, { limits }), scope)
        yield* peer.notify("m")
        yield* settle
        const closing = yield* started(Scope.close(scope, Exit.void))
        yield* TestClock.adjust(after)
        yield* settle
        assert.strictEqual(yield* peer.state, "closed")
        yield* Fiber.join(closing)
      }))
  }

  it.effect("promise 19: end of input drains, and when a member of a batch has ended it, those after it do not start", () =>
    Effect.gen(function*() {
      let notes = 0
      const { wire } = yield* connectExit(Effect.succeed("bye"), { drain: 0 }, {
        note: () => Effect.sync(() => void notes++)
      })
      yield* wire.send(`[${notification("note")},${request(1, "exit")},${notification("note")}]`)
      yield* settle
      assert.strictEqual(notes, 1)
      assert.deepStrictEqual(wire.received, [[{ jsonrpc: "2.0", id: 1, result: "bye" }]])
    }))

  it.effect("promise 19: end of input drains, any other end starts nothing more of what was read", () =>
    Effect.gen(function*() {
      const lost = yield* Deferred.make<void, Transport.TransportError>()
      const notes = Array.from({ length: 5 }, () => notification("note"))
      let running = 0
      let reads = 0
      const peer = yield* Peer.make({
        receive: Effect.suspend(() =>
          reads++ === 0 ? Effect.succeed([notification("note"), ...notes] as const) : Effect.never
        ),
        send: () => Deferred.await(lost),
        close: Effect.void
      }, {
        router: yield* routerOf({
          note: () =>
            Effect.ensuring(Effect.andThen(Effect.sync(() => running++), Effect.never), Effect.sync(() => running--))
        }),
        limits: { inbox: 3, batch: 3 }
      })
      yield* peer.notify("n")
      yield* settle
      // The loop has stopped between two notifications.
      assert.strictEqual(running, 1)
      yield* Deferred.fail(lost, Transport.transportError({ _tag: "Lost", cause: new Error("no") }))
      yield* peer.closed
      yield* TestClock.adjust("1 hour")
      yield* settle
      assert.strictEqual(running, 0)
    }))

  it.effect("promise 19: end of input drains, and its deadline answers what runs and what waits, in batches too", () =>
    Effect.gen(function*() {
      const sent: Array<string> = []
      let reads = 0
      const peer = yield* Peer.make({
        receive: Effect.suspend(() =>
          reads++ === 0
            ? Effect.succeed(
              [
                `[${request(1, "later", [1])},${request(2, "hang")},${request(3, "later", [3])}]`,
                request(4, "later")
              ] as const
            )
            : Effect.fail(Transport.transportError({ _tag: "EndOfInput" }))
        ),
        send: (texts) => Effect.sync(() => void sent.push(...texts)),
        close: Effect.void
      }, {
        router: yield* routerOf({
          hang: () => Effect.never,
          later: (call) => Effect.andThen(Effect.yieldNow, Effect.succeed(call.params ?? null))
        }),
        limits: { inFlight: 1, drain: 1000 }
      })
      yield* settle
      assert.deepStrictEqual(sent, [])
      yield* TestClock.adjust("1010 millis")
      assert.deepStrictEqual(yield* peer.closed, { _tag: "EndOfInput" })
      const replies: ReadonlyArray<unknown> = sent.map((text) => JSON.parse(text))
      assert.sameDeepMembers([...replies], [
        [{ jsonrpc: "2.0", id: 1, result: [1] }, refused(2), unstarted(3)],
        unstarted(4)
      ])
    }))

  const dialects = {
    "leaves unanswered": { cancellation: Dialect.cancelledNotification([]), replies: [] },
    "answers for being cancelled": {
      cancellation: Dialect.cancelRequest,
      replies: [failure(1, -32800, "Request cancelled")]
    }
  }
  for (const [does, { cancellation, replies }] of Object.entries(dialects)) {
    it.effect(`promise 20: a notification is never answered, nor does shutting down answer what a dialect ${does}`, () =>
      Effect.gen(function*() {
        const gate = yield* Deferred.make<void>()
        const { peer, wire } = yield* connect({
          stubborn: () => Effect.onInterrupt(Effect.never, () => Deferred.await(gate))
        }, { dialect: Dialect.make({ name: "test", cancellation }), limits: { drain: 100 } })
        yield* wire.send(request(1, "stubborn"))
        yield* settle
        yield* wire.send(
          notification("notifications/cancelled", { requestId: 1 }),
          notification("$/cancelRequest", { id: 1 })
        )
        yield* settle
        yield* started(peer.shutdown)
        yield* TestClock.adjust("110 millis")
        yield* settle
        assert.deepStrictEqual(wire.received, [])
        yield* Deferred.succeed(gate, undefined)
        yield* settle
        assert.strictEqual(yield* peer.state, "closed")
        assert.deepStrictEqual(wire.received, replies)
      }))
  }

  it.effect("promise 21: no timer without need: closing leaves none behind", () =>
    Effect.gen(function*() {
      const inner = yield* Clock.Clock
      let sleeping = 0
      const clock: Clock.Clock = {
        ...inner,
        sleep: (duration) =>
          Effect.suspend(() => {
            sleeping++
            return Effect.ensuring(inner.sleep(duration), Effect.sync(() => sleeping--))
          })
      }
      const scope = yield* Scope.make()
      const [ours, theirs] = yield* MemoryTransport.makePair()
      const peer = yield* Peer.make(ours, {
        router: yield* routerOf({ hang: () => Effect.never }),
        limits: { drain: 100 }
      }).pipe(Scope.provide(scope), Effect.provideService(Clock.Clock, clock))
      yield* Effect.orDie(theirs.send([notification("hang")]))
      yield* settle
      const shutdown = yield* started(peer.shutdown)
      yield* settle
      assert.strictEqual(sleeping, 1)
      yield* TestClock.adjust("110 millis")
      yield* settle
      assert.isDefined(shutdown.pollUnsafe())
      assert.strictEqual(sleeping, 0)
      yield* Scope.close(scope, Exit.void)
    }))

  it.effect("promise 9: closing ends every call with Disconnected, as does the end of a correlator's Scope", () =>
    Effect.gen(function*() {
      const outcomes: Array<Correlator.Outcome> = []
      const scope = yield* Scope.make()
      const correlator = yield* Scope.provide(Correlator.make({ onTimeout: () => {} }), scope)
      const register = () =>
        correlator.register({
          method: "m",
          timeout: 1000,
          onProgress: undefined,
          resume: (outcome) => void outcomes.push(outcome)
        })
      register()
      register().place = 1
      yield* Scope.close(scope, Exit.void)
      yield* TestClock.adjust("1 hour")
      const errors = yield* Effect.forEach(outcomes, Effect.flip)
      const closed = { _tag: "Disconnected", reason: { _tag: "Closed" } } as const
      assert.strictEqual(errors.length, 2)
      assert.deepInclude(errors[0], { ...closed, sent: false })
      assert.deepInclude(errors[1], { ...closed, sent: true })
      assert.strictEqual(correlator.settle({ _tag: "Success", id: 1, result: null }), false)
    }))

  it.effect("promise 9: closing ends every call with Disconnected: at once, also while others still wait, so that nobody who tries again holds up the end", () =>
    Effect.gen(function*() {
      const end = yield* Deferred.make<never, Transport.TransportError>()
      const transport = { send: () => Effect.never, receive: Deferred.await(end), close: Effect.void }
      const peer = yield* Peer.make(transport, { limits: { drain: 0, outbox: 10 } })
      yield* peer.notify("fills the outbox")
      yield* settle
      const failed: Array<string> = []
      const trying = (name: string) =>
        started(Effect.forEach(
          [1, 2, 3],
          () => Effect.match(peer.notify(name), { onSuccess: () => {}, onFailure: () => failed.push(name) })
        ))
      for (const name of ["a", "b", "c"]) yield* trying(name)
      yield* Deferred.fail(end, Transport.transportError({ _tag: "Lost", cause: "gone" }))
      yield* settle
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(failed, ["a", "a", "a", "b", "b", "b", "c", "c", "c"])
    }))
})
