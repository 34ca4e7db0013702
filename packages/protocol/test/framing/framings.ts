/** What the tests of all framings share: chunks in, frames out, and promises 4 to 6 for framings of streams. */
import { assert, it } from "@effect/vitest"
import type { Law } from "@parley/conformance/Laws"
import { Cuts, FramingLaws } from "@parley/conformance/shared"
import { Effect } from "effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import type { Frame, Framing } from "../../src/Framing.ts"
import * as Limits from "../../src/Limits.ts"

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Text as bytes, with `<ff>` for the byte 0xff. */
export const raw = (text: string): Uint8Array =>
  Uint8Array.from(
    text.split(/(<[0-9a-f]{2}>)/).flatMap((part) =>
      /^<[0-9a-f]{2}>$/.test(part) ? [parseInt(part.slice(1, 3), 16)] : [...bytes(part)]
    )
  )

/** All frames of the chunks, and of the end of the input. */
export const frames = (
  framing: Framing,
  chunks: ReadonlyArray<Uint8Array>,
  limits: Partial<Limits.Limits> = {}
): ReadonlyArray<Frame> => {
  const splitter = framing.splitter(Limits.make(limits))
  return [...chunks.flatMap((chunk) => [...splitter.push(chunk)]), ...splitter.end()]
}

export const tooLarge = (excerpt: string): Frame => ({ _tag: "BadFrame", reason: "TooLarge", excerpt })

export const invalidUtf8 = (excerpt: string): Frame => ({ _tag: "BadFrame", reason: "InvalidUtf8", excerpt })

/** What a stream gives that begins in another framing: an error reply for the other side, and its end. */
export const otherFraming = (detail: string, excerpt: string): ReadonlyArray<Frame> => [
  { _tag: "BadFrame", reason: "OtherFraming", excerpt },
  { _tag: "LostPlace", reason: "OtherFraming", detail, offset: 0, excerpt }
]

/** A row of a table: the stream, its frames, and the limits where they matter. */
export type Row = readonly [
  title: string,
  stream: string,
  frames: ReadonlyArray<Frame>,
  limits?: Partial<Limits.Limits>
]

/** Every row, in one chunk, in every two and in single bytes. */
export const table = (framing: Framing, rows: ReadonlyArray<Row>): void => {
  for (const [title, stream, expected, limits] of rows) {
    it(title, () => {
      const whole = raw(stream)
      for (const chunks of [[whole], Cuts.everyByte(whole), ...Cuts.everyPlace(whole)]) {
        assert.deepStrictEqual(frames(framing, chunks, limits), expected)
      }
    })
  }
}

/** Bytes that this process holds, on and off the heap, once all is collected that can be. */
export const memory = (): number => {
  setFlagsFromString("--expose-gc")
  const collect: () => void = runInNewContext("gc")
  // Buffers are freed beside a collection, which the next one waits for.
  for (let times = 0; times < 2; times++) collect()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return arrayBuffers + heapUsed
}

export const MiB = 1024 * 1024

const all = (laws: ReadonlyArray<Law>) => Effect.forEach(laws, (law) => law.check, { discard: true })

/** Promise 4: the laws, and texts that are larger than a chunk. */
export const anyCut = (framing: Framing) =>
  Effect.gen(function*() {
    yield* all(FramingLaws.faithful(framing))
    const large = ["x", "é", "✓", "𝄞"].map((letter, index) => JSON.stringify(letter.repeat(30_000 + 7 * index)))
    const texts = [...large, "{}", ...large]
    const stream = framing.join(texts)
    for (const size of [997, 4_096, 4_097, 9_001, 65_536, stream.length]) {
      assert.deepStrictEqual(frames(framing, Cuts.apply(stream, [size])), texts)
      assert.deepStrictEqual(frames(framing, Cuts.apply(stream, [1, size, 3, 5_000, 2])), texts)
    }
  })

/** Promise 5: the laws, and what 32 MB cost. `open(size)` begins a frame of so many bytes. */
export const neverBuffered = (framing: Framing, open: (size: number) => string) =>
  Effect.gen(function*() {
    yield* all(FramingLaws.bounded(framing))
    const splitter = framing.splitter(Limits.make({ frame: 1024 }))
    splitter.push(bytes(open(32 * MiB)))
    const before = memory()
    for (let pushed = 0; pushed < 32 * MiB - 65_536; pushed += 65_536) {
      assert.deepStrictEqual(splitter.push(new Uint8Array(65_536).fill(0x78)), [])
    }
    assert.isBelow(memory() - before, 4 * MiB)
    assert.isTrue(splitter.partial())
  })

