/**
 * Why a transport ended or could not begin.
 *
 * One error with a tagged reason. A caller decides by it whether the connection
 * was never opened, ended in order, or was lost.
 *
 * ```ts run
 * import { MemoryTransport, Transport } from "@parley/transport"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const [near, far] = yield* MemoryTransport.makePair()
 *   yield* near.close
 *   const { reason } = yield* Effect.flip(far.receive)
 *   console.log(reason._tag) // => EndOfInput
 *   console.log(Transport.describeReason(reason)) // => the other side writes no more
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import { Excerpt, Stackless } from "@parley/protocol/shared"
import * as Formatter from "effect/Formatter"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"

/**
 * The reasons of a `TransportError`.
 *
 * - `EndOfInput`: the other side will send no more. Writing may still work.
 * - `Closed`: this side closed the transport.
 * - `Open`: the connection, process or listener could not be opened.
 * - `Lost`: reading or writing failed.
 * - `LostPlace`: the framing no longer knows where frames begin.
 * - `ForeignProtocol`: the first bytes belong to HTTP or TLS. Nothing ran.
 * - `TooLarge`: a message of a WebSocket was larger than `Limits.frame`, so many bytes, and was not read.
 * - `FrameTimeout`: a frame began and did not end in `Limits.partialFrame` milliseconds.
 * - `BudgetSpent`: the connections of its listener hold all of `Limits.budget`, and this one holds most of them.
 * - `CloseCode`: the other side closed the WebSocket with the code of an error (RFC 6455, 7.4), and its text.
 * - `KeepAlive`: the other side did not answer a ping in so many milliseconds.
 * - `Unread`: so many bytes lay unread on a wire that cannot make the other side wait.
 * - `Exited`: the child process ended, with its exit code or `null`, the signal that ended it, and the end of
 *   what it wrote to stderr.
 *
 * @category models
 * @since 0.1.0
 */
export const TransportReason = Schema.Union([
  Schema.TaggedStruct("EndOfInput", {}),
  Schema.TaggedStruct("Closed", {}),
  Schema.TaggedStruct("Open", { cause: Schema.Defect() }),
  Schema.TaggedStruct("Lost", { cause: Schema.Defect() }),
  Schema.TaggedStruct("LostPlace", { detail: Schema.String, offset: Schema.Int, excerpt: Schema.String }),
  Schema.TaggedStruct("ForeignProtocol", { excerpt: Schema.String }),
  Schema.TaggedStruct("TooLarge", { frame: Schema.Int }),
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
export type TransportReason = typeof TransportReason.Type

/**
 * A transport ended or could not begin.
 *
 * @category errors
 * @since 0.1.0
 */
export class TransportError extends Stackless.stackless(
  Schema.TaggedError<TransportError>()("TransportError", { reason: TransportReason })
) {
  override get message(): string {
    return describeReason(this.reason)
  }
}

/**
 * The error of a reason.
 *
 * @category constructors
 * @since 0.1.0
 */
export const transportError = (reason: TransportReason): TransportError => new TransportError({ reason })

/**
 * Describes a reason in words, as the `message` of its error does.
 *
 * @category accessors
 * @since 0.1.0
 */
export const describeReason = (reason: TransportReason): string => {
  switch (reason._tag) {
    case "EndOfInput":
      return "the other side writes no more"
    case "Closed":
      return "this side closed the transport"
    case "Open":
      return `could not be opened: ${describeCause(reason.cause)}`
    case "Lost":
      return `the connection was lost: ${describeCause(reason.cause)}`
    case "LostPlace":
      return `${reason.detail} (at byte ${reason.offset}: ${Excerpt.line(reason.excerpt)})`
    case "ForeignProtocol":
      return `the other side speaks another protocol: ${Excerpt.line(reason.excerpt)}`
    case "TooLarge":
      return `a message was larger than the limit \`frame\` of ${reason.frame} bytes`
    case "FrameTimeout":
      return `a frame did not end in ${reason.milliseconds} ms`
    case "BudgetSpent":
      return "the connections of the listener hold all of the limit `budget`, and this one held most of it"
    case "CloseCode":
      return `the other side closed with code ${reason.code}${textOf(reason)}`
    case "KeepAlive":
      return `no answer to a ping in ${reason.milliseconds} ms`
    case "Unread":
      return `${reason.bytes} bytes came faster than they were read`
    case "Exited":
      return (reason.signal === null
        ? `the process exited with code ${reason.code}`
        : `the process was ended by ${reason.signal}`) + lastLineOf(reason)
  }
}

/** The text that came with a close code, or what the code stands for. */
const textOf = ({ code, text }: { readonly code: number; readonly text: string }): string =>
  text !== "" ? `: ${Excerpt.line(text)}` : Object.hasOwn(meanings, code) ? `: ${meanings[code]}` : ""

/** RFC 6455, 7.4.1 and 11.7. */
const meanings: Readonly<Record<number, string>> = {
  1002: "a protocol error",
  1003: "a message of a kind that it does not take",
  1007: "a message that was not valid UTF-8",
  1008: "a message that its policy forbids",
  1009: "a message was larger than it takes",
  1011: "an error of its own",
  1012: "it restarts",
  1013: "it has too many connections; try again later"
}

/**
 * Describes a cause in one line: by the first issue of a Schema and its path, else by the message of an error, else by
 * the value itself.
 * It may quote what the other side sent, as the name in a certificate.
 *
 * @category accessors
 * @since 0.1.0
 */
export const describeCause = (cause: unknown): string => Excerpt.line(textOfCause(cause), longestCause)

const longestCause = 1_024

const textOfCause = (cause: unknown): string => {
  if (Schema.isSchemaError(cause)) return firstIssueOf(cause)
  if (!(cause instanceof Error)) return typeof cause === "string" && cause !== "" ? cause : Formatter.format(cause)
  if (cause.message !== "") return isPlain.test(cause.message) ? noTls : cause.message
  // An error of several addresses has no message of its own.
  return cause instanceof AggregateError && cause.errors.length > 0 ? textOfCause(cause.errors[0]) : cause.name
}

/** The other side has answered the beginning of TLS with something else: OpenSSL takes it for a version of TLS. */
const isPlain = /:SSL routines:[^:]*:(?:wrong version number|packet length too long|http request):/

const noTls = "the other side does not use TLS: it speaks http, not https (ws, not wss; tcp, not tls)"

const firstIssueOf = ({ issue }: Schema.SchemaError): string => {
  const [first, ...others] = format(issue).issues
  if (first === undefined) return "a Schema refuses it"
  const path = (first.path ?? []).map((key) => String(typeof key === "object" ? key.key : key)).join(".")
  const where = path === "" ? first.message : `${path}: ${first.message}`
  return others.length === 0 ? where : `${Excerpt.line(where, mostOfIssue)} (and ${others.length} more)`
}

/** Characters of the first issue, where there are more. */
const mostOfIssue = 160

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/**
 * The last line of a process often says why it ended. A stack, members of the error and the version of the runtime may follow
 * it.
 */
const lastLineOf = ({ stderr }: { readonly stderr: string }): string => {
  const lines = stderr.trimEnd().split("\n")
  const line = lines.findLast((line) => /^(?!(?:Node\.js|Bun) v\d)[^\s}]/.test(line)) ?? lines.at(-1) ?? ""
  return line === "" ? "" : `: ${Excerpt.line(line)}`
}
