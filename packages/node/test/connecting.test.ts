import { assert, describe, it } from "@effect/vitest"
import * as NodeTcp from "@parley/node/NodeTcp"
import * as NodeWebSocket from "@parley/node/NodeWebSocket"
import type * as Transport from "@parley/transport/Transport"
import { Effect, Fiber, Scheduler, type Scope } from "effect"
import * as certificates from "./support/certificates.ts"
import { until } from "./support/held.ts"
import { portOf } from "./support/pairs.ts"
import { echo } from "./support/webSocketListener.ts"

type Side = Transport.Transport
type Handler = (side: Side) => Effect.Effect<unknown, unknown>
type Connect = Effect.Effect<Side, Transport.TransportError, Scope.Scope>

const tls = certificates.server

/** How to connect to a listener of ours. */
const wires = {
  TCP: Effect.fnUntraced(function*(handler: Handler) {
    const listener = yield* NodeTcp.makeListener({ port: 0 })
    yield* Effect.forkScoped(listener.run(handler))
    return NodeTcp.makeTransport({ port: portOf(listener.address) })
  }),
  TLS: Effect.fnUntraced(function*(handler: Handler) {
    const listener = yield* NodeTcp.makeListener({ port: 0, tls })
    yield* Effect.forkScoped(listener.run(handler))
    return NodeTcp.makeTransport({ port: portOf(listener.address), tls: certificates.trusting })
  }),
  WebSocket: Effect.fnUntraced(function*(handler: Handler) {
    const listener = yield* NodeWebSocket.makeListener({ port: 0 })
    yield* Effect.forkScoped(listener.run(handler))
    return NodeWebSocket.makeTransport({ url: listener.address })
  })
}

/** A fiber gives way to others when it has done enough: here after a few steps, so that it happens between any two. */
const givingWay = (connect: Connect, steps: number): Connect =>
  Effect.provideService(connect, Scheduler.MaxOpsBeforeYield, steps)

for (const [name, listening] of Object.entries(wires)) {
  describe(`connecting over ${name}`, () => {
    it.live("misses nothing when its fiber gives way to others in between", () =>
      Effect.gen(function*() {
        const connect = yield* listening(echo)
        for (let steps = 4; steps < 10; steps++) {
          const side = yield* givingWay(connect, steps)
          yield* side.send([`[${steps}]`])
          assert.deepStrictEqual([...(yield* side.receive)], [`[${steps}]`])
        }
      }))

    it.live("leaves nothing behind when it is interrupted, at any step", () =>
      Effect.gen(function*() {
        let open = 0
        const connect = yield* listening((side) =>
          Effect.acquireUseRelease(Effect.sync(() => open++), () => echo(side), () => Effect.sync(() => open--))
        )
        for (let steps = 4; steps < 8; steps += 2) {
          for (let turns = 0; turns < 40; turns++) {
            const opening = yield* Effect.forkChild(Effect.scoped(givingWay(connect, steps)), {
              startImmediately: true
            })
            for (let turn = 0; turn < turns; turn++) yield* Effect.yieldNow
            yield* Fiber.interrupt(opening)
          }
        }
        // All that came before it have been accepted when it has its answer.
        const last = yield* connect
        yield* last.send(["[1]"])
        yield* last.receive
        yield* until(() => open === 1)
        assert.strictEqual(open, 1)
      }))
  })
}
