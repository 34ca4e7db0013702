/**
 * What is answered without asking the protocol, and how an answer of the protocol
 * becomes one of HTTP: its form, and the status that says the same to who reads no
 * body.
 */
import type { Headers, Reply } from "@parley/http/HttpEndpoint"
import { EventStream, RequestRules } from "@parley/http/shared"
import { Scopes } from "@parley/oauth/AccessToken"
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import type { Answer } from "@parley/peer/Session"
import * as Message from "@parley/protocol/Message"
import { ErrorCode, ErrorObject, RequestId } from "@parley/protocol/shared"
import type { Handshake } from "@parley/transport/Handshake"
import * as Context from "effect/Context"
import * as McpError from "../../../wire/McpError.ts"
import type { Accepted } from "./incoming.ts"

const json: Headers = { "content-type": "application/json" }

/** Notifications and responses were taken. @internal */
export const accepted: Reply = { status: 202, headers: {}, body: undefined }

/** A session is over. @internal */
export const ended: Reply = { status: 204, headers: {}, body: undefined }

const retryAfter = { "retry-after": "1" }

/** Another process has the session, or may have it. @internal */
export const elsewhere = new RequestRules.Refusal(
  503,
  "The process that has this session cannot be reached now; try again.",
  retryAfter
)

/** The engine of the mesh cannot say who has the session, or cannot be reached. 404 would have the client begin another. @internal */
export const unknownHere = new RequestRules.Refusal(
  503,
  "It is not known now which process has this session; try again.",
  retryAfter
)

/** No session can begin, since the engine of the mesh or the store of sessions takes nothing now. @internal */
export const unready = new RequestRules.Refusal(
  503,
  "No session can begin now, as the processes of this server cannot share it; try again.",
  retryAfter
)

/** Behind a stream there is nothing more to say. @internal */
export const streamed: Reply = { status: 200, headers: {}, body: undefined }

/** The endpoint has no method but POST. @internal */
export const onlyPost = new RequestRules.Refusal(405, "This takes POST.", { allow: "POST" })

/** @internal */
export const notAcceptable = new RequestRules.Refusal(406, "An answer is application/json or text/event-stream.")

/** A whole answer; nothing where there is nothing to answer. @internal */
export const whole = (text: string | undefined, accept: Accepted, status: number = 200, headers?: Headers): Reply => {
  if (text === undefined) return headers === undefined ? accepted : { ...accepted, headers }
  // Who takes events alone still reads the body of an error.
  const [own, body] = accept === "events" && status === 200
    ? [EventStream.headers, EventStream.encode(text)]
    : [json, text]
  return { status, headers: headers === undefined ? own : { ...own, ...headers }, body }
}

/** Gives the `www-authenticate` for scopes that are missing, and those that the caller has. @internal */
export type Challenge = (missing: ReadonlyArray<string>, granted: ReadonlySet<string>) => string

/**
 * The reply that an answer becomes. `statuses` has those of errors that others on the way should see, too; 403 comes with
 * its challenge, for the sender of the request.
 *
 * @internal
 */
export const answered = (
  { error, text }: Answer,
  accept: Accepted,
  challenge: Challenge,
  { principal }: Handshake,
  statuses: ReadonlyMap<number, number> = legacyStatuses
): Reply => {
  const status = error === undefined ? 200 : statuses.get(error.code) ?? 200
  if (error === undefined || status !== 403) return whole(text, accept, status)
  const headers = { "www-authenticate": challenge(McpError.requiredScopesOf(error), Context.get(principal, Scopes)) }
  return whole(text, accept, status, headers)
}

/** An error that answers a request; without an id it answers what has none. @internal */
export const error = (status: number, error: ErrorObject.ErrorObject, id?: RequestId.RequestId | undefined): Reply => ({
  status,
  headers: json,
  body: id === undefined
    ? JSON.stringify({ jsonrpc: "2.0", error })
    : Message.failureText(RequestId.toText(id), error)
})

/** @internal */
export const refused = (
  status: number,
  { code, data, message }: ErrorResponse,
  id?: RequestId.RequestId,
  headers?: Headers
): Reply => {
  const reply = error(status, ErrorObject.make(code, message, data), id)
  return headers === undefined ? reply : { ...reply, headers: { ...reply.headers, ...headers } }
}

/** The text of an error, for a request by the text of its id. @internal */
export const failureOf = (id: string, { code, data, message }: ErrorResponse): string =>
  Message.failureText(id, ErrorObject.make(code, message, data))

/** @internal */
export const invalidRequest = (message: string): ErrorObject.ErrorObject =>
  ErrorObject.make(ErrorCode.InvalidRequest, message)

/** @internal */
export const noBatches: Reply = error(400, invalidRequest("this revision has no batches"))

/** A body of which nothing can be taken. The rule that it breaks is for a log: it may quote what others have sent. @internal */
export const unreadable = (malformed: Message.ParseError | Message.InvalidRequest): Reply =>
  malformed._tag === "ParseError"
    ? malformed.kind === "notification" ? unheard : error(400, ErrorObject.parseError())
    : error(400, ErrorObject.invalidRequest(), malformed.id ?? undefined)

/** A notification that cannot be read has no answer but the status. */
const unheard: Reply = { status: 400, headers: {}, body: undefined }

/** Others on the way need not see errors of the legacy era, but its client must see this one. */
const legacyStatuses: ReadonlyMap<number, number> = new Map([[McpError.InsufficientScope, 403]])

/** @internal */
export const modernStatuses: ReadonlyMap<number, number> = new Map([
  [ErrorCode.InvalidRequest, 400],
  [ErrorCode.MethodNotFound, 404],
  [McpError.InsufficientScope, 403],
  [McpError.HeaderMismatch, 400],
  [McpError.MissingClientCapability, 400],
  [McpError.UnsupportedRevision, 400]
])

/** Invalid params are the matter of a method, unless they are what every request must have. @internal */
export const envelopeStatuses: ReadonlyMap<number, number> = new Map([
  ...modernStatuses,
  [ErrorCode.InvalidParams, 400]
])
