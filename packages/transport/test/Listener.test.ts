import { assert, describe, it } from "@effect/vitest"
import { Listener, MemoryTransport, Transport } from "@parley/transport"
import { Budget, Occupancy } from "@parley/transport/shared"
import { Context, Deferred, Effect, Fiber, Layer, Logger, Queue, Scope } from "effect"
import { TestClock } from "effect/testing"
import { reasonOf } from "./support/wire.ts"

/** A listener whose connections wait until they are interrupted, and what each of them was given. */
const serving = (connections: number) =>
  Effect.gen(function*() {
    const { connect, listener } = yield* MemoryTransport.makeListener({ limits: { connections } })
    const given: Array<{ readonly budget: Budget.Budget | undefined; readonly occupancy: Occupancy.Occupancy }> = []
    yield* Effect.forkScoped(
      listener.run(() =>
        Effect.gen(function*() {
          const occupancy = yield* Occupancy.Occupancy
          assert(occupancy !== undefined)
          given.push({ budget: yield* Budget.Budget, occupancy })
          return yield* Effect.never
        })
      ),
      { startImmediately: true }
    )
    return { connect, given }
  })

const settled = Effect.forEach(Array.from({ length: 10 }), () => Effect.yieldNow)

describe("a listener with a budget", () => {
  it.effect("gives each connection a share, and takes it back when the connection has closed", () =>
    Effect.gen(function*() {
      const budget = Budget.make(1_000)
      const { connect, given } = yield* Effect.provideService(serving(2), Budget.Budget, budget)
      const first = yield* connect
      yield* connect
      yield* settled
      given[0]?.budget?.take(300)
      given[1]?.budget?.take(200)
      assert.strictEqual(budget.taken(), 500)
      assert.strictEqual(given[0]?.budget?.taken(), 300)
      yield* first.close
      assert.strictEqual(budget.taken(), 500)
      yield* TestClock.adjust(60_000)
      // Its place is needed, so it ends.
      yield* connect
      yield* settled
      assert.strictEqual(budget.taken(), 200)
    }))

  it.effect("gives none where there is no budget", () =>
    Effect.gen(function*() {
      const { connect, given } = yield* serving(1)
      yield* connect
      yield* settled
      assert.isUndefined(given[0]?.budget)
    }))
})

