/**
 * The laws of a framing, for any implementation of `Framing`.
 *
 * The laws of streams hold for framings that find texts in a stream of bytes, and `messages` for those that are
 * handed whole ones. A law compares a framing only with itself and with the texts that went in.
 *
 * ```ts run
 * import { FramingLaws } from "@parley/conformance/shared"
 * import { Framing } from "@parley/protocol"
 * import { Effect } from "effect"
 *
 * const laws = FramingLaws.streams(Framing.line, { runs: 3 })
 *
 * // A test runner has a test for each.
 * for (const law of laws) await Effect.runPromise(law.check)
 * console.log(laws[0]?.name) // => line: texts come back as they were joined
 * ```
 *
 * @since 0.1.0
 */
import type { BadFrame, Frame, Framing, LostPlace } from "@parley/protocol/Framing"
import * as Limits from "@parley/protocol/Limits"
import * as Arbitrary from "effect/Arbitrary"
import { httpMethods } from "../internal/httpMethods.ts"
import { forAll, type Law, type Verdict } from "../internal/laws/Law.ts"
import * as Cuts from "./Cuts.ts"
import { below, elements, idText, json, oneOf } from "./Generators.ts"

/**
 * Promise 4: cutting changes nothing, joining and splitting are inverse, invalid UTF-8 is told, with the kind and the id
 * of the message around it.
 *
 * @category laws
 * @since 0.1.0
 */
export const faithful = (framing: Framing, options?: Arbitrary.CheckOptions): ReadonlyArray<Law> => [
  forAll(`${framing.name}: texts come back as they were joined`, cutTexts, ({ cut, texts }) => {
    return eitherWay(framing.join(texts), cut, (chunks) => differ(texts, framesOf(framing, chunks)))
  }, options),
  forAll(`${framing.name}: any way of cutting the bytes gives the same frames`, cutNoise(framing), (noise) => {
    const { bytes, cut, limits } = noise
    const whole = framesOf(framing, [bytes], limits)
    return differ(whole, framesOf(framing, Cuts.apply(bytes, cut), limits))
      ?? differ(whole, framesOf(framing, Cuts.everyByte(bytes), limits))
  }, options),
  forAll(`${framing.name}: empty chunks change nothing`, cutTexts, ({ cut, texts }) => {
    const chunks = Cuts.apply(framing.join(texts), cut)
    return differ(framesOf(framing, chunks), framesOf(framing, chunks.flatMap((chunk) => [empty, chunk, empty])))
  }, options),
  forAll(`${framing.name}: invalid UTF-8 costs one bad frame`, cutSpoiled, ({ cut, spoilt, texts }) => {
    const chunks = texts.map((text) => framing.join([text])).toSpliced(spoilt.at, 0, spoil(framing, spoilt))
    return eitherWay(concat(chunks), cut, (chunks) => {
      return badAmong(framesOf(framing, chunks), texts, spoilt.at, "InvalidUtf8", spoilt.message)
    })
  }, options),
  forAll(`${framing.name}: a frame has begun until it has ended`, cutTexts, ({ cut, texts: [text = "{}"] }) => {
    const splitter = framing.splitter(Limits.defaults)
    const frames: Array<Frame> = []
    for (const chunk of Cuts.apply(framing.join([text]), cut)) {
      frames.push(...splitter.push(chunk))
      if (splitter.partial() !== (frames.length === 0)) return `partial is ${splitter.partial()} after ${show(frames)}`
    }
    return undefined
  }, options)
]

/**
 * Promise 5, as far as frames show it: one beyond the limit costs one bad frame, which tells its kind and its id, and
 * its neighbours arrive.
 *
 * @category laws
 * @since 0.1.0
 */
export const bounded = (framing: Framing, options?: Arbitrary.CheckOptions): ReadonlyArray<Law> => [
  forAll(`${framing.name}: a frame beyond its limit costs one bad frame`, cutLarge, ({ cut, large, texts }) => {
    const others = texts.filter(isSmall)
    const bytes = framing.join(others.toSpliced(large.at, 0, quoted(large.size)))
    return eitherWay(bytes, cut, (chunks) => badAmong(framesOf(framing, chunks, small), others, large.at, "TooLarge"))
  }, options),
  forAll(`${framing.name}: a message beyond its limit tells its kind and its id`, cutMessage, ({ cut, message }) => {
    const bytes = framing.join([message.text, "{}"])
    const whole = framesOf(framing, [bytes], small)
    return expectEnvelope(message, whole) ??
      differ(whole, framesOf(framing, Cuts.apply(bytes, cut), small)) ??
      differ(whole, framesOf(framing, Cuts.everyByte(bytes), small))
  }, options),
  forAll(`${framing.name}: a frame of its limit is a text`, cutTexts, ({ cut, texts }) => {
    const all = [...texts.filter(isSmall), quoted(small.frame)]
    return eitherWay(framing.join(all), cut, (chunks) => differ(all, framesOf(framing, chunks, small)))
  }, options)
]

