/** Clients of the official SDKs, and our server behind another of ours, in every pair of eras. */
import { layer } from "@effect/vitest"
import * as McpUpstream from "@parley/mcp-gateway/McpUpstream"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpServer from "@parley/mcp/McpServer"
import * as Revision from "@parley/mcp/wire/Revision"
import { Effect, type Scope } from "effect"
import type { Connected } from "../../mcp/test/interop/support/foreign.ts"
import * as offered from "../../mcp/test/interop/support/offered.ts"
import * as officialV1 from "../../mcp/test/interop/support/officialV1.ts"
import * as officialV2 from "../../mcp/test/interop/support/officialV2.ts"
import * as places from "../../mcp/test/interop/support/places.ts"
import { scenarios } from "../../mcp/test/interop/support/scenarios.ts"
import { named, pairs } from "./support/pairs.ts"

/** A server with pages of two, as the one behind it has. */
const before = Effect.fnUntraced(function*(server: McpServer.McpServer, far: Revision.Revision) {
  const upstream = yield* McpUpstream.make({
    name: "far",
    connect: (options) =>
      Effect.provideService(McpMemoryClient.make({ ...options, protocolVersion: far }), McpServer.McpServer, server)
  })
  yield* Effect.orDie(upstream.ready)
  const { identity, instructions } = offered
  const outer = yield* McpServer.make({ ...identity, instructions, pageSize: 2, features: [] })
  yield* outer.mount(upstream)
  return outer
})

interface Client {
  readonly version: 1 | 2
  readonly near: Revision.Revision
  readonly connect: (url: string) => Effect.Effect<Connected, unknown, Scope.Scope>
}

const clients: ReadonlyArray<Client> = [
  { version: 1, near: "2025-11-25", connect: (url: string) => officialV1.connect(officialV1.http(url)) },
  { version: 2, near: "2025-11-25", connect: (url: string) => officialV2.connect(officialV2.http(url), "legacy") },
  {
    version: 2,
    near: "2026-07-28",
    connect: (url: string) => officialV2.connect(officialV2.http(url), { pin: "2026-07-28" })
  }
]

for (const { far, near } of pairs) {
  for (const { connect, version } of clients.filter((client) => client.near === near)) {
    const foreign = places.server.pipe(
      Effect.flatMap((server) => before(server, far)),
      Effect.flatMap(places.hosted),
      Effect.flatMap(connect),
      Effect.map((foreign) => ({ ...foreign, served: Revision.era(far) }))
    )
    layer(places.of(foreign), { excludeTestServices: true })(
      `the official SDK's client, version ${version}, and our server behind another, ${named({ near, far })}`,
      scenarios
    )
  }
}