describe("a listener whose places are taken", () => {
  it.effect("closes the connection that has been idle longest, for a minute or more, for a new one", () =>
    Effect.gen(function*() {
      const { connect, given } = yield* serving(2)
      const sides = [yield* connect, yield* connect]
      yield* settled
      for (const { occupancy } of given) occupancy.speak()
      yield* TestClock.adjust(10_000)
      given[0]?.occupancy.touch()
      yield* TestClock.adjust(59_999)
      const ended = yield* Effect.forEach(sides, (side) => Effect.forkChild(reasonOf(side.receive)))
      yield* connect
      yield* settled
      assert.isUndefined(ended[0]?.pollUnsafe())
      assert.strictEqual((yield* Fiber.join(ended[1]!))._tag, "EndOfInput")
      assert.strictEqual(given.length, 3)
    }))

  it.effect("refuses the new one where all were in use within the last minute", () =>
    Effect.gen(function*() {
      const { connect, given } = yield* serving(1)
      yield* connect
      yield* settled
      given[0]?.occupancy.speak()
      yield* TestClock.adjust(59_999)
      const refused = yield* connect
      assert.strictEqual((yield* reasonOf(refused.receive))._tag, "EndOfInput")
      assert.strictEqual(given.length, 1)
    }))

  it.effect("promise 17: calls beyond the in-flight limit wait in a bounded inbox, and who sends no text holds no place of others", () =>
    Effect.gen(function*() {
      const { connect, given } = yield* serving(3)
      const sides = [yield* connect, yield* connect, yield* connect]
      yield* settled
      given[0]?.occupancy.speak()
      // Bytes are no text.
      given[1]?.occupancy.touch()
      yield* TestClock.adjust(4_999)
      assert.strictEqual((yield* reasonOf((yield* connect).receive))._tag, "EndOfInput")
      yield* TestClock.adjust(1)
      const ended = yield* Effect.forEach(sides, (side) => Effect.forkChild(reasonOf(side.receive)))
      yield* connect
      yield* settled
      assert.deepStrictEqual(ended.map((fiber) => fiber.pollUnsafe() !== undefined), [false, true, false])
      // The next one takes the place of the last that is silent, and the one behind it waits for its own five seconds.
      yield* connect
      assert.strictEqual((yield* reasonOf((yield* connect).receive))._tag, "EndOfInput")
      yield* settled
      assert.deepStrictEqual(ended.map((fiber) => fiber.pollUnsafe() !== undefined), [false, true, true])
    }))

  it.effect("takes what it sends to a silent client for no text of it, and lets it be while it is busy", () =>
    Effect.gen(function*() {
      const { connect, given } = yield* serving(2)
      const sides = [yield* connect, yield* connect]
      yield* settled
      const ended = yield* Effect.forEach(sides, (side) => Effect.forkChild(reasonOf(side.receive)))
      const isOver = () => ended.map((fiber) => fiber.pollUnsafe() !== undefined)
      // The first waits for an answer, and the second has been sent a notification.
      given[0]?.occupancy.mark(true)
      for (const isBusy of [true, false]) given[1]?.occupancy.mark(isBusy)
      yield* TestClock.adjust(5_000)
      yield* connect
      yield* settled
      assert.deepStrictEqual(isOver(), [false, true])
      // Nothing has come of the first.
      assert.strictEqual((yield* reasonOf((yield* connect).receive))._tag, "EndOfInput")
      given[0]?.occupancy.mark(false)
      // It is the oldest that has sent nothing, also when another has come meanwhile.
      yield* Effect.andThen(connect, settled)
      assert.deepStrictEqual(isOver(), [true, true])
    }))

  it.effect("tells of refused connections in ten lines a minute", () =>
    Effect.gen(function*() {
      const lines: Array<unknown> = []
      const logger = Logger.make(({ message }) => void lines.push(...Array.isArray(message) ? message : [message]))
      const refusing = Effect.gen(function*() {
        const { connect } = yield* serving(1)
        yield* connect
        yield* settled
        for (let count = 0; count < 100; count++) yield* Effect.andThen(connect, settled)
        yield* settled
        assert.strictEqual(lines.length, 10)
        yield* TestClock.adjust(61_000)
        // The first of these takes the place of the silent one.
        yield* connect
        yield* settled
        yield* connect
        yield* settled
      })
      yield* Effect.provide(refusing, Logger.layer([logger]))
      assert.strictEqual(
        lines.at(-1),
        "Refused a connection to memory:: 1 are open; 90 more were refused since the last line"
      )
    }))

  it.effect("gives an address its share, where it has one", () =>
    Effect.gen(function*() {
      const arrivals = yield* Queue.unbounded<Listener.Arrival>()
      const served: Array<string> = []
      const refused: Array<string> = []
      const close = new Map<string, Deferred.Deferred<void>>()
      const listener = Listener.make({
        address: "test:",
        accept: Queue.take(arrivals),
        connections: yield* Listener.places(10, 2)
      })
      yield* Effect.forkScoped(
        listener.run(() => Effect.suspend(() => Deferred.await(close.get(served.at(-1) ?? "")!))),
        {
          startImmediately: true
        }
      )
      const arrive = Effect.fnUntraced(function*(name: string, from: string | undefined) {
        close.set(name, yield* Deferred.make<void>())
        yield* Queue.offer(arrivals, {
          from,
          open: Effect.map(MemoryTransport.makePair(), ([near]) => {
            served.push(name)
            return near
          }),
          refuse: Effect.sync(() => void refused.push(name))
        })
        yield* settled
      })
      yield* arrive("a1", "a")
      yield* arrive("a2", "a")
      yield* arrive("a3", "a")
      yield* arrive("b1", "b")
      yield* arrive("x1", undefined)
      yield* arrive("x2", undefined)
      yield* arrive("x3", undefined)
      assert.deepStrictEqual([served, refused], [["a1", "a2", "b1", "x1", "x2", "x3"], ["a3"]])
      yield* Deferred.succeed(close.get("a1")!, undefined)
      yield* settled
      yield* arrive("a4", "a")
      assert.strictEqual(served.at(-1), "a4")
    }))

  it.effect("never closes one that is marked as busy, and counts from the end of its work", () =>
    Effect.gen(function*() {
      const { connect, given } = yield* serving(1)
      yield* connect
      yield* settled
      given[0]?.occupancy.speak()
      given[0]?.occupancy.mark(true)
      yield* TestClock.adjust(600_000)
      assert.strictEqual((yield* reasonOf((yield* connect).receive))._tag, "EndOfInput")
      given[0]?.occupancy.mark(false)
      yield* TestClock.adjust(59_999)
      assert.strictEqual((yield* reasonOf((yield* connect).receive))._tag, "EndOfInput")
      yield* TestClock.adjust(1)
      yield* connect
      yield* settled
      assert.strictEqual(given.length, 2)
    }))

  it.effect("has no more connections open than places, and refuses who waits for one when it ends", () =>
    Effect.gen(function*() {
      const closing = yield* Deferred.make<void>()
      const { connect, listener } = yield* MemoryTransport.makeListener({ limits: { connections: 1 } })
      let opened = 0
      const scope = yield* Scope.make()
      const running = yield* Effect.forkIn(
        listener.run(() => {
          opened++
          return Effect.ensuring(Effect.never, Deferred.await(closing))
        }),
        scope,
        { startImmediately: true }
      )
      yield* connect
      yield* settled
      yield* TestClock.adjust(60_000)
      const waiting = yield* connect
      yield* settled
      assert.strictEqual(opened, 1)
      const ended = yield* Effect.forkChild(Fiber.interrupt(running), { startImmediately: true })
      assert.strictEqual((yield* reasonOf(waiting.receive))._tag, "EndOfInput")
      assert.strictEqual(opened, 1)
      yield* Deferred.succeed(closing, undefined)
      yield* Fiber.join(ended)
    }))
})

