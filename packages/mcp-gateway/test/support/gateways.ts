/** Gateways before servers in this process. */
import * as McpGateway from "@parley/mcp-gateway/McpGateway"
import type * as McpServer from "@parley/mcp/McpServer"
import type { Revision } from "@parley/mcp/wire/Revision"
import type { Effect, Scope } from "effect"
import { reach } from "../../../mcp/test/composition/support/clients.ts"

export { clientAs, made, names, parties, reach, settled } from "../../../mcp/test/composition/support/clients.ts"

type Member = Partial<McpGateway.Member> & { readonly server: McpServer.McpServer }

export const gatewayOf = (
  members: { readonly [name: string]: Member | McpServer.McpServer },
  far?: Revision
): Effect.Effect<McpServer.McpServer, never, Scope.Scope> =>
  McpGateway.make({
    name: "gateway",
    version: "1",
    servers: Object.fromEntries(
      Object.entries(members).map(([name, member]) => {
        const { server, ...options } = "server" in member ? member : { server: member }
        return [name, { connect: reach(server, far), ...options }]
      })
    )
  })
