import { assert, describe, it } from "@effect/vitest"
import { Generators } from "@parley/conformance/shared"
import { EventStream } from "@parley/http/shared"
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

  it("promise 4: any way of cutting the bytes gives the same frames, here lines that end as they like", () => {
    const stream = "data: 1\r\n\r\ndata: 2\rdata: 3\r\r\ndata: 4\n\ndata: 5\r\ndata: 6\r\n\n"
    for (let first = 1; first <= stream.length; first++) {
      for (const next of [1, stream.length]) {
        const sizes = [first]
        assert.deepStrictEqual(decode(stream, () => sizes.pop() ?? next), ["1", "2\n3", "4", "5\n6"])
      }
    }
  })

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

  it("promise 5: a frame beyond its limit is never buffered, and what is kept of an event are its bytes", () => {
    const decoder = EventStream.makeEventDecoder(1_000_000)
    const kept = (text: string) => {
      assert.deepStrictEqual(decoder.push(bytes(text)), [])
      return decoder.held()
    }
    assert.strictEqual(kept(": a comment\n"), 0)
    assert.strictEqual(kept("id: 12345\nevent: x"), 5 + "event: x".length)
    assert.strictEqual(kept("yz\n"), 5 + 3)
    assert.strictEqual(kept("data\n".repeat(1_000)), 5 + 3 + 999)
    assert.strictEqual(kept("data: ñ\n"), 5 + 3 + 999 + 3)
    const [event] = decoder.push(bytes("\n"))
    assert.strictEqual(event !== undefined && typeof event === "object" && "data" in event && event.data.length, 1_001)
    assert.strictEqual(decoder.held(), 5)
  })

  it("says where a stream is no UTF-8", () => {
    for (const field of ["data", "id", "event"]) {
      const stream = Uint8Array.from([...bytes(`${field}: `), 0xff, 10, 10])
      assert.strictEqual(EventStream.makeDecoder(10).push(stream), "the event stream is no UTF-8")
    }
  })

  it("an event has an id, a name and a delay where it is given them, and they cannot break out of their lines", () => {
    assert.strictEqual(EventStream.encodeFields({ data: "1" }), EventStream.encode("1"))
    assert.strictEqual(
      EventStream.encodeFields({ data: "a\nb", id: "7\ndata: x", event: "p\r\0", retry: 0.5 }),
      "event: p\nid: 7data: x\nretry: 1\ndata: a\ndata: b\n\n"
    )
  })

  it.prop(
    "promise 4: any way of cutting the bytes gives the same frames, here events with ids and names",
    [Schema.Array(Schema.Struct({ data: Schema.String, id: Schema.String, event: Schema.String })), sizes],
    ([events, sizes]) => {
      const decoder = EventStream.makeEventDecoder(1_000_000)
      const all = bytes(events.map(EventStream.encodeFields).join(EventStream.keepAlive))
      const found: Array<unknown> = []
      for (let at = 0, turn = 0; at < all.length; turn++) {
        const some = decoder.push(all.subarray(at, at += sizes[turn % sizes.length] ?? 1))
        if (typeof some === "string") return assert.fail(some)
        found.push(...some)
      }
      const inLine = (text: string) => text.toWellFormed().replaceAll(/[\r\n\0]/g, "")
      assert.deepStrictEqual(
        found,
        events.map(({ data, event, id }) => ({
          _tag: "Event",
          id: inLine(id),
          event: inLine(event) || "message",
          data: data.toWellFormed().replaceAll(/\r\n?/g, "\n")
        }))
      )
    }
  )

  it("delays are told apart from events", () => {
    const decoder = EventStream.makeEventDecoder(100)
    const stream = ": hello\n\nid: 1\nretry: 10\ndata\n\nretry: soon\ndata: 2\n\n"
    assert.deepStrictEqual(decoder.push(bytes(stream)), [
      { _tag: "Retry", milliseconds: 10 },
      { _tag: "Event", id: "1", event: "message", data: "" },
      { _tag: "Event", id: "1", event: "message", data: "2" }
    ])
    assert.strictEqual(decoder.push(bytes("data: x".repeat(100))), "an event is larger than 100")
  })
})