describe("a listener with one connection", () => {
  const cause = new Error("no such thing")

  it.effect("fails with why it could not be opened", () =>
    Effect.gen(function*() {
      const listener = Listener.single("stdio:", Effect.fail(Transport.transportError({ _tag: "Open", cause })))
      assert.deepStrictEqual(yield* reasonOf(listener.run(() => Effect.void)), { _tag: "Open", cause })
    }))

  it.effect("fails with EndOfInput after its connection, and gives it a share of the budget", () =>
    Effect.gen(function*() {
      const budget = Budget.make(1_000)
      const [side] = yield* MemoryTransport.makePair()
      const listener = Listener.single("stdio:", Effect.succeed(side))
      const run = listener.run(() =>
        Effect.map(Effect.context<never>(), (context) => Context.get(context, Budget.Budget)?.take(10))
      )
      const reason = yield* Effect.provideService(reasonOf(run), Budget.Budget, budget)
      assert.strictEqual(reason._tag, "EndOfInput")
      assert.strictEqual(budget.taken(), 0)
    }))
})

describe("a wrapping of every connection", () => {
  it.effect("releases what it acquires when its connection ends, and has the share of the connection", () =>
    Effect.gen(function*() {
      const held = new Set<number>()
      const limits: Array<number | undefined> = []
      let opened = 0
      const wrapping = (transport: Transport.Transport) =>
        Effect.gen(function*() {
          const id = ++opened
          yield* Effect.acquireRelease(Effect.sync(() => held.add(id)), () => Effect.sync(() => held.delete(id)))
          limits.push((yield* Budget.Budget)?.limit, (yield* Occupancy.Occupancy) === undefined ? 0 : 1)
          return transport
        })
      const context = yield* Layer.build(
        Layer.provideMerge(Listener.wrap(wrapping), MemoryTransport.layerListener()).pipe(
          // The services of a connection that happen to be in the context of the Layer.
          Layer.provide(Layer.mergeAll(
            Layer.succeed(Budget.Budget, Budget.make(1)),
            Layer.succeed(Occupancy.Occupancy, undefined)
          ))
        )
      )
      const { run } = Context.get(context, Listener.Listener)
      const { connect } = Context.get(context, MemoryTransport.Connector)
      yield* Effect.forkScoped(
        run((transport) => Effect.ignore(Effect.forever(transport.receive))).pipe(
          Effect.provideService(Budget.Budget, Budget.make(2_000))
        ),
        { startImmediately: true }
      )
      for (let count = 0; count < 3; count++) {
        const transport = yield* connect
        yield* settled
        assert.strictEqual(held.size, 1)
        yield* transport.close
        yield* settled
        assert.strictEqual(held.size, 0)
      }
      assert.deepStrictEqual(limits, [2_000, 1, 2_000, 1, 2_000, 1])
    }))
})
