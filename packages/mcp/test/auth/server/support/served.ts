/** A protected server of MCP on a port, and the real authorization server that it trusts. */
import * as McpHttp from "@parley/mcp/McpHttp"
import * as NodeHttp from "@parley/node/NodeHttp"
import * as IntrospectionVerifier from "@parley/oauth/IntrospectionVerifier"
import * as JwtVerifier from "@parley/oauth/JwtVerifier"
import * as ResourceServer from "@parley/oauth/ResourceServer"
import { Context, type Duration, Effect, Layer, Redacted, type Scope } from "effect"
import { machine, serve } from "../../../../../oauth/test/support/authorizationServer.ts"
import { features } from "./protected.ts"

/** A protected server on a port, whose clients need `files:read` for everything. */
export const protect = Effect.fnUntraced(function*(
  format: "jwt" | "opaque",
  options: Partial<ResourceServer.ResourceServerOptions> = {},
  { cacheFor, seconds }: { readonly cacheFor?: Duration.Input; readonly seconds?: number } = {}
): Effect.fn.Return<{ readonly url: URL; readonly issuer: string }, never, Scope.Scope> {
  const { issuer } = yield* serve(format, seconds)
  const fetcher = yield* Effect.orDie(NodeHttp.makeFetcher())
  const verifier = format === "jwt"
    ? yield* JwtVerifier.make(fetcher, { issuer })
    : yield* IntrospectionVerifier.make(fetcher, {
      issuer,
      cacheFor,
      client: { id: machine.id, secret: Redacted.make(machine.secret) }
    })
  const route = Layer.effectDiscard(Effect.gen(function*() {
    const { address } = yield* NodeHttp.NodeHost
    const { server } = yield* features()
    const required = ["files:read"]
    const scopes = ["files:read", "files:write"]
    const auth = ResourceServer.make({ resource: `${address}/mcp`, verifier, required, scopes, ...options })
    yield* NodeHttp.route(yield* McpHttp.endpoint(server, { auth }), { path: "/mcp" })
  }))
  const host = yield* Effect.orDie(Layer.build(NodeHttp.layerHost({ port: 0 }, route)))
  return { url: new URL(`${Context.get(host, NodeHttp.NodeHost).address}/mcp`), issuer }
})
