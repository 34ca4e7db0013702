/**
 * Microseconds of processor time that a gateway adds to a call: `node gateway.ts memory records`. In memory or over HTTP,
 * the result is a short text (`small`), 131 kB of structured content (`records`), or one text of 131 kB (`text`).
 *
 * The client, the gateway and the server are in this process, so that all that the gateway takes is counted.
 */
import * as McpGateway from "@parley/mcp-gateway/McpGateway"
import type { McpConnectError } from "@parley/mcp/client/McpClientError"
import type * as McpClient from "@parley/mcp/McpClient"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as NodeHttp from "@parley/node/NodeHttp"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { difference } from "../../cost/difference.ts"
import type { Client } from "../../Subject.ts"
import * as echo from "../echo.ts"

const size = 131_072

const record = (id: number) => ({
  id,
  name: `record number ${id}`,
  city: "Zurich",
  price: id + 0.25,
  active: id % 2 === 0,
  tags: ["a", "b"],
  note: "some words about it"
})

const records = Array.from({ length: Math.floor(size / JSON.stringify(record(500)).length) }, (_, id) => record(id))

const results = {
  small: McpTool.result({ content: echo.text }),
  records: McpTool.result({ content: "see the records", structuredContent: { records } }),
  text: McpTool.result({ content: `${echo.text}\n`.repeat(size / 65) })
}

type Connect = (options: McpClient.ClientOptions) => Effect.Effect<McpClient.McpClient, McpConnectError, Scope.Scope>

/** A way to a server, which is served as long as the Scope is open. */
const wires: {
  readonly [wire: string]: (server: McpServer.McpServer) => Effect.Effect<Connect, unknown, Scope.Scope>
} = {
  memory: (server) =>
    Effect.succeed((options) => Effect.provideService(McpMemoryClient.make(options), McpServer.McpServer, server)),
  http: Effect.fnUntraced(function*(server) {
    const { address } = yield* NodeHttp.serve(yield* McpHttp.endpoint(server), { port: 0, path: "/mcp" })
    const fetcher = yield* NodeHttp.makeFetcher()
    return (options) => McpHttpClient.make(fetcher, { ...options, url: address })
  })
}

const main = async (wire: string, kind: string): Promise<number> => {
  const serving = wires[wire]
  const result = kind in results ? results[kind as keyof typeof results] : undefined
  if (serving === undefined || result === undefined) throw new Error(`no ${wire} ${kind}`)
  const scope = Scope.makeUnsafe()
  const opened = <A>(effect: Effect.Effect<A, unknown, Scope.Scope>) => Effect.runPromise(Scope.provide(effect, scope))
  const server = await opened(McpServer.make({
    ...echo.identity,
    features: [McpTool.raw("echo", { inputSchema: { type: "object" } }, () => Effect.succeed(result))]
  }))
  const connect = await opened(serving(server))
  const gateway = await opened(
    McpGateway.make({ ...echo.identity, servers: { far: { prefix: "", connect } } })
  )
  const clientOf = async (way: Connect): Promise<Client> => {
    const { callTool } = await opened(way(echo.identity))
    const call = Effect.suspend(() => callTool("echo"))
    return { call: () => Effect.runPromise(call), callEffect: () => call, close: () => {} }
  }
  return difference(await clientOf(await opened(serving(gateway))), await clientOf(connect), 1)
}

const [, , wire = "memory", kind = "small"] = process.argv
const cost = await main(wire, kind)
process.stdout.write(`${cost}\n`, () => process.exit())
