/**
 * Bytes to texts and back: pure, incremental and bounded.
 *
 * A `Framing` makes a `Splitter` per connection and joins texts for one write.
 * `Message` reads the texts afterwards; `Transport` moves the bytes. Promises:
 *
 * - 4: any way of cutting the bytes gives the same frames. Invalid UTF-8 is a bad
 *   frame and is never replaced silently.
 * - 5: a frame beyond its limit is never buffered.
 * - 6: a stream that opens with a request line of HTTP or a TLS hello is lost at once.
 *   (`none` has no stream, so this does not apply to it.)
 *
 * ```ts run
 * import { Framing, Limits } from "@parley/protocol"
 *
 * const bytes = Framing.contentLength.join([`{"jsonrpc":"2.0","method":"exit"}`])
 * const splitter = Framing.contentLength.splitter(Limits.defaults)
 *
 * console.log(splitter.push(bytes.subarray(0, 30))) // => []
 * console.log(splitter.push(bytes.subarray(30))) // => [ '{"jsonrpc":"2.0","method":"exit"}' ]
 * ```
 *
 * @since 0.1.0
 */
import * as concatenated_ from "./internal/framing/concatenated.ts"
import * as contentLength_ from "./internal/framing/contentLength.ts"
import type { FramingName, Splitter } from "./internal/framing/frame.ts"
import * as line_ from "./internal/framing/line.ts"
import * as whole from "./internal/framing/whole.ts"
import type { Limits } from "./Limits.ts"

export type { BadFrame, Frame, FramingName, LostPlace, Splitter } from "./internal/framing/frame.ts"

/**
 * How texts are separated in a stream of bytes.
 *
 * @category models
 * @since 0.1.0
 */
export interface Framing {
  /** Its name, by which a `Dialect` refers to it. */
  readonly name: FramingName
  /** Starts reading one stream of bytes within these limits. */
  readonly splitter: (limits: Pick<Limits, "frame" | "header" | "depth">) => Splitter
  /** The bytes that carry these texts, in order, for one write. Their buffer may be shared: never transfer it. */
  readonly join: (texts: ReadonlyArray<string>) => Uint8Array
}

/**
 * One text per line, as on the stdio of the Model Context Protocol: LF or CRLF in, LF out, blank lines ignored.
 *
 * A last line without its newline is a frame. Line ends within a text, which JSON has as white space only, are
 * written as spaces.
 *
 * @category framings
 * @since 0.1.0
 */
export const line: Framing = { name: "line", splitter: line_.splitter, join: line_.join }

/**
 * The base protocol of the Language Server Protocol (3.17): `Content-Length: N`, a blank line, N bytes.
 *
 * Names of fields are case-insensitive, unknown fields and blank lines before a block are ignored, LF does for CRLF. A
 * block without one decimal length is a `LostPlace`; a body in another charset than UTF-8 is skipped as `InvalidUtf8`.
 *
 * @category framings
 * @since 0.1.0
 */
export const contentLength: Framing = {
  name: "contentLength",
  splitter: contentLength_.splitter,
  join: contentLength_.join
}

/**
 * JSON values with no delimiter, as `ovsdb-server` and the Unix sockets of Ethereum's clients send them.
 *
 * White space between them is ignored, and written as one newline after each. A number at the top ends with the
 * first byte that cannot belong to it, or with the input. A byte that cannot begin a value is a `LostPlace`.
 *
 * @category framings
 * @since 0.1.0
 */
export const concatenated: Framing = {
  name: "concatenated",
  splitter: concatenated_.splitter,
  join: concatenated_.join
}

/**
 * No framing: each pushed chunk is a whole text, for wires that separate messages themselves.
 *
 * Join one text at a time: two texts in one message cannot be separated again.
 *
 * @category framings
 * @since 0.1.0
 */
export const none: Framing = { name: "none", splitter: whole.splitter, join: whole.join }

/**
 * The framing of this name.
 *
 * @category accessors
 * @since 0.1.0
 */
export const byName = (name: FramingName): Framing => framings[name]

const framings: Readonly<Record<FramingName, Framing>> = { line, contentLength, concatenated, none }
