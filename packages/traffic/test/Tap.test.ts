import { assert, describe, it } from "@effect/vitest"
import * as Laws from "@parley/conformance/Laws"
import { Weight } from "@parley/protocol/shared"
import { Tap } from "@parley/traffic"
import { Listener, MemoryTransport, Transport } from "@parley/transport"
import { Budget } from "@parley/transport/shared"
import { Deferred, Effect, Fiber, Latch, Layer } from "effect"
import { TestClock } from "effect/testing"
import { reasonOf } from "./reasonOf.ts"

/** A frame in a few words: `1 Sent [1]`. */
const short = (frame: Tap.Frame): string => {
  const head = `${frame.connection} ${frame._tag}`
  if (frame._tag === "Sent" || frame._tag === "Received") return `${head} ${frame.text}`
  if (frame._tag === "Bad") return `${head} ${frame.frame.reason}`
  return frame._tag === "Unsent"
    ? `${head} ${frame.count} ${frame.error.reason._tag}`
    : `${head} ${frame.error.reason._tag}`
}

/** An observer that is done at once, and what it saw. */
const seeing = () => {
  const frames: Array<Tap.Frame> = []
  return {
    frames,
    seen: () => frames.map(short),
    see: (frame: Tap.Frame) => Effect.sync(() => void frames.push(frame))
  }
}

/** An observer that waits in front of a gate with every frame. */
const gated = Effect.map(Latch.make(), (gate) => {
  const [before, after]: [Array<string>, Array<string>] = [[], []]
  const see = (frame: Tap.Frame) =>
    Effect.suspend(() => {
      before.push(short(frame))
      return Effect.map(gate.await, () => void after.push(short(frame)))
    })
  return { gate, before, after, see }
})

const fork = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

