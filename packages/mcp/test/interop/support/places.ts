/** Where a foreign client finds the server: in this process, in a child, behind HTTP. */
import { NodeHttpServer } from "@effect/platform-node"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpServer from "@parley/mcp/McpServer"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import * as MeshNode from "@parley/mesh/MeshNode"
import * as NodeHttp from "@parley/node/NodeHttp"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Transport } from "@parley/transport/Transport"
import { Context, Effect, Layer, Logger, Scope } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import * as http from "node:http"
import { fileURLToPath } from "node:url"
import { compileCacheEnv } from "../../../../../tools/compileCache.ts"
import { type Connected, Foreign } from "./foreign.ts"
import * as offered from "./offered.ts"

export type Server = McpServer.McpServer

export type Reach<T> = (server: Server) => Effect.Effect<T, never, Scope.Scope>

/** A command for the transports of the official SDKs. */
export interface Command {
  readonly command: string
  readonly args: Array<string>
  readonly env: Record<string, string>
  readonly stderr: "ignore"
}

/** What starts the server in a process of its own. */
export const command: Command = {
  command: process.execPath,
  args: [fileURLToPath(new URL("stdioServer.ts", import.meta.url))],
  env: compileCacheEnv,
  stderr: "ignore"
}

/** As much of a transport of the official SDKs as both versions agree on. */
interface Linked {
  onmessage?: ((message: never) => void) | undefined
  onclose?: (() => void) | undefined
  send: (message: never) => Promise<void>
  close: () => Promise<void>
}

/** Joins the far side of a pair of in-memory transports with a server of ours, text by text, and gives the near side. */
export const joined = Effect.fnUntraced(function*<T extends Linked>(
  server: Server,
  [near, far]: readonly [T, T]
): Effect.fn.Return<T, never, Scope.Scope> {
  // Each side closes its own end; what the server says last is still read then.
  const [line, served] = yield* Scope.provide(MemoryTransport.makePair(), yield* Scope.make())
  yield* McpServer.serve.pipe(
    Effect.provideService(Transport, served),
    Effect.provideService(McpServer.McpServer, server),
    Effect.forkScoped({ startImmediately: true })
  )
  far.onmessage = (message) => void Effect.runFork(line.send([JSON.stringify(message)]))
  far.onclose = () => void Effect.runFork(line.close)
  const pump = Effect.forever(Effect.flatMap(line.receive, (texts) =>
    Effect.promise(async () => {
      // What a server of ours sends is text, of a message.
      for (const text of texts) await far.send(JSON.parse(text as string) as never)
    })))
  // It ends with the line, behind what the server says last.
  yield* Effect.forkDetach(Effect.catchCause(pump, () => Effect.promise(() => far.close())))
  return near
})

/** Serves it by the host of `@parley/node`, and gives its URL. */
export const hosted = (
  server: Server,
  options: McpHttp.McpHttpOptions = {}
): Effect.Effect<string, never, Scope.Scope> =>
  McpHttp.endpoint(server, options).pipe(
    Effect.flatMap((endpoint) => NodeHttp.serve(endpoint, { port: 0, path: "/mcp" })),
    Effect.map(({ address }) => address),
    Effect.orDie
  )

/** Serves it on two nodes of a mesh. Each request that its `fetch` makes reaches another than the one before it. */
export const spread = Effect.fnUntraced(function*(
  server: Server
): Effect.fn.Return<{ readonly url: string; readonly fetch: typeof fetch }, never, Scope.Scope> {
  const engine = yield* MemoryNodes.makeEngine
  const journal = yield* MemoryNodes.makeJournal()
  const node = Effect.gen(function*() {
    const mesh = yield* Effect.orDie(MeshNode.make(engine))
    // It is one server: what it tells its clients reaches those of both nodes as it is.
    return yield* hosted({ ...server, share: () => Effect.void }, { mesh, journal })
  })
  const [url, other] = [yield* node, yield* node]
  let turn = 0
  return { url, fetch: (_, init) => fetch(turn++ % 2 === 0 ? url : other, init) }
})

/** Serves it by an `HttpRouter`, and gives its URL. */
export const routed = Effect.fnUntraced(function*(server: Server): Effect.fn.Return<string, never, Scope.Scope> {
  // It waits for nobody when it closes: a stream that is read would keep it for twenty seconds.
  const place = { port: 0, host: "127.0.0.1", disablePreemptiveShutdown: true }
  const served = HttpRouter.serve(McpHttp.layer(), { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provideMerge(NodeHttpServer.layer(() => http.createServer(), place)),
    Layer.provide(Layer.succeed(McpServer.McpServer)(server))
  )
  const context = yield* Effect.orDie(Layer.build(served))
  const { address } = Context.get(context, HttpServer.HttpServer)
  // It listens at an address of the internet.
  return `http://127.0.0.1:${(address as { readonly port: number }).port}/mcp`
})

/** The server, for a file of tests. */
export const server: Effect.Effect<Server> = offered.make

/** A client for a file of tests, with the server of which it is one. What is logged, as of the tool that breaks, is not told. */
export const of = <E>(foreign: Effect.Effect<Connected, E, Scope.Scope>): Layer.Layer<Foreign, E> =>
  Layer.effect(Foreign, foreign).pipe(Layer.provide(Logger.layer([])))
