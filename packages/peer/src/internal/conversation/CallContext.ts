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
import * as CallerError from "../../CallerError.ts"
import type { Call } from "../../Handler.ts"
import * as Progress from "../outgoing/Progress.ts"
import type { Lane, LaneCall } from "./Lane.ts"
import type { Parts } from "./Parts.ts"

/** The other side by a lane, for calls from outside of handlers. @internal */
export const callerBy = (conversation: Parts, lane: Lane): Caller => {
  const { outgoing } = conversation
  return {
    request: (method, params, options) => outgoing.request(lane, undefined, method, params, options),
    notify: (method, params) => outgoing.notify(lane, undefined, method, params),
    batch: (members, options) => outgoing.batch(lane, undefined, members, options),
    listen: (method, listener) => conversation.listen(method, listener),
    pause: () => conversation.pause(),
    pipe: Prototype.pipe
  }
}

/** A caller for the handler of a call: a handler that waits for the other side parks. @internal */
export const parking = (conversation: Parts, call: LaneCall, caller: Caller): Caller => {
  const parked = <A, E>(use: () => Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      conversation.theirs.park(call)
      return use()
    })
  return {
    ...caller,
    request: (...asked) => parked(() => caller.request(...asked)),
    // It waits until the other side has answered the post.
    notify: (...told) => parked(() => caller.notify(...told)),
    batch: (...asked) => parked(() => caller.batch(...asked))
  }
}

/** The other side for the handler of a call, by the lane that the call came by. @internal */
export const callerWithin = (conversation: Parts, call: LaneCall, by: Caller): Caller => {
  const { outgoing } = conversation
  const { lane } = call
  return {
    request: (method, params, options) => outgoing.request(lane, call, method, params, options),
    notify: (method, params) => outgoing.notify(lane, call, method, params),
    batch: (members, options) => outgoing.batch(lane, call, members, options),
    listen: by.listen,
    pause: by.pause,
    pipe: by.pipe
  }
}

/** A call whose handler can call the other side back. @internal */
export const callContext = (conversation: Parts, call: LaneCall, peer: Caller): Call => {
  const { extra, method, params } = call.message
  const { dialect } = conversation
  return {
    id: call.message._tag === "Request" ? call.message.id : undefined,
    method,
    params,
    extra,
    peer,
    progress: (fields) => Progress.notify(peer, dialect.progress, params, fields),
    partialResult: call.id === undefined ? undefined : Progress.partialResult(peer, dialect, params),
    connection: conversation.connection,
    afterReply: (effect, onSkipped) => void (call.after ??= []).push({ effect, onSkipped })
  }
}

const nobody = () => Effect.fail(new CallerError.Disconnected({ reason: { _tag: "NoPeer" }, sent: false }))

/** The caller of handlers that cannot reach the other side. @internal */
export const noPeer: Caller = {
  request: nobody,
  notify: nobody,
  batch: nobody,
  listen: nobody,
  pause: () => () => {},
  pipe: Prototype.pipe
}

/** A call of a session whose text came without a lane: handlers can send nothing, and may listen. @internal */
export const oneWayContext = (conversation: Parts, call: LaneCall): Call => ({
  ...callContext(conversation, call, { ...noPeer, listen: (...heard) => conversation.listen(...heard) }),
  ...unheard
})

/** A call of a text that is answered by itself. Where handlers can send, they can notify. @internal */
export const aloneContext = (conversation: Parts, call: LaneCall, canSend: boolean): Call => {
  const peer = canSend ? { ...noPeer, notify: callerWithin(conversation, call, noPeer).notify } : noPeer
  return {
    ...callContext(conversation, call, peer),
    ...(canSend ? {} : unheard),
    connection: undefined,
    // Nothing runs behind its answer.
    afterReply: (_, onSkipped) => {
      if (onSkipped !== undefined) (call.after ??= []).push({ effect: onSkipped, onSkipped })
    }
  }
}

/** Of a call whose caller can hear nothing but the response. */
const unheard: Pick<Call, "partialResult" | "progress"> = { progress: () => Effect.void, partialResult: undefined }
