import { assert, describe, it } from "@effect/vitest"
import { MessagePortTransport, type Transport } from "@parley/transport"
import { Effect } from "effect"

describe("message ports", () => {
  it.live("a frame behind a full window is not too much for a reader that stalls", () =>
    Effect.gen(function*() {
      const frame = 1_000
      const { port1, port2 } = new MessageChannel()
      const left = yield* MessagePortTransport.make(port1, { limits: { frame } })
      const right = yield* MessagePortTransport.make(port2, { limits: { frame } })
      // A text weighs 64 more than its length: exactly the window of 1 MiB, and then the largest text.
      const filling = Array.from({ length: 2_048 }, () => "x".repeat(512 - 64))
      for (const text of filling) yield* left.send([text])
      yield* left.send(["y".repeat(frame)])
      // Turns of the event loop in which whatever was posted arrives.
      for (let turn = 0; turn < 50; turn++) yield* Effect.yieldNow
      const got: Array<Transport.Received> = []
      while (got.length < filling.length + 1) got.push(...yield* right.receive)
      assert.deepStrictEqual([got.length, got.at(-1)], [2_049, "y".repeat(frame)])
      yield* left.send(["{}"])
      assert.deepStrictEqual([...(yield* right.receive)], ["{}"])
    }))

  it.live("promise 14: one bad message costs one error reply: a value that throws when it is looked at is one", () =>
    Effect.gen(function*() {
      const told: Array<(event: MessagePortTransport.PortEvent) => void> = []
      const port: MessagePortTransport.Port = {
        postMessage: () => undefined,
        addEventListener: (type, listener) => void (type === "message" && told.push(listener)),
        removeEventListener: () => undefined
      }
      const side = yield* MessagePortTransport.make(port, { wire: "object" })
      const unreadable = {
        get member() {
          throw Object.create(null)
        }
      }
      told.forEach((tell) => tell({ type: "message", data: unreadable }))
      assert.deepStrictEqual([...(yield* side.receive)], [
        { _tag: "BadFrame", reason: "NotText", excerpt: "(too deep, or not readable)" }
      ])
    }))
})
