/**
 * Why a server cannot be used, as a sentence for people and models.
 */
import * as McpError from "@parley/mcp/wire/McpError"
import { Disconnected } from "@parley/peer/Caller"
import { ErrorResponse } from "@parley/peer/ErrorResponse"
import * as Redaction from "@parley/traffic/Redaction"
import type { TransportError } from "@parley/transport/Transport"
import { printableLine } from "../../terminal/output.ts"
import { explain, type Failure } from "../failures.ts"

/**
 * The reason that a failure gives, with what to do about it where that is known. It goes on after the name of the server, and has
 * no secrets that the server has written to stderr.
 */
export const of = (cause: unknown, name: string): string =>
  printableLine(Redaction.text(
    isFailure(cause)
      ? afterName(explain(cause, name).message, name)
      : cause instanceof Error
      ? cause.message
      : "no reason is known"
  ))

const afterName = (message: string, name: string): string => {
  if (message.startsWith(`${name}: `)) return message.slice(name.length + 2)
  return message.startsWith(`${name} `) ? `it ${message.slice(name.length + 1)}` : message
}

/** The failure of a transport that could not be opened, as a client tells it. */
export const unopened = ({ reason }: TransportError): Disconnected => new Disconnected({ reason, sent: false })

/** The error of a call whose server was lost, with the reason. Others stay as they are. */
export const explained = <E>(error: E, name: string): E | ErrorResponse =>
  error instanceof ErrorResponse && error.code === McpError.UpstreamFailed && isFailure(error.cause)
    ? McpError.upstreamFailed(
      name,
      isUnsent(error.cause)
        ? `was not sent this call: ${of(error.cause, name)}`
        : `did not answer this call, which may have run: ${of(error.cause, name)}`,
      error.cause
    )
    : error

/** Whether a failure came before the call was sent: of the connection for it, or of another request that had to come first. */
const isUnsent = (failure: Failure): boolean => {
  switch (failure._tag) {
    case "AuthorizationError":
    case "NoCommonRevision":
    case "TransportError":
      return true
    case "Disconnected":
      return !failure.sent || isOfAnother(failure)
    case "RequestTimeout":
      return failure.id === undefined || isOfAnother(failure)
    default:
      return isOfAnother(failure)
  }
}

const isOfAnother = (failure: Failure): boolean =>
  "method" in failure && failure.method !== undefined && !calls.has(failure.method)

/** What only the server behind can answer. */
export const calls: ReadonlySet<string> = new Set([
  "tools/call",
  "prompts/get",
  "resources/read",
  "completion/complete"
])

/** Failures of clients have tags, which those of other code have not. */
const isFailure = (cause: unknown): cause is Failure =>
  cause instanceof Error && "_tag" in cause && tags.has(cause._tag)

const tags: ReadonlySet<unknown> = new Set<Failure["_tag"]>([
  "AuthorizationError",
  "Disconnected",
  "HttpStatusError",
  "InvalidResponse",
  "InvalidResult",
  "NoCommonRevision",
  "ProtocolError",
  "RequestTimeout",
  "SessionExpired",
  "TransportError"
])
