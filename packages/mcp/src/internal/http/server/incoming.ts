/**
 * What a request of HTTP says, as far as the transport has to know: what its body holds, in which forms its client takes
 * an answer, and of which revision it is.
 */
import { EventStream, MediaType, type RequestRules } from "@parley/http/shared"
import * as Batch from "@parley/protocol/Batch"
import * as Message from "@parley/protocol/Message"
import { ErrorCode, ErrorObject, RequestId } from "@parley/protocol/shared"
import * as Result from "effect/Result"
import type { McpServer } from "../../../McpServer.ts"
import * as Envelope from "../../../wire/Envelope.ts"
import * as Revision from "../../../wire/Revision.ts"
import * as RevisionCodec from "../../../wire/RevisionCodec.ts"
import { sessionHeader, versionHeader } from "../headers.ts"

/** The requests of a body, in their order. @internal */
export const requestsOf = (batch: Batch.Batch): ReadonlyArray<Message.Request> => {
  if (!Batch.isMembers(batch)) return isRequest(batch) ? [batch.success] : none
  return batch.filter(isRequest).map(({ success }) => success)
}

const none: ReadonlyArray<Message.Request> = []

const isRequest = (decoded: Batch.Decoded): decoded is Result.Success<Message.Request, never> =>
  Result.isSuccess(decoded) && decoded.success._tag === "Request"

/** The notifications of a body. @internal */
export const notificationsOf = (batch: Batch.Batch): ReadonlyArray<Message.Notification> =>
  (Batch.isMembers(batch) ? batch : [batch]).flatMap((decoded) =>
    Result.isSuccess(decoded) && decoded.success._tag === "Notification" ? [decoded.success] : []
  )

/** The ids of the requests that a body answers. @internal */
export const answeredBy = (batch: Batch.Batch): ReadonlyArray<RequestId.RequestId> =>
  (Batch.isMembers(batch) ? batch : [batch]).map(answeredId).filter((id) => id !== null)

/** Whether a body answers requests, and makes none. @internal */
export const isAnswer = (batch: Batch.Batch): boolean => requestsOf(batch).length === 0 && answeredBy(batch).length > 0

/** The text that fails what a body answers. @internal */
export const lostAnswer = (batch: Batch.Batch): string => {
  const [first = "", ...others] = answeredBy(batch).map((id) => Message.failureText(RequestId.toText(id), lost))
  return Batch.isMembers(batch) ? Batch.join([first, ...others]) : first
}

const lost = ErrorObject.make(
  ErrorCode.InternalError,
  "The answer was lost: the process that had asked could not be reached"
)

/** An error or a malformed response may name no request. */
const answeredId = (decoded: Batch.Decoded): RequestId.RequestId => {
  const message = Result.merge(decoded)
  // The envelope has only an id whose source text is JSON.
  if (message._tag === "ParseError" && message.id !== undefined) return idOf(message.id)
  return message._tag === "Success" || message._tag === "Failure" || message._tag === "InvalidResponse"
    ? message.id
    : null
}

const idOf = (text: string): RequestId.RequestId => RequestId.fromResponse(JSON.parse(text), () => text) ?? null

/** The request or notification that a body is; nothing where it is a batch, or a response. @internal */
export const callOf = (batch: Batch.Batch): Message.Request | Message.Notification | undefined => {
  if (Batch.isMembers(batch) || Result.isFailure(batch)) return undefined
  const { success } = batch
  return success._tag === "Request" || success._tag === "Notification" ? success : undefined
}

/** The reason why nothing of a body can be taken. A response that cannot be read fails what it answers. @internal */
export const unreadable = (batch: Batch.Batch): Message.ParseError | Message.InvalidRequest | undefined => {
  if (Batch.isMembers(batch) || Result.isSuccess(batch)) return undefined
  const { failure } = batch
  if (failure._tag === "InvalidResponse") return undefined
  return failure._tag === "ParseError" && failure.kind === "response" ? undefined : failure
}

/** A client that takes anything may not know what events are: it gets JSON. @internal */
export type Accepted = "both" | "json" | "events" | "nothing"

/** What the answer to a POST may be. Who does not say takes JSON. @internal */
export const acceptedByPost = (head: RequestRules.Head): Accepted => {
  const accept = head.header("accept")
  // What the specification has clients send, without a closer look.
  if (accept === MediaType.jsonOrEvents) return "both"
  if (accept === undefined) return "json"
  const ranges = accept.split(",").filter((range) => !weightless.test(range)).map(MediaType.essenceOf)
  const takesJson = ranges.some((range) => jsonRanges.has(range))
  const takesEvents = ranges.includes(EventStream.contentType)
  return takesJson ? takesEvents ? "both" : "json" : takesEvents ? "events" : "nothing"
}

/** Whether the answer to a GET may be events: it cannot be anything else. @internal */
export const acceptsEvents = (head: RequestRules.Head): boolean => {
  const accept = head.header("accept")
  return accept === undefined || MediaType.acceptsEvents(accept) ||
    accept.split(",").some((range) => !weightless.test(range) && eventRanges.has(MediaType.essenceOf(range)))
}

/** What the answer to a POST may be that is a stream until its client leaves, unless it is an error. @internal */
export const acceptedByListen = (head: RequestRules.Head): Accepted => {
  const accept = acceptedByPost(head)
  return accept === "events" ? accept : acceptsEvents(head) ? "both" : "nothing"
}

const jsonRanges: ReadonlySet<string> = new Set(["application/json", "application/*", "*/*"])

const eventRanges: ReadonlySet<string> = new Set(["text/*", "*/*"])

const weightless = /;\s*q\s*=\s*0(\.0*)?\s*(;|$)/i

/** Whether a request says that it is modern, or wants a revision that nobody knows and has no session. @internal */
export const isModern = (head: RequestRules.Head): boolean => {
  const version = head.header(versionHeader)
  if (version === undefined) return false
  return Revision.isKnown(version) ? Revision.era(version) === "modern" : head.header(sessionHeader) === undefined
}

/** Whether a request with a session of its own era behind it is modern all the same: then its session is ignored. @internal */
export const standsAlone = (
  head: RequestRules.Head,
  text: string,
  decode: (text: string) => { readonly batch: Batch.Batch }
): boolean => {
  if (isModern(head)) return true
  // Only a text with a mark can be modern, and is read for it.
  if (head.method !== "POST" || !text.includes(mark)) return false
  return Envelope.readEnvelope(callOf(decode(text).batch)?.params) !== undefined
}

/** Part of each key of an envelope; JSON may escape the slash. */
const mark = "io.modelcontextprotocol"

/** Why a legacy request cannot be taken, in words, if it names a revision that is not spoken. @internal */
export const unspoken = (server: McpServer, head: RequestRules.Head): string | undefined => {
  const version = head.header(versionHeader)
  if (version === undefined || Revision.ofEra("legacy", server.protocolVersions).some((spoken) => spoken === version)) {
    return undefined
  }
  return `the revision ${version} is not spoken here`
}

/**
 * The revision of a legacy request that has no session: what it names, or the newest whose requests name none.
 *
 * @internal
 */
export const revisionOf = (server: McpServer, head: RequestRules.Head): Revision.Revision => {
  const version = head.header(versionHeader)
  if (Revision.isKnown(version)) return version
  const spoken = Revision.ofEra("legacy", server.protocolVersions)
  return spoken.find((revision) => RevisionCodec.of(revision).features.protocolVersionHeader === "none") ?? spoken[0] ??
    Revision.latestLegacy
}
