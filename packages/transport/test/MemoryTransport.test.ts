import { assert, describe, it } from "@effect/vitest"
import * as Laws from "@parley/conformance/Laws"
import { Listener, MemoryTransport } from "@parley/transport"
import { Deferred, Effect, Fiber } from "effect"
import { reasonOf } from "./support/wire.ts"

describe("MemoryTransport", () => {
  for (
    const law of [
      ...Laws.ofTransport({ name: "pair", open: MemoryTransport.makePair() }),
      ...Laws.ofTransport({ name: "pair without room", open: MemoryTransport.makePair({ capacity: 0 }) })
    ]
  ) it.effect(law.name, () => law.check)

  it.effect("a text is received in the turn it is sent", () =>
    Effect.gen(function*() {
      const [left, right] = yield* MemoryTransport.makePair()
      const reader = yield* Effect.forkChild(right.receive, { startImmediately: true })
      yield* left.send(["1", "2"])
      assert.deepStrictEqual(reader.pollUnsafe(), yield* Effect.exit(Effect.succeed(["1", "2"] as const)))
    }))

  it.effect("promise 18: callers suspend on a full outbox: a send waits while more than the capacity lies unread", () =>
    Effect.gen(function*() {
      const [left, right] = yield* MemoryTransport.makePair({ capacity: 10 })
      yield* left.send(["1234567890"])
      const sender = yield* Effect.forkChild(left.send(["1"]), { startImmediately: true })
      yield* Effect.yieldNow
      assert.isUndefined(sender.pollUnsafe())
      assert.deepStrictEqual([...(yield* right.receive)], ["1234567890", "1"])
      yield* Fiber.join(sender)
    }))

  it.effect("what is sent to a closed side is lost, and a sender that waits for it learns it", () =>
    Effect.gen(function*() {
      const [left, right] = yield* MemoryTransport.makePair({ capacity: 0 })
      const sender = yield* Effect.forkChild(Effect.flip(left.send(["1"])), { startImmediately: true })
      yield* right.close
      assert.strictEqual((yield* Fiber.join(sender)).reason._tag, "Lost")
      assert.strictEqual((yield* reasonOf(left.send(["2"])))._tag, "Lost")
    }))

  it.effect("promise 19: end of input drains: what was sent before it is received", () =>
    Effect.gen(function*() {
      const [left, right] = yield* MemoryTransport.makePair()
      yield* left.send(["1"])
      yield* left.close
      assert.deepStrictEqual([...(yield* right.receive)], ["1"])
      assert.strictEqual((yield* reasonOf(right.receive))._tag, "EndOfInput")
    }))

  it.effect("closes with its Scope", () =>
    Effect.gen(function*() {
      const [left] = yield* Effect.scoped(MemoryTransport.makePair())
      assert.strictEqual((yield* reasonOf(left.receive))._tag, "Closed")
    }))
})

describe("MemoryTransport.makeListener", () => {
  it.effect("gives each connection to the handler, whose Scope is the connection's", () =>
    Effect.gen(function*() {
      const { connect, listener } = yield* MemoryTransport.makeListener()
      yield* Effect.forkChild(
        listener.run((transport) => Effect.flatMap(transport.receive, () => transport.send(["bye"])))
      )
      const clients = yield* Effect.all([connect, connect])
      for (const client of clients) {
        yield* client.send(["hello"])
        assert.deepStrictEqual([...(yield* client.receive)], ["bye"])
        assert.strictEqual((yield* reasonOf(client.receive))._tag, "EndOfInput")
      }
    }))

  it.effect("a failure or a defect of a handler ends its connection only", () =>
    Effect.gen(function*() {
      const { connect, listener } = yield* MemoryTransport.makeListener()
      yield* Effect.forkChild(
        listener.run(Effect.fnUntraced(function*(transport) {
          const [text] = yield* transport.receive
          if (text === "fail") return yield* Effect.fail("failed")
          if (text === "die") return yield* Effect.die("died")
          yield* transport.send(["fine"])
        }))
      )
      for (const [text, answer] of [["fail", "EndOfInput"], ["die", "EndOfInput"], ["go on", "fine"]] as const) {
        const client = yield* connect
        yield* client.send([text])
        const got = yield* Effect.match(client.receive, {
          onFailure: ({ reason }) => reason._tag,
          onSuccess: ([first]) => first
        })
        assert.strictEqual(got, answer)
      }
    }))

  it.effect("connections beyond the limit are closed at once, and a place that is left is given again", () =>
    Effect.gen(function*() {
      const { connect, listener } = yield* MemoryTransport.makeListener({ limits: { connections: 1 } })
      const left = yield* Deferred.make<void>()
      yield* Effect.forkChild(
        listener.run((transport) => Effect.ensuring(transport.receive, Deferred.succeed(left, undefined)))
      )
      const first = yield* connect
      yield* Effect.yieldNow
      const second = yield* connect
      assert.strictEqual((yield* reasonOf(second.receive))._tag, "EndOfInput")
      yield* first.send(["done"])
      yield* Deferred.await(left)
      yield* Effect.yieldNow
      const third = yield* connect
      yield* third.send(["done"])
      assert.strictEqual((yield* reasonOf(third.receive))._tag, "EndOfInput")
    }))

  it.effect("interrupting `run` interrupts the handlers and closes their connections", () =>
    Effect.gen(function*() {
      const { connect, listener } = yield* MemoryTransport.makeListener()
      const running = yield* Effect.forkChild(listener.run(() => Effect.never))
      const client = yield* connect
      yield* Effect.yieldNow
      yield* Fiber.interrupt(running)
      assert.strictEqual((yield* reasonOf(client.receive))._tag, "EndOfInput")
    }))

  it.effect("nobody can connect when it is gone", () =>
    Effect.gen(function*() {
      const { connect } = yield* Effect.scoped(MemoryTransport.makeListener())
      assert.strictEqual((yield* reasonOf(connect))._tag, "Open")
    }))

  it.effect("is a Layer, together with its connector", () =>
    Effect.gen(function*() {
      const listener = yield* Listener.Listener
      const { connect } = yield* MemoryTransport.Connector
      yield* Effect.forkChild(listener.run((transport) => transport.send([listener.address])))
      const client = yield* connect
      assert.deepStrictEqual([...(yield* client.receive)], ["memory:"])
    }).pipe(Effect.provide(MemoryTransport.layerListener())))
})
