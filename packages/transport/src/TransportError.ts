/**
 * Why a transport ended or could not begin.
 *
 * One error with a tagged reason: what a caller decides on is whether the
 * connection came about, ended in order, or was lost.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * The reasons of a `TransportError`.
 *
 * - `EndOfInput`: the other side will send no more. Writing may still work.
 * - `Closed`: this side closed the transport.
 * - `Open`: the connection, process or listener could not be opened.
 * - `Lost`: reading or writing failed.
 * - `LostPlace`: the framing no longer knows where frames begin.
 * - `ForeignProtocol`: the first bytes belong to HTTP or TLS; nothing ran.
 * - `FrameTimeout`: a frame began and did not end in `Limits.partialFrame` milliseconds.
 * - `BudgetSpent`: a frame began, and the connections of its listener hold all bytes of `Limits.budget` already.
 * - `CloseCode`: the other side closed the WebSocket with a code that is no ordinary end (RFC 6455, 7.4), and its text.
 * - `KeepAlive`: the other side did not answer a ping in so many milliseconds.
 * - `Unread`: the wire has no way to make the other side wait, and so many bytes lay unread.
 * - `Exited`: the child process ended, with its exit code or `null`, the signal that ended it, and the end of
 *   what it wrote to stderr.
 *
 * @category models
 * @since 0.1.0
 */
export const Reason = Schema.Union([
  Schema.TaggedStruct("EndOfInput", {}),
  Schema.TaggedStruct("Closed", {}),
  Schema.TaggedStruct("Open", { cause: Schema.Defect() }),
  Schema.TaggedStruct("Lost", { cause: Schema.Defect() }),
  Schema.TaggedStruct("LostPlace", { detail: Schema.String, offset: Schema.Int, excerpt: Schema.String }),
  Schema.TaggedStruct("ForeignProtocol", { excerpt: Schema.String }),
  Schema.TaggedStruct("FrameTimeout", { milliseconds: Schema.Finite }),
  Schema.TaggedStruct("BudgetSpent", {}),
  Schema.TaggedStruct("CloseCode", { code: Schema.Int, text: Schema.String }),
  Schema.TaggedStruct("KeepAlive", { milliseconds: Schema.Finite }),
  Schema.TaggedStruct("Unread", { bytes: Schema.Int }),
  Schema.TaggedStruct("Exited", {
    code: Schema.NullOr(Schema.Int),
    signal: Schema.NullOr(Schema.String),
    stderr: Schema.String
  })
])

/**
 * @category models
 * @since 0.1.0
 */
export type Reason = typeof Reason.Type

/**
 * A transport ended or could not begin.
 *
 * @category errors
 * @since 0.1.0
 */
export class TransportError extends Schema.TaggedError<TransportError>()("TransportError", { reason: Reason }) {
  override get message(): string {
    return describe(this.reason)
  }
}

/**
 * The error of a reason.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (reason: Reason): TransportError => new TransportError({ reason })

const describe = (reason: Reason): string => {
  switch (reason._tag) {
    case "EndOfInput":
      return "the other side writes no more"
    case "Closed":
      return "this side closed the transport"
    case "Open":
      return `could not be opened: ${causeText(reason.cause)}`
    case "Lost":
      return `the connection was lost: ${causeText(reason.cause)}`
    case "LostPlace":
      return `${reason.detail} (at byte ${reason.offset}: ${reason.excerpt})`
    case "ForeignProtocol":
      return `the other side speaks another protocol: ${reason.excerpt}`
    case "FrameTimeout":
      return `a frame did not end in ${reason.milliseconds} ms`
    case "BudgetSpent":
      return "a frame began, and there are no bytes left for it"
    case "CloseCode":
      return reason.text === "" ? `closed with code ${reason.code}` : `closed with code ${reason.code}: ${reason.text}`
    case "KeepAlive":
      return `no answer to a ping in ${reason.milliseconds} ms`
    case "Unread":
      return `${reason.bytes} bytes came faster than they were read`
    case "Exited":
      return reason.signal === null
        ? `the process exited with code ${reason.code}`
        : `the process was ended by ${reason.signal}`
  }
}

const causeText = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)
