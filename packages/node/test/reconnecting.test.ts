/** A server that goes away and comes back on the same port. */
import { assert, describe, it } from "@effect/vitest"
import { Contract, Method, Subscription } from "@parley/contract"
import { Retry } from "@parley/middleware"
import { NodeTcp } from "@parley/node"
import { Caller, Reconnecting, Router, Server } from "@parley/peer"
import { Listener, type Transport } from "@parley/transport"
import { Deferred, Effect, Exit, Fiber, Layer, Queue, Schedule, Schema, Scope, Stream } from "effect"
import { portOf } from "./support/pairs.ts"

const Clock = Contract.make("Clock", {
  now: Method.make({ result: Schema.Finite }),
  slow: Method.make({ result: Schema.Finite }),
  ticks: Subscription.make({
    item: Schema.Finite,
    carrier: Subscription.notifications({ notification: "tick", close: "stop" })
  })
})

/** The server of one life: its calls return the number of that life. */
const serve = (life: number, port: number) =>
  Effect.gen(function*() {
    const handlers = Clock.toLayer({
      now: () => Effect.succeed(life),
      slow: () => Effect.succeed(life),
      ticks: () => Stream.concat(Stream.make(life, life + 0.5), Stream.never)
    })
    const listener = yield* NodeTcp.makeListener({ port })
    const context = yield* Layer.build(Router.layer(handlers))
    yield* Effect.forkScoped(
      Server.runWith({ limits: { drain: 0 } }).pipe(
        Effect.provideService(Listener.Listener, listener),
        Effect.provideContext(context)
      )
    )
    return portOf(listener.address)
  })

/** A life that ends by its Scope. */
const live = (...args: Parameters<typeof serve>) =>
  Effect.gen(function*() {
    const scope = yield* Scope.fork(yield* Effect.scope)
    const port = yield* Scope.provide(serve(...args), scope)
    return { port, end: Scope.close(scope, Exit.void) }
  })

const connecting = (port: number, schedule: Schedule.Schedule<unknown> = Schedule.spaced("5 millis")) =>
  Reconnecting.make({ open: NodeTcp.makeTransport({ port }), schedule, limits: { drain: 0 } })

const waiting = (caller: Reconnecting.Reconnecting) =>
  Stream.runHead(Stream.filter(caller.changes, ({ _tag }) => _tag === "Waiting"))

describe("a reconnecting caller over TCP", () => {
  it.live("goes on with a server that was stopped and started again", () =>
    Effect.gen(function*() {
      const first = yield* live(1, 0)
      const caller = yield* connecting(first.port)
      const clock = Clock.client(caller)
      assert.strictEqual(yield* clock.now(), 1)

      const ticks = yield* Queue.unbounded<number | Reconnecting.Gap>()
      const take = (count: number) => Effect.forEach(Array.from({ length: count }), () => Queue.take(ticks))
      yield* Effect.forkScoped(
        Stream.runForEach(clock.ticks().pipe(Reconnecting.resume(caller)), (tick) => Queue.offer(ticks, tick))
      )
      assert.deepStrictEqual(yield* take(2), [1, 1.5])

      const lost = yield* Effect.forkScoped(waiting(caller), { startImmediately: true })
      yield* first.end
      yield* Fiber.join(lost)
      const call = yield* Effect.forkChild(clock.now(), { startImmediately: true })
      yield* live(2, first.port)
      assert.strictEqual(yield* Fiber.join(call), 2)
      const [gap, ...later] = yield* take(3)
      assert.instanceOf(gap, Reconnecting.Gap)
      assert.deepStrictEqual([(gap as Reconnecting.Gap).connection, ...later], [2, 2, 2.5])
    }))

  it.live("with Retry makes idempotent calls again that were under way, and no others", () =>
    Effect.gen(function*() {
      // It reads two calls and goes, as one does that crashes.
      const scope = yield* Scope.fork(yield* Effect.scope)
      const listener = yield* Scope.provide(NodeTcp.makeListener({ port: 0 }), scope)
      const begun = yield* Deferred.make<void>()
      let texts = 0
      const read = (side: Transport.Transport): Effect.Effect<void, Transport.TransportError> =>
        Effect.flatMap(side.receive, (received) => (texts += received.length) < 2 ? read(side) : Effect.void)
      const run = listener.run((side) => Effect.ensuring(read(side), Deferred.succeed(begun, undefined)))
      yield* Effect.forkIn(run, scope)
      const port = portOf(listener.address)
      const caller = yield* connecting(port)
      const retrying = Retry.caller({ schedule: Schedule.recurs(1) })(caller)
      const call = (options?: { readonly idempotent: boolean }) =>
        Effect.forkChild(Effect.result(retrying.request("slow", undefined, options)), { startImmediately: true })
      const again = yield* call({ idempotent: true })
      const once = yield* call()
      yield* Deferred.await(begun)
      yield* Scope.close(scope, Exit.void)
      yield* live(2, port)
      const failed = yield* Effect.flip(Effect.fromResult(yield* Fiber.join(once)))
      assert.deepStrictEqual([failed._tag, failed._tag === "Disconnected" && failed.sent], ["Disconnected", true])
      assert.strictEqual(yield* Effect.fromResult(yield* Fiber.join(again)), 2)
    }))

  it.live("of a server that is never there gives up when its schedule ends", () =>
    Effect.gen(function*() {
      const { end, port } = yield* live(1, 0)
      yield* end
      const caller = yield* connecting(port, Schedule.spaced("1 millis").pipe(Schedule.upTo({ times: 3 })))
      const error = yield* Effect.flip(caller.request("now"))
      assert.instanceOf(error, Caller.Disconnected)
      assert.deepInclude(error, { sent: false })
      const states = yield* Stream.runCollect(caller.changes)
      assert.deepStrictEqual(states.map(({ _tag }) => _tag), ["Closed"])
      const [state] = states
      assert.strictEqual(state?._tag === "Closed" ? state.reason._tag : undefined, "Open")
    }))
})
