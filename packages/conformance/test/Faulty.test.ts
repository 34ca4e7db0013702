import { assert, describe, it } from "@effect/vitest"
import * as Faulty from "@parley/conformance/Faulty"
import * as Laws from "@parley/conformance/Laws"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import type { Received, Transport } from "@parley/transport/Transport"
import { Arbitrary, Effect, Fiber, Schema } from "effect"

type Side = Transport

const texts = Array.from({ length: 200 }, (_, index) => JSON.stringify([index, "some text"]))

const bad = { delay: 0.3, split: 0.5, garble: 0.2 }

/** Receives until the line ends, which is how it ends. */
const untilEnd = (side: Side) => {
  const received: Array<ReadonlyArray<Received>> = []
  return Effect.forever(Effect.map(side.receive, (some) => void received.push(some))).pipe(
    Effect.flip,
    Effect.map(({ reason }) => ({ received, end: reason._tag }))
  )
}

const send = (side: Side) => Effect.ignore(Effect.forEach(texts, (text) => side.send([text]), { discard: true }))

/** The texts that arrive through a bad line, and the faults that it reports. */
const sent = (options: Faulty.FaultyOptions) =>
  Effect.gen(function*() {
    const [near, far] = yield* MemoryTransport.makePair()
    const line = yield* Faulty.make(near, options)
    const reader = yield* Effect.forkChild(untilEnd(far))
    yield* send(line.transport)
    yield* line.transport.close
    return { ...yield* Fiber.join(reader), faults: yield* line.faults }
  })

/** The same of one that receives, all texts at once. */
const received = (options: Faulty.FaultyOptions) =>
  Effect.gen(function*() {
    const [near, far] = yield* MemoryTransport.makePair()
    const line = yield* Faulty.make(near, options)
    yield* send(far)
    yield* far.close
    return { ...yield* untilEnd(line.transport), faults: yield* line.faults }
  })

const directions = [{ direction: "sent", pass: sent }, { direction: "received", pass: received }] as const

/** The texts that must arrive with the reported faults. */
const expected = (faults: ReadonlyArray<Faulty.Fault>): Array<Received> => {
  const cut = faults.find(({ _tag }) => _tag === "Cut")
  const garbled = new Map(faults.flatMap((fault) => fault._tag === "Garbled" ? [[fault.index, fault.into]] : []))
  return texts.slice(0, cut?.index).map((text, index) => garbled.get(index) ?? text)
}

describe("a line without faults", () => {
  it.effect.each(directions)("changes nothing that is $direction", ({ pass }) =>
    Effect.gen(function*() {
      const { end, faults, received } = yield* pass({ seed: "none" })
      assert.deepStrictEqual(received.flat(), texts)
      assert.deepStrictEqual(faults, [])
      assert.strictEqual(end, "EndOfInput")
    }))

  for (const law of [Laws.ofWrapping("a bad line", Faulty.wrapping({ seed: 1 }))]) it.effect(law.name, () => law.check)
})

describe.each(directions)("what is $direction over a bad line", ({ direction, pass }) => {
  it.effect("is treated the same way by the same seed, and another by another", () =>
    Effect.gen(function*() {
      const [one, again, other] = yield* Effect.forEach([1, 1, 2], (seed) => pass({ ...bad, cut: 0.01, seed }))
      assert.deepStrictEqual(one, again)
      assert.notDeepEqual(one?.faults, other?.faults)
    }))

  it.effect.prop(
    "comes as the faults say",
    { seed: Arbitrary.schema(Schema.Int) },
    ({ seed }) =>
      Effect.gen(function*() {
        const { end, faults, received } = yield* pass({ ...bad, cut: 0.005, seed })
        assert.deepStrictEqual(received.flat(), expected(faults))
        assert.isTrue(faults.every((fault) => fault.direction === direction))
        const isCut = faults.some(({ _tag }) => _tag === "Cut")
        assert.strictEqual(end, isCut && direction === "received" ? "Lost" : "EndOfInput")
      }),
    { arbitrary: { runs: 20 } }
  )

  it.effect("is hit by every fault, and one likelihood does not move the others", () =>
    Effect.gen(function*() {
      const all = (yield* pass({ ...bad, seed: 3 })).faults
      assert.sameMembers(
        [...new Set(all.map(({ _tag }) => _tag))],
        ["Delayed", "Split", "Garbled"].filter((tag) => tag !== "Split" || direction === "received")
      )
      const { faults } = yield* pass({ garble: bad.garble, seed: 3 })
      assert.deepStrictEqual(faults, all.filter(({ _tag }) => _tag === "Garbled"))
    }))

  it.effect("is no JSON when it was garbled", () =>
    Effect.gen(function*() {
      const { received } = yield* pass({ seed: 4, garble: 1 })
      for (const text of received.flat()) assert.throws(() => JSON.parse(String(text)))
    }))
})