/**
 * Promise 6: a stream that opens with a request line of HTTP or a TLS hello is lost, and nothing behind that is a text.
 *
 * @category laws
 * @since 0.1.0
 */
export const guarded = (framing: Framing, options?: Arbitrary.CheckOptions): ReadonlyArray<Law> => [
  forAll(`${framing.name}: a foreign protocol is lost and runs nothing`, cutForeign, ({ cut, head, limits, texts }) => {
    return eitherWay(concat([bytesOf(head.before), head.bytes, framing.join(texts)]), cut, (chunks) => {
      const frames = framesOf(framing, chunks, limits)
      const last = frames.at(-1)
      return isLost(last) && last.reason === "ForeignProtocol" && last.offset === bytesOf(head.before).length
          && frames.slice(0, -1).every((frame) => typeof frame === "string" && head.method.includes(frame))
        ? undefined
        : `the frames are ${show(frames)}`
    })
  }, options),
  forAll(`${framing.name}: nothing comes after a lost place`, cutNoise(framing), ({ bytes, cut, limits }) => {
    const splitter = framing.splitter(limits)
    const frames = Cuts.apply(bytes, cut).flatMap((chunk) => [...splitter.push(chunk)])
    frames.push(...splitter.end(), ...splitter.push(framing.join(["{}"])), ...splitter.end())
    const lost = frames.findIndex(isLost)
    return lost < 0 || lost === frames.length - 1 ? undefined : `the frames are ${show(frames)}`
  }, options)
]

/**
 * All laws of a framing of streams.
 *
 * @category laws
 * @since 0.1.0
 */
export const streams = (framing: Framing, options?: Arbitrary.CheckOptions): ReadonlyArray<Law> => [
  ...faithful(framing, options),
  ...bounded(framing, options),
  ...guarded(framing, options)
]

/**
 * All laws of a framing whose chunks are whole texts.
 *
 * @category laws
 * @since 0.1.0
 */
export const messages = (framing: Framing, options?: Arbitrary.CheckOptions): ReadonlyArray<Law> => [
  forAll(`${framing.name}: each chunk is a text`, texts, (all) => {
    return differ(all, framesOf(framing, all.map((text) => framing.join([text]))))
  }, options),
  forAll(`${framing.name}: invalid UTF-8 costs one bad frame`, cutSpoiled, ({ spoilt, texts }) => {
    const chunks = texts.map((text) => framing.join([text])).toSpliced(spoilt.at, 0, spoil(framing, spoilt))
    return badAmong(framesOf(framing, chunks), texts, spoilt.at, "InvalidUtf8", spoilt.message)
  }, options),
  forAll(`${framing.name}: a frame beyond its limit costs one bad frame`, cutLarge, ({ large, texts }) => {
    const others = texts.filter(isSmall)
    const chunks = others.toSpliced(large.at, 0, quoted(large.size)).map((text) => framing.join([text]))
    return badAmong(framesOf(framing, chunks, small), others, large.at, "TooLarge")
  }, options)
]

const small = Limits.make({ frame: 96 })

const isSmall = (text: string): boolean => new TextEncoder().encode(text).length <= small.frame

/** Texts as a stream may have them: any JSON, with characters of one to four bytes and what framings live by. */
const text: Arbitrary.Arbitrary<string> = Arbitrary.map(
  Arbitrary.all({
    value: json,
    awkward: elements(
      "",
      "é",
      "✓",
      "𝄞",
      "\r\n",
      "\\",
      "\"",
      "}{",
      "\\\"]",
      "Content-Length: 2\r\n\r\n{}",
      "GET / HTTP/1.1"
    )
  }),
  ({ awkward, value }) => JSON.stringify({ awkward, value })
)

const texts = Arbitrary.array(text, { maxLength: 5 })

