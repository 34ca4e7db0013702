/**
 * The caller of a call that middleware of a server sees: who it is, as the handler of the call will find it.
 */
import type { Call } from "@parley/peer/Handler"

/** The facts about a caller, as in `McpContext`. */
export interface Caller {
  readonly auth: { readonly principal: string | undefined }
  readonly client: { readonly info: { readonly name: string } | undefined }
}

/** Where a call has its caller: copies of it keep that. @internal */
export const key: unique symbol = Symbol("@parley/mcp/caller")

/** The caller of a call of a server of MCP. */
export const of = (call: Call): Caller | undefined => (call as { readonly [key]?: Caller })[key]
