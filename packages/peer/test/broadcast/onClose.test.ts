/** Nothing told a handler that its connection had ended: whoever kept a peer, for presence, kept it for ever. */
import { assert, describe, it } from "@effect/vitest"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Deferred, Effect, Exit, Fiber, Logger, Option, Scope } from "effect"
import { TestClock } from "effect/testing"
import { ErrorResponse, Peer, Router, Server, Session } from "../../src/index.ts"
import { Exchange } from "../../src/shared/index.ts"
import { connect, notification, request, settle } from "../wire.ts"

/** A handler that registers, once for each of its calls, and what has run. */
const registering = () => {
  const ran: Array<string> = []
  const withdrawals: Array<() => void> = []
  const keys = new Set<object | undefined>()
  const handlers: Router.Handlers = {
    join: (call) =>
      Effect.sync(() => {
        keys.add(call.connection)
        const name = String(call.params === undefined ? "" : Object.values(call.params)[0])
        withdrawals.push(call.onClose(Effect.sync(() => void ran.push(name))))
        return name
      }),
    fail: (call) =>
      Effect.suspend(() => {
        call.onClose(Effect.sync(() => void ran.push("failed")))
        return Effect.fail(ErrorResponse.make(1, "no"))
      }),
    hang: (call) =>
      Effect.suspend(() => {
        call.onClose(Effect.sync(() => void ran.push("hung")))
        return Effect.never
      })
  }
  return { handlers, keys, ran, withdrawals }
}

const twice = [request(1, "join", ["a"]), notification("join", ["b"])]