/** Promise 6: the laws, each signature by itself, and a request line that no limit would let through. */
export const nothingForeign = (framing: Framing) =>
  Effect.gen(function*() {
    yield* all(FramingLaws.guarded(framing))
    for (const [excerpt, stream, detail] of signatures) {
      const lost: Frame = { _tag: "LostPlace", reason: "ForeignProtocol", detail, offset: 0, excerpt }
      const whole = raw(stream)
      for (const chunks of [[whole], Cuts.everyByte(whole), ...Cuts.everyPlace(whole)]) {
        assert.deepStrictEqual(frames(framing, chunks), [lost])
      }
    }
    const long = bytes(`FOO /${"x".repeat(100_000)} HTTP/1.1\r\n\r\n{}\n`)
    for (const size of [long.length, 4_096, 1]) {
      const [only, ...others] = frames(framing, Cuts.apply(long, [size]), { frame: 1_024, header: 64 })
      assert.deepInclude(only, { _tag: "LostPlace", reason: "ForeignProtocol", offset: 0 })
      assert.deepStrictEqual(others, [])
    }
  })

const signatures = [
  ["POST / HTTP/", "POST / HTTP/1.1\r\n\r\n{}\n", "the stream begins like an HTTP request"],
  ["FOO / HTTP/", "FOO / HTTP/1.1\n\n", "the stream begins like an HTTP request"],
  ["CONNECT localhost:80 HTTP/", "CONNECT localhost:80 HTTP/1.1\r\n", "the stream begins like an HTTP request"],
  ["PRI * HTTP/", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "the stream begins like an HTTP request"],
  [`GET /${"x".repeat(59)}`, `GET /${"x".repeat(99)} HTTP/1.1\r\n`, "the stream begins like an HTTP request"],
  ["HTTP/1.1 400", "HTTP/1.1 400 Bad Request\r\n\r\n", "the stream begins like an HTTP response"],
  ["\\x16\\x03", "<16><03><01><02><00><01>", "the stream begins like a TLS hello"]
] as const

/** What else is true of every framing of streams. `open(size)` begins a frame of so many bytes. */
export const streams = (framing: Framing, open: (size: number) => string): void => {
  it("a frame that comes in single bytes costs its bytes, not an object for each", () => {
    const splitter = framing.splitter(Limits.defaults)
    splitter.push(bytes(open(4 * MiB)))
    const before = memory()
    for (let pushed = 0; pushed < MiB / 8; pushed++) splitter.push(Uint8Array.of(0x78))
    assert.isBelow(memory() - before, 4 * MiB)
    assert.isTrue(splitter.partial())
  })

  it("a small part does not keep the large buffer alive that it came in", () => {
    const splitter = framing.splitter(Limits.defaults)
    splitter.push(bytes(open(4 * MiB)))
    const before = memory()
    for (let part = 0; part < 32; part++) splitter.push(new Uint8Array(MiB).fill(0x78).subarray(0, 5_000))
    assert.isBelow(memory() - before, 8 * MiB)
    assert.isTrue(splitter.partial())
  })

  it("legal traffic does not wait for a second byte", () => {
    for (const text of ["{}", "[]", "\"G\"", "1", "-1", "true", "null"]) {
      const splitter = framing.splitter(Limits.defaults)
      assert.deepStrictEqual(splitter.push(framing.join([text])), [text])
    }
  })

  it("a byte order mark may begin the stream, and only the stream", () => {
    const mark = Uint8Array.of(0xef, 0xbb, 0xbf)
    assert.deepStrictEqual(frames(framing, [mark, framing.join(["{}"])]), ["{}"])
    assert.deepStrictEqual(frames(framing, [...Cuts.everyByte(mark), framing.join(["{}"])]), ["{}"])
    assert.deepStrictEqual(frames(framing, [mark]), [])
    assert.notDeepEqual(frames(framing, [framing.join(["{}"]), mark, framing.join(["{}"])]), ["{}", "{}"])
  })

  it("a bomb of brackets costs its bytes", () => {
    const bomb = "[".repeat(100_000) + "]".repeat(100_000)
    assert.deepStrictEqual(frames(framing, Cuts.apply(framing.join([bomb, "{}"]), [8_192])), [bomb, "{}"])
  })
}
