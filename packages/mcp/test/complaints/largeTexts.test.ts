import { assert, describe, it } from "@effect/vitest"
import * as Framing from "@parley/protocol/Framing"
import * as Limits from "@parley/protocol/Limits"
import { Effect } from "effect"
import * as places from "../interop-client/support/places.ts"

const megabyte = 1_000_000

const chunk = 1 << 16

/** The bytes that are copied or decoded while a text of a size comes in, in chunks as a pipe gives them. */
const handled = (bytes: number) => {
  const line = new TextEncoder().encode(`"${"x".repeat(bytes - 3)}"\n`)
  const { decode } = TextDecoder.prototype
  const { set } = Uint8Array.prototype
  let count = 0
  TextDecoder.prototype.decode = function(input, options) {
    count += input?.byteLength ?? 0
    return decode.call(this, input, options)
  }
  Uint8Array.prototype.set = function(source, offset) {
    count += source.length
    return set.call(this, source, offset)
  }
  try {
    const splitter = Framing.line.splitter({ ...Limits.defaults, frame: 2 * bytes })
    const texts: Array<unknown> = []
    for (let at = 0; at < line.length; at += chunk) texts.push(...splitter.push(line.subarray(at, at + chunk)))
    assert.lengthOf(texts, 1)
  } finally {
    TextDecoder.prototype.decode = decode
    Uint8Array.prototype.set = set
  }
  return count
}

describe("complaint 18: what a large text costs grows with the square of its size", () => {
  it.live("a result of ten megabytes comes over stdio whole", () =>
    Effect.gen(function*() {
      const graces = { endGrace: "100 millis", killGrace: "100 millis" } as const
      const transport = yield* places.stdio(places.script("stubborn.ts"), [], graces)
      const client = yield* places.over(transport, { protocolVersion: "2025-11-25" })
      const { content } = yield* client.callTool("big", { bytes: 10 * megabyte })
      const [block] = content
      assert.isTrue(block?.type === "text" && block.text === "x".repeat(10 * megabyte))
    }))

  it("no byte of a text is copied more than once and decoded more than once", () => {
    for (const size of [1, 10]) assert.isAtMost(handled(size * megabyte), 2 * size * megabyte)
  })
})
