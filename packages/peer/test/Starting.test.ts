/** When a peer begins to read, and what happens before. */
import { assert, describe, it } from "@effect/vitest"
import { Listener } from "@parley/transport/Listener"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Transport } from "@parley/transport/Transport"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Logger, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Caller } from "../src/Caller.ts"
import * as Peer from "../src/Peer.ts"
import * as Reconnecting from "../src/Reconnecting.ts"
import * as Router from "../src/Router.ts"
import * as Server from "../src/Server.ts"
import { notification, request, routerOf, settle, success } from "./wire.ts"

const limits = { drain: 0 }

/** A peer that has not started, its other side, and how often it has read. */
const unstarted = (options: Peer.PeerOptions = {}) =>
  Effect.gen(function*() {
    const [ours, theirs] = yield* MemoryTransport.makePair()
    let reads = 0
    const receive = Effect.suspend(() => {
      reads++
      return ours.receive
    })
    // Without the short cut of the memory transport, so that each reading is seen.
    const watched: Transport = { receive, send: ours.send, close: ours.close }
    const router = yield* routerOf({ ping: () => Effect.succeed("pong") })
    const peer = yield* Peer.make(watched, { router, limits, start: "manual", ...options })
    return { peer, theirs, reads: () => reads }
  })

const send = (transport: Transport, ...texts: readonly [string, ...Array<string>]) =>
  Effect.orDie(transport.send(texts))

describe("a peer that starts by hand", () => {
  it.effect("reads nothing and answers nothing before, and everything after", () =>
    Effect.gen(function*() {
      const { peer, reads, theirs } = yield* unstarted()
      yield* send(theirs, request(1, "ping"), request(2, "ping"))
      yield* settle
      assert.strictEqual(reads(), 0)
      assert.strictEqual(yield* peer.state, "open")
      yield* peer.start
      yield* settle
      assert.deepStrictEqual(yield* theirs.receive, [success(1, "pong"), success(2, "pong")])
    }))

  it.effect("starts once", () =>
    Effect.gen(function*() {
      const { peer, reads, theirs } = yield* unstarted()
      yield* peer.start
      yield* peer.start
      yield* send(theirs, request(1, "ping"))
      assert.deepStrictEqual(yield* theirs.receive, [success(1, "pong")])
      yield* peer.start
      yield* settle
      assert.strictEqual(reads(), 2)
    }))

  it.effect("calls before, and has the response after", () =>
    Effect.gen(function*() {
      const { peer, theirs } = yield* unstarted()
      const call = yield* Effect.forkChild(peer.request("name"), { startImmediately: true })
      assert.deepStrictEqual(yield* theirs.receive, [request(1, "name")])
      yield* send(theirs, success(1, "Ada"))
      yield* settle
      assert.isUndefined(call.pollUnsafe())
      yield* peer.start
      assert.strictEqual(yield* Fiber.join(call), "Ada")
    }))

  it.effect("does not suspect the framing where a call runs out of time before", () =>
    Effect.gen(function*() {
      const { peer } = yield* unstarted()
      const call = yield* Effect.forkChild(Effect.flip(peer.request("name", [], { timeout: 10 })), {
        startImmediately: true
      })
      yield* TestClock.adjust(10)
      assert.strictEqual((yield* Fiber.join(call)).message, "no response to name (id 1) within 10 ms")
    }))

  it.effect("ends in order without having started, and starts no more", () =>
    Effect.gen(function*() {
      const { peer, reads, theirs } = yield* unstarted()
      yield* send(theirs, request(1, "ping"))
      const call = yield* Effect.forkChild(Effect.flip(peer.request("name")), { startImmediately: true })
      yield* peer.shutdown
      assert.deepInclude(yield* Fiber.join(call), { _tag: "Disconnected", sent: true })
      assert.deepStrictEqual(yield* peer.closed, { _tag: "Closed" })
      // What was written before is there, and then the end.
      assert.deepStrictEqual(yield* theirs.receive, [request(1, "name")])
      assert.strictEqual((yield* Effect.flip(theirs.receive)).reason._tag, "EndOfInput")
      yield* peer.start
      yield* settle
      assert.strictEqual(reads(), 0)
    }))

  it.effect("finds the end of the other side when it starts, behind what came before", () =>
    Effect.gen(function*() {
      const noted: Array<unknown> = []
      const router = yield* routerOf({ note: ({ params }) => Effect.sync(() => void noted.push(params)) })
      const { peer, theirs } = yield* unstarted({ router })
      yield* send(theirs, notification("note", ["a"]))
      yield* theirs.close
      yield* settle
      assert.isTrue(yield* peer.connected)
      yield* peer.start
      assert.strictEqual((yield* peer.closed)._tag, "EndOfInput")
      assert.deepStrictEqual(noted, [["a"]])
    }))
})

