/**
 * What must not be read on where there is no room for it.
 */
import * as Batch from "@parley/protocol/Batch"
import type { Dialect } from "@parley/protocol/Dialect"
import * as Result from "effect/Result"

/** Whether a text holds a notification that would wait. One that cancels does not: it may be what makes room. @internal */
export const waits = (batch: Batch.Batch, { cancellation }: Dialect): boolean => {
  const waits = (decoded: Batch.Decoded) =>
    Result.isSuccess(decoded) && decoded.success._tag === "Notification" &&
    decoded.success.method !== cancellation?.method
  return Batch.isMembers(batch) ? batch.some(waits) : waits(batch)
}