const cutTexts = Arbitrary.all({ cut: Cuts.cut, texts })

/** A place among the texts: where the one that is refused stands. */
const place = below(6)

const cutLarge = Arbitrary.all({
  cut: Cuts.cut,
  texts,
  large: Arbitrary.all({ at: place, size: Arbitrary.map(below(200), (more) => small.frame + 1 + more) })
})

const padding = `"pad":[{"id":7,"method":"no"},"${String.raw`\\\"x`.repeat(50)}",{}]`

/** A message, and what its envelope says. */
interface Message {
  readonly text: string
  readonly kind: BadFrame["kind"]
  readonly id: string | undefined
}

/** Messages with this member, in an order of their own. */
const messagesWith = (member: string): Arbitrary.Arbitrary<Message> =>
  Arbitrary.map(
    Arbitrary.all({
      id: idText,
      place: below(3),
      of: elements<readonly [BadFrame["kind"], string]>(
        ["request", `"method":"m"`],
        ["request", `"m\\u0065thod" : "id"`],
        ["response", `"result":{"error":1}`],
        ["response", `"error":{"code":1,"message":"\\"id\\":1"}`],
        ["notification", `"method":"m"`],
        [undefined, `"x":"method"`]
      )
    }),
    ({ id, of: [kind, own], place }) => {
      const members = [own, member].toSpliced(place, 0, ...kind === "notification" ? [] : [`"id" : ${id}`])
      return {
        kind,
        id: kind === undefined || kind === "notification" ? undefined : id,
        text: `{${members.join(",")} }`
      }
    }
  )

/** A message that is too large, beside what looks like members. */
const cutMessage = Arbitrary.all({ cut: Cuts.cut, message: messagesWith(padding) })

/** Stands before the place to spoil. */
const mark = `"note":["`

/** Any byte beyond ASCII is no UTF-8 between two ASCII characters. */
const cutSpoiled = Arbitrary.all({
  cut: Cuts.cut,
  texts,
  spoilt: Arbitrary.all({
    at: place,
    byte: Arbitrary.map(below(128), (low) => 128 + low),
    message: messagesWith(`${mark}~",{"id":7,"method":"no"}]`)
  })
})

const expectEnvelope = (message: Message, frames: ReadonlyArray<Frame>): Verdict => {
  const [bad, next] = frames
  if (typeof bad !== "object" || bad._tag !== "BadFrame" || next !== "{}") return `the frames are ${show(frames)}`
  return tells(message, bad)
}

const tells = ({ id, kind }: Message, bad: BadFrame): Verdict => {
  const isKept = id === undefined || bytesOf(id).length <= 256
  return bad.kind === kind && bad.id === (isKept ? id : undefined)
    ? undefined
    : `a ${kind} with the id ${id} is told as ${show([bad])}`
}

const encoder = new TextEncoder()

const bytesOf = (text: string): Uint8Array => encoder.encode(text)

/** A name of one letter or more. Where it is a scalar of JSON, such as `1`, a framing may take it for a text. */
const method = oneOf(
  elements(...httpMethods),
  elements("get", "foo", "1", "true", "-1e5", "Content-Length"),
  Arbitrary.map(
    Arbitrary.array(elements("!", ..."#$%&'*+-.^_`|~0129abyzABYZ"), { maxLength: 12 }),
    (letters) => letters.join("") || "*"
  )
)

const target = elements("/", "*", "/a?b={}", "localhost:80", "http://localhost/", `/${"x".repeat(300)}`)

const requestLine = Arbitrary.map(
  Arbitrary.all({
    before: elements("", "\n", "\r\n", "\r\n\r\n \t\n", "\ufeff", "\ufeff\r\n", "\n\ufeff"),
    method,
    target,
    white: elements(" ", " ", " ", "  ", "\t"),
    end: elements("\r\n", "\n")
  }),
  ({ before, end, method, target, white }) => ({
    before,
    method,
    bytes: bytesOf([method, target, `HTTP/1.1${end}Host: localhost${end}${end}`].join(white))
  })
)

const hello = Arbitrary.Constant({ before: "", method: "", bytes: Uint8Array.of(0x16, 0x03, 0x01, 0x02, 0x00, 0x01) })

const cutForeign = Arbitrary.all({
  cut: Cuts.cut,
  head: oneOf(requestLine, requestLine, requestLine, hello),
  limits: elements(Limits.defaults, small),
  texts
})

/** Pieces that a stream may have in a wrong place. One framing or another looks at each of them. */
const splinter = oneOf(
  Arbitrary.map(
    elements(
      "\n",
      "\r\n",
      "\r",
      " ",
      "{",
      "}",
      "[1,",
      "\"",
      "\\",
      "tru",
      "null",
      "-1e5",
      "Content-Length: ",
      "GET ",
      ":"
    ),
    bytesOf
  ),
  Arbitrary.map(
    elements("\r\n\r\n", "Content-Length: 7\r\n", "Content-Type: x; charset=latin1\r\n", "a: b\n"),
    bytesOf
  ),
  Arbitrary.map(elements(0x00, 0x16, 0x80, 0xbf, 0xc3, 0xe2, 0xef, 0xf0, 0xff), (byte) => Uint8Array.of(byte)),
  Arbitrary.Constant(Uint8Array.of(0xef, 0xbb, 0xbf)),
  Arbitrary.Constant(Uint8Array.of(0x16, 0x03))
)

/** Splinters between the bytes of texts, or in their place. */
const cutNoise = (framing: Framing) =>
  Arbitrary.map(
    Arbitrary.all({
      cut: Cuts.cut,
      texts,
      limits: elements(Limits.defaults, Limits.make({ frame: 70, header: 30 }), Limits.make({ frame: 5, header: 18 })),
      splinters: Arbitrary.array(Arbitrary.all({ at: below(300), bytes: splinter, gone: below(3) }), { maxLength: 4 })
    }),
    ({ cut, limits, splinters, texts }) => ({
      cut,
      limits,
      bytes: splinters.reduce((bytes, { at, bytes: splinter, gone }) => {
        const start = at % (bytes.length + 1)
        return concat([bytes.subarray(0, start), splinter, bytes.subarray(start + gone)])
      }, framing.join(texts))
    })
  )

/** A JSON string of so many bytes, quotes included. */
const quoted = (size: number): string => JSON.stringify("x".repeat(size - 2))

/** A frame with a message in which the byte behind the mark is not ASCII. */
const spoil = (
  framing: Framing,
  { byte, message: { text } }: { readonly byte: number; readonly message: Message }
): Uint8Array => {
  const bytes = Uint8Array.from(framing.join([text]))
  const behind = bytesOf(text.slice(text.lastIndexOf(mark) + mark.length)).length
  bytes[bytes.lastIndexOf(0x7d) + 1 - behind] = byte
  return bytes
}

const empty = new Uint8Array(0)

const concat = (parts: ReadonlyArray<Uint8Array>): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]))