describe("Tap", () => {
  it.effect("shows each text of both directions with its time, and the end once", () =>
    Effect.gen(function*() {
      const { frames, see, seen } = seeing()
      const [near, far] = yield* MemoryTransport.makePair()
      const tapped = yield* Tap.make(see)(near)
      yield* TestClock.adjust(1_000)
      yield* tapped.send(["1", "2"])
      yield* TestClock.adjust(1_000)
      yield* far.send(["3", "4"])
      assert.deepStrictEqual([...yield* tapped.receive], ["3", "4"])
      yield* far.close
      assert.strictEqual((yield* reasonOf(tapped.receive))._tag, "EndOfInput")
      assert.strictEqual((yield* reasonOf(tapped.receive))._tag, "EndOfInput")
      assert.deepStrictEqual(seen(), ["1 Sent 1", "1 Sent 2", "1 Received 3", "1 Received 4", "1 Ended EndOfInput"])
      assert.deepStrictEqual(frames.map(({ time }) => time), [1_000, 1_000, 2_000, 2_000, 2_000])
    }))

  for (const law of [Laws.ofWrapping("a tap", Tap.make(() => Effect.void))]) it.effect(law.name, () => law.check)

  it.effect("shows bad frames in their place, and hands them on", () =>
    Effect.gen(function*() {
      const { see, seen } = seeing()
      const bad = { _tag: "BadFrame", reason: "TooLarge", excerpt: "{" } as const
      const [near] = yield* MemoryTransport.makePair()
      const tapped = yield* Tap.make(see)({ ...near, receive: Effect.succeed(["1", bad, "2"]) })
      assert.deepStrictEqual([...yield* tapped.receive], ["1", bad, "2"])
      assert.deepStrictEqual(seen(), ["1 Received 1", "1 Bad TooLarge", "1 Received 2"])
    }))

  it.effect("shows that a send failed, after its texts", () =>
    Effect.gen(function*() {
      const { see, seen } = seeing()
      const [near, far] = yield* MemoryTransport.makePair()
      const tapped = yield* Tap.make(see)(near)
      yield* far.close
      assert.strictEqual((yield* reasonOf(tapped.send(["1", "2"])))._tag, "Lost")
      assert.deepStrictEqual(seen(), ["1 Sent 1", "1 Sent 2", "1 Unsent 2 Lost"])
    }))

  it.effect("shows a text before it goes on, and what passes waits", () =>
    Effect.gen(function*() {
      const { after, before, gate, see } = yield* gated
      const [near, far] = yield* MemoryTransport.makePair()
      const tapped = yield* Tap.make(see)(near)
      const there = yield* fork(far.receive)
      const sender = yield* fork(tapped.send(["1", "2"]))
      yield* far.send(["3"])
      const reader = yield* fork(tapped.receive)
      yield* Effect.yieldNow
      assert.deepStrictEqual(before, ["1 Sent 1", "1 Received 3"])
      assert.deepStrictEqual([sender, reader, there].map((fiber) => fiber.pollUnsafe()), [
        undefined,
        undefined,
        undefined
      ])
      yield* gate.open
      yield* Fiber.join(sender)
      assert.deepStrictEqual([...yield* Fiber.join(there)], ["1", "2"])
      assert.deepStrictEqual([...yield* Fiber.join(reader)], ["3"])
      assert.sameMembers(after, ["1 Sent 1", "1 Received 3", "1 Sent 2"])
    }))

  it.effect("an observer that takes its time makes the other side wait, and nothing is kept meanwhile", () =>
    Effect.gen(function*() {
      const { before, gate, see } = yield* gated
      const [near, far] = yield* MemoryTransport.makePair({ capacity: 0 })
      const tapped = yield* Tap.make(see)(near)
      const reader = yield* fork(Effect.forEach(["1", "2", "3"], () => tapped.receive))
      yield* far.send(["1"])
      const sender = yield* fork(far.send(["2"]))
      yield* Effect.yieldNow
      assert.isUndefined(sender.pollUnsafe())
      assert.deepStrictEqual(before, ["1 Received 1"])
      yield* gate.open
      yield* Fiber.join(sender)
      yield* far.send(["3"])
      assert.deepStrictEqual((yield* Fiber.join(reader)).flat(), ["1", "2", "3"])
    }))

  it.effect("a receive that is interrupted while it waits for the observer takes nothing with it", () =>
    Effect.gen(function*() {
      const { after, before, gate, see } = yield* gated
      const [near, far] = yield* MemoryTransport.makePair()
      const tapped = yield* Tap.make(see)(near)
      yield* far.send(["1", "2"])
      const reader = yield* fork(tapped.receive)
      yield* gate.release
      yield* Effect.yieldNow
      assert.deepStrictEqual([before, after], [["1 Received 1", "1 Received 2"], ["1 Received 1"]])
      yield* Fiber.interrupt(reader)
      yield* gate.open
      assert.deepStrictEqual([...yield* tapped.receive], ["1", "2"])
      // What was seen to the end is not shown again.
      assert.deepStrictEqual(after, ["1 Received 1", "1 Received 2"])
    }))

  it.effect("a send that is interrupted while it waits for the observer goes no further, and the next one goes", () =>
    Effect.gen(function*() {
      const { gate, see } = yield* gated
      const [near, far] = yield* MemoryTransport.makePair()
      const tapped = yield* Tap.make(see)(near)
      const first = yield* fork(tapped.send(["1"]))
      const second = yield* fork(tapped.send(["2"]))
      yield* Fiber.interrupt(first)
      yield* gate.open
      yield* Fiber.join(second)
      assert.deepStrictEqual([...yield* far.receive], ["2"])
    }))

  it.effect("what several fibers send is seen in the order of the wire", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const [near, far] = yield* MemoryTransport.makePair()
      const tapped = yield* Tap.make((frame) =>
        // The first ones take the longest.
        Effect.map(
          Effect.forEach(Array.from({ length: 8 - seen.length }), () => Effect.yieldNow),
          () => void seen.push(short(frame))
        )
      )(near)
      yield* Effect.forEach(["1", "2", "3", "4"], (text) => tapped.send([text, `${text}.`]), {
        concurrency: "unbounded"
      })
      const got = [...yield* far.receive]
      assert.deepStrictEqual(got.toSorted(), ["1", "1.", "2", "2.", "3", "3.", "4", "4."])
      assert.deepStrictEqual(seen, got.map((text) => `1 Sent ${String(text)}`))
    }))

  it.effect("closing while a receive waits for the observer ends it with Closed", () =>
    Effect.gen(function*() {
      const { gate, see } = yield* gated
      const [near, far] = yield* MemoryTransport.makePair()
      const tapped = yield* Tap.make(see)(near)
      yield* far.send(["1"])
      const reader = yield* fork(reasonOf(tapped.receive))
      yield* tapped.close
      yield* gate.open
      assert.strictEqual((yield* Fiber.join(reader))._tag, "Closed")
    }))

  it.effect("a second reader is a defect, also while the first one waits for the observer", () =>
    Effect.gen(function*() {
      const { gate, see } = yield* gated
      const [near, far] = yield* MemoryTransport.makePair()
      const tapped = yield* Tap.make(see)(near)
      yield* far.send(["1"])
      const reader = yield* fork(tapped.receive)
      assert.include(String(yield* Effect.flip(Effect.sandbox(tapped.receive))), "one reader")
      yield* gate.open
      assert.deepStrictEqual([...yield* Fiber.join(reader)], ["1"])
    }))

  it.effect("one wrapping counts its connections, as a Layer of transports and of listeners", () =>
    Effect.gen(function*() {
      const { see, seen } = seeing()
      const wrapping = Tap.make(see)
      const { connect, listener } = yield* MemoryTransport.makeListener()
      const served = yield* Deferred.make<void>()
      const serve = Effect.flatMap(
        Listener.Listener,
        (tapped) => tapped.run((side) => Effect.andThen(side.receive, Deferred.succeed(served, undefined)))
      )
      yield* Effect.forkChild(Effect.provide(
        serve,
        Layer.provide(Listener.wrap(wrapping), Layer.succeed(Listener.Listener)(listener))
      ))
      yield* Effect.provide(
        Transport.Transport.use((side) => side.send(["1"])),
        Layer.provide(Transport.wrap(wrapping), Layer.effect(Transport.Transport, connect))
      ).pipe(Effect.mapError((error: Transport.TransportError) => error.reason))
      yield* Deferred.await(served)
      assert.sameMembers(seen(), ["1 Sent 1", "2 Received 1"])
    }))
})

