import { assert, it } from "@effect/vitest"
import * as McpGateway from "@parley/mcp-gateway/McpGateway"
import * as HostConfig from "@parley/mcp/host/HostConfig"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpTool from "@parley/mcp/McpTool"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect } from "effect"
import { clientAs, made, names } from "./support/gateways.ts"

it.live("a gateway takes the servers that the configuration of a host names", () =>
  Effect.gen(function*() {
    const server = yield* made("web", [McpTool.make("who", {}, () => Effect.succeed("web"))])
    const { address } = yield* NodeHttp.serve(yield* McpHttp.endpoint(server), { port: 0, path: "/mcp" })
    const config = { mcpServers: { web: { type: "http", url: address } } }
    const servers = yield* HostConfig.servers(config, { fetcher: yield* NodeHttp.makeFetcher() })
    const client = yield* clientAs(yield* McpGateway.make({ name: "gateway", version: "1", servers }), "ada")
    assert.deepStrictEqual(names(yield* client.listTools()), ["web_who"])
  }))
