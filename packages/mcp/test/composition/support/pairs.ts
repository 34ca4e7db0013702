/** Every pair of eras on the two sides of a server that passes calls on, in memory. */
import * as McpUpstream from "@parley/mcp/gateway/McpUpstream"
import * as McpClient from "@parley/mcp/McpClient"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpServer from "@parley/mcp/McpServer"
import type { Revision } from "@parley/mcp/wire/Revision"
import { Effect, type Scope } from "effect"

export const revisions: ReadonlyArray<Revision> = ["2025-11-25", "2026-07-28"]

export interface Pair {
  /** The revision between the client and us. */
  readonly near: Revision
  /** The revision between us and the server. */
  readonly far: Revision
}

export const pairs: ReadonlyArray<Pair> = revisions.flatMap((near) => revisions.map((far) => ({ near, far })))

export const named = ({ far, near }: Pair) => `a client of ${near} and a server of ${far}`

const drain = { limits: { drain: 0 } }

/** A client of a server in this process. */
export const clientOf = (
  server: McpServer.McpServer,
  options: Partial<McpClient.ClientOptions> = {}
): Effect.Effect<McpClient.McpClient, never, Scope.Scope> =>
  Effect.orDie(Effect.provideService(
    McpMemoryClient.make({ name: "test", version: "1", ...drain, ...options }),
    McpServer.McpServer,
    server
  ))

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
        McpMemoryClient.make({ ...options, revision: far, ...drain }),
        McpServer.McpServer,
        server
      ),
    ...options
  }))
