/**
 * What every part of a conversation stands on.
 */
import type { Dialect } from "@parley/protocol/Dialect"
import type { Limits } from "@parley/protocol/Limits"
import type { EncodeOptions } from "@parley/protocol/Message"
import type { HeldResponses } from "../incoming/HeldResponses.ts"
import type { Host } from "../runtime/Host.ts"
import type { Phase } from "./Phase.ts"

/** @internal */
export interface Ground {
  readonly host: Host
  readonly dialect: Dialect
  /** The dialect, where it writes messages in a form of its own. */
  readonly form: EncodeOptions | undefined
  readonly limits: Limits
  /** The responses that wait for the handlers of the notifications before them, where they do. */
  readonly held: HeldResponses | undefined
  readonly phase: Phase
  /** Does all that can be done now. A part calls it when something has happened that may let others go on. */
  readonly step: () => void
}
