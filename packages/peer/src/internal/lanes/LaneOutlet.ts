/**
 * The outlet of a connection whose texts all go by one lane.
 */
import type * as Effect from "effect/Effect"
import type { DisconnectReason } from "../CallerError.ts"
import type { Outlet } from "../conversation/ConnectionKey.ts"
import type { Conversation } from "../conversation/Conversation.ts"
import type { Lane } from "../conversation/Lane.ts"
import type { SharedText } from "../conversation/SharedText.ts"

/** A lane that writes texts that go to others as well. */
interface SharingLane extends Lane {
  readonly share: (text: SharedText) => void
}

/** @internal */
export class LaneOutlet implements Outlet {
  readonly #conversation: Conversation
  readonly #lane: SharingLane

  constructor(conversation: Conversation, lane: SharingLane) {
    this.#conversation = conversation
    this.#lane = lane
  }

  get form(): Outlet["form"] {
    return this.#conversation.form
  }

  get frame(): number {
    return this.#conversation.limits.frame
  }

  get reason(): DisconnectReason | undefined {
    return this.#conversation.closedFor(this.#lane)
  }

  push(text: SharedText, owner: object, onRoom: () => void): boolean {
    const conversation = this.#conversation
    const lane = this.#lane
    if (conversation.closedFor(lane) !== undefined) return false
    const mayPass = conversation.room.mayWrite(lane, "pushed") === undefined
    if (mayPass) lane.share(text)
    else conversation.outgoing.park(lane, owner, "pushed", onRoom)
    return mayPass
  }

  withdraw(owner: object): void {
    this.#lane.traffic.parked?.delete(owner)
  }

  onClose(effect: Effect.Effect<unknown>): () => void {
    return this.#conversation.onClose?.(effect) ?? (() => {})
  }

  abort(reason: DisconnectReason): void {
    this.#conversation.abort(reason)
  }
}
