/**
 * The other side as callers and handlers see it, and a call as its handler sees
 * it.
 *
 * Members are own functions without `this`, because middleware spreads callers
 * and calls, and programs take members out of them.
 */
import type * as Message from "@parley/protocol/Message"
import * as Effect from "effect/Effect"
import { Prototype } from "effect/Pipeable"
import type { Caller } from "../../Caller.ts"
import * as CallerError from "../../CallerError.ts"
import type { Call } from "../../Handler.ts"
import * as Progress from "../outgoing/Progress.ts"
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

/** A call whose handler can call the other side back. @internal */
export const callContext = (conversation: Conversation, call: LaneCall, peer: Caller): Call => {
  const { extra, method, params } = call.message
  const { dialect } = conversation
  const { partialResults } = dialect
  return {
    id: call.message._tag === "Request" ? call.message.id : undefined,
    method,
    params,
    extra,
    peer,
    progress: (fields) => Progress.notify(peer, dialect.progress, params, fields),
    partialResult: call.id === undefined || partialResults === undefined || !mayAsk(partialResults.request, params)
      ? undefined
      : Progress.partialResult(peer, partialResults, params),
    connection: conversation.connection,
    draining: conversation.connection && conversation.draining,
    afterReply: (effect, onSkipped) => void (call.after ??= []).push({ effect, onSkipped })
  }
}

/** Whether params have the first name on the way to a token. Most have not, and are not searched. */
const mayAsk = ([first = ""]: ReadonlyArray<string>, params: Message.Params | undefined): boolean =>
  params !== undefined && Object.hasOwn(params, first)

const nobody = (call?: CallerError.Called) =>
  Effect.fail(new CallerError.Disconnected({ ...call, reason: { _tag: "NoPeer" }, sent: false }))

/** The caller of handlers that cannot reach the other side. */
const noPeer: Caller = {
  request: (method) => nobody({ method }),
  notify: (method) => nobody({ method }),
  batch: () => nobody(CallerError.aBatch),
  listen: () => nobody(),
  pause: () => () => {},
  pipe: Prototype.pipe
}

/** A call of a session whose text came without a lane: handlers can send nothing, and may listen. @internal */
export const oneWayContext = (conversation: Conversation, call: LaneCall): Call => ({
  ...callContext(conversation, call, { ...noPeer, listen: conversation.listen }),
  ...unheard
})

/** A call of a text that is answered by itself. Where handlers can send, they can notify. @internal */
export const aloneContext = (conversation: Conversation, call: LaneCall, canSend: boolean): Call => {
  const peer = canSend ? { ...noPeer, notify: callerBy(conversation, call.lane, call).notify } : noPeer
  return {
    ...callContext(conversation, call, peer),
    ...(canSend ? {} : unheard),
    // Nothing runs behind its answer.
    afterReply: (_, onSkipped) => {
      if (onSkipped !== undefined) (call.after ??= []).push({ effect: onSkipped, onSkipped })
    }
  }
}

/** Of a call whose caller can hear nothing but the response. */
const unheard: Pick<Call, "partialResult" | "progress"> = { progress: () => Effect.void, partialResult: undefined }
