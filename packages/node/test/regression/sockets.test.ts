/** Connections of real sockets: silent ones, idle ones, and those that take the memory of others. */
import { assert, describe, it } from "@effect/vitest"
import * as NodeTcp from "@parley/node/NodeTcp"
import * as NodeWebSocket from "@parley/node/NodeWebSocket"
import { Transport } from "@parley/transport"
import { Budget } from "@parley/transport/shared"
import { Clock, Deferred, Effect, Fiber } from "effect"
import * as net from "node:net"
import { Readable } from "node:stream"
import { setImmediate } from "node:timers/promises"
import { vi } from "vitest"
import { Source } from "../../src/internal/streams.ts"
import * as raw from "../support/raw.ts"
import * as rawWebSocket from "../support/rawWebSocket.ts"
import { reasonOf } from "../support/reasonOf.ts"
import { listening } from "../support/webSocketListener.ts"

const started = Effect.forkChild({ startImmediately: true })

describe("NodeTcp", () => {
  it.live("a listener asks the system to look after connections that are silent", () =>
    Effect.gen(function*() {
      const asked = yield* Effect.acquireRelease(
        Effect.sync(() => vi.spyOn(net.Socket.prototype, "setKeepAlive")),
        (asked) => Effect.sync(() => asked.mockRestore())
      )
      yield* raw.connectRaw(NodeTcp.makeListener({ port: 0 }))
      assert.deepStrictEqual(asked.mock.calls, [[true, 60_000]])
    }))

  it.live("a connection whose memory others need is cut off, and does not write on", () =>
    Effect.gen(function*() {
      const budget = Budget.make(1_000)
      const listener = yield* NodeTcp.makeListener({ port: 0 })
      const accepted = yield* Deferred.make<Transport.Transport>()
      const serving = listener.run((side) =>
        Effect.gen(function*() {
          const share = yield* Budget.Budget
          share?.take(1)
          yield* Deferred.succeed(accepted, side)
          return yield* Effect.never
        })
      )
      yield* Effect.forkScoped(Effect.provideService(serving, Budget.Budget, budget))
      const client = yield* raw.connect(listener.address)
      const side = yield* Deferred.await(accepted)
      client.socket.pause()
      const sending = yield* started(reasonOf(side.send(["x".repeat(20_000_000)])))
      const reading = yield* started(reasonOf(side.receive))
      budget.take(1_000)
      assert.isTrue(budget.evict())
      assert.deepStrictEqual(yield* Fiber.join(reading), { _tag: "BudgetSpent" })
      yield* Fiber.join(sending)
      assert.deepStrictEqual(yield* reasonOf(side.send(["1"])), { _tag: "BudgetSpent" })
      // Not after the time that an orderly end may take.
      client.socket.resume()
      assert.isBelow((yield* client.received).length, 20_000_000)
    }))

  it.live("a stream that brings more and more lets others have their turn after each 128 KiB", () =>
    Effect.gen(function*() {
      const chunk = Buffer.alloc(16 * 1024)
      let left = 128
      const readable = new Readable({
        read() {
          this.push(left-- > 0 ? chunk : null)
        }
      })
      const source = new Source(readable)
      let came = 0
      const pull = Effect.map(source.pull, (chunks) => {
        for (const { length } of chunks) came += length
      })
      // Like the loop of a peer, it pulls again at once.
      const reading = yield* started(Effect.exit(Effect.forever(pull, { disableYield: true })))
      const turns: Array<number> = []
      while (reading.pollUnsafe() === undefined) {
        const before = came
        yield* Effect.promise(() => setImmediate())
        turns.push(came - before)
      }
      assert.strictEqual(came, 128 * chunk.length)
      assert.isAtMost(Math.max(...turns), 256 * 1024)
    }))

  it.live("single bytes that nobody pulls are kept for a thousand at most", () =>
    Effect.gen(function*() {
      const readable = new Readable({ read() {} })
      const source = new Source(readable)
      source.start()
      for (let index = 0; index < 10_000; index++) readable.push(Uint8Array.of(32))
      yield* Effect.eventually(
        Effect.suspend(() => readable.isPaused() ? Effect.void : Effect.andThen(Effect.yieldNow, Effect.fail("flows")))
      )
      const chunks = yield* source.pull
      assert.isBelow(chunks.length, 1_000)
      source.stop(Transport.transportError({ _tag: "Closed" }))
    }))
})

describe("NodeWebSocket", () => {
  it.live("a listener that is full takes a new connection in the place of one that was idle for a minute", () =>
    Effect.gen(function*() {
      const clock = yield* Clock.Clock
      let ahead = 0n
      const moved: Clock.Clock = Object.assign(Object.create(clock), {
        monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe() + ahead
      })
      const url = yield* Effect.provideService(listening({ limits: { connections: 1 } }), Clock.Clock, moved)
      const first = yield* NodeWebSocket.makeTransport({ url })
      yield* first.send(["1"])
      yield* first.receive
      const refused = yield* reasonOf(NodeWebSocket.makeTransport({ url }))
      assert.match(refused._tag === "Open" ? String(refused.cause) : refused._tag, /503/)
      ahead = 61_000_000_000n
      const second = yield* NodeWebSocket.makeTransport({ url })
      yield* second.send(["2"])
      assert.deepStrictEqual([...(yield* second.receive)], ["2"])
      assert.strictEqual((yield* reasonOf(first.receive))._tag, "EndOfInput")
    }))

  it.live("a message beyond the limit ends the connection with the name and the value of the limit", () =>
    Effect.gen(function*() {
      const [side, bare] = yield* rawWebSocket.client({ limits: { frame: 1_000 } })
      bare.send("x".repeat(1_001))
      const error = yield* Effect.flip(side.receive)
      assert.strictEqual(error.message, "a message was larger than the limit `frame` of 1000 bytes")
      const client = yield* NodeWebSocket.makeTransport({ url: yield* listening({ limits: { frame: 1_000 } }) })
      yield* client.send(["x".repeat(1_001)])
      const closed = yield* Effect.flip(client.receive)
      assert.strictEqual(closed.message, "the other side closed with code 1009: a message was larger than it takes")
    }))
})
