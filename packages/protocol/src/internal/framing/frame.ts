/**
 * What a splitter yields. `Framing` publishes these types; they stand here because its parts share them.
 */

/**
 * The name of a framing, as a `Dialect` says it.
 *
 * @category models
 * @since 0.1.0
 */
export type FramingName = "line" | "contentLength" | "concatenated" | "none"

/**
 * A frame that is not a text. It costs one error reply, and the stream goes on.
 *
 * @category models
 * @since 0.1.0
 */
export interface BadFrame {
  readonly _tag: "BadFrame"
  /**
   * `TooLarge`: beyond `Limits.frame`, skipped. `InvalidUtf8`: its bytes are not UTF-8. `NotText`: a message
   * of a wire that separates messages itself is not text. `OtherFraming`: the stream begins in another framing, and is
   * lost.
   */
  readonly reason: "TooLarge" | "InvalidUtf8" | "NotText" | "OtherFraming"
  /** Its first bytes, at most 64, with bytes beyond printable ASCII as `\xNN`. For our log, never for the peer. */
  readonly excerpt: string
  /**
   * Its kind by its top-level members, read while it was skipped. Absent where they say nothing, as those of a batch.
   * The frame need not be JSON, so this is a claim of the sender.
   */
  readonly kind?: "request" | "notification" | "response"
  /** For a batch, the kind of its first member. */
  readonly firstKind?: "request" | "notification" | "response"
  /** The source text of its id. Absent where `kind` is, where there is no id, and for one of more than 256 bytes. */
  readonly id?: string
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
   * `ForeignProtocol`: the stream opens with a request line of HTTP or a TLS hello. `Header`: a header block that
   * cannot be followed. `Truncated`: the input ended inside a frame. `Syntax`: no JSON value begins here.
   * `OtherFraming`: the first bytes belong to another framing.
   */
  readonly reason: "ForeignProtocol" | "Header" | "Truncated" | "Syntax" | "OtherFraming"
  /** What is wrong, in one sentence. */
  readonly detail: string
  /** Bytes of the stream before what went wrong: a header line, a value, a frame that never ended. */
  readonly offset: number
  /** The bytes from there up to the one that decided, at most 64, made printable. */
  readonly excerpt: string
}

/**
 * What a splitter yields: texts, bad frames, and at most one `LostPlace`, which is the last.
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
   * After a `LostPlace` there are none. Call it as a method, and pass it to nobody: a splitter replaces it as it reads.
   */
  readonly push: (chunk: Uint8Array) => ReadonlyArray<Frame>
  /** The frames that the end of the input completes. */
  readonly end: () => ReadonlyArray<Frame>
  /** Whether a frame has begun and not ended, which `Limits.partialFrame` bounds in time. */
  readonly partial: () => boolean
}
