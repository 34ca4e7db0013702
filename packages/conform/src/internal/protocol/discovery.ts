/** Finds out what a server speaks. */
import type * as OpenRpc from "@parley/openrpc/OpenRpc"
import * as Effect from "effect/Effect"
import type { NotApplicable, Suite, Unverified } from "../../Suite.ts"
import type { Target } from "../../Target.ts"
import type { Patience } from "../probe/Patience.ts"
import * as jsonRpc from "./jsonRpc.ts"
import type { Found } from "./mcp/Discovery.ts"
import * as mcp from "./mcp/spoken.ts"
import * as openRpc from "./openrpc/openRpc.ts"
import type { Given } from "./openrpc/operations.ts"
import type { Run, Spoken } from "./Protocol.ts"

/** The name of a protocol that can be asked for. */
export type ProtocolName = "mcp" | "jsonrpc"

/** How a server is looked at. */
export interface Options {
  readonly patience: Patience
  /** The protocol of the server, where that is known. */
  readonly protocol: ProtocolName | undefined
  /** The document of its methods, where somebody has one. */
  readonly document: OpenRpc.Document | undefined
  /** Calls that change nothing and succeed. */
  readonly methods: ReadonlyArray<Given>
  /** The suites that only servers of MCP have. */
  readonly mcpSuites: (found: Found) => ReadonlyArray<Suite<Run>>
}

/** Tries MCP first: its servers say what they are. Everything else is plain JSON-RPC. Fails where nothing answers. */
export const find = Effect.fnUntraced(function*(
  target: Target,
  { document, mcpSuites, methods, patience, protocol }: Options
): Effect.fn.Return<Spoken, NotApplicable | Unverified> {
  const spoken = protocol === "jsonrpc"
    ? undefined
    : yield* mcp.find({ target, patience, isForced: protocol === "mcp", suites: mcpSuites })
  if (spoken !== undefined) return spoken
  const plain = jsonRpc.spoken(target, patience, methods)
  yield* jsonRpc.reach(target, patience, plain)
  return yield* openRpc.find(plain, { document, methods })
})
