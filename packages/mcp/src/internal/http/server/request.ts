/** What a body holds, as far as the transport has to know. */
import * as Batch from "@parley/protocol/Batch"
import type * as Message from "@parley/protocol/Message"
import * as Result from "effect/Result"

/** The requests of a body, in their order. @internal */
export const requestsOf = (batch: Batch.Batch): ReadonlyArray<Message.Request> => {
  if (!Batch.isMembers(batch)) return isRequest(batch) ? [batch.success] : none
  return batch.filter(isRequest).map(({ success }) => success)
}

const none: ReadonlyArray<Message.Request> = []

const isRequest = (decoded: Batch.Decoded): decoded is Result.Success<Message.Request, never> =>
  Result.isSuccess(decoded) && decoded.success._tag === "Request"

/** The request or notification that a body is; nothing where it is a batch, or a response. @internal */
export const callOf = (batch: Batch.Batch): Message.Request | Message.Notification | undefined => {
  if (Batch.isMembers(batch) || Result.isFailure(batch)) return undefined
  const { success } = batch
  return success._tag === "Request" || success._tag === "Notification" ? success : undefined
}

/** What is wrong with a body of which nothing can be taken. @internal */
export const unreadable = (batch: Batch.Batch): Message.ParseError | Message.InvalidRequest | undefined =>
  !Batch.isMembers(batch) && Result.isFailure(batch) && batch.failure._tag !== "InvalidResponse"
    ? batch.failure
    : undefined
