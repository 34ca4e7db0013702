import { assert, describe, it } from "@effect/vitest"
import { MediaType } from "@parley/http/shared"

const all = (predicate: (text: string) => boolean, texts: ReadonlyArray<string>) => texts.map((text) => predicate(text))

describe("MediaType", () => {
  it("knows the types of JSON", () => {
    const yes = [
      "application/json",
      "Application/JSON ; a=b",
      "application/json-rpc",
      "application/jsonrequest",
      "a/b+json"
    ]
    const no = ["", "text/json", "application/jsonp", "application/json+xml", "+json", "a/+json", "application /json"]
    assert.deepStrictEqual(all(MediaType.isJson, yes), yes.map(() => true))
    assert.deepStrictEqual(all(MediaType.isJson, no), no.map(() => false))
  })

  it("knows the charsets of JSON", () => {
    const yes = ["a/b", "a/b;charset=utf-8", "a/b; x=y; CHARSET = \"UTF8\"", "a/b;charset=us-ascii"]
    const no = ["a/b;charset=utf-16", "a/b; charset=latin1", "a/b; charset=\"\""]
    assert.deepStrictEqual(all(MediaType.isUtf8, yes), yes.map(() => true))
    assert.deepStrictEqual(all(MediaType.isUtf8, no), no.map(() => false))
  })

  it("knows who accepts events", () => {
    const yes = ["text/event-stream", "application/json, Text/Event-Stream;q=0.5", "text/event-stream;q=0.001"]
    const no = [
      "*/*",
      "text/*",
      "application/json",
      "text/event-stream;q=0",
      "text/event-stream; q=0.0",
      "text/event-streams"
    ]
    assert.deepStrictEqual(all(MediaType.acceptsEvents, yes), yes.map(() => true))
    assert.deepStrictEqual(all(MediaType.acceptsEvents, no), no.map(() => false))
    assert.isFalse(MediaType.acceptsEvents(undefined))
  })
})
