/** No framing: the wire keeps messages apart. */
import { assert, describe, it } from "@effect/vitest"
import { FramingLaws } from "@parley/conformance/shared"
import * as Framing from "../../src/Framing.ts"
import * as Limits from "../../src/Limits.ts"
import { bytes, frames, invalidUtf8, raw, tooLarge } from "./framings.ts"

describe("Framing.none", () => {
  for (const law of FramingLaws.messages(Framing.none)) it.effect(law.name, () => law.check)

  it("each chunk is a text as it stands", () => {
    const texts = ["{}", "", " [1]\n", "{}{}", "GET / HTTP/1.1"]
    assert.deepStrictEqual(frames(Framing.none, texts.map(bytes)), texts)
  })

  it("promise 4: invalid UTF-8 is a bad frame, never a silent replacement", () => {
    assert.deepStrictEqual(frames(Framing.none, [raw("<e2><9c>"), raw("<93>")]), [
      invalidUtf8("\\xe2\\x9c"),
      invalidUtf8("\\x93")
    ])
  })

  it("promise 5: a frame beyond its limit is one bad frame", () => {
    assert.deepStrictEqual(frames(Framing.none, [bytes("123456"), bytes("12345")], { frame: 5 }), [
      tooLarge("123456"),
      "12345"
    ])
  })

  it("a byte order mark may begin each", () => {
    assert.deepStrictEqual(frames(Framing.none, [raw("<ef><bb><bf>{}"), raw("<ef><bb><bf>{}")]), ["{}", "{}"])
  })

  it("nothing is ever held", () => {
    const splitter = Framing.none.splitter(Limits.defaults)
    splitter.push(bytes("{"))
    assert.isFalse(splitter.partial())
    assert.deepStrictEqual(splitter.end(), [])
  })

  it("one text at a time is written", () => {
    assert.deepStrictEqual(Framing.none.join(["{}"]), bytes("{}"))
  })
})

describe("Framing.byName", () => {
  it("gives the framing of each name", () => {
    for (const name of ["line", "contentLength", "concatenated", "none"] as const) {
      assert.strictEqual(Framing.byName(name).name, name)
    }
  })
})
