/** A message that a stream keeps, from either of the ways in which a server gives it. */
import type { Msg } from "@nats-io/transport-node"
import * as DateTime from "effect/DateTime"
import * as Base64 from "effect/encoding/Base64"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

/** @internal */
export interface Stored {
  readonly seq: number
  /** When the server has stored it, by its clock, in microseconds. */
  readonly micros: number
  readonly text: string
  /** Its headers as they were sent. */
  readonly headers: string
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** A value that the API returns in Base64. @internal */
export const textOf = (base64: string | undefined): string =>
  base64 === undefined ? "" : Result.match(Base64.decode(base64), {
    onFailure: () => "",
    onSuccess: (bytes) => decoder.decode(bytes)
  })

/** Microseconds of a time like `2026-11-26T03:48:13.083639594Z`, whose fraction may be shorter. @internal */
export const microsOf = (time: string): number => {
  const [, seconds = "", fraction = ""] = /^([^.Z]+)(?:\.(\d+))?Z$/.exec(time) ?? []
  const at = Option.match(DateTime.make(`${seconds}Z`), { onNone: () => 0, onSome: DateTime.toEpochMillis })
  return at * 1_000 + Number(fraction.padEnd(6, "0").slice(0, 6))
}

/**
 * A message that a consumer brings. Its reply says what it is:
 * `$JS.ACK.<stream>.<consumer>.<deliveries>.<sequence>.<place>.<nanoseconds>.<left>`, or the same with the domain and the
 * account before the stream, and more behind.
 *
 * @internal
 */
export const delivered = (message: Msg): Stored => {
  const tokens = (message.reply ?? "").split(".")
  const shift = tokens.length > 9 ? 2 : 0
  return {
    seq: Number(tokens[5 + shift]),
    micros: Math.floor(Number(tokens[7 + shift]) / 1_000),
    text: decoder.decode(message.data),
    headers: message.headers === undefined ? "" : String(message.headers)
  }
}