describe("the layers over one peer", () => {
  it.effect("are all built before it reads", () =>
    Effect.gen(function*() {
      const [near, far] = yield* MemoryTransport.makePair()
      const ready = yield* Deferred.make<void>()
      const serving = (method: string, wait: Effect.Effect<void>) =>
        Layer.effectDiscard(
          Effect.andThen(wait, Router.Router.use((router) => router.add(method, () => Effect.succeed(method))))
        )
      // It calls the other side from outside of a call, so that it is built over the peer.
      const calling = Layer.effectDiscard(Caller.use((caller) =>
        Router.Router.use((router) => router.add("ask", () => Effect.orDie(caller.request("name"))))
      ))
      const layers = Layer.mergeAll(serving("early", Effect.void), serving("late", Deferred.await(ready)), calling)
      const live = Peer.layerWith(layers, { limits }).pipe(Layer.provide(Layer.succeed(Transport, far)))
      const router = yield* routerOf({
        name: () =>
          Effect.succeed("Ada")
      })
      const peer = yield* Peer.make(near, { router, limits })

      const calls = yield* Effect.forkChild(
        Effect.all(["early", "late", "ask"].map((method) => peer.request(method)), { concurrency: "unbounded" }),
        { startImmediately: true }
      )
      const building = yield* Effect.forkScoped(Layer.build(live), { startImmediately: true })
      yield* settle
      assert.isUndefined(calls.pollUnsafe())
      yield* Deferred.succeed(ready, undefined)
      const context = yield* Fiber.join(building)
      assert.deepStrictEqual(yield* Fiber.join(calls), ["early", "late", "Ada"])
      assert.strictEqual(yield* Context.get(context, Peer.Peer).state, "open")
    }))

  it.effect("are built anew for each peer", () =>
    Effect.gen(function*() {
      let built = 0
      const layers = Layer.effectDiscard(
        Effect.suspend(() => {
          const which = ++built
          return Router.Router.use((router) => router.add("which", () => Effect.succeed(which)))
        })
      )
      const ends = yield* Effect.all([MemoryTransport.makePair(), MemoryTransport.makePair()])
      const peers = ends.map(([, far]) =>
        Layer.provide(Peer.layerWith(layers, { limits }), Layer.succeed(Transport, far))
      )
      yield* Layer.build(Layer.mergeAll(Layer.empty, ...peers))
      const answers = yield* Effect.forEach(ends, ([near]) =>
        Effect.flatMap(Peer.make(near, { limits }), (peer) => peer.request("which", [], { timeout: 1 })))
      assert.deepStrictEqual(answers, [1, 2])
    }))
})

/** Handlers in layers, over a service that is closed before the layers have ended. */
class Door extends Context.Service<Door, { isOpen: boolean }>()("Door") {}

/** The layers over a peer as `layerWith` and `layerServing` wire them. */
const wirings: Readonly<
  Record<
    string,
    (
      layers: Layer.Layer<never, Router.MethodTaken, Router.Router>
    ) => Layer.Layer<Peer.PeerService | Caller, Router.MethodTaken, Transport>
  >
> = {
  layerWith: (layers) => Peer.layerWith(layers),
  layerServing: (layers) =>
    Peer.layerServing().pipe(Layer.provide(
      Layer.effect(
        Router.DuplexRouter,
        Router.Router
      ).pipe(Layer.provide(Router.layer(layers)))
    ))
}

