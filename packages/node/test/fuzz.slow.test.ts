/** What reads foreign texts, under texts that a fuzzer makes. */
import { assert, describe, it } from "@effect/vitest"
import { EventStream } from "@parley/http/shared"
import * as Batch from "@parley/protocol/Batch"
import * as Framing from "@parley/protocol/Framing"
import * as Limits from "@parley/protocol/Limits"
import * as Message from "@parley/protocol/Message"
import { Envelope, Splice, Weight } from "@parley/protocol/shared"
import { Result } from "effect"
import { fuzz, type Target } from "./support/Fuzzer.ts"

/** Milliseconds for each target. */
const time = 9_000

const protocol = ["protocol/src/"]

const jsonWords = [
  ...[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\\\"",
    "\\u0069",
    "\\ud800",
    "null",
    "true",
    "-0",
    "1.0",
    "1e999",
    " "
  ],
  ...[
    "\"jsonrpc\":\"2.0\"",
    "\"id\":1",
    "\"id\":null",
    "\"method\":\"m\"",
    "\"params\":[",
    "\"result\":{}",
    "\"error\":"
  ],
  ...["{\"code\":1,\"message\":\"m\"}", "12345678901234567890", "\"__proto__\":1", "\u2028", "é", "𝄞", "\ud800"]
]

const messages = [
  `{"jsonrpc":"2.0","id":1,"method":"m","params":[1,{"a":"b"}]}`,
  `{"jsonrpc":"2.0","method":"m"}`,
  `{"jsonrpc":"2.0","result":null,"id":"a"}`,
  `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error","data":[]}}`,
  `[{"jsonrpc":"2.0","id":1.0,"method":"m"},1,{"jsonrpc":"2.0","method":"n","params":{}}]`
]

/** An error is reported even if a number in its data is out of range, and such a number is written as null. */
const isFinite = (value: unknown): boolean =>
  typeof value === "object" && value !== null
    ? Object.values(value).every(isFinite)
    : typeof value !== "number" || Number.isFinite(value)

const decoding: Target = {
  seeds: messages,
  words: jsonWords,
  sources: protocol,
  check: (text) => {
    const limits = { depth: 20, batch: 5 }
    const batch = Batch.finite(Batch.decode(text, limits), text)
    Weight.ofText(text)
    Envelope.ofText(text)
    for (const member of Batch.isMembers(batch) ? batch : [batch]) {
      if (Result.isFailure(member)) continue
      const encoded = Message.encodeUnsafe(member.success)
      const decoded = Message.decode(encoded, limits)
      if (isFinite(member.success)) assert.deepStrictEqual(decoded, member)
      else assert.deepStrictEqual(Result.map(decoded, Message.encodeUnsafe), Result.succeed(encoded))
      assert.strictEqual(Message.encodeUnsafe(member.success), encoded)
    }
  }
}

/** The value with another id in the messages, as `Splice` puts it there. */
const replaced = (value: unknown): unknown => {
  const one = (member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member) && Object.hasOwn(member, "id")
      ? { ...member, id: "other" }
      : member
  return Array.isArray(value) ? value.map(one) : one(value)
}

const splicing: Target = {
  seeds: messages,
  words: jsonWords,
  sources: protocol,
  check: (text) => {
    const value = Result.try((): unknown => JSON.parse(text))
    // In a text that is no JSON the places mean nothing, and are found all the same.
    const spliced = Splice.mapIds(text, () => `"other"`)
    const parts = Splice.parts(text)
    const names = Splice.names(text)
    // V8 may take an escape in a name for an earlier name that is a backslash.
    if (Result.isFailure(value) || text.includes("\\\\")) return
    assert.deepStrictEqual(JSON.parse(spliced), replaced(value.success))
    const members = Array.isArray(value.success) ? value.success : [value.success]
    assert.deepStrictEqual(parts.map((part) => JSON.parse(part)), members)
    assert.deepStrictEqual(
      names.map((all) => new Set(all.map((name) => JSON.parse(name)))),
      members.map((member) =>
        new Set(typeof member === "object" && member !== null && !Array.isArray(member) ? Object.keys(member) : [])
      )
    )
  }
}

/** Each character below 256 is a byte, so that a text can be any bytes; others are as UTF-8 has them. */
const bytesOf = (text: string): Uint8Array =>
  Uint8Array.from(
    Array.from(text, (letter) => letter.charCodeAt(0) < 256 ? [letter.charCodeAt(0)] : [...Buffer.from(letter)]).flat()
  )

