import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { Utf8 } from "../../src/shared/index.ts"

const size = (text: string) => new TextEncoder().encode(text).length

it.prop("a text has as many bytes as its encoding", [Schema.String], ([text]) => {
  assert.strictEqual(Utf8.byteLength(text), size(text))
})

it("every length of a character counts, and a surrogate without its other half", () => {
  const parts = [
    "",
    "a",
    "\u007f",
    "\u0080",
    "\u07ff",
    "\u0800",
    "\uffff",
    "\u{10000}",
    "\ud800",
    "\udbff",
    "\udc00",
    "\udfff"
  ]
  for (const first of parts) {
    for (const second of parts) {
      for (const third of parts) {
        const text = first + second + third
        assert.strictEqual(Utf8.byteLength(text), size(text), JSON.stringify(text))
      }
    }
  }
})

it("bytes are the text that they were made of, with its byte order mark, and none where they are no UTF-8", () => {
  const text = "\uFEFFnaïve 🦜"
  assert.strictEqual(Utf8.textOf(new TextEncoder().encode(text)), text)
  for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80]]) {
    assert.isUndefined(Utf8.textOf(Uint8Array.from(bytes)))
  }
})