const framesOf = (
  framing: Framing,
  chunks: ReadonlyArray<Uint8Array>,
  limits: Limits.Limits = Limits.defaults
): ReadonlyArray<Frame> => {
  const splitter = framing.splitter(limits)
  return [...chunks.flatMap((chunk) => [...splitter.push(chunk)]), ...splitter.end()]
}

/** In one chunk and cut: a splitter may well have two ways to go. */
const eitherWay = (
  bytes: Uint8Array,
  cut: Cuts.Cut,
  check: (chunks: ReadonlyArray<Uint8Array>) => Verdict
): Verdict => check([bytes]) ?? check(Cuts.apply(bytes, cut))

const isLost = (frame: Frame | undefined): frame is LostPlace => typeof frame === "object" && frame._tag === "LostPlace"

const show = (frames: ReadonlyArray<Frame>): string => JSON.stringify(frames)

/** Frames are plain data, so their JSON tells them apart. */
const differ = (expected: ReadonlyArray<Frame>, actual: ReadonlyArray<Frame>): Verdict =>
  show(expected) === show(actual) ? undefined : `expected ${show(expected)}\nbut got  ${show(actual)}`

/** The texts, and one bad frame among them. */
const badAmong = (
  frames: ReadonlyArray<Frame>,
  texts: ReadonlyArray<string>,
  place: number,
  reason: BadFrame["reason"],
  message?: Message
): Verdict => {
  const at = Math.min(place, texts.length)
  const bad = frames[at]
  if (typeof bad !== "object" || bad._tag !== "BadFrame" || bad.reason !== reason) {
    return `frame ${at} is no ${reason}: ${show(frames)}`
  }
  return (message && tells(message, bad)) ?? differ(texts, frames.toSpliced(at, 1))
}
