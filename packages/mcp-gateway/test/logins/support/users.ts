/** Gateways whose server behind is another one for each principal, who all have signed in. */
import type * as McpGateway from "@parley/mcp-gateway/McpGateway"
import * as UserLogins from "@parley/mcp-gateway/UserLogins"
import type * as McpServer from "@parley/mcp/McpServer"
import type { Revision } from "@parley/mcp/wire/Revision"
import * as TokenStore from "@parley/oauth/TokenStore"
import { Effect, Redacted } from "effect"
import { reach } from "../../support/gateways.ts"

/** The options of a gateway before a server `far`, which `behind` chooses for each principal. */
export const options = Effect.fnUntraced(function*(
  behind: (principal: string) => McpServer.McpServer,
  { far = "2026-07-28" as Revision, ...member }: Partial<McpGateway.Member> & { readonly far?: Revision } = {}
) {
  const logins = yield* UserLogins.make({
    url: "https://gateway.example.org/login",
    // It has the principal of each key where tokens would be.
    store: { ...TokenStore.makeMemory(), get: (key) => Effect.succeed(Redacted.make(key)) },
    identify: () => Effect.never
  })
  const options: McpGateway.McpGatewayOptions = {
    name: "gateway",
    version: "1",
    logins,
    servers: {
      far: {
        credentials: "user",
        connect: (options, authorization) =>
          Effect.flatMap(Effect.orDie(authorization!.store!.get("tokens far")), (key) => {
            const [principal] = JSON.parse(Redacted.value(key!).replace(/ tokens far$/, ""))
            return reach(behind(principal), far)(options)
          }),
        ...member
      }
    }
  }
  return options
})
