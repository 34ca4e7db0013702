/** Subscriptions of a server that shuts down in order, and a rolling restart as its callers see it. */
import { assert, describe, it } from "@effect/vitest"
import { Reconnecting, Router, Server } from "@parley/peer"
import { Dialect } from "@parley/protocol"
import { MemoryTransport, Transport } from "@parley/transport"
import { Context, Effect, Exit, Fiber, Layer, Schema, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Contract, Method, Subscription } from "../../src/index.ts"
import { notification, parsed, request, serving, settle, started, success } from "../wire.ts"
import { carrier, giving, heard, read, watch, watched } from "./publisher.ts"

describe("the subscriptions of a server that drains", () => {
  const busy = Layer.effectDiscard(
    Effect.flatMap(Router.Router, (router) => router.add("busy", () => Effect.sleep("5 seconds")))
  )

  it.effect.each([-32_000, -31_100])(
    "promise 19: end of input drains: streams end first, in the words of their carriers and with the code of the dialect, beside a call that goes on: %s",
    (code) =>
      Effect.gen(function*() {
        const { peer, wire } = yield* serving(Layer.merge(giving(() => Stream.never), busy), {
          dialect: Dialect.make({ ...Dialect.jsonRpc, name: "own", shutDownCode: code }),
          limits: { drain: 10_000 }
        })
        const shuttingDown = { code, message: "Shutting down", data: { started: true } }
        yield* wire.send(watch(1), read(2, "t"), request(3, "busy"))
        yield* heard(wire)
        const shutdown = yield* started(peer.shutdown)
        yield* settle
        assert.sameDeepMembers([...wire.received], [
          parsed(success(1, "0x1")),
          watched("0x1", { error: shuttingDown }),
          { jsonrpc: "2.0", id: 2, error: shuttingDown }
        ])
        assert.isUndefined(shutdown.pollUnsafe())
        yield* TestClock.adjust("5 seconds")
        yield* Fiber.join(shutdown)
        assert.deepInclude(wire.received, parsed(success(3, null as never)))
      })
  )

  it.effect("go on with their connection, where the carrier has no word for an error: its end would look like any other", () =>
    Effect.gen(function*() {
      for (const end of [undefined, "end"]) {
        const Bare = Contract.make("Bare", {
          ticks: Subscription.make({ item: Schema.Int, carrier: { ...carrier, error: undefined, end } })
        })
        const ticks = () => Stream.tick("1 second").pipe(Stream.map(() => 1))
        const { peer, wire } = yield* serving(Layer.merge(Bare.toLayer({ ticks }), busy), {
          limits: { drain: 10_000 }
        })
        yield* wire.send(request(1, "ticks"), request(2, "busy"))
        yield* TestClock.adjust("1 second")
        yield* started(peer.shutdown)
        yield* TestClock.adjust("3 seconds")
        const items = wire.received.slice(1)
        assert.isAtLeast(items.length, 3)
        for (const item of items) {
          assert.deepStrictEqual(item, parsed(notification("watched", { subscription: "0x1", result: 1 })))
        }
        yield* TestClock.adjust("2 seconds")
      }
    }))
})

