/**
 * What came out of a handshake.
 */
import type { Implementation, ServerCapabilities } from "../../../payload/Capabilities.ts"
import type { Wire } from "../../../wire/RevisionCodec.ts"

/** @internal */
export interface Agreed {
  readonly wire: Wire
  readonly serverInfo: Implementation | undefined
  /** `undefined` where nobody asked. */
  readonly capabilities: ServerCapabilities | undefined
  readonly instructions: string | undefined
}
