/**
 * The packets of a conversation over NATS, as bytes.
 *
 * A packet is a line of ASCII and what follows it: `KIND SEQUENCE READ\n`. READ is the weight of all packets that its
 * sender has read so far. The kinds are:
 *
 * - `h`: the first packet of each side, with a `Hello` as JSON;
 * - `d`: data, whose numbers count up from 1;
 * - `b`: a beat, with the number of the last data;
 * - `c`: the orderly end, which takes a number as data does;
 * - `x`: the end at once, with the reason as text.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** The kind of a packet. */
export type Kind = "hello" | "data" | "beat" | "close" | "abort"

/** A packet that came. */
export interface Packet {
  readonly kind: Kind
  readonly sequence: number
  /** The weight that its sender has read. */
  readonly read: number
  readonly bytes: Uint8Array
}

/** Milliseconds between two beats, at most: a side that promises fewer could vanish, and keep its place forever. */
export const longestBeat = 3_600_000

/** The first packet of a side, about itself. */
export const Hello = Schema.Struct({
  version: Schema.Literal(1),
  /** The weight that may be on its way to this side. */
  window: Schema.Int.check(Schema.isGreaterThan(0)),
  /** This side sends something at least every so many milliseconds. */
  beat: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: longestBeat }))
})

/** @see Hello */
export type Hello = typeof Hello.Type

/** Bytes that the line of a packet has at most. */
export const lineRoom = 48

/** The weight of a packet beside its bytes, so that a flood of small ones is bounded, too. */
export const overhead = 64

/** The weight of a packet with so many bytes of data. */
export const weightOf = (bytes: number): number => overhead + bytes

const letters: Readonly<Record<Kind, string>> = { hello: "h", data: "d", beat: "b", close: "c", abort: "x" }

const kinds: ReadonlyMap<number, Kind> = new Map(
  // The keys are those of the record.
  (Object.entries(letters) as ReadonlyArray<[Kind, string]>).map(([kind, letter]) => [letter.charCodeAt(0), kind])
)

const none = new Uint8Array(0)

/** The bytes of a packet. */
export const encode = (kind: Kind, sequence: number, read: number, bytes: Uint8Array = none): Uint8Array => {
  const line = `${letters[kind]} ${sequence} ${read}\n`
  const packet = new Uint8Array(line.length + bytes.length)
  encoder.encodeInto(line, packet)
  packet.set(bytes, line.length)
  return packet
}

/** The packet of these bytes, `undefined` where they are none. */
export const decode = (packet: Uint8Array): Packet | undefined => {
  const kind = kinds.get(packet[0] ?? 0)
  if (kind === undefined || packet[1] !== space) return undefined
  const between = packet.indexOf(space, 2)
  const end = packet.indexOf(newline, 2)
  if (between < 0 || end < between || end >= lineRoom) return undefined
  const sequence = numberIn(packet, 2, between)
  const read = numberIn(packet, between + 1, end)
  return sequence === undefined || read === undefined
    ? undefined
    : { kind, sequence, read, bytes: packet.subarray(end + 1) }
}

/** The first packet of a side. */
export const hello = (hello: Hello): Uint8Array => encode("hello", 0, 0, encoder.encode(JSON.stringify(hello)))

/** The contents of a first packet, or why it cannot be understood. */
export const helloOf = (packet: Packet): Result.Result<Hello, string> => {
  if (packet.kind !== "hello") return Result.fail("the first packet is no hello")
  return Result.mapError(decodeHello(textOf(packet)), () => "the hello is not one of version 1")
}

/** The packet that ends a conversation at once. */
export const abort = (reason: string): Uint8Array => encode("abort", 0, 0, encoder.encode(reason))

/** The bytes of a packet as text. */
export const textOf = ({ bytes }: Packet): string => decoder.decode(bytes)

const space = 0x20
const newline = 0x0a

const numberIn = (packet: Uint8Array, from: number, to: number): number | undefined => {
  if (from === to) return undefined
  let number = 0
  for (let index = from; index < to; index++) {
    const digit = (packet[index] ?? 0) - 0x30
    if (digit < 0 || digit > 9) return undefined
    number = number * 10 + digit
  }
  return Number.isSafeInteger(number) ? number : undefined
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const decodeHello = Schema.decodeUnknownResult(Schema.fromJsonString(Hello))
