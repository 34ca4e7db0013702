/**
 * The errors a caller sees. Whose fault it is shows in the type: the peer's
 * answer (`RemoteError`, `InvalidResponse`), the line (`RequestTimeout`,
 * `Disconnected`, `HttpStatusError`), or ourselves (`InvalidArguments`, `Overloaded`).
 *
 * @since 0.1.0
 */
import * as TransportError from "@parley/transport/TransportError"
import * as Formatter from "effect/Formatter"
import * as Schema from "effect/Schema"

/** JSON as it was received. It is not checked again, so a number that was parsed as infinite passes. */
const Received = Schema.declare<Schema.Json>((_): _ is Schema.Json => true, { toCodecJson: () => undefined })

/**
 * The peer answered with an error object; code, message and data are as it sent them.
 *
 * @category errors
 * @since 0.1.0
 */
export class RemoteError extends Schema.TaggedError<RemoteError>()("RemoteError", {
  code: Schema.Int,
  message: Schema.String,
  data: Schema.optionalKey(Received)
}) {}

/**
 * No response came in time. The peer was told to stop where the dialect has a way.
 *
 * @category errors
 * @since 0.1.0
 */
export class RequestTimeout extends Schema.TaggedError<RequestTimeout>()("RequestTimeout", {
  method: Schema.String,
  /** The id the request had on the wire; 0 where it waited for a connection, and none was sent. */
  id: Schema.Union([Schema.String, Schema.Finite]),
  /** The time it was given, in milliseconds. */
  milliseconds: Schema.Finite
}) {
  override get message(): string {
    return this.id === 0
      ? `no connection for ${this.method} within ${this.milliseconds} ms`
      : `no response to ${this.method} (id ${this.id}) within ${this.milliseconds} ms`
  }
}

/**
 * Why a connection is over: what a transport says, and what a peer decides.
 *
 * - `Overrun`: the budget is spent, the reading could not stop, and this connection held most of it.
 * - `WriteStalled`: a write made no progress for `Limits.writeStall` milliseconds.
 * - `BadFrames`: `Limits.badFrames` texts in a row were no JSON.
 * - `NoPeer`: a handler has no other side to call, as in `Router.answer`.
 *
 * @category models
 * @since 0.1.0
 */
export const DisconnectReason = Schema.Union([
  ...TransportError.Reason.members,
  Schema.TaggedStruct("Overrun", {}),
  Schema.TaggedStruct("WriteStalled", {}),
  Schema.TaggedStruct("BadFrames", {}),
  Schema.TaggedStruct("NoPeer", {})
])

/** @category models @since 0.1.0 */
export type DisconnectReason = typeof DisconnectReason.Type

/**
 * The connection ended before the response came, or before the call was made.
 *
 * `sent` tells whether the request had been handed to the transport. Only where it is false, or where the method is
 * idempotent, may the call be made again.
 *
 * @category errors
 * @since 0.1.0
 */
export class Disconnected extends Schema.TaggedError<Disconnected>()("Disconnected", {
  reason: DisconnectReason,
  sent: Schema.Boolean
}) {
  override get message(): string {
    return `${describe(this.reason)} (${this.reason._tag}), request ${this.sent ? "sent" : "not sent"}`
  }
}

const describe = (reason: DisconnectReason): string => {
  switch (reason._tag) {
    case "Overrun":
      return "the limit `budget` is reached, and what came had no room"
    case "WriteStalled":
      return "the other side has taken nothing for as long as the limit `writeStall`"
    case "BadFrames":
      return "as many texts in a row were no JSON as the limit `badFrames` says"
    case "NoPeer":
      return "there is no other side to call here"
    default:
      return TransportError.describe(reason)
  }
}

/**
 * The peer's response to this call breaks a rule of JSON-RPC.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidResponse extends Schema.TaggedError<InvalidResponse>()("InvalidResponse", {
  method: Schema.String,
  rule: Schema.String
}) {
  override get message(): string {
    return `the response to ${this.method} is invalid: ${this.rule}`
  }
}

/**
 * A gateway, or the server itself, answered with an HTTP status instead of a response. Only callers over HTTP fail with
 * it. The call may have run: a gateway does not say.
 *
 * @category errors
 * @since 0.1.0
 */
export class HttpStatusError extends Schema.TaggedError<HttpStatusError>()("HttpStatusError", {
  status: Schema.Int,
  /** The beginning of the body as text, at most 1 KiB of it. */
  excerpt: Schema.String
}) {
  override get message(): string {
    return this.excerpt === "" ? `HTTP status ${this.status}` : `HTTP status ${this.status}: ${this.excerpt}`
  }
}

/**
 * As many calls wait as `Limits.waiting` allows. Nothing was sent.
 *
 * @category errors
 * @since 0.1.0
 */
export class Overloaded extends Schema.TaggedError<Overloaded>()("Overloaded", { limit: Schema.Int }) {
  override get message(): string {
    return `${this.limit} calls wait already, the limit \`waiting\``
  }
}

/**
 * The arguments cannot be written as JSON, or are too many for one batch. Nothing was sent.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidArguments extends Schema.TaggedError<InvalidArguments>()("InvalidArguments", {
  method: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `the arguments of ${this.method} cannot be sent: ${
      this.cause instanceof Error ? this.cause.message : Formatter.format(this.cause)
    }`
  }
}

/** How a request may fail. @category errors @since 0.1.0 */
export type CallError =
  | RemoteError
  | RequestTimeout
  | Disconnected
  | InvalidResponse
  | HttpStatusError
  | Overloaded
  | InvalidArguments

/** How a notification may fail. @category errors @since 0.1.0 */
export type NotifyError = Disconnected | HttpStatusError | InvalidArguments
