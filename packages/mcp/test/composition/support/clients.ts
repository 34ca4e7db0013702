/** Servers in this process, and clients of them, with principals or without. */
import type { McpConnectError } from "@parley/mcp/client/McpClientError"
import * as McpClientTransport from "@parley/mcp/client/McpClientTransport"
import * as McpClient from "@parley/mcp/McpClient"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpServer from "@parley/mcp/McpServer"
import type { Revision } from "@parley/mcp/wire/Revision"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Transport } from "@parley/transport/Transport"
import { Effect, type Scope } from "effect"

export const revisions: ReadonlyArray<Revision> = ["2025-11-25", "2026-07-28"]

/** One party that takes as much as it gets, under any number of connections, against others that come after it. */
export const parties = [
  { name: "a principal", principal: "eve", many: false },
  { name: "a principal on many connections", principal: "eve", many: true },
  { name: "a connection", principal: undefined, many: false }
] as const

export const drain = { limits: { drain: 0 } }

export const made = (name: string, features: ReadonlyArray<McpServer.Feature>) =>
  McpServer.make({ name, version: "1", features })

/** Reaches a server in this process, in a revision. */
export const reach =
  (server: McpServer.McpServer, revision?: Revision) =>
  (options: McpClient.ClientOptions): Effect.Effect<McpClient.McpClient, McpConnectError, Scope.Scope> =>
    Effect.provideService(
      McpMemoryClient.make({ ...options, protocolVersion: revision, ...drain }),
      McpServer.McpServer,
      server
    )

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

/** A client of a principal, or of none. */
export const clientAs = (
  server: McpServer.McpServer,
  principal: string | undefined,
  options: Partial<McpClient.ClientOptions> = {}
): Effect.Effect<McpClient.McpClient, never, Scope.Scope> => {
  const open: McpClientTransport.Open = (host) =>
    Effect.gen(function*() {
      const [near, far] = yield* MemoryTransport.makePair()
      const serving = McpServer.serveWith({ limits: host.limits, progressGap: 0, caller: { principal, scopes: "all" } })
      yield* Effect.forkScoped(
        serving.pipe(Effect.provideService(Transport, far), Effect.provideService(McpServer.McpServer, server)),
        { startImmediately: true }
      )
      return yield* McpClientTransport.fromTransport(near)(host)
    })
  return Effect.orDie(
    McpClient.make(open, { name: "test", version: "1", ...drain, cacheSize: 0, ...options })
  )
}

export const names = (entries: ReadonlyArray<{ readonly name: string }>) => entries.map(({ name }) => name)

export const settled = Effect.forEach(Array.from({ length: 200 }), () => Effect.yieldNow, { discard: true })
