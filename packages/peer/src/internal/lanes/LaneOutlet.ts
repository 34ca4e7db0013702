/**
 * The outlet of a connection whose texts all go by one lane.
 */
import type { Outlet } from "../conversation/ConnectionKey.ts"
import type { Conversation } from "../conversation/Conversation.ts"
import type { Lane } from "../conversation/Lane.ts"
import type { SharedText } from "../conversation/SharedText.ts"

/** A lane that writes texts that go to others as well. */
interface SharingLane extends Lane {
  readonly share: (text: SharedText) => void
}

/** @internal */
export const outletOf = (conversation: Conversation, lane: SharingLane): Outlet => ({
  form: conversation.form,
  frame: conversation.limits.frame,
  reason: () => conversation.closedFor(lane),
  push: (text, owner, onRoom) => {
    const mayPass = conversation.outgoing.mayPush(lane, owner, onRoom)
    if (mayPass) lane.share(text)
    return mayPass
  },
  withdraw: (owner) => void lane.traffic.parked?.delete(owner),
  onClose: (effect) => conversation.onClose?.(effect) ?? (() => {}),
  abort: (reason) => conversation.abort(reason)
})
