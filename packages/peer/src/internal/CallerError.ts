/**
 * The errors a caller sees. Whose fault it is shows in the type: the peer's
 * answer (`RemoteError`, `InvalidResponse`), the line (`RequestTimeout`,
 * `Disconnected`, `HttpStatusError`), or ourselves (`InvalidArguments`, `Overloaded`).
 *
 * ```ts run
 * import { Caller, Peer } from "@parley/peer"
 * import { MemoryTransport } from "@parley/transport"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const [near, far] = yield* MemoryTransport.makePair()
 *   yield* Peer.make(far)
 *   const peer = yield* Peer.make(near)
 *   const error: Caller.CallError = yield* Effect.flip(peer.request("missing"))
 *   console.log(error.message) // => missing (id 1) was answered with error -32601: Method not found
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import * as Dialect from "@parley/protocol/Dialect"
import type * as Message from "@parley/protocol/Message"
import { ErrorCode, type ErrorObject, Excerpt, RequestId, Stackless } from "@parley/protocol/shared"
import * as Transport from "@parley/transport/Transport"
import * as Schema from "effect/Schema"
import { type ShutDown, startedIn } from "../ErrorResponse.ts"

/** JSON as it was received. It is not checked again, so a number that was parsed as infinite passes. */
const Received = Schema.declare<Schema.Json>((_): _ is Schema.Json => true, { toCodecJson: () => undefined })

/** The id that a call of ours has on the wire: its number, behind the option `idPrefix` where that is given. */
const CallId = Schema.Union([Schema.String, Schema.Finite])

/**
 * A call of ours as its errors name it. The id is absent where the call got none: it is a notification, or ended before
 * it was to be written.
 *
 * @category models
 * @since 0.1.0
 */
export interface Called {
  /** The name of the method. */
  readonly method: string
  /** The id on the wire. */
  readonly id?: string | number
}

/**
 * A call in a sentence: `withdraw (id 1)`, with the id as it is on the wire.
 *
 * @category formatting
 * @since 0.1.0
 */
export const nameOf = ({ id, method }: Called): string =>
  callName(method, id === undefined ? undefined : RequestId.toText(id))

/** The name of a batch in the errors that are about all of it. @internal */
export const aBatch: Called = { method: "a batch" }

/** A call of either side in a sentence, by the text of its id. @internal */
export const callName = (method: string, id?: string, subject?: string): string => {
  const name = subject === undefined ? Excerpt.line(method) : `${Excerpt.line(method)} of ${Excerpt.line(subject)}`
  return id === undefined ? name : `${name} (id ${Excerpt.line(id)})`
}

/**
 * The peer answered with an error object; code, text and data are as it sent them. `message` is a sentence for people.
 *
 * @category errors
 * @since 0.1.0
 */
export class RemoteError extends Stackless.stackless(
  Schema.TaggedError<RemoteError>()("RemoteError", {
    method: Schema.String,
    /** Absent where the error did not come as a response, but as the end of a subscription. */
    id: Schema.optionalKey(CallId),
    code: Schema.Int,
    /** The `message` of the error object. */
    text: Schema.String,
    data: Schema.optionalKey(Received)
  })
) {
  override get message(): string {
    const { code, data, text } = this
    const issue = code === ErrorCode.InvalidParams ? issueIn(data) : ""
    return `${nameOf(this)} was answered with error ${code}: ${Excerpt.line(text)}${issue}`
  }
}

