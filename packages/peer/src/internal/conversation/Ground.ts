/**
 * What every part of a conversation stands on.
 */
import type { Dialect } from "@parley/protocol/Dialect"
import type { Limits } from "@parley/protocol/Limits"
import type { Host } from "../runtime/Host.ts"
import type { Phase } from "./Phase.ts"

/** @internal */
export interface Ground {
  readonly host: Host
  readonly dialect: Dialect
  readonly limits: Limits
  readonly phase: Phase
  /** Does all that can be done now. A part calls it when something has happened that may let others go on. */
  readonly step: () => void
}