describe("a bad line", () => {
  it.effect("reorders what is received, each text by one place at most, and keeps what waits until the end", () =>
    Effect.gen(function*() {
      const { end, faults, received: got } = yield* received({ seed: 8, reorder: 0.4 })
      const expected = [...texts]
      for (const { _tag, index } of faults) {
        assert.strictEqual(_tag, "Reordered")
        expected.splice(index, 2, texts[index + 1] ?? "", texts[index] ?? "")
      }
      assert.deepStrictEqual(got.flat(), expected)
      assert.isAbove(faults.length, 20)
      assert.strictEqual(end, "EndOfInput")
      assert.deepStrictEqual((yield* received({ seed: 8, reorder: 1 })).received.flat().toSorted(), texts.toSorted())
      // Sent texts keep their order.
      assert.deepStrictEqual((yield* sent({ seed: 8, reorder: 1 })).received.flat(), texts)
    }))

  it.effect("keeps a text that comes last for the next one, also when the reader is interrupted", () =>
    Effect.gen(function*() {
      const [near, far] = yield* MemoryTransport.makePair()
      const { transport } = yield* Faulty.make(near, { seed: 8, reorder: 1 })
      yield* far.send(["1"])
      const reader = yield* Effect.forkChild(transport.receive, { startImmediately: true })
      yield* Fiber.interrupt(reader)
      yield* far.send(["2"])
      assert.deepStrictEqual([...yield* transport.receive], ["2", "1"])
      yield* far.send(["3"])
      yield* far.close
      assert.deepStrictEqual([...yield* transport.receive], ["3"])
      assert.strictEqual((yield* Effect.flip(transport.receive)).reason._tag, "EndOfInput")
    }))

  it.effect("takes apart what came together", () =>
    Effect.gen(function*() {
      const alone = yield* received({ seed: 5, split: 1 })
      assert.deepStrictEqual(alone.received, texts.map((text) => [text]))
      const [near] = yield* MemoryTransport.makePair()
      const writes: Array<ReadonlyArray<string>> = []
      const recorded: Side = { ...near, send: (texts) => Effect.sync(() => void writes.push(texts)) }
      const line = yield* Faulty.make(recorded, { seed: 5, split: 1 })
      yield* line.transport.send(["1", "2", "3"])
      assert.deepStrictEqual(writes, [["1"], ["2"], ["3"]])
      assert.deepStrictEqual(yield* line.faults, [1, 2].map((index) => ({ _tag: "Split", direction: "sent", index })))
    }))

  it.effect("is lost in both directions once it is cut, for who waits and for who comes later", () =>
    Effect.gen(function*() {
      const [near, far] = yield* MemoryTransport.makePair()
      const { faults, transport } = yield* Faulty.make(near, { seed: 6, cut: 1 })
      const waiting = yield* Effect.forkChild(untilEnd(transport), { startImmediately: true })
      const reasons = [
        (yield* Effect.flip(transport.send(["1"]))).reason._tag,
        (yield* Fiber.join(waiting)).end,
        (yield* Effect.flip(transport.receive)).reason._tag,
        (yield* Effect.flip(transport.send(["2"]))).reason._tag
      ]
      assert.deepStrictEqual(reasons, ["Lost", "Lost", "Lost", "Lost"])
      assert.strictEqual((yield* untilEnd(far)).end, "EndOfInput")
      assert.deepStrictEqual(yield* faults, [{ _tag: "Cut", direction: "sent", index: 0 }])
    }))

  const laws = Laws.ofTransport({
    name: "a line that delays and takes apart",
    open: Effect.flatMap(
      MemoryTransport.makePair(),
      ([left, right]) =>
        Effect.all([
          Faulty.wrapping({ seed: "left", delay: 0.3, split: 0.5 })(left),
          Faulty.wrapping({ seed: "right", delay: 0.3, split: 0.5 })(right)
        ])
    )
  }, { runs: 20 })
  for (const law of laws) it.live(`is a transport: ${law.name}`, () => law.check)
})