/** The first of the issues that `ErrorObject.invalidParams` lists, if these are the data of an error. */
const issueIn = (data: Schema.Json | undefined): string => {
  const [first, ...others]: ReadonlyArray<unknown> = Array.isArray(data) ? data : []
  const { message, path }: { readonly message?: unknown; readonly path?: unknown } = Object(first)
  if (typeof message !== "string" || !Array.isArray(path)) return ""
  const where = path.length === 0 ? "" : `${path.map(String).join(".")}: `
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`
  return `: ${Excerpt.line(`${where}${message}`)}${more}`
}

/**
 * The error of a call that ended with this error object: `Disconnected`, not sent, where the other side says that it
 * shuts down and has not started the call. Its code is that of the dialect.
 *
 * @internal
 */
export const answeredWith = (
  call: Called,
  error: ErrorObject.ErrorObject,
  { shutDownCode }: ShutDown = Dialect.jsonRpc
): RemoteError | Disconnected =>
  startedIn(error, shutDownCode) === false
    ? new Disconnected({ ...call, reason: { _tag: "ShuttingDown" }, sent: false })
    : fromObject(call, error)

/**
 * Whether a call that had started, or a stream, was ended because the other side shuts down. It says so by `data` of its
 * own, beside the code of the dialect: other errors of that code, with the same words or others, are those of the call.
 *
 * @category guards
 * @since 0.1.0
 */
export const isShutDown = (error: unknown, { shutDownCode }: ShutDown = Dialect.jsonRpc): error is RemoteError =>
  error instanceof RemoteError && startedIn(error, shutDownCode) === true

/** Whether a call was refused before it started, because the other side shuts down. @internal */
export const isRefusedUnstarted = (error: unknown): error is Disconnected =>
  error instanceof Disconnected && error.reason._tag === "ShuttingDown"

/** The error of a call that was answered with this error object. @category constructors @since 0.1.0 */
export const fromObject = (call: Called, { code, data, message }: ErrorObject.ErrorObject): RemoteError =>
  new RemoteError({ ...call, code, text: message, ...(data === undefined ? {} : { data }) })

/**
 * No response came in time. The peer was told to stop where the dialect has a way.
 *
 * @category errors
 * @since 0.1.0
 */
export class RequestTimeout extends Stackless.stackless(
  Schema.TaggedError<RequestTimeout>()("RequestTimeout", {
    method: Schema.String,
    /** The id the request had on the wire; absent where it waited for a connection, and none was sent. */
    id: Schema.optionalKey(CallId),
    /** The time it was given, in milliseconds. */
    milliseconds: Schema.Finite,
    /** How the transport frames texts, where the other side has sent nothing yet: it may expect another framing. */
    framing: Schema.optionalKey(Schema.String),
    /** Why the last attempt to connect has failed, or the last connection has ended, where it waited for one. */
    attempt: Schema.optionalKey(Schema.String)
  })
) {
  override get message(): string {
    const { attempt, framing, id, method, milliseconds } = this
    if (id === undefined) {
      const late = `no connection for ${callName(method)} within ${milliseconds} ms`
      return attempt === undefined ? late : `${late}; last attempt: ${Excerpt.line(attempt, longestAttempt)}`
    }
    const late = `no response to ${nameOf(this)} within ${milliseconds} ms`
    return framing === undefined ? late : `${late}; ${silence(framing)}`
  }
}

/** Characters that tell of an attempt: a server may have answered it with a page. */
const longestAttempt = 512

/** Why the other side may have said nothing. */
const silence = (framing: string): string =>
  `no text has come from the other side, which is slow or expects another framing: the transport frames texts by \`${framing}\`, and a peer that expects ${
    framing === "contentLength" ? "one per line" : "Content-Length headers"
  } stays silent`

/**
 * Why a connection is over: what a transport says, and what a peer decides.
 *
 * - `Overrun`: the budget is spent, the reading could not stop, and this connection held most of it.
 * - `WriteStalled`: a write made no progress for `Limits.writeStall` milliseconds.
 * - `BadFrames`: `Limits.badFrames` texts in a row were no JSON.
 * - `Lagged`: it was a member of a `Broadcast` with the policy `disconnect`, and more waited for it than its queue takes.
 * - `NoPeer`: a handler has no other side to call, as in `Router.answer`.
 * - `ShuttingDown`: the other side has refused a call before it started, because it shuts down. Its connection lasts
 *   until the calls that it runs have ended.
 *
 * @category models
 * @since 0.1.0
 */
export const DisconnectReason = Schema.Union([
  ...Transport.TransportReason.members,
  Schema.TaggedStruct("Overrun", {}),
  Schema.TaggedStruct("WriteStalled", {}),
  Schema.TaggedStruct("BadFrames", {}),
  Schema.TaggedStruct("Lagged", {}),
  Schema.TaggedStruct("NoPeer", {}),
  Schema.TaggedStruct("ShuttingDown", {})
])

/** @category models @since 0.1.0 */
export type DisconnectReason = typeof DisconnectReason.Type

/**
 * The connection ended before the response came, or before the call was made.
 *
 * `sent` tells whether the other side may have begun the call: whether the request had been handed to the transport, and
 * was not refused before it started. Only where it is false, or where the method is idempotent, may the call be made
 * again. `method` and `id` are those of the call, where the error is that of one.
 *
 * @category errors
 * @since 0.1.0
 */
export class Disconnected extends Stackless.stackless(
  Schema.TaggedError<Disconnected>()("Disconnected", {
    reason: DisconnectReason,
    sent: Schema.Boolean,
    method: Schema.optionalKey(Schema.String),
    id: Schema.optionalKey(CallId),
    /** Where the request was to go, without user, password and query. Only callers over HTTP know. */
    url: Schema.optionalKey(Schema.String)
  })
) {
  override get message(): string {
    const { reason, sent, url } = this
    const to = url === undefined ? "" : ` to ${Excerpt.line(url)}`
    const call = isCalled(this) ? nameOf(this) : "request"
    const unsent = reason._tag === "ShuttingDown" ? "not started" : "not sent"
    return `${describe(reason)} (${reason._tag}), ${call}${to} ${sent ? "sent" : unsent}`
  }
}

/** Whether an error names its call. */
const isCalled = <E extends { readonly method?: string }>(error: E): error is E & Called => error.method !== undefined

/**
 * Describes in words why a connection is over.
 *
 * @category accessors
 * @since 0.1.0
 */
export const describe = (reason: DisconnectReason): string =>
  isOurs(reason) ? descriptions[reason._tag] : Transport.describeReason(reason)

/** The reasons that no transport has. */
const descriptions = {
  Overrun: "the limit `budget` is reached, and what came had no room",
  WriteStalled: "the other side has taken nothing for as long as the limit `writeStall`",
  BadFrames: "as many texts in a row were no JSON as the limit `badFrames` says",
  Lagged: "the other side reads more slowly than a broadcast publishes",
  NoPeer: "there is no other side to call here",
  ShuttingDown: "the other side shuts down"
}

const isOurs = (reason: DisconnectReason): reason is Exclude<DisconnectReason, Transport.TransportReason> =>
  Object.hasOwn(descriptions, reason._tag)

/**
 * A response that breaks a rule of JSON-RPC, with the beginning of its text where that is known.
 *
 * @category models
 * @since 0.1.0
 */
export interface Refusal extends Pick<Message.InvalidResponse, "id" | "rule"> {
  /** The beginning of the text. */
  readonly excerpt?: string | undefined
}

/**
 * The peer's response to this call breaks a rule of JSON-RPC.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidResponse extends Stackless.stackless(
  Schema.TaggedError<InvalidResponse>()("InvalidResponse", {
    method: Schema.String,
    id: Schema.optionalKey(CallId),
    rule: Schema.String,
    /** How the text begins that the response came in, where there was one. */
    excerpt: Schema.optionalKey(Schema.String)
  })
) {
  override get message(): string {
    const invalid = `the response to ${nameOf(this)} is invalid: ${Excerpt.line(this.rule)}`
    return this.excerpt === undefined ? invalid : `${invalid}; it came in ${Excerpt.line(this.excerpt)}`
  }
}

