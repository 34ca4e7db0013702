/**
 * Bytes to texts and back: pure, incremental and bounded.
 *
 * A `Framing` makes a `Splitter` per connection and joins texts for one write.
 * `Message` reads the texts afterwards; `Transport` moves the bytes. Promises:
 *
 * - 4: any way of cutting the bytes gives the same frames. Invalid UTF-8 is a bad
 *   frame, never a silent replacement.
 * - 5: a frame beyond its limit is never buffered.
 * - 6: a stream that begins like an HTTP request or a TLS hello is lost at once.
 *   (`none` has no stream, so it has no first bytes.)
 *
 * @since 0.1.0
 */
import * as concatenated_ from "./internal/concatenated.ts"
import * as contentLength_ from "./internal/contentLength.ts"
import * as line_ from "./internal/line.ts"
import * as whole from "./internal/whole.ts"
import type { Limits } from "./Limits.ts"

/**
 * A frame that is no text: it costs one error reply, the stream goes on.
 *
 * @category models
 * @since 0.1.0
 */
export interface BadFrame {
  readonly _tag: "BadFrame"
  /**
   * `TooLarge`: beyond `Limits.frame`, skipped. `InvalidUtf8`: its bytes are no UTF-8. `NotText`: on a wire of whole
   * messages, one that is no text.
   */
  readonly reason: "TooLarge" | "InvalidUtf8" | "NotText"
  /** Its first bytes, at most 64, others than printable ASCII as `\xNN`. For our log, never for the peer. */
  readonly excerpt: string
}

/**
 * The splitter no longer knows where frames begin, so the stream is over.
 *
 * @category models
 * @since 0.1.0
 */
export interface LostPlace {
  readonly _tag: "LostPlace"
  /**
   * `ForeignProtocol`: the first bytes are an HTTP request or a TLS hello. `Header`: a header block that
   * cannot be followed. `Truncated`: the input ended inside a frame. `Syntax`: no JSON value begins here.
   */
  readonly reason: "ForeignProtocol" | "Header" | "Truncated" | "Syntax"
  /** What is wrong, in one sentence. */
  readonly detail: string
  /** Bytes of the stream before what went wrong: a header line, a value, a frame that never ended. */
  readonly offset: number
  /** The bytes from there up to the one that decided, at most 64, made printable. */
  readonly excerpt: string
}

/**
 * What a splitter yields: texts, bad frames, and as its last word the loss of its place.
 *
 * @category models
 * @since 0.1.0
 */
export type Frame = string | BadFrame | LostPlace

/**
 * The state of one direction of one stream.
 *
 * @category models
 * @since 0.1.0
 */
export interface Splitter {
  /**
   * The frames that these bytes complete. The bytes may be kept; the caller must not write to them again.
   * After a `LostPlace` there are none.
   */
  readonly push: (chunk: Uint8Array) => ReadonlyArray<Frame>
  /** What the end of the input makes of the rest. */
  readonly end: () => ReadonlyArray<Frame>
  /** Whether a frame has begun and not ended, which `Limits.partialFrame` bounds in time. */
  readonly partial: () => boolean
}

/**
 * How texts are told apart in a stream of bytes.
 *
 * @category models
 * @since 0.1.0
 */
export interface Framing {
  readonly name: "line" | "contentLength" | "concatenated" | "none"
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
 * Names of fields are case-insensitive, unknown fields are ignored, LF does for CRLF. A block without one decimal
 * length is a `LostPlace`; a body in another charset than UTF-8 is skipped as `InvalidUtf8`.
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
 * first byte that cannot belong to it, or with the input. What begins no value is a `LostPlace`.
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
 * No framing: each pushed chunk is a whole text, for wires that keep messages apart themselves.
 *
 * Join one text at a time: two in one message are not told apart again.
 *
 * @category framings
 * @since 0.1.0
 */
export const none: Framing = { name: "none", splitter: whole.splitter, join: whole.join }

/**
 * The framing of this name, as a `Dialect` says it.
 *
 * @category accessors
 * @since 0.1.0
 */
export const byName = (name: Framing["name"]): Framing => framings[name]

const framings: { readonly [name in Framing["name"]]: Framing } = { line, contentLength, concatenated, none }
