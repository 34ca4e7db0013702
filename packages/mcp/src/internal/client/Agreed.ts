/**
 * What came out of a handshake.
 */
import type { Implementation, ServerCapabilities } from "../../Capabilities.ts"
import type { Wire } from "../../revision/Wire.ts"

/** @internal */
export interface Agreed {
  readonly wire: Wire
  readonly serverInfo: Implementation | undefined
  /** `undefined` where nobody asked. */
  readonly capabilities: ServerCapabilities | undefined
  readonly instructions: string | undefined
}
