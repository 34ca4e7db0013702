import { assert, describe, it } from "@effect/vitest"
import * as Generators from "@parley/conformance/Generators"
import { EventStream } from "@parley/http"
import { Arbitrary, Schema } from "effect"

const bytes = (text: string) => new TextEncoder().encode(text)

/** What a decoder finds in a text that comes in pieces of these sizes. */
const decode = (text: string, sizes: () => number, limit = 1_000) => {
  const decoder = EventStream.makeDecoder(limit)
  const all = bytes(text)
  const found: Array<string> = []
  for (let at = 0; at < all.length;) {
    const texts = decoder.push(all.subarray(at, at += sizes()))
    if (typeof texts === "string") return texts
    found.push(...texts)
  }
  return found
}

const whole = () => Infinity

describe("EventStream", () => {
  it("encodes a text as one event", () => {
    assert.strictEqual(EventStream.encode(`{"a":1}`), `data: {"a":1}\n\n`)
    assert.strictEqual(EventStream.encode("a\r\nb\nc\rd"), "data: a\ndata: b\ndata: c\ndata: d\n\n")
    assert.strictEqual(EventStream.encode(""), "data: \n\n")
  })

  const sizes = Arbitrary.schema(Schema.NonEmptyArray(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 }))))

  it.prop(
    "promise 4: any way of cutting the bytes gives the same frames, here events",
    [Arbitrary.array(Generators.json, { maxLength: 5 }), sizes],
    ([values, sizes]) => {
      const texts = values.map((value) => JSON.stringify(value))
      let at = 0
      const next = () => sizes[at++ % sizes.length] ?? 1
      assert.deepStrictEqual(decode(texts.map(EventStream.encode).join(""), next, 1_000_000), texts)
    }
  )

  it("passes over what is no text of ours", () => {
    const stream = [": hello", "", "event: ping", "data: 1", "", "id: 5", "retry: 10", "data: 2", "", "data: 3"].join(
      "\n"
    )
    assert.deepStrictEqual(decode(stream, whole), ["2"])
    assert.deepStrictEqual(decode("\uFEFFevent: message\ndata: 1\n\n", whole), ["1"])
  })

  it("promise 5: a frame beyond its limit is never buffered, here an event", () => {
    assert.strictEqual(decode(`data: ${"x".repeat(2_000)}`, () => 100), "an event is larger than 1000")
    assert.strictEqual(decode("data: x\n".repeat(2_000), () => 100), "an event is larger than 1000")
  })

  it("says where a stream is no UTF-8", () => {
    assert.strictEqual(EventStream.makeDecoder(10).push(new Uint8Array([0xff])), "the event stream is no UTF-8")
  })
})
