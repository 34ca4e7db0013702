/** A client served what it found around it, two routers hid each other, and what calls acquired or left ran on. */
import { assert, describe, it } from "@effect/vitest"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Transport } from "@parley/transport/Transport"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Option, Scope } from "effect"
import { TestClock } from "effect/testing"
import { type Handler, Peer, Router } from "../../src/index.ts"
import { failure, notification, request, routerOf, settle, success } from "../wire.ts"

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

const reply: (name: string) => Handler.Handler = (name) => () => Effect.succeed(name)

describe("a peer", () => {
  const asking = (layer: Layer.Layer<Peer.PeerService, never, Transport | Router.Router>) =>
    Effect.gen(function*() {
      const [ours, theirs] = yield* MemoryTransport.makePair()
      const around = Layer.merge(Layer.succeed(Transport)(ours), Router.layer({ withdraw: reply("money") }))
      yield* Layer.build(Layer.provide(layer, around))
      yield* Effect.orDie(theirs.send([request(1, "withdraw")]))
      return JSON.parse(String((yield* Effect.orDie(theirs.receive))[0]))
    })

  it.effect("serves no router that happens to be around it", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        yield* asking(Peer.layer({ limits: { drain: 0 } })),
        failure(1, -32601, "Method not found", "withdraw")
      )
    }))

  it.effect("serves the router around it where it is told to", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* asking(Peer.layerServing({ limits: { drain: 0 } })), {
        jsonrpc: "2.0",
        id: 1,
        result: "money"
      })
    }))
})

class Served extends Context.Service<Served, Option.Option<string>>()("Served") {}

describe("a router", () => {
  const adding = (method: string) =>
    Layer.effectDiscard(Effect.flatMap(Router.Router, (router) => router.add(method, reply(method))))

  it.effect("serves all the layers that it is given", () =>
    Effect.gen(function*() {
      const router = yield* Router.Router
      const answers = yield* Effect.forEach(["a", "b"], (method) => router.answer(request(1, method)))
      assert.deepStrictEqual(answers, [Option.some(success(1, "a")), Option.some(success(1, "b"))])
    }).pipe(Effect.provide(Router.layer(Layer.mergeAll(adding("a"), adding("b"))))))

  it.effect("serves what another one is given, too", () =>
    Effect.gen(function*() {
      const shared = adding("a")
      const routers = [Router.layer(shared), Router.layer(shared)].map((layer) =>
        Layer.effect(Served, Effect.flatMap(Router.Router, ({ answer }) => answer(request(1, "a")))).pipe(
          Layer.provide(layer)
        )
      )
      for (const router of routers) {
        assert.deepStrictEqual(yield* Effect.provide(Served, router), Option.some(success(1, "a")))
      }
    }))

  it.effect("releases what a call of a raw handler acquires when the call ends", () =>
    Effect.gen(function*() {
      let open = 0
      const acquire = Effect.acquireRelease(Effect.sync(() => ++open), () => Effect.sync(() => --open))
      const router = yield* Router.make()
      const gate = yield* Deferred.make<void>()
      yield* router.add("m", () => Effect.as(acquire, null))
      yield* router.add("wait", () => Effect.andThen(acquire, Effect.as(Deferred.await(gate), null)))
      yield* router.add("fail", () => Effect.andThen(acquire, Effect.die("no")))
      for (let id = 0; id < 10; id++) yield* router.answer(request(id, id % 2 === 0 ? "m" : "fail"))
      assert.strictEqual(open, 0)
      const waiting = yield* Effect.forEach([1, 2], (id) => started(router.answer(request(id, "wait"))))
      assert.strictEqual(open, 2)
      yield* Fiber.interrupt(waiting[0] as Fiber.Fiber<unknown>)
      assert.strictEqual(open, 1)
      yield* Deferred.succeed(gate, undefined)
      yield* Effect.forEach(waiting, Fiber.await)
      assert.strictEqual(open, 0)
    }))

  it.effect("interrupts the handlers that run on behind its answers when its Scope closes, and waits for them", () =>
    Effect.gen(function*() {
      const counts = { running: 0, interrupted: 0 }
      const scope = yield* Scope.make()
      const limits = { notification: 20, inFlight: 4, inbox: 4, batch: 4 }
      const router = yield* Scope.provide(Router.make({ limits }), scope)
      const release = Effect.andThen(Effect.yieldNow, Effect.sync(() => void counts.interrupted++))
      yield* Scope.provide(
        router.add(
          "n",
          () => Effect.onInterrupt(Effect.suspend(() => (counts.running++, Effect.never)), () => release)
        ),
        scope
      )
      const answers = yield* Effect.forEach(
        Array.from({ length: 100 }),
        () => started(router.answer(notification("n")))
      )
      yield* TestClock.adjust(30)
      yield* Effect.forEach(answers, Fiber.join)
      assert.deepStrictEqual(counts, { running: 100, interrupted: 0 })
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(counts, { running: 100, interrupted: 100 })
    }))
})

describe("a connection", () => {
  it.effect("promise 19: end of input drains, for ten seconds by default", () =>
    Effect.gen(function*() {
      const [ours, theirs] = yield* MemoryTransport.makePair()
      const router = yield* routerOf({ hang: () => Effect.never })
      const scope = yield* Scope.make()
      const peer = yield* Scope.provide(Peer.make(ours, { router }), scope)
      yield* Effect.orDie(theirs.send([request(1, "hang")]))
      yield* settle
      yield* started(peer.shutdown)
      yield* TestClock.adjust(9_990)
      yield* settle
      assert.strictEqual(yield* peer.state, "draining")
      yield* TestClock.adjust(20)
      yield* settle
      assert.strictEqual(yield* peer.state, "closed")
      assert.deepStrictEqual(yield* theirs.receive, [
        JSON.stringify(failure(1, -32000, "Shutting down", { started: true }))
      ])
    }))
})