describe("the laws of transports hold under a Tap", () => {
  const pair = { name: "pair", open: MemoryTransport.makePair() }
  const withoutRoom = { name: "pair without room", open: MemoryTransport.makePair({ capacity: 0 }) }
  const observers = {
    "that is done at once": () => Effect.void,
    "that lets others run": () => Effect.yieldNow
  }
  for (const [name, see] of Object.entries(observers)) {
    for (const each of [pair, withoutRoom]) {
      const laws = Laws.ofTransport(Laws.wrapped(each, `seen by one ${name}`, Tap.make(see)))
      for (const law of laws) it.effect(law.name, () => law.check)
    }
  }

  it.effect("texts that wait to be shown count on the budget, until they are handed on or the transport is closed", () =>
    Effect.gen(function*() {
      const budget = Budget.make(1_000)
      const { gate, see } = yield* gated
      const [near, far] = yield* MemoryTransport.makePair()
      const tapped = yield* Effect.provideService(Tap.make(see)(near), Budget.Budget, budget)
      yield* far.send(["1234", "56"])
      const first = yield* fork(tapped.receive)
      yield* Effect.yieldNow
      assert.strictEqual(budget.taken(), 2 * (Weight.ofWaiting("1234") + Weight.ofWaiting("56")))
      yield* gate.open
      yield* Fiber.join(first)
      assert.strictEqual(budget.taken(), 0)
      yield* gate.close
      yield* far.send(["789"])
      yield* fork(Effect.exit(tapped.receive))
      yield* Effect.yieldNow
      assert.strictEqual(budget.taken(), 2 * Weight.ofWaiting("789"))
      yield* tapped.close
      assert.strictEqual(budget.taken(), 0)
    }))
})
