/** What a raw handler acquired was released with the scope of its router, which is that of the program. */
import { assert, describe, it } from "@effect/vitest"
import * as Dialect from "@parley/protocol/Dialect"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Deferred, Effect, Exit, Fiber, Logger, Option, Scope } from "effect"
import { ErrorResponse, Peer, Router } from "../../src/index.ts"
import { notification, request, settle } from "../wire.ts"

const started = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

/** What crashes on purpose is no news. */
const quietly = Effect.provide(Logger.layer([]))

/** A router whose handlers acquire something first, and how much of it is held. */
const acquiring = Effect.gen(function*() {
  const held = { acquired: 0, released: 0, exits: new Array<string>() }
  const acquire = Effect.acquireRelease(
    Effect.sync(() => void held.acquired++),
    (_, exit) =>
      Effect.sync(() => {
        held.released++
        held.exits.push(exit._tag)
      })
  )
  const gate = yield* Deferred.make<void>()
  const router = yield* Router.make()
  yield* router.addAll({
    succeed: () => Effect.as(acquire, "done"),
    fail: () => Effect.andThen(acquire, Effect.fail(ErrorResponse.make(1, "no"))),
    die: () => Effect.andThen(acquire, Effect.die("no")),
    wait: () => Effect.andThen(acquire, Deferred.await(gate)),
    hang: () => Effect.andThen(acquire, Effect.never)
  })
  return { gate, held, router }
})

const connected = Effect.gen(function*() {
  const { gate, held, router } = yield* acquiring
  const dialect = Dialect.lsp
  const [ours, theirs] = yield* MemoryTransport.makePair()
  const scope = yield* Scope.make()
  yield* Scope.provide(Peer.make(ours, { router, dialect, limits: { drain: 0 } }), scope)
  const peer = yield* Peer.make(theirs, { dialect, limits: { drain: 0 } })
  return { close: Scope.close(scope, Exit.void), gate, held, peer }
})

describe("what a handler acquires", () => {
  it.effect("promise 24: what a handler acquires is released when its call ends, by success, before the answer", () =>
    Effect.gen(function*() {
      const { gate, held, peer } = yield* connected
      assert.strictEqual(yield* peer.request("succeed"), "done")
      assert.deepStrictEqual(held, { acquired: 1, released: 1, exits: ["Success"] })
      const call = yield* started(peer.request("wait"))
      yield* settle
      assert.deepInclude(held, { acquired: 2, released: 1 })
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(call)
      assert.deepInclude(held, { acquired: 2, released: 2 })
    }))

  it.effect("promise 24: what a handler acquires is released when its call ends, by failure", () =>
    Effect.gen(function*() {
      const { held, peer } = yield* connected
      yield* Effect.flip(peer.request("fail"))
      assert.deepStrictEqual(held, { acquired: 1, released: 1, exits: ["Failure"] })
      yield* Effect.flip(peer.request("die"))
      assert.deepStrictEqual(held, { acquired: 2, released: 2, exits: ["Failure", "Failure"] })
    }).pipe(quietly))

  it.effect("promise 24: what a handler acquires is released when its call ends, by a cancel", () =>
    Effect.gen(function*() {
      const { held, peer } = yield* connected
      const call = yield* started(peer.request("hang"))
      yield* settle
      assert.deepInclude(held, { acquired: 1, released: 0 })
      yield* Fiber.interrupt(call)
      yield* settle
      assert.deepStrictEqual(held, { acquired: 1, released: 1, exits: ["Failure"] })
    }))

  it.effect("promise 24: what a handler acquires is released when its call ends, by the end of the connection", () =>
    Effect.gen(function*() {
      const { close, held, peer } = yield* connected
      const call = yield* started(Effect.exit(peer.request("hang")))
      yield* peer.notify("hang")
      yield* settle
      const closing = yield* started(close)
      yield* settle
      yield* Fiber.join(closing)
      yield* Fiber.join(call)
      assert.deepStrictEqual(held, { acquired: 2, released: 2, exits: ["Failure", "Failure"] })
    }))

  it.effect("promise 24: what a handler acquires is released when its call ends, of a notification too", () =>
    Effect.gen(function*() {
      const { held, peer } = yield* connected
      yield* peer.notify("succeed")
      yield* peer.notify("fail")
      yield* settle
      assert.deepStrictEqual(held, { acquired: 2, released: 2, exits: ["Success", "Failure"] })
    }).pipe(quietly))

  it.effect("promise 24: what a handler acquires is released when its call ends, where a router answers by itself", () =>
    Effect.gen(function*() {
      const { held, router } = yield* acquiring
      const reply = yield* router.answer(`[${request(1, "succeed")},${request(2, "fail")},${notification("succeed")}]`)
      assert.isTrue(Option.isSome(reply))
      assert.deepInclude(held, { acquired: 3, released: 3 })
      const answer = yield* started(router.answer(request(1, "hang")))
      yield* settle
      assert.deepInclude(held, { acquired: 4, released: 3 })
      yield* Fiber.interrupt(answer)
      assert.deepInclude(held, { acquired: 4, released: 4 })
    }))
})
