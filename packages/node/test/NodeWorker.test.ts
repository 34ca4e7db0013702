import { assert, describe, it } from "@effect/vitest"
import * as Laws from "@parley/conformance/Laws"
import * as NodeWorker from "@parley/node/NodeWorker"
import { Peer, Router } from "@parley/peer"
import { MessagePortTransport, Transport } from "@parley/transport"
import { Deferred, Effect, Fiber } from "effect"
import { MessageChannel } from "node:worker_threads"
import { check } from "./support/check.ts"
import { fixture } from "./support/pairs.ts"
import { reasonOf } from "./support/reasonOf.ts"

/** A worker that runs this script, and exits with code 1 when the port it has says so. */
const script = (source: string, options: Partial<NodeWorker.WorkerTransportOptions> = {}) =>
  NodeWorker.makeTransport({ url: source, worker: { eval: true }, ...options })

/** A peer of the worker of the fixtures. */
const peer = (handlers: Router.Handlers = {}) =>
  Effect.gen(function*() {
    const transport = yield* NodeWorker.makeTransport({ url: fixture("worker.ts") })
    const router = yield* Router.make()
    yield* Effect.orDie(router.addAll(handlers))
    return { transport, peer: yield* Peer.make(transport, { router }) }
  })

describe("the laws of transports to workers", () => {
  check(Laws.ofTransport({
    name: "worker thread",
    open: Effect.suspend(() => {
      const { port1, port2 } = new MessageChannel()
      return Effect.all([
        NodeWorker.makeTransport({
          url: fixture("worker-relay.mjs"),
          worker: { workerData: { port: port2 }, transferList: [port2] }
        }),
        MessagePortTransport.make(port1)
      ])
    }),
    loss: {
      open: Effect.suspend(() => {
        const { port1, port2 } = new MessageChannel()
        return Effect.all([
          script(`require("node:worker_threads").workerData.on("message", () => process.exit(1))`, {
            worker: { eval: true, workerData: port2, transferList: [port2] }
          }),
          Effect.succeed(Effect.sync(() => port1.postMessage("vanish")))
        ])
      })
    }
  }))
})

describe("NodeWorker", () => {
  it.live("a peer here calls a peer in a worker, which calls back", () =>
    Effect.gen(function*() {
      const { peer: worker } = yield* peer({ question: () => Effect.succeed("answer") })
      assert.strictEqual(yield* worker.request("subtract", [42, 23]), 19)
      assert.strictEqual(yield* worker.request("ask back"), "answer")
    }))

  it.live("promise 8: an interrupted or timed-out call leaves nothing behind: its handler in the worker is interrupted", () =>
    Effect.gen(function*() {
      const interrupted = yield* Deferred.make<void>()
      const { peer: worker } = yield* peer({ interrupted: () => Deferred.succeed(interrupted, undefined) })
      const call = yield* Effect.forkChild(worker.request("wait"), { startImmediately: true })
      assert.strictEqual(yield* worker.request("subtract", [42, 23]), 19)
      yield* Fiber.interrupt(call)
      yield* Deferred.await(interrupted)
    }))

  it.live("promise 9: closing ends every call with Disconnected: a worker that throws is Lost with what it threw", () =>
    Effect.gen(function*() {
      const { peer: worker } = yield* peer()
      const error = yield* Effect.flip(worker.request("throw"))
      assert(error._tag === "Disconnected" && error.reason._tag === "Lost" && error.reason.cause instanceof Error)
      assert.strictEqual(error.reason.cause.message, "out of cheese")
    }))

  it.live("a worker that exits is Lost with its code, or EndOfInput in order, after what it sent", () =>
    Effect.gen(function*() {
      const post = `require("node:worker_threads").parentPort.postMessage("{}")`
      const failing = yield* script(`${post}; process.exit(3)`)
      assert.deepStrictEqual([...(yield* failing.receive)], ["{}"])
      const reason = yield* reasonOf(failing.receive)
      assert(reason._tag === "Lost" && reason.cause instanceof Error)
      assert.strictEqual(reason.cause.message, "the worker exited with code 3")
      const orderly = yield* script(post)
      assert.deepStrictEqual([...(yield* orderly.receive)], ["{}"])
      assert.strictEqual((yield* reasonOf(orderly.receive))._tag, "EndOfInput")
      assert.strictEqual((yield* reasonOf(orderly.send(["{}"])))._tag, "Lost")
    }))

  it.live("a script that is not found is Lost, and what cannot be a script is Open", () =>
    Effect.gen(function*() {
      const missing = yield* NodeWorker.makeTransport({ url: "/no/such/worker.js" })
      assert.strictEqual((yield* reasonOf(missing.receive))._tag, "Lost")
      assert.strictEqual((yield* reasonOf(NodeWorker.makeTransport({ url: "no-path" })))._tag, "Open")
    }))

  it.live("closing lets the worker end by itself, with all that it was sent", () =>
    Effect.gen(function*() {
      const { port1, port2 } = new MessageChannel()
      const seen: Array<unknown> = []
      const gone = yield* Deferred.make<void>()
      port1.on("message", (data) => {
        seen.push(data)
        if (data === "ended") Deferred.doneUnsafe(gone, Effect.void)
      })
      const side = yield* script(
        `const { parentPort, workerData } = require("node:worker_threads")
         parentPort.on("message", (value) => {
           workerData.postMessage(value)
           if (value === null) setTimeout(() => { workerData.postMessage("ended"); parentPort.close() }, 50)
         })`,
        { worker: { eval: true, workerData: port2, transferList: [port2] }, endGrace: "20 seconds" }
      )
      yield* side.send(["1", "2"])
      yield* side.close
      yield* Deferred.await(gone)
      assert.deepStrictEqual(seen, [0, "1", "2", null, "ended"])
      port1.close()
    }))

  it.live("a worker that does not end is terminated, after the grace", () =>
    Effect.gen(function*() {
      const side = yield* script(`require("node:worker_threads").parentPort.postMessage("{}"); for (;;);`, {
        endGrace: 50
      })
      yield* side.receive
      yield* side.close
      assert.strictEqual((yield* reasonOf(side.receive))._tag, "Closed")
    }))

  it.live("is a Layer", () =>
    Effect.gen(function*() {
      const side = yield* Transport.Transport
      yield* side.send(["{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subtract\",\"params\":[42,23]}"])
      assert.deepStrictEqual([...(yield* side.receive)], ["{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":19}"])
    }).pipe(Effect.provide(NodeWorker.layerTransport({ url: fixture("worker.ts") }))))

  it.live("there is no parent where this is no worker", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* reasonOf(NodeWorker.makeParent()))._tag, "Open")
    }))
})