describe("what waits for the end of a connection", () => {
  for (const how of ["the other side closes", "this side shuts down", "the line breaks"] as const) {
    it.effect(`promise 25: what waits for the end of a connection runs once, where ${how}`, () =>
      Effect.gen(function*() {
        const { handlers, ran } = registering()
        const { peer, wire } = yield* connect(handlers)
        yield* wire.send(...twice, request(2, "fail"), request(3, "hang"))
        yield* settle
        assert.deepStrictEqual(ran, [])
        if (how === "this side shuts down") yield* Effect.forkChild(peer.shutdown)
        else if (how === "the other side closes") yield* wire.transport.close
        else yield* (wire.transport.abort ?? wire.transport.close)
        yield* TestClock.adjust("2 seconds")
        yield* settle
        assert.strictEqual(yield* peer.state, "closed")
        assert.deepStrictEqual(ran, ["a", "b", "failed", "hung"])
        yield* peer.shutdown
        yield* settle
        assert.lengthOf(ran, 4)
      }))
  }

  it.effect("promise 25: what waits for the end of a connection runs once, and not where it was withdrawn", () =>
    Effect.gen(function*() {
      const { handlers, ran, withdrawals } = registering()
      const { peer, wire } = yield* connect(handlers)
      yield* wire.send(...twice)
      yield* settle
      withdrawals[0]?.()
      withdrawals[0]?.()
      yield* peer.shutdown
      withdrawals[1]?.()
      assert.deepStrictEqual(ran, ["b"])
    }))

  it.effect("promise 25: what waits for the end of a connection runs once, at once where it has ended", () =>
    Effect.gen(function*() {
      const { handlers, ran } = registering()
      const late = yield* Deferred.make<Parameters<NonNullable<Router.Handlers[string]>>[0]>()
      const { peer, wire } = yield* connect({
        ...handlers,
        late: (call) => Effect.asVoid(Deferred.succeed(late, call))
      })
      yield* wire.send(notification("late"))
      const call = yield* Deferred.await(late)
      yield* peer.shutdown
      const withdraw = call.onClose(Effect.sync(() => void ran.push("late")))
      assert.deepStrictEqual(ran, ["late"])
      withdraw()
    }))

  it.effect("is not stopped by one that dies, of which the log tells", () =>
    Effect.gen(function*() {
      const { handlers, ran } = registering()
      const lines: Array<unknown> = []
      const logger = Logger.layer([Logger.make(({ message }) => void lines.push(message))])
      yield* Effect.gen(function*() {
        const { peer, wire } = yield* connect({
          ...handlers,
          dies: (call) => Effect.sync(() => void call.onClose(Effect.die(new Error("no more chairs"))))
        })
        yield* wire.send(request(1, "dies"), ...twice)
        yield* settle
        yield* peer.shutdown
      }).pipe(Effect.provide(logger))
      assert.deepStrictEqual(ran, ["a", "b"])
      assert.include(JSON.stringify(lines), "an effect that a handler gave to `onClose` failed")
    }))

  it.effect("holds up the end of its server, for a second at most", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const ran: Array<string> = []
      const { peer, wire } = yield* connect({
        slow: (call) =>
          Effect.sync(() =>
            void call.onClose(Effect.andThen(Deferred.await(gate), Effect.sync(() => void ran.push("slow"))))
          ),
        hangs: (call) => Effect.sync(() => void call.onClose(Effect.never))
      })
      yield* wire.send(notification("slow"))
      yield* settle
      const ended = yield* Effect.forkChild(peer.shutdown, { startImmediately: true })
      yield* settle
      assert.isUndefined(ended.pollUnsafe())
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(ended)
      assert.deepStrictEqual(ran, ["slow"])

      const other = yield* connect({ hangs: (call) => Effect.sync(() => void call.onClose(Effect.never)) })
      yield* other.wire.send(notification("hangs"))
      yield* settle
      const patient = yield* Effect.forkChild(other.peer.shutdown, { startImmediately: true })
      yield* TestClock.adjust("999 millis")
      assert.isUndefined(patient.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(patient)
    }))

  it.effect("is bounded, and says what to do", () =>
    Effect.gen(function*() {
      const lines: Array<unknown> = []
      const logger = Logger.layer([Logger.make(({ cause }) => void lines.push(cause))])
      yield* Effect.gen(function*() {
        const { handlers, withdrawals } = registering()
        const { wire } = yield* connect({ ...handlers })
        yield* wire.send(...Array.from({ length: 4_096 }, () => notification("join", ["x"])))
        yield* settle
        yield* wire.send(request(1, "join", ["x"]))
        yield* settle
        withdrawals[7]?.()
        yield* wire.send(request(2, "join", ["x"]))
        const answers = yield* wire.take(2)
        assert.deepNestedInclude(answers[0], { "error.code": -32603 })
        assert.deepInclude(answers[1], { result: "x" })
      }).pipe(Effect.provide(logger))
      assert.include(String(lines), "4096 effects wait for the end of this connection already")
    }))

  it.effect.each(["withdrawn", "kept"] as const)(
    "is bounded where a call stands alone, too: what is %s",
    (kind) =>
      Effect.gen(function*() {
        let [held, ran] = [0, 0]
        const router = yield* Router.make()
        yield* router.add("join", (call) =>
          Effect.sync(() => {
            for (; held < 10_000; held++) {
              const withdraw = call.onClose(Effect.sync(() => void ran++))
              if (kind === "withdrawn") withdraw()
            }
          }))
        const answer = String(Option.getOrThrow(yield* router.answer(request(1, "join"))))
        assert.include(answer, kind === "kept" ? `"code":-32603` : `"result":null`)
        assert.deepStrictEqual([held, ran], kind === "kept" ? [4_096, 4_096] : [10_000, 0])
      }).pipe(Effect.provide(Logger.layer([])))
  )

  it.effect.each<readonly [string, string, number]>([
    ["a text", request(1, "leave"), 1],
    ["a batch", `[${request(1, "leave")},${request(2, "leave")}]`, 2]
  ])(
    "promise 7: a call ends exactly once, however much its handler leaves behind its reply: %s",
    ([, text, calls]) =>
      Effect.gen(function*() {
        let ran = 0
        const router = yield* Router.make()
        const count = Effect.sync(() => void ran++)
        yield* router.add("leave", ({ afterReply }) =>
          Effect.sync(() => {
            for (let i = 0; i < 200_000; i++) afterReply(Effect.void, count)
          }))
        const answer = String(Option.getOrThrow(yield* router.answer(text)))
        yield* settle
        assert.include(answer, `"result":null`)
        assert.strictEqual(ran, calls * 200_000)
      })
  )

  it.effect("has one key, which the peer of `onConnection` shares with all calls of its connection", () =>
    Effect.gen(function*() {
      const { handlers, keys } = registering()
      const there = new Map<object, string>()
      const greet: Router.Handlers = {
        ...handlers,
        who: ({ connection }) => Effect.succeed(connection === undefined ? null : there.get(connection) ?? null)
      }
      let number = 0
      const onConnection = (peer: Peer.Peer) =>
        Effect.acquireUseRelease(
          Effect.sync(() => void there.set(peer.connection, `peer ${++number}`)),
          () => Effect.never,
          () => Effect.sync(() => void there.delete(peer.connection))
        )
      yield* Effect.gen(function*() {
        const { connect } = yield* MemoryTransport.Connector
        const scope = yield* Scope.make()
        const one = yield* Scope.provide(Effect.flatMap(connect, Peer.make), scope)
        const two = yield* Effect.flatMap(connect, Peer.make)
        yield* settle
        assert.deepStrictEqual(yield* Effect.all([one.request("who"), one.request("who"), two.request("who")]), [
          "peer 1",
          "peer 1",
          "peer 2"
        ])
        yield* one.request("join", ["x"])
        assert.deepStrictEqual([...keys], [...there.keys()].slice(0, 1))
        yield* Scope.close(scope, Exit.void)
        yield* settle
        assert.strictEqual(there.size, 1)
      }).pipe(
        Effect.provide(Server.layer({ onConnection, limits: { drain: 0 } })),
        Effect.provide(MemoryTransport.layerListener()),
        Effect.provide(Router.layer(greet)),
        Effect.provide(Logger.layer([]))
      )
    }))

  it.effect("is that of its session, however many conversations it has had", () =>
    Effect.gen(function*() {
      const { handlers, keys, ran } = registering()
      const router = yield* Router.make()
      yield* router.addAll(handlers)
      const session = yield* Session.make({ router })
      yield* session.answer(request(1, "join", ["a"]))
      yield* session.answer(request(2, "join", ["b"]))
      yield* settle
      assert.strictEqual(keys.size, 1)
      assert.deepStrictEqual(ran, [])
      yield* session.close
      assert.deepStrictEqual(ran, ["a", "b"])
      // Each of them stands alone.
      yield* router.answer(`[${twice.join()}]`)
      assert.deepStrictEqual(ran.slice(2).toSorted(), ["a", "b"])
    }))

  it.effect("is that of a caller over exchanges, which serves what comes back", () =>
    Effect.gen(function*() {
      const { handlers, ran } = registering()
      const router = yield* Router.make()
      yield* router.addAll(handlers)
      const scope = yield* Scope.make()
      const { take } = yield* Scope.provide(Exchange.make({ post: () => Effect.never }, { router }), scope)
      yield* (take(notification("join", ["a"])) ?? Effect.void)
      yield* settle
      assert.deepStrictEqual(ran, [])
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(ran, ["a"])
    }))

  it.effect("is the call where it stands alone, also where it fails or is cancelled", () =>
    Effect.gen(function*() {
      const { handlers, ran, withdrawals } = registering()
      const router = yield* Router.make()
      yield* router.addAll({
        ...handlers,
        waits: (call) =>
          Effect.suspend(() => {
            call.onClose(Effect.sync(() => void ran.push("ended")))
            return Effect.as(Effect.yieldNow, ran.length)
          }),
        late: (call) =>
          Effect.sync(() => {
            queueMicrotask(() => call.onClose(Effect.sync(() => void ran.push("late"))))
          })
      })
      for (const text of twice) yield* router.answer(text)
      yield* router.answer(request(2, "fail"))
      assert.deepStrictEqual(ran, ["a", "b", "failed"])
      const cancelled = yield* Effect.forkChild(router.answer(request(3, "hang")), { startImmediately: true })
      yield* Fiber.interrupt(cancelled)
      yield* router.answer(request(4, "late"))
      yield* settle
      assert.deepStrictEqual(ran, ["a", "b", "failed", "hung", "late"])
      assert.include(JSON.stringify(yield* router.answer(request(5, "waits"))), `\\"result\\":5`)
      yield* settle
      withdrawals.forEach((withdraw) => withdraw())
      assert.lengthOf(ran, 6)
    }))
})
