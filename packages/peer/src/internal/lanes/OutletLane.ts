/**
 * A lane that is the outlet of its connection, because all texts of that go by it.
 */
import type * as Effect from "effect/Effect"
import type { DisconnectReason } from "../CallerError.ts"
import type { Outlet } from "../conversation/ConnectionKey.ts"
import type { Conversation } from "../conversation/Conversation.ts"
import type { Lane } from "../conversation/Lane.ts"
import type { SharedText } from "../conversation/SharedText.ts"
import type { Traffic } from "../room/Room.ts"

/** @internal */
export abstract class OutletLane implements Outlet {
  abstract readonly conversation: Conversation
  abstract readonly traffic: Traffic

  /** Writes a text that goes to others as well. */
  protected abstract share(text: SharedText): void

  get form(): Outlet["form"] {
    return this.conversation.form
  }

  get frame(): number {
    return this.conversation.limits.frame
  }

  get reason(): DisconnectReason | undefined {
    return this.conversation.closedFor(this)
  }

  push(this: OutletLane & Lane, text: SharedText, owner: { readonly flush: () => void }): boolean {
    const { conversation } = this
    if (conversation.closedFor(this) !== undefined) return false
    const mayPass = conversation.room.mayWrite(this, "pushed") === undefined
    if (mayPass) this.share(text)
    else conversation.outgoing.park(this, owner, "pushed", () => owner.flush())
    return mayPass
  }

  withdraw(owner: object): void {
    this.traffic.parked?.delete(owner)
  }

  onClose(effect: Effect.Effect<unknown>): () => void {
    return this.conversation.onClose?.(effect) ?? (() => {})
  }

  abort(reason: DisconnectReason): void {
    this.conversation.abort(reason)
  }
}
