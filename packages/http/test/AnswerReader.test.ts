import { assert, describe, it } from "@effect/vitest"
import { AnswerReader } from "@parley/http"
import { Result } from "effect"

const head: AnswerReader.Head = { status: 200, contentType: "application/json", contentLength: undefined }

/** What is read of these chunks: the texts, and how it ended, in words. */
const read = (own: Partial<AnswerReader.Head>, ...chunks: ReadonlyArray<string>): ReadonlyArray<string> => {
  const reader = AnswerReader.make({ ...head, ...own }, 20)
  if (Result.isFailure(reader)) return [reader.failure.rule]
  const texts: Array<string> = []
  for (const [index, chunk] of chunks.entries()) {
    const whole = reader.success.push(new TextEncoder().encode(chunk))
    if (Result.isFailure(whole)) return [...texts, `${whole.failure.message} (chunk ${index})`]
    texts.push(...whole.success)
  }
  const { ending, text } = reader.success.end()
  return [
    ...texts,
    ...(text === undefined ? [] : [text]),
    Result.isSuccess(ending) ? ending.success : ending.failure.message
  ]
}

const event = { contentType: "text/event-stream" }
const refused = { status: 500, contentType: "text/html" }

describe("AnswerReader", () => {
  it("gives the text of a body at its end, and those of events as they come", () => {
    assert.deepStrictEqual(read({}, "{\"a\":", "1}"), ["{\"a\":1}", "answer"])
    assert.deepStrictEqual(read({}), ["answer"])
    assert.deepStrictEqual(read(event, "data: 1\n", "\ndata: 2\n\n"), ["1", "2", "stream"])
    assert.deepStrictEqual(read({ contentType: "text/html" }), ["answer"])
  })

  it("promise 5: a frame beyond its limit is never buffered: reading stops", () => {
    assert.deepStrictEqual(read({ contentLength: "21" }), ["the answer is larger than the limit `frame` of 20 bytes"])
    assert.deepStrictEqual(read({}, "x".repeat(20), "x", "more"), [
      "the answer is larger than the limit `frame` of 20 bytes (chunk 1)"
    ])
    assert.deepStrictEqual(read({ ...event, contentLength: "21" }, "data: 1\n\ndata: 2\n\ndata: 3\n\n"), [
      "1",
      "2",
      "3",
      "stream"
    ])
    const long = "x".repeat(1_000)
    assert.deepStrictEqual(read(refused, long, long, "more"), [`HTTP status 500: ${"x".repeat(1_024)} (chunk 1)`])
  })

  it("a status is a failure behind the text that came with it", () => {
    assert.deepStrictEqual(read({ status: 400 }, "{\"a\":1}"), ["{\"a\":1}", "HTTP status 400: {\"a\":1}"])
    assert.deepStrictEqual(read({ status: 400 }, "x".repeat(21)), [`HTTP status 400: ${"x".repeat(21)} (chunk 0)`])
    assert.deepStrictEqual(read({ status: 302 }), ["HTTP status 302"])
    assert.deepStrictEqual(read(refused, "<html>"), ["HTTP status 500: <html>"])
  })

  it("takes no bytes that it cannot read", () => {
    assert.deepStrictEqual(read({ contentEncoding: "gzip" }), [
      "the answer has the content encoding gzip, which was not asked for"
    ])
    assert.deepStrictEqual(read({ contentEncoding: "identity" }), ["answer"])
    assert.deepStrictEqual(read({ contentType: undefined }, "1"), ["the answer has no content type (chunk 0)"])
  })
})
