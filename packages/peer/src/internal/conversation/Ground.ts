/**
 * What every part of a conversation stands on.
 */
import type { Batch } from "@parley/protocol/Batch"
import type { Dialect } from "@parley/protocol/Dialect"
import type { Limits } from "@parley/protocol/Limits"
import type { EncodeOptions } from "@parley/protocol/Message"
import type { Room } from "../room/Room.ts"
import type { Host } from "../runtime/Host.ts"
import type { Lane } from "./Lane.ts"
import type { Phase } from "./Phase.ts"

/** @internal */
export interface Ground {
  readonly host: Host
  readonly dialect: Dialect
  /** The dialect, where it writes messages in a form of its own. */
  readonly form: EncodeOptions | undefined
  readonly limits: Limits
  readonly room: Room<Lane, Batch>
  readonly phase: Phase
  /** Does all that can be done now. A part calls it when something has happened that may let others go on. */
  readonly step: () => void
}
