/** Every pair of eras on the two sides of a server that passes calls on, in memory. */
import * as McpUpstream from "@parley/mcp-gateway/McpUpstream"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpServer from "@parley/mcp/McpServer"
import type { Revision } from "@parley/mcp/wire/Revision"
import { Effect, type Scope } from "effect"
import { drain, revisions } from "../../../mcp/test/composition/support/clients.ts"

export { clientOf, revisions } from "../../../mcp/test/composition/support/clients.ts"

export interface Pair {
  /** The revision between the client and us. */
  readonly near: Revision
  /** The revision between us and the server. */
  readonly far: Revision
}

export const pairs: ReadonlyArray<Pair> = revisions.flatMap((near) => revisions.map((far) => ({ near, far })))

export const named = ({ far, near }: Pair) => `a client of ${near} and a server of ${far}`

/** A server that passes all on to another. */
export const through = (
  server: McpServer.McpServer,
  far: Revision,
  options: Partial<McpUpstream.McpUpstreamOptions> = {}
): Effect.Effect<McpServer.McpServer, never, Scope.Scope> =>
  Effect.orDie(McpUpstream.server({
    name: "far",
    connect: (options) =>
      Effect.provideService(
        McpMemoryClient.make({ ...options, protocolVersion: far, ...drain }),
        McpServer.McpServer,
        server
      ),
    ...options
  }))
