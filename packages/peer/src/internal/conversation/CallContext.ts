/**
 * The other side as callers and handlers see it, and a call as its handler sees
 * it.
 *
 * Members are own functions without `this`, because middleware spreads callers
 * and calls, and programs take members out of them.
 */
import * as Effect from "effect/Effect"
import { Prototype } from "effect/Pipeable"
import type { Caller } from "../../Caller.ts"
import type { Call } from "../../Handler.ts"
import * as CallerError from "../CallerError.ts"
import * as Progress from "../outgoing/Progress.ts"
import { ConnectionKey } from "./ConnectionKey.ts"
import type { Conversation } from "./Conversation.ts"
import type { Lane, LaneCall } from "./Lane.ts"

/** The other side by a lane. `within` is the call whose handler calls, if one does. @internal */
export const callerBy = (conversation: Conversation, lane: Lane, within?: LaneCall): Caller => {
  const { outgoing } = conversation
  return {
    request: (method, params, options) => outgoing.request(lane, within, method, params, options),
    notify: (method, params) => outgoing.notify(lane, within, method, params),
    batch: (members, options) => outgoing.batch(() => lane, within, members, options),
    listen: conversation.listen,
    pause: conversation.pause,
    pipe: Prototype.pipe
  }
}

/**
 * A call as its handler sees it. Where its caller hears nothing but the response, the handler can tell it nothing.
 *
 * No parameter has a default: V8 would then allocate all of this also where the handler is inlined and uses little of it.
 *
 * @internal
 */
export const callContext = (conversation: Conversation, call: LaneCall, peer: Caller, isHeard: boolean): Call => {
  const { extra, method, params } = call.message
  const { connection, dialect } = conversation
  const { partialResults } = dialect
  // Most params have not even the first name on the way to a token, and are not searched.
  const isStreamed = isHeard && call.id !== undefined && partialResults !== undefined && params !== undefined &&
    Object.hasOwn(params, partialResults.request[0] ?? "")
  return {
    id: call.message._tag === "Request" ? call.message.id : undefined,
    method,
    params,
    extra,
    peer,
    progress: (fields) => isHeard ? Progress.notify(peer, dialect.progress, params, fields) : Effect.void,
    partialResult: isStreamed ? Progress.partialResult(peer, partialResults, params) : undefined,
    connection,
    draining: conversation.draining,
    afterReply: (effect, otherwise) => {
      // Nothing runs behind the answer to a text that stands alone.
      const left = connection === undefined ? otherwise : effect
      if (left !== undefined) (call.after ??= []).push({ effect: left, onSkipped: otherwise })
    },
    onClose: conversation.onClose ?? ((effect) => endOf(call).onClose(effect, conversation.host))
  }
}

/** A call that stands alone is all there is of its connection, which ends behind its reply. */
const endOf = (call: LaneCall): ConnectionKey => {
  if (call.alone !== undefined) return call.alone
  const connection = call.alone = new ConnectionKey()
  const end = Effect.sync(() => connection.end())
  // A call has a place as long as its handler runs.
  if (call.place === "none") connection.end()
  else (call.after ??= []).push({ effect: end, onSkipped: end })
  return connection
}

const nobody = (call?: CallerError.Called) =>
  Effect.fail(new CallerError.Disconnected({ ...call, reason: { _tag: "NoPeer" }, sent: false }))

/** The caller of handlers that cannot reach the other side. @internal */
export const noPeer: Caller = {
  request: (method) => nobody({ method }),
  notify: (method) => nobody({ method }),
  batch: () => nobody(CallerError.aBatch),
  listen: () => nobody(),
  pause: () => () => {},
  pipe: Prototype.pipe
}
