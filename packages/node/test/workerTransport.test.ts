import * as NodeWorker from "@effect/platform-node/NodeWorker"
import { assert, describe, it } from "@effect/vitest"
import * as TransportLaws from "@parley/conformance/TransportLaws"
import { Peer, Router } from "@parley/peer"
import * as MessagePortTransport from "@parley/transport/MessagePortTransport"
import * as Transport from "@parley/transport/Transport"
import * as WorkerTransport from "@parley/transport/WorkerTransport"
import { Deferred, Effect, Fiber } from "effect"
import { MessageChannel, Worker } from "node:worker_threads"
import { check } from "./support/check.ts"
import { fixture } from "./support/pairs.ts"
import { reasonOf } from "./support/reasonOf.ts"
import { relay } from "./support/relay.ts"

const layer = NodeWorker.layer(() => new Worker(fixture("effect-worker.ts")))

/** A peer of the worker of the fixtures. */
const peer = (handlers: Router.Handlers = {}) =>
  Effect.gen(function*() {
    const transport = yield* Effect.provide(WorkerTransport.make(), layer)
    const router = yield* Router.make()
    yield* Effect.orDie(router.addAll(handlers))
    return yield* Peer.make(transport, { router })
  })

describe("the laws of transports to workers of Effect", () => {
  check(TransportLaws.pairs({
    name: "effect/workers",
    open: Effect.suspend(() => {
      const { port1, port2 } = new MessageChannel()
      return Effect.all([
        Effect.provide(WorkerTransport.make(), relay(port2)),
        MessagePortTransport.make(port1)
      ])
    })
  }))
})

describe("WorkerTransport", () => {
  it.live("a peer here calls a peer in a worker, which calls back", () =>
    Effect.gen(function*() {
      const worker = yield* peer({ question: () => Effect.succeed("answer") })
      assert.strictEqual(yield* worker.request("subtract", [42, 23]), 19)
      assert.strictEqual(yield* worker.request("ask back"), "answer")
    }))

  it.live("promise 8: an interrupted or timed-out call leaves nothing behind: its handler in the worker is interrupted", () =>
    Effect.gen(function*() {
      const interrupted = yield* Deferred.make<void>()
      const worker = yield* peer({ interrupted: () => Deferred.succeed(interrupted, undefined) })
      const call = yield* Effect.forkChild(worker.request("wait"), { startImmediately: true })
      assert.strictEqual(yield* worker.request("subtract", [42, 23]), 19)
      yield* Fiber.interrupt(call)
      yield* Deferred.await(interrupted)
    }))

  it.live("promise 9: closing ends every call with Disconnected: a worker that exits is Lost with its code", () =>
    Effect.gen(function*() {
      const worker = yield* peer()
      const error = yield* Effect.flip(worker.request("exit"))
      assert(error._tag === "Disconnected" && error.reason._tag === "Lost")
      assert.include(String(error.reason.cause), "code: 3")
    }))

  it.live("a worker that exits is Lost for who reads, after what it sent, and for who sends", () =>
    Effect.gen(function*() {
      const exiting = NodeWorker.layer(() =>
        new Worker(
          `const { parentPort } = require("node:worker_threads")
           parentPort.postMessage([0]); parentPort.postMessage([1, "{}"]); process.exit(3)`,
          { eval: true }
        )
      )
      const side = yield* Effect.provide(WorkerTransport.make(), exiting)
      assert.deepStrictEqual([...(yield* side.receive)], ["{}"])
      assert.strictEqual((yield* reasonOf(side.receive))._tag, "Lost")
      assert.strictEqual((yield* reasonOf(side.send(["{}"])))._tag, "Lost")
    }))

  it.live("a worker that does not start is Open", () =>
    Effect.gen(function*() {
      const missing = NodeWorker.layer(() => new Worker("/no/such/worker.js"))
      assert.strictEqual((yield* reasonOf(Effect.provide(WorkerTransport.make(), missing)))._tag, "Open")
      const silent = NodeWorker.layer(() => new Worker("", { eval: true }))
      assert.strictEqual((yield* reasonOf(Effect.provide(WorkerTransport.make(), silent)))._tag, "Open")
    }))

  it.live("is a Layer", () =>
    Effect.gen(function*() {
      const side = yield* Transport.Transport
      yield* side.send(["{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subtract\",\"params\":[42,23]}"])
      assert.deepStrictEqual([...(yield* side.receive)], ["{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":19}"])
    }).pipe(Effect.provide(WorkerTransport.layer()), Effect.provide(layer)))
})
