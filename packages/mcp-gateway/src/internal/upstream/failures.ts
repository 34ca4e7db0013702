/**
 * The failures of one side in the words of the other: what an upstream answers to us as what we answer, and what a client
 * says to a question as what the upstream hears.
 */
import type { McpAskedError, McpConnectError, TaskError, ToolError } from "@parley/mcp/client/McpClientError"
import { isOfferable } from "@parley/mcp/payload/Elicitation"
import type { ClientRequestError } from "@parley/mcp/server/ClientRequestError"
import * as Envelope from "@parley/mcp/wire/Envelope"
import * as McpError from "@parley/mcp/wire/McpError"
import { Disconnected } from "@parley/peer/Caller"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { ErrorCode, Excerpt, JsonObject, Relayed } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import { signInRequired } from "../logins/Login.ts"
import * as Origin from "../policy/origin.ts"
import * as attribution from "./attribution.ts"

/** @internal */
export type Failure = McpAskedError | McpConnectError | TaskError

/** The codes that are about the connection to the upstream, which are no matter of who calls us. */
const ofLine: ReadonlySet<number> = new Set([McpError.HeaderMismatch, McpError.UnsupportedRevision])

/** The codes by which a gateway speaks of itself: in the name of the upstream, they would be believed. */
const ofGateway: ReadonlySet<number> = new Set([
  McpError.InsufficientScope,
  McpError.NotApproved,
  McpError.Overloaded,
  McpError.UpstreamFailed,
  signInRequired
])

/** The error that a failure becomes. An error of the upstream stays as it is, unless its code is one of ours. @internal */
export const answer = (
  { asker, name: server }: { readonly name: string; readonly asker: attribution.Asker | undefined },
  failure: Failure
): ErrorResponse.ErrorResponse => {
  switch (failure._tag) {
    case "ProtocolError":
      return ofLine.has(failure.code) || McpError.urlsOf(failure).some((url) => !isOfferable(url))
        ? McpError.upstreamFailed(server, misfit, failure)
        : ofError(
          server,
          failure.code,
          failure.text,
          asker !== undefined && failure.code === McpError.UrlElicitationRequired
            ? attribution.elicitations(asker, failure.data)
            : failure.data
        )
    case "UnsupportedCapability":
      return ErrorResponse.methodNotFound(failure.method)
    case "InputRefused":
      return ErrorResponse.make(ErrorCode.InternalError, failure.message)
    case "TaskError":
      return ofTask(server, failure)
    case "Overloaded":
      return Origin.overloaded(`No room for more calls of the server ${server}`)
    case "RequestTimeout":
      return McpError.upstreamFailed(server, "did not answer in time", failure)
    case "HttpStatusError":
      // It is the server, or a proxy before it, that does not like this request: others may pass.
      return failure.status < 500
        ? Origin.answer(
          McpError.upstreamFailed(server, `answered with the HTTP status ${failure.status}`, failure)
        )
        : unreached(server, failure)
    case "InvalidResult":
    case "InvalidResponse":
      return McpError.upstreamFailed(server, misfit, failure)
    default:
      return unreached(server, failure)
  }
}

/** An error of the upstream. The data of an error of ours are JSON, which has no infinite numbers. */
const ofError = (
  server: string,
  code: number,
  text: string,
  data: Schema.Json | undefined
): ErrorResponse.ErrorResponse =>
  ofGateway.has(code)
    ? Origin.answer(McpError.upstreamFailed(server, `failed: ${Excerpt.line(text)}`))
    : asItCame(code, text, data)

const asItCame = (code: number, text: string, data: Schema.Json | undefined): ErrorResponse.ErrorResponse =>
  Relayed.toFinite(data) === data
    ? ErrorResponse.make(code, text, data)
    : ErrorResponse.make(code, `${text} (without its data, in which a number is beyond the range of a double)`)

/** A task of the upstream that gives no result: its client here waits for the call. */
const ofTask = (server: string, { message, reason }: TaskError): ErrorResponse.ErrorResponse =>
  reason._tag === "Failed" && reason.error !== undefined
    ? ofError(server, reason.error.code, reason.error.message, reason.error.data)
    : ErrorResponse.make(ErrorCode.InternalError, message)

/** The error of a call to a server that is away. @internal */
export const unreached = (server: string, cause: unknown): ErrorResponse.ErrorResponse =>
  McpError.upstreamFailed(server, "cannot be reached", cause)

/** A call whose connection we have closed, because its server turned out to be gone, has ended for that reason. @internal */
export const closedFor = (failure: Failure, gone: unknown): Failure => {
  if (failure._tag !== "Disconnected" || failure.reason._tag !== "Closed" || gone === undefined) return failure
  const { id, method, sent } = failure
  const reason = gone instanceof Disconnected ? gone.reason : { _tag: "Lost", cause: gone } as const
  return new Disconnected({ reason, sent, ...(method !== undefined && { method }), ...(id !== undefined && { id }) })
}

const misfit = "did not answer as it should"

/** Whether a failure tells of the line rather than of the call: the upstream may be gone. @internal */
export const isOfLine = ({ _tag }: Failure): boolean =>
  _tag === "Disconnected" || _tag === "HttpStatusError" || _tag === "RequestTimeout" || _tag === "SessionExpired"

/** Whether a server has said that a call is over. @internal */
export const isAnswered = (exit: Exit.Exit<unknown, Failure | ToolError>): boolean => {
  if (Exit.isSuccess(exit)) return true
  const error = exit.cause.reasons.find(Cause.isFailReason)?.error
  return !Exit.hasInterrupts(exit) && error !== undefined && answers.has(error._tag)
}

const answers: ReadonlySet<string> = new Set([
  "ProtocolError",
  "TaskError",
  "ToolError",
  "InvalidResult",
  "UnsupportedCapability"
])

/** The error that the upstream hears where a question has no answer. */
export const refusal = (error: ClientRequestError): ErrorResponse.ErrorResponse => {
  switch (error._tag) {
    case "RemoteError":
      return asItCame(error.code, error.text, error.data)
    case "ClientCapabilityMissing":
      return ErrorResponse.methodNotFound(error.method)
    case "InvalidArguments":
      // The upstream wrote them.
      return ErrorResponse.make(ErrorCode.InvalidParams, error.message)
    default:
      return ErrorResponse.make(ErrorCode.InternalError, error.message)
  }
}

/** A result without what its sender says of itself and of the connection: that is ours to say. @internal */
export const bare = <A extends { readonly _meta?: { readonly [key: string]: unknown } }>(result: A): A => {
  const plain = JsonObject.omit(result, "resultType")
  const meta = plain._meta
  if (meta === undefined || !Object.hasOwn(meta, serverInfo)) return plain
  const rest = JsonObject.omit(meta, serverInfo)
  return Object.keys(rest).length === 0
    ? JsonObject.omit(plain, "_meta")
    : Relayed.carry({ ...plain, _meta: rest }, plain)
}

const { serverInfo } = Envelope
