/**
 * How a call is cancelled across the wire: which notification does it, how it
 * names the call, what the cancelled side answers, and which methods it excepts.
 *
 * The rules are data of the `Dialect`; this module reads and writes them.
 *
 * @since 0.1.0
 */
import * as Dialect from "@parley/protocol/Dialect"
import * as Message from "@parley/protocol/Message"
import * as RequestId from "@parley/protocol/RequestId"

/** Calls cannot be cancelled across the wire. @category constructors @since 0.1.0 */
export const none: Dialect.Cancellation | undefined = undefined

/** `$/cancelRequest`, answered with -32800. @category constructors @since 0.1.0 */
export const cancelRequest: Dialect.Cancellation | undefined = Dialect.jsonRpc.cancellation

/** `notifications/cancelled`, not answered, never for the methods named. @category constructors @since 0.1.0 */
export const cancelled = (except: ReadonlyArray<string>): Dialect.Cancellation => ({
  method: "notifications/cancelled",
  member: "requestId",
  reply: undefined,
  except
})

/** The text that cancels a call of ours, or `undefined` when the dialect has none for it. @category encoding @since 0.1.0 */
export const toText = (
  cancellation: Dialect.Cancellation | undefined,
  call: { readonly id: number; readonly method: string }
): string | undefined =>
  cancellation === undefined || cancellation.except.includes(call.method)
    ? undefined
    : Message.notificationText(cancellation.method, { [cancellation.member]: call.id })

/** The text of the id that a cancelling notification names, or `undefined` when it names none. @category decoding @since 0.1.0 */
export const target = (cancellation: Dialect.Cancellation, params: Message.Params | undefined): string | undefined => {
  if (params === undefined || Array.isArray(params) || !Object.hasOwn(params, cancellation.member)) return undefined
  // Not an array, by the line above, which does not narrow a readonly one.
  const id = (params as { readonly [member: string]: unknown })[cancellation.member]
  // `1e400` is parsed as Infinity, which is no id.
  return typeof id === "string" || Number.isFinite(id) ? RequestId.toText(id as string | number) : undefined
}
