/** The hosts that listen: each gives the URL of a server behind it. */
import { NodeHttpServer } from "@effect/platform-node"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpServer from "@parley/mcp/McpServer"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Context, Effect, Layer, type Scope } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import * as http from "node:http"

type Server = McpServer.McpServer

export interface Place {
  readonly name: string
  readonly serve: (server: Server, options?: McpHttp.McpHttpOptions) => Effect.Effect<string, never, Scope.Scope>
}

/** Milliseconds for what still runs when a host closes. */
const drain = 100

const node: Place = {
  name: "NodeHttp",
  serve: (server, options = {}) =>
    McpHttp.endpoint(server, { ...options, limits: { drain, ...options.limits } }).pipe(
      Effect.flatMap((endpoint) => NodeHttp.serve(endpoint, { port: 0, path: "/mcp" })),
      Effect.map(({ address }) => address),
      Effect.orDie
    )
}

const route: Place = {
  name: "HttpRouter",
  serve: Effect.fnUntraced(function*(server, options) {
    const listening = NodeHttpServer.layerServer(() => http.createServer(), {
      port: 0,
      host: "127.0.0.1",
      gracefulShutdownTimeout: drain
    })
    const served = HttpRouter.serve(McpHttp.layer(options), { disableLogger: true, disableListenLog: true }).pipe(
      Layer.provide(Layer.succeed(McpServer.McpServer, server))
    )
    const context = yield* Effect.orDie(Layer.build(Layer.provideMerge(served, listening)))
    const { address } = Context.get(context, HttpServer.HttpServer)
    return `http://127.0.0.1:${address._tag === "UnixPathAddress" ? 0 : address.port}/mcp`
  })
}

export const places: ReadonlyArray<Place> = [node, route]
