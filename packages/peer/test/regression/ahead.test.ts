/** What is read behind a text without room is bounded, and what makes room is still found in it. */
import { assert, it } from "@effect/vitest"
import type { Transport } from "@parley/transport/Transport"
import { Deferred, Effect } from "effect"
import * as Peer from "../../src/Peer.ts"
import { connect, notification, request, routerOf, settle } from "../wire.ts"

/** Calls that run until `next` ends the oldest. */
const gated = () => {
  const gates: Array<Deferred.Deferred<null>> = []
  const wait = Effect.suspend(() => {
    const gate = Deferred.makeUnsafe<null>()
    gates.push(gate)
    return Deferred.await(gate)
  })
  const next = Effect.flatMap(
    Effect.sync(() => gates.shift()),
    (gate) => gate === undefined ? Effect.void : Effect.asVoid(Deferred.succeed(gate, null))
  )
  return { wait, next }
}

const narrow = { inFlight: 1, inbox: 1, batch: 1 }

it.effect("promise 17: calls beyond the in-flight limit wait in a bounded inbox, and little is read behind them", () =>
  Effect.gen(function*() {
    const { next, wait } = gated()
    const padding = "x".repeat(100_000)
    const texts = Array.from({ length: 1_400 }, (_, id) => request(id, "wait", id < 1_100 ? [] : [padding]))
    let read = 0
    let started = 0
    const transport: Transport = {
      receive: Effect.suspend(() => {
        const text = texts[read]
        return text === undefined ? Effect.never : Effect.as(Effect.sync(() => read++), [text] as const)
      }),
      send: () => Effect.void,
      close: Effect.void
    }
    const router = yield* routerOf({ wait: () => Effect.andThen(Effect.sync(() => started++), wait) })
    yield* Peer.make(transport, { router, limits: { ...narrow, drain: 0 } })
    for (let ended = 0; ended < 300; ended++) {
      yield* settle
      yield* next
    }
    assert.isAbove(started, 299)
    const held = texts.slice(started, read).reduce((sum, { length }) => sum + length, 0)
    assert.isBelow(held, 65_536 + 3 * padding.length)
  }))

it.effect("promise 12: the receive loop waits for nothing but the transport: a cancel behind what is left of a long chunk", () =>
  Effect.gen(function*() {
    const { next, wait } = gated()
    let interrupted = 0
    const { wire } = yield* connect({ wait: () => Effect.onInterrupt(wait, () => Effect.sync(() => interrupted++)) }, {
      limits: narrow
    })
    const padding = "x".repeat(500)
    const others = Array.from({ length: 199 }, (_, index) => request(index + 1, "wait", [padding]))
    yield* Effect.orDie(wire.transport.send([request(0, "wait"), ...others]))
    for (let ended = 0; ended < 197; ended++) {
      yield* settle
      yield* next
    }
    yield* settle
    yield* wire.send(request(200, "wait"))
    yield* settle
    yield* wire.send(notification("$/cancelRequest", { id: 197 }))
    yield* settle
    assert.strictEqual(interrupted, 1)
  }))

it.effect("promise 17: calls beyond the in-flight limit wait in a bounded inbox, and few texts are read behind them, however short", () =>
  Effect.gen(function*() {
    let read = 0
    const transport: Transport = {
      receive: Effect.suspend(() => {
        read++
        return read === 10_000 ? Effect.never : Effect.succeed([read > 3 ? "" : request(read, "hang")] as const)
      }),
      send: () => Effect.void,
      close: Effect.void
    }
    const router = yield* routerOf({ hang: () => Effect.never })
    yield* Peer.make(transport, { router, limits: { ...narrow, drain: 0 } })
    yield* settle
    assert.isBelow(read, 1_100)
  }))
