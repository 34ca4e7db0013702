/**
 * The outlet of a connection whose texts all go by one lane.
 */
import type { Outlet } from "../conversation/ConnectionKey.ts"
import type { Conversation } from "../conversation/Conversation.ts"
import type { Lane } from "../conversation/Lane.ts"

/** @internal */
export const outletOf = (conversation: Conversation, lane: Lane): Outlet => ({
  form: conversation.form,
  reason: () => conversation.closedFor(lane),
  push: (text, owner, onRoom) => conversation.outgoing.push(lane, text, owner, onRoom),
  withdraw: (owner) => void lane.traffic.parked?.delete(owner),
  onClose: (effect) => conversation.onClose?.(effect) ?? (() => {}),
  abort: (reason) => conversation.abort(reason)
})
