/** A long text was given up after `writeStall`, although the other side took a part of it all the time. */
import { assert, it } from "@effect/vitest"
import { Framing } from "@parley/protocol"
import { FramedTransport } from "@parley/transport"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Peer from "../../src/Peer.ts"
import { settle } from "../wire.ts"

/** A peer that writes a long text to a side that takes so many bytes each second. */
const writing = (perSecond: () => number) =>
  Effect.gen(function*() {
    let left = 1_000_000
    const transport = yield* FramedTransport.fromBytes({
      pull: Effect.never,
      write: () => Effect.never,
      unsent: () => left,
      close: Effect.void
    }, { framing: Framing.line })
    const peer = yield* Peer.make(transport, { limits: { writeStall: 30_000, drain: 0 } })
    yield* Effect.forkScoped(Effect.ignore(peer.request("long", ["x".repeat(left)], { timeout: "1 day" })), {
      startImmediately: true
    })
    const pass = Effect.fnUntraced(function*(seconds: number) {
      for (let second = 0; second < seconds; second++) {
        yield* TestClock.adjust(1_000)
        left -= perSecond()
      }
      yield* settle
    })
    return { pass, isOpen: Effect.map(peer.state, (state) => state === "open") }
  })

it.effect("promise 18: a write that makes no progress ends the connection, and one that makes some does not", () =>
  Effect.gen(function*() {
    let speed = 100
    const { isOpen, pass } = yield* writing(() => speed)
    yield* pass(300)
    assert.isTrue(yield* isOpen)
    speed = 0
    yield* pass(25)
    assert.isTrue(yield* isOpen)
    yield* pass(15)
    assert.isFalse(yield* isOpen)
  }))