const cutIn = (bytes: Uint8Array, below: (end: number) => number): ReadonlyArray<Uint8Array> => {
  const chunks: Array<Uint8Array> = []
  for (let at = 0; at < bytes.length;) {
    const size = 1 + below(below(3) === 0 ? 40 : 4)
    chunks.push(bytes.slice(at, at + size))
    at += size
  }
  return chunks
}

const splitting = (framing: Framing.Framing): Target => ({
  seeds: [
    ...messages.map((text) => Buffer.from(framing.join([text, "{}"])).toString("latin1")),
    "\u00ef\u00bb\u00bf{}\n",
    "\r\nFOO / HTTP/1.1\r\n\r\n{}",
    "\u0016\u0003\u0001"
  ],
  words: [
    ...jsonWords,
    ...[
      "\n",
      "\r\n",
      "\r\n\r\n",
      "Content-Length: ",
      "Content-Length: 2\r\n\r\n{}",
      "Content-Type: a; charset=utf-8\r\n"
    ],
    ...["GET ", " / ", "HTTP/1.1", "\u00ef\u00bb\u00bf", "\u00ff", "\u00e2\u0082", "\u0016\u0003", "x".repeat(40)]
  ],
  sources: protocol,
  check: (text, below) => {
    const limits = Limits.make({ frame: 60, header: 50 })
    const bytes = bytesOf(text)
    const frames = (chunks: ReadonlyArray<Uint8Array>): ReadonlyArray<Framing.Frame> => {
      const splitter = framing.splitter(limits)
      const found = [...chunks.flatMap((chunk) => [...splitter.push(chunk)]), ...splitter.end()]
      assert.isFalse(splitter.partial())
      assert.isEmpty(splitter.push(bytesOf("{}\n")))
      return found
    }
    const whole = frames([bytes])
    assert.deepStrictEqual(frames(cutIn(bytes, below)), whole)
    const lost = whole.findIndex((frame) => typeof frame === "object" && frame._tag === "LostPlace")
    assert.isTrue(lost === -1 || lost === whole.length - 1)
    for (const frame of whole) if (typeof frame === "string") assert.isAtMost(Buffer.byteLength(frame), limits.frame)
  }
})

const events: Target = {
  seeds: [
    "data: a\n\n",
    "id: 1\nevent: x\ndata: {}\ndata: b\r\n\r\n",
    ": c\nretry: 10\n\n",
    "\u00ef\u00bb\u00bfdata:a\r\r"
  ],
  words: [
    "data: ",
    "data",
    "id: ",
    "event: ",
    "retry: 5",
    ": ",
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    "\u0000",
    "\u00e2\u0082\u00ac",
    "\u00ff"
  ],
  sources: ["http/src/", "Sse"],
  check: (text, below) => {
    const bytes = bytesOf(text)
    const decoded = (chunks: ReadonlyArray<Uint8Array>) => {
      const decoder = EventStream.makeEventDecoder(100_000)
      const found: Array<EventStream.Event | EventStream.Retry> = []
      for (const chunk of chunks) {
        const more = decoder.push(chunk)
        if (typeof more === "string") return { found, error: more }
        found.push(...more)
      }
      return { found, error: undefined }
    }
    const whole = decoded([bytes])
    const cut = decoded(cutIn(bytes, below))
    assert.strictEqual(cut.error, whole.error)
    // Of the chunk in which the reading ended, nothing is given.
    if (whole.error === undefined) assert.deepStrictEqual(cut.found, whole.found)
    const sent = text.replace(/\r\n|\r/g, "\n").replace(/[\ud800-\udfff]/g, "")
    if (sent === "") return
    const decoder = EventStream.makeDecoder(100_000)
    assert.deepStrictEqual(decoder.push(Buffer.from(EventStream.encode(sent))), [sent])
  }
}

const seed = Number(process.env["FUZZ_SEED"] ?? Math.floor(Math.random() * 2 ** 31))

describe("fuzzing", () => {
  for (
    const [name, target] of [
      ["decoding: nothing throws, and decode undoes encode", decoding],
      ["splicing: the same as to parse and replace", splicing],
      ...[Framing.line, Framing.contentLength, Framing.concatenated].map((framing) =>
        [`splitting of ${framing.name}: any cut gives the same`, splitting(framing)] as const
      ),
      ["events: any cut gives the same, and decode undoes encode", events]
    ] as const
  ) {
    it(name, async () => {
      const { blocks, failure, kept, texts } = await fuzz(target, time, seed)
      if (failure !== undefined) {
        assert.fail(`FUZZ_SEED=${seed}: ${JSON.stringify(failure.text)}: ${String(failure.error)}`)
      }
      assert.isAbove(texts, 256)
      assert.isAbove(blocks, 20)
      assert.isAbove(kept, target.seeds.length)
    }, 120_000)
  }
})