/**
 * A gateway, or the server itself, answered with an HTTP status instead of a response. Only callers over HTTP fail with
 * it. The call may have run: a gateway does not say.
 *
 * @category errors
 * @since 0.1.0
 */
export class HttpStatusError extends Stackless.stackless(
  Schema.TaggedError<HttpStatusError>()("HttpStatusError", {
    status: Schema.Int,
    method: Schema.optionalKey(Schema.String),
    id: Schema.optionalKey(CallId),
    /** The beginning of the body as text, at most 1 KiB of it. */
    excerpt: Schema.String,
    /** The headers of the answer that say what to do: `www-authenticate`, `retry-after`, `location` without its query. */
    headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
    /** Where the request went, without user, password and query. */
    url: Schema.optionalKey(Schema.String)
  })
) {
  override get message(): string {
    const { excerpt, headers = {}, status, url } = this
    const from = url === undefined ? "" : ` from ${Excerpt.line(url)}`
    const told = Object.entries(headers).map(([name, value]) => `${name}: ${Excerpt.line(value)}`)
    const hints = told.length === 0 ? "" : ` (${told.join(", ")})`
    const call = isCalled(this) ? `${nameOf(this)} was answered with ` : ""
    return `${call}HTTP status ${status}${from}${hints}${
      excerpt.trim() === "" ? "" : `: ${Excerpt.line(excerpt, 1_024)}`
    }`
  }
}

/**
 * As many calls wait as `Limits.waiting` allows. Nothing was sent.
 *
 * @category errors
 * @since 0.1.0
 */
export class Overloaded
  extends Stackless.stackless(Schema.TaggedError<Overloaded>()("Overloaded", { limit: Schema.Int }))
{
  override get message(): string {
    return `${this.limit} calls wait already, as many as the limit \`waiting\` allows`
  }
}

/**
 * The arguments cannot be written as JSON, or are too many for one batch. Nothing was sent.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidArguments extends Stackless.stackless(
  Schema.TaggedError<InvalidArguments>()("InvalidArguments", {
    method: Schema.String,
    cause: Schema.Defect()
  })
) {
  override get message(): string {
    return `the arguments of ${callName(this.method)} cannot be sent: ${Transport.describeCause(this.cause)}`
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

/**
 * Names the call in an error that a wire may have made, which knows no calls: `Disconnected` or `HttpStatusError`.
 *
 * @category errors
 * @since 0.1.0
 */
export const ofCall = <E extends CallError>(error: E, call: Called): E | Disconnected | HttpStatusError => {
  if (error._tag === "Disconnected") return new Disconnected({ ...error, ...call })
  return error._tag === "HttpStatusError" ? new HttpStatusError({ ...error, ...call }) : error
}

/** How a notification may fail. @category errors @since 0.1.0 */
export type NotifyError = Disconnected | HttpStatusError | InvalidArguments