describe("a program that ends", () => {
  it.effect.each(Object.entries(wirings))(
    "promise 19: end of input drains, and so does the end of a program, whose handlers keep their services: `%s`",
    ([, wire]) =>
      Effect.gen(function*() {
        const [near, far] = yield* MemoryTransport.makePair()
        const [go, closed] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const door = Layer.effect(
          Door,
          Effect.acquireRelease(Effect.sync(() => ({ isOpen: true as boolean })), (door) =>
            Effect.suspend(() => {
              door.isOpen = false
              return Deferred.await(closed)
            }))
        )
        const handlers = Layer.effectDiscard(Effect.gen(function*() {
          const [router, door] = [yield* Router.Router, yield* Door]
          yield* router.addAll({
            slow: () => Effect.map(Deferred.await(go), () => door.isOpen),
            next: () => Effect.succeed(1)
          })
        }))
        const live = wire(Layer.provide(handlers, door))
        const scope = yield* Scope.make()
        yield* Scope.provide(Layer.build(Layer.provide(live, Layer.succeed(Transport, far))), scope)
        const peer = yield* Peer.make(near, { limits })
        const slow = yield* Effect.forkChild(Effect.exit(peer.request("slow")), { startImmediately: true })
        yield* settle
        const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
        yield* settle
        assert.deepInclude(yield* Effect.flip(peer.request("next")), { _tag: "Disconnected", sent: false })
        yield* Deferred.succeed(go, undefined)
        assert.deepStrictEqual(yield* Fiber.join(slow), Exit.succeed(true))
        yield* Deferred.succeed(closed, undefined)
        yield* Fiber.join(closing)
      })
  )
})

describe("a peer that others make", () => {
  const quietly = Effect.provide(Logger.layer([]))

  /** Hears the first word of the other side, which comes with the connection. */
  const hearing = (heard: Deferred.Deferred<unknown>) => (peer: Peer.Peer) =>
    Effect.andThen(
      Effect.ignore(
        peer.listen("hello", {
          take: (params) => (Deferred.doneUnsafe(heard, Exit.succeed(params)), true),
          end: () => {}
        })
      ),
      Effect.never
    )

  it.effect("of a server reads behind the first steps of `onConnection`", () =>
    Effect.gen(function*() {
      const { connect, listener } = yield* MemoryTransport.makeListener()
      const heard = yield* Deferred.make<unknown>()
      const router = yield* Router.make()
      yield* Effect.forkScoped(
        Server.runWith({ limits, onConnection: hearing(heard) }).pipe(
          Effect.provideContext(Context.make(Router.Router, router).pipe(Context.add(Listener, listener)))
        )
      )
      yield* send(yield* connect, notification("hello", ["early"]))
      assert.deepStrictEqual(yield* Deferred.await(heard), ["early"])
    }).pipe(quietly))

  it.effect("of a server without `onConnection` serves, also where it is to start by hand", () =>
    Effect.gen(function*() {
      const { connect, listener } = yield* MemoryTransport.makeListener()
      const router = yield* routerOf({ ping: () => Effect.succeed("pong") })
      const services = Context.make(Router.Router, router).pipe(Context.add(Listener, listener))
      yield* Effect.forkScoped(Effect.provideContext(Server.runWith({ limits, start: "manual" }), services))
      const transport = yield* connect
      yield* send(transport, request(1, "ping"))
      assert.deepStrictEqual(yield* transport.receive, [success(1, "pong")])
    }))

  it.effect("of a server waits for `onConnection` where it is to start by hand", () =>
    Effect.gen(function*() {
      const { connect, listener } = yield* MemoryTransport.makeListener()
      const go = yield* Deferred.make<void>()
      const router = yield* routerOf({ ping: () => Effect.succeed("pong") })
      yield* Effect.forkScoped(
        Server.runWith({
          limits,
          start: "manual",
          onConnection: ({ start }) => Effect.andThen(Deferred.await(go), start)
        }).pipe(Effect.provideContext(Context.make(Router.Router, router).pipe(Context.add(Listener, listener))))
      )
      const transport = yield* connect
      yield* send(transport, request(1, "ping"))
      const answer = yield* Effect.forkChild(transport.receive, { startImmediately: true })
      yield* settle
      assert.isUndefined(answer.pollUnsafe())
      yield* Deferred.succeed(go, undefined)
      assert.deepStrictEqual(yield* Fiber.join(answer), [success(1, "pong")])
    }).pipe(quietly))

  it.effect("of a reconnecting caller reads behind the first steps of `onConnect`", () =>
    Effect.gen(function*() {
      const heard = yield* Deferred.make<unknown>()
      const open = Effect.gen(function*() {
        const [near, far] = yield* MemoryTransport.makePair()
        yield* send(far, notification("hello", ["early"]))
        return near
      })
      yield* Reconnecting.make({ open, limits, onConnect: hearing(heard) })
      assert.deepStrictEqual(yield* Deferred.await(heard), ["early"])
    }))
})
