import { assert, describe, it } from "@effect/vitest"
import { Listener, MessagePortTransport } from "@parley/transport"
import { Effect, Fiber } from "effect"
import { reasonOf } from "./support/wire.ts"

describe("MessagePortTransport.makeListener", () => {
  const connect = (self: EventTarget) => {
    const { port1, port2 } = new MessageChannel()
    self.dispatchEvent(Object.assign(new Event("connect"), { ports: [port2] }))
    return MessagePortTransport.make(port1)
  }

  it.live("gives each port that arrives to the handler", () =>
    Effect.gen(function*() {
      const self = new EventTarget()
      yield* Effect.gen(function*() {
        const listener = yield* Listener.Listener
        yield* Effect.forkChild(
          listener.run((side) => Effect.flatMap(side.receive, () => side.send(["seen"])))
        )
        const [first, second] = yield* Effect.all([connect(self), connect(self)])
        yield* first.send(["1"])
        yield* second.send(["2"])
        assert.deepStrictEqual([...(yield* first.receive), ...(yield* second.receive)], ["seen", "seen"])
        assert.strictEqual((yield* reasonOf(first.receive))._tag, "EndOfInput")
      }).pipe(Effect.provide(MessagePortTransport.layerListener(self)))
    }))

  it.live("ports beyond the limit, and those that nobody took, are closed", () =>
    Effect.gen(function*() {
      const self = new EventTarget()
      yield* Effect.scoped(Effect.gen(function*() {
        yield* MessagePortTransport.makeListener(self, { limits: { connections: 1 } })
        const waiting = yield* Effect.forkDetach(
          Effect.scoped(Effect.flatMap(connect(self), (side) => reasonOf(side.receive))),
          { startImmediately: true }
        )
        const refused = yield* connect(self)
        assert.strictEqual((yield* reasonOf(refused.receive))._tag, "EndOfInput")
        assert.isUndefined(waiting.pollUnsafe())
        return waiting
      })).pipe(Effect.flatMap((waiting) =>
        Effect.map(Fiber.join(waiting), (reason) => assert.strictEqual(reason._tag, "EndOfInput"))
      ))
    }))
})
