/**
 * Ours over HTTP: the server, and the client over a fetcher of `NodeHttp`.
 */
import * as HttpRoute from "@parley/http/HttpRoute"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as NodeHttp from "@parley/node/NodeHttp"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import type { Client } from "../Subject.ts"
import * as echo from "./echo.ts"
import { clientIn, makeServer } from "./parley.ts"
import { serveWeb } from "./webHost.ts"

/** Gives the port. */
export const serveHttp = (tools: number, options: McpHttp.McpHttpOptions = {}): Promise<number> =>
  new Promise((resolve) => {
    Effect.runFork(Effect.scoped(Effect.gen(function*() {
      const endpoint = yield* McpHttp.endpoint(yield* makeServer(tools), options)
      const { address } = yield* NodeHttp.serve(endpoint, { port: 0, path: "/mcp" })
      resolve(Number(new URL(address).port))
      return yield* Effect.never
    })))
  })

/** The same as a handler of Web requests, on the host of `mcp-lite`. */
export const serveHandler = async (tools: number): Promise<number> => {
  const endpoint = Effect.flatMap(makeServer(tools), (server) => McpHttp.endpoint(server))
  return serveWeb(
    HttpRoute.webHandler(
      await Effect.runPromise(Effect.provideService(endpoint, Scope.Scope, Scope.makeUnsafe()))
    )
  )
}

export const connectHttp = (port: number, revision: echo.Revision): Promise<Client> =>
  clientIn(
    Effect.flatMap(NodeHttp.makeFetcher(), (fetcher) =>
      McpHttpClient.make(fetcher, { ...echo.identity, protocolVersion: revision, url: `http://127.0.0.1:${port}/mcp` }))
  )
