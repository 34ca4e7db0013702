/**
 * A conversation as its parts see it: what they have in common, and how they ask for the next step.
 */
import type { Dialect } from "@parley/protocol/Dialect"
import type { Limits } from "@parley/protocol/Limits"
import type { EncodeOptions } from "@parley/protocol/Message"
import type { WaitingCalls } from "../../Correlator.ts"
import type { DisconnectReason } from "../CallerError.ts"
import type { Room } from "../room/Room.ts"
import type { Host } from "../runtime/Host.ts"
import type { Lane, LaneCall } from "./Lane.ts"

/** @internal */
export interface Core {
  readonly host: Host
  readonly dialect: Dialect
  /** The dialect, where it writes messages in a form of its own. */
  readonly form: EncodeOptions | undefined
  readonly limits: Limits
  readonly room: Room
  /** The calls of ours that wait for their responses. */
  readonly ours: WaitingCalls
  /** Why no more requests can be made, if so. Notifications may go on until the lane is closed. */
  readonly reason: DisconnectReason | undefined
  /** Why nothing can be written to a lane any more, if so. */
  readonly closedFor: (lane: Lane) => DisconnectReason | undefined
  /** Whether requests that have not started are refused, and whether handlers are interrupted, because it ends. */
  readonly isRefusing: boolean
  readonly isEnding: boolean
  /**
   * Parks a call whose handler waits for the other side, or has taken too long: it gives back its place, and others may
   * pass it.
   */
  readonly park: (call: LaneCall) => void
  /** Does all that can be done now. A part calls it when something has happened that may let others go on. */
  readonly step: () => void
  /** The same after a call of ours or its write, which most often lets nobody go on. */
  readonly stepIfAwaited: () => void
}