describe("a rolling restart", () => {
  const Service = Contract.make("Service", {
    poll: Method.make({ result: Schema.Int }),
    work: Method.make({ result: Schema.String }),
    watch: Subscription.make({ item: Schema.Int, carrier }),
    bare: Subscription.make({ item: Schema.Int, carrier: { ...carrier, error: undefined, end: undefined } }),
    read: Subscription.make({ item: Schema.Int })
  })

  /** Servers of one address, one after the other, each with 10 seconds to drain. */
  const station = Effect.gen(function*() {
    const outer = yield* Effect.scope
    let connector: MemoryTransport.Connector | undefined
    let number = 0
    /** The servers whose subscriptions have ended, one for each. */
    const ended: Array<number> = []
    const open = Effect.suspend(() =>
      connector === undefined
        ? Effect.fail(Transport.transportError({ _tag: "Open", cause: "nobody listens" }))
        : connector.connect
    )
    const start = Effect.gen(function*() {
      const process = ++number
      const live = () =>
        Stream.ensuring(
          Stream.concat(Stream.make(process), Stream.never),
          Effect.sync(() => void ended.push(process))
        )
      const handlers = Service.toLayer({
        poll: () => Effect.succeed(process),
        work: () => Effect.as(Effect.sleep("5 seconds"), "done"),
        watch: live,
        bare: live,
        read: live
      })
      const scope = yield* Scope.fork(outer)
      const context = yield* Layer.buildWithScope(
        Layer.mergeAll(Router.layer(handlers), MemoryTransport.layerListener()),
        scope
      )
      connector = Context.get(context, MemoryTransport.Connector)
      const running = yield* Effect.forkIn(
        Effect.provideContext(Server.runWith({ limits: { drain: 10_000 } }), context),
        scope,
        { startImmediately: true }
      )
      return Effect.suspend(() => {
        connector = undefined
        return Effect.andThen(Fiber.interrupt(running), Scope.close(scope, Exit.void))
      })
    })
    return { ended, open, start }
  })

  it.effect("fails no call: neither polls, nor what runs; and subscriptions go on with the next server", () =>
    Effect.gen(function*() {
      const { open, start } = yield* station
      const stop = yield* start
      const caller = yield* Reconnecting.make({ open, limits: { drain: 10_000 } })
      const service = Service.client(caller)
      const seen: { readonly [name in "watch" | "read"]: Array<unknown> } = { watch: [], read: [] }
      for (const name of ["watch", "read"] as const) {
        const consume = Stream.runForEach(
          Reconnecting.resume(caller)(service[name]()),
          (item) => Effect.sync(() => void seen[name].push(item))
        )
        yield* Effect.forkScoped(consume)
      }
      const failures: Array<unknown> = []
      const answers: Array<number> = []
      const poll = Effect.match(service.poll(), {
        onFailure: (error) => void failures.push(error),
        onSuccess: (answer) => void answers.push(answer)
      })
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(poll, Effect.sleep("50 millis"))))
      const work = yield* started(service.work())
      yield* TestClock.adjust("1 second")
      const stopped = yield* started(stop)
      yield* TestClock.adjust("1600 millis")
      assert.isAbove(answers.length, 15)
      yield* start
      const before = answers.length
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual([failures, answers.length > before, answers.at(-1)], [[], true, 2])
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual([yield* Fiber.join(work), stopped.pollUnsafe() !== undefined, failures], [
        "done",
        true,
        []
      ])
      for (const items of Object.values(seen)) {
        assert.deepStrictEqual(items.map((item) => Reconnecting.isGap(item) ? "gap" : item), [1, "gap", 2])
      }
    }))

  /** A caller whose connection drains, because a call runs there. */
  const draining = Effect.gen(function*() {
    const { ended, open, start } = yield* station
    const stop = yield* start
    const caller = yield* Reconnecting.make({ open, limits: { drain: 10_000 } })
    const service = Service.client(caller)
    const work = yield* started(service.work())
    // Both sides wait for what runs before they end.
    yield* Effect.addFinalizer(() => TestClock.adjust("20 seconds"))
    yield* settle
    const collect = <A, E>(stream: Stream.Stream<A, E>) =>
      Effect.gen(function*() {
        const items: Array<A> = []
        const consumer = yield* Effect.forkScoped(
          Stream.runForEach(stream, (item) => Effect.sync(() => void items.push(item)))
        )
        yield* settle
        return { consumer, items }
      })
    return { caller, collect, ended, service, start, stop, work }
  })

  it.effect("lets a subscription that opens hear the next server, beside one that still hears the old one", () =>
    Effect.gen(function*() {
      const { collect, ended, service, start, stop, work } = yield* draining
      const old = yield* collect(service.bare())
      yield* started(stop)
      yield* start
      const poll = yield* started(service.poll())
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(poll), 2)
      const next = yield* collect(service.bare())
      yield* TestClock.adjust("1 second")
      assert.isUndefined(work.pollUnsafe())
      assert.deepStrictEqual([old.items, next.items], [[1], [2]])
      // Both servers have given the same id. Who leaves the old one does not close that of the next.
      yield* Fiber.interrupt(old.consumer)
      yield* settle
      assert.deepStrictEqual(ended, [])
    }))

  it.effect("refuses a subscription at once that has not opened, and one that resumes opens at the next server", () =>
    Effect.gen(function*() {
      const { caller, collect, service, start, stop, work } = yield* draining
      yield* started(stop)
      const { items } = yield* collect(Reconnecting.resume(caller)(service.watch()))
      yield* start
      yield* TestClock.adjust("2 seconds")
      assert.isUndefined(work.pollUnsafe())
      assert.deepStrictEqual(items.map((item) => Reconnecting.isGap(item) ? "gap" : item), ["gap", 2])
    }))

  it.effect("says of a subscription without resumption that it has not started", () =>
    Effect.gen(function*() {
      const { service, stop } = yield* draining
      yield* started(stop)
      const ended = yield* started(Effect.flip(Stream.runDrain(service.watch())))
      yield* settle
      assert.deepInclude(yield* Fiber.join(ended), { _tag: "Disconnected", sent: false, method: "watch" })
    }))
})
