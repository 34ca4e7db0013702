import { assert, describe, it } from "@effect/vitest"
import { headers, type Msg } from "@nats-io/transport-node"
import { Effect, Schema } from "effect"
import { cut, Parts, type Piece } from "../../src/internal/engine/Parts.ts"

const encoder = new TextEncoder()

/** A piece as the connection brings it. */
const arrived = ({ data, headers }: Piece): Msg => ({ data, headers, subject: "inbox" }) as Msg

const Texts = Schema.Array(Schema.Struct({
  sender: Schema.Literals(["a", "b", "c"]),
  text: Schema.String,
  repeat: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 300 }))
})).check(Schema.isMaxLength(8))

describe("texts that are cut", () => {
  it.effect.prop("are put together, whatever comes between those of different senders", [Texts, Schema.Int], ([
    texts,
    seed
  ]) =>
    Effect.sync(() => {
      const parts = new Parts(1_000_000)
      const sent = texts.map(({ repeat, sender, text }) => ({ sender, text: text.toWellFormed().repeat(repeat) }))
      const queues = ["a", "b", "c"].map((name) =>
        sent.flatMap(({ sender, text }, id) => sender === name ? cut(encoder.encode(text), 300, name, id) : [])
      )
      const heard: Array<string> = []
      for (let turn = Math.abs(seed); queues.some((queue) => queue.length > 0); turn = (turn * 31 + 7) % 1_000_003) {
        const piece = queues[turn % 3]?.shift() ?? queues.find((queue) => queue.length > 0)?.shift()
        const text = piece === undefined ? undefined : parts.take(arrived(piece))
        if (text !== undefined) heard.push(text)
      }
      assert.deepStrictEqual(heard.toSorted(), sent.map(({ text }) => text).toSorted())
    }))

  it("are dropped where a part is missing, and the next one comes", () => {
    for (const missing of [0, 1, 2, 3]) {
      const parts = new Parts(1_000_000)
      const pieces = cut(encoder.encode("x".repeat(160)), 296, "a", 1)
      assert.lengthOf(pieces, 1)
      const four = cut(encoder.encode("x".repeat(1_000)), 506, "a", 1)
      assert.lengthOf(four, 4)
      const heard = four.filter((_, place) => place !== missing).map((piece) => parts.take(arrived(piece)))
      assert.isTrue(heard.every((text) => text === undefined))
      const next = cut(encoder.encode("y".repeat(1_000)), 506, "a", 2).map((piece) => parts.take(arrived(piece)))
      assert.deepStrictEqual(next, [undefined, undefined, undefined, "y".repeat(1_000)])
    }
  })

  it("are held up to a bound, and the sender that was silent for longest is forgotten", () => {
    const parts = new Parts(1_000)
    const pieces = (sender: string) => cut(encoder.encode(sender.repeat(800)), 656, sender, 1)
    for (const sender of ["a", "b", "c"]) parts.take(arrived(pieces(sender)[0]!))
    assert.isUndefined(parts.take(arrived(pieces("a")[1]!)))
    assert.strictEqual(parts.take(arrived(pieces("c")[1]!)), "c".repeat(800))
  })

  it("are held up to the bound though they are empty", () => {
    const parts = new Parts(10_000)
    const part = (sender: string, place: number, count: number, data: string) => {
      const fields = headers()
      fields.append("Parley-Part", JSON.stringify([sender, 1, place, count]))
      return parts.take(arrived({ data: encoder.encode(data), headers: fields }))
    }
    part("first", 0, 2, "x")
    for (let place = 0; place < 1_000; place++) part("flood", place, 2_000, "")
    assert.isUndefined(part("first", 1, 2, "y"))
    part("first", 0, 2, "x")
    for (let sender = 0; sender < 1_000; sender++) part(`${sender}`, 0, 2, "")
    assert.isUndefined(part("first", 1, 2, "y"))
  })
})
