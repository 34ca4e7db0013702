/** The four ways to put a `Router`, or another endpoint, behind HTTP, each listening on a port of its own. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as HttpEndpoint from "@parley/http/HttpEndpoint"
import * as HttpRoute from "@parley/http/HttpRoute"
import type { RequestRules } from "@parley/http/shared"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Router } from "@parley/peer"
import { Context, Effect, Layer, type Scope } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import * as http from "node:http"
import { Readable } from "node:stream"

export interface Host {
  readonly name: string
  /** Whether it answers 404 at paths that nothing serves. Others answer at every path that they are asked for. */
  readonly hasPaths: boolean
  /** Serves until the Scope closes, and gives the URL. */
  readonly serve: (
    router: Router.Router,
    options?: RequestRules.RequestRulesOptions
  ) => Effect.Effect<string, unknown, Scope.Scope>
  readonly serveEndpoint: (endpoint: HttpEndpoint.HttpEndpoint) => Effect.Effect<string, unknown, Scope.Scope>
}

const node: Host = {
  name: "NodeHttp",
  hasPaths: true,
  serve: (router, options) =>
    NodeHttp.serveRouter({ ...options, port: 0 }).pipe(
      Effect.map(({ address }) => address),
      Effect.provideService(Router.Router, router)
    ),
  serveEndpoint: (endpoint) => Effect.map(NodeHttp.serve(endpoint, { port: 0 }), ({ address }) => address)
}

const serveLayer = <E>(layer: Layer.Layer<never, E, HttpRouter.HttpRouter>) =>
  Effect.gen(function*() {
    const server = Layer.provideMerge(
      HttpRouter.serve(layer, { disableLogger: true, disableListenLog: true }),
      NodeHttpServer.layerServer(() => http.createServer(), {
        port: 0,
        host: "127.0.0.1",
        gracefulShutdownTimeout: 100
      })
    )
    const context = yield* Layer.build(server)
    const { address } = Context.get(context, HttpServer.HttpServer)
    return `http://127.0.0.1:${address._tag === "UnixPathAddress" ? 0 : address.port}/`
  })

const route: Host = {
  name: "HttpRoute on Effect's server",
  hasPaths: true,
  serve: (router, options) => serveLayer(Layer.provide(HttpRoute.layer(options), Layer.succeed(Router.Router, router))),
  serveEndpoint: (endpoint) => serveLayer(HttpRoute.layerEndpoint("/", endpoint))
}

/** What frameworks do: a `Request` with a signal out of Node's request, and the `Response` into its response. */
const bridge = (handle: (request: Request) => Promise<Response>): http.RequestListener => async (request, response) => {
  const gone = new AbortController()
  response.on("close", () => gone.abort())
  const hasBody = request.method !== "GET" && request.method !== "HEAD"
  const answer = await handle(
    new Request(`http://${request.headers.host}${request.url}`, {
      method: request.method ?? "",
      headers: Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
      signal: gone.signal,
      ...(hasBody ? { body: Readable.toWeb(request) as ReadableStream<Uint8Array>, duplex: "half" } : {})
    })
  )
  if (response.destroyed) return
  response.writeHead(answer.status, [...answer.headers].flat())
  response.flushHeaders()
  if (answer.body === null) response.end()
  else Readable.fromWeb(answer.body as never).on("error", () => response.destroy()).pipe(response)
}

/** Serves a handler of Web requests over Node's server until the Scope closes, and gives the URL. */
export const serveHandler = (handle: (request: Request) => Promise<Response>) => serveListener(bridge(handle))

/** Serves a listener on a server of Node.js until the Scope closes, and gives the URL. */
export const serveListener = (listener: http.RequestListener, options: http.ServerOptions = {}) =>
  Effect.gen(function*() {
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => http.createServer(options, listener)),
      (server) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    )
    yield* Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    })
    const address = server.address()
    return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`
  })

const web: Host = {
  name: "HttpRoute.toWebHandler",
  hasPaths: false,
  serve: (router, options) => serveHandler(HttpRoute.toWebHandler(router, options)),
  serveEndpoint: (endpoint) => serveHandler(HttpRoute.webHandler(endpoint))
}

const listener: Host = {
  name: "NodeHttp.makeRequestListener",
  hasPaths: false,
  serve: (router, options) => listener.serveEndpoint(HttpEndpoint.jsonRpcWith(router.answer, options)),
  serveEndpoint: (endpoint) =>
    Effect.gen(function*() {
      let listen: http.RequestListener = () => {}
      const { handshake, partialFrame } = endpoint.limits
      // The endpoint ends before the server, which bounds the time of a body.
      const url = yield* serveListener((request, response) => listen(request, response), {
        headersTimeout: Math.min(handshake, partialFrame),
        requestTimeout: partialFrame,
        connectionsCheckingInterval: Math.min(1_000, partialFrame)
      })
      listen = yield* NodeHttp.makeRequestListener(endpoint)
      return url
    })
}

export const hosts: ReadonlyArray<Host> = [node, route, web, listener]
