/**
 * How a call is cancelled across the wire, by the rules of its dialect.
 */
import type { Cancellation } from "@parley/protocol/Dialect"
import * as Message from "@parley/protocol/Message"
import * as RequestId from "@parley/protocol/RequestId"
import { member } from "../json/JsonObject.ts"

/** The text that cancels a call of ours, or `undefined` where the dialect has none for it. @internal */
export const cancelText = (
  cancellation: Cancellation | undefined,
  call: { readonly id: string | number; readonly method: string },
  form: Message.EncodeOptions | undefined
): string | undefined =>
  cancellation === undefined || cancellation.except.includes(call.method)
    ? undefined
    : Message.notificationText(cancellation.method, { [cancellation.member]: call.id }, undefined, form)

/** The key of the id that a notification cancels, or `undefined` where it names none. @internal */
export const cancelledKey = (cancellation: Cancellation, params: Message.Params | undefined): string | undefined => {
  const id = member(params, cancellation.member)
  // `1e400` is parsed as Infinity, which is no id.
  return typeof id === "string" || Number.isFinite(id) ? RequestId.keyOf(id as string | number) : undefined
}
