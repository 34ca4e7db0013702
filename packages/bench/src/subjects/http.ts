/**
 * Over HTTP, a POST for each call: the floor, the libraries, Effect RPC and Parley. All keep their connections, and
 * those that bring no client have that of the floor.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Pool } from "@effect/platform-node/Undici"
import * as HttpCaller from "@parley/http/HttpCaller"
import * as HttpRoute from "@parley/http/HttpRoute"
import * as NodeHttp from "@parley/node/NodeHttp"
import * as Router from "@parley/peer/Router"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as RpcClient from "effect/rpc/RpcClient"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import * as RpcServer from "effect/rpc/RpcServer"
import * as Scope from "effect/Scope"
import jayson from "jayson"
import { JSONRPCClient } from "json-rpc-2.0"
import { Agent, createServer, type RequestListener, type ServerResponse } from "node:http"
import { serve } from "../floor/wires.ts"
import { serveWeb } from "../mcp/webHost.ts"
import { clientOf as rpcClientOf, group, handlers, options } from "../peers/effectRpc.ts"
import { echo, jsonRpcServer, promised } from "../peers/libraries.ts"
import { clientOf, full, portOf, router, type Variant } from "../peers/parley.ts"
import type { Payload, Subject } from "../Subject.ts"
import { serveRoutes } from "./httpRouter.ts"

/** Posts over at most 64 connections. */
const post = (port: number) => {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 64, pipelining: 1 })
  return {
    post: async (b: string): Promise<string> => {
      const { body } = await pool.request({
        path: "/",
        method: "POST",
        headers: { "content-type": "application/json" },
        body: b
      })
      return body.text()
    },
    close: () => pool.close()
  }
}

const whole = (take: (text: string, response: ServerResponse) => void): RequestListener => (q, r) => {
  const c: Array<Buffer> = []
  q.on("data", (d: Buffer) => c.push(d))
  q.on("end", () => take(Buffer.concat(c).toString(), r))
}

const reply = (r: ServerResponse, b: string): void => {
  r.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(b) })
  r.end(b)
}

const answerTo = (text: string): string => {
  const m = JSON.parse(text)
  return JSON.stringify({ jsonrpc: "2.0", result: m.params, id: m.id })
}

const floor: Subject = {
  name: "http/floor",
  wire: "http",
  serve: () => serve(createServer(whole((text, r) => reply(r, answerTo(text))))),
  connect: (port) => {
    const u = post(port)
    let n = 0
    return {
      call: async (params) => {
        const m = JSON.parse(await u.post(JSON.stringify({ jsonrpc: "2.0", method: "echo", params, id: ++n })))
        return m.result
      },
      close: u.close
    }
  }
}

const urlOf = (port: number) => `http://127.0.0.1:${port}/`

/** What Effect's server and client take by themselves. */
const routeFloor: Subject = {
  name: "http/route-floor",
  wire: "http",
  serve: () =>
    serveRoutes(HttpRouter.add(
      "POST",
      "/",
      Effect.map(
        Effect.orDie(Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ text }) => text)),
        (text) => HttpServerResponse.text(answerTo(text), { contentType: "application/json" })
      )
    )),
  connect: async (port) => {
    const scope = Scope.makeUnsafe()
    const context = await Effect.runPromise(Layer.buildWithScope(NodeHttpClient.layerUndici, scope))
    const client = Context.get(context, HttpClient.HttpClient)
    const request = HttpClientRequest.post(urlOf(port))
    let n = 0
    const callEffect = (params: Payload) =>
      Effect.suspend(() => {
        const text = JSON.stringify({ jsonrpc: "2.0", method: "echo", params, id: ++n })
        const response = client.execute(HttpClientRequest.bodyText(request, text, "application/json"))
        return Effect.map(Effect.flatMap(response, ({ text }) => text), (text): unknown => JSON.parse(text).result)
      })
    return {
      call: (params) => Effect.runPromise(callEffect(params)),
      callEffect,
      close: () => Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}

/** Servers behind the same small host for handlers of Web requests, for the client of the floor. */
const web: ReadonlyArray<Subject> = [
  {
    name: "http/web-floor",
    wire: "http",
    serve: () =>
      serveWeb(async (request) => {
        const headers = { "content-type": "application/json" }
        return new Response(answerTo(await request.text()), { headers })
      }),
    connect: floor.connect
  },
  {
    name: "http/parley-web",
    wire: "http",
    serve: async () => {
      const served = Effect.provideService(router({ name: "parley-web" }), Scope.Scope, Scope.makeUnsafe())
      return serveWeb(HttpRoute.toWebHandler(await Effect.runPromise(served)))
    },
    connect: floor.connect
  }
]

const libraries: ReadonlyArray<Subject> = [
  {
    name: "http/jayson",
    wire: "http",
    serve: () => serve(new jayson.Server({ echo }).http()),
    connect: (port) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 64 })
      return {
        call: promised(jayson.Client.http({ port, host: "127.0.0.1", agent })),
        close: () => agent.destroy()
      }
    }
  },
  {
    name: "http/json-rpc-2.0",
    wire: "http",
    serve: () => {
      const server = jsonRpcServer()
      return serve(
        createServer(whole((text, r) => void server.receiveJSON(text).then((x) => reply(r, JSON.stringify(x)))))
      )
    },
    connect: (port) => {
      const u = post(port)
      const client = new JSONRPCClient(async (request) => {
        client.receive(JSON.parse(await u.post(JSON.stringify(request))))
      })
      return { call: async (params) => client.request("echo", params), close: u.close }
    }
  }
]

/** No control messages: as it talks to a plain peer. */
const serialization = RpcSerialization.layerJsonRpc({ controlMessages: false })

const effectRpc: Subject = {
  name: "http/effect-rpc",
  wire: "http",
  serve: () =>
    serveRoutes(
      RpcServer.layerHttp({ group, path: "/rpc", protocol: "http", ...options }).pipe(
        Layer.provide(handlers),
        Layer.provide(serialization)
      )
    ),
  connect: (port) =>
    rpcClientOf(
      RpcClient.layerProtocolHttp({ url: `http://127.0.0.1:${port}/rpc` }).pipe(
        Layer.provide(NodeHttpClient.layerUndici),
        Layer.provide(serialization)
      )
    )
}

const serveNode = (variant: Variant): Promise<number> =>
  new Promise((resolve) => {
    Effect.runFork(Effect.scoped(Effect.gen(function*() {
      const served = NodeHttp.serveRouter({ port: 0 })
      const { address } = yield* Effect.provideService(served, Router.Router, yield* router(variant))
      resolve(portOf(address))
      return yield* Effect.never
    })))
  })

const parley: ReadonlyArray<Subject> = [
  ...full.map((variant): Subject => ({
    name: `http/${variant.name}`,
    wire: "http",
    serve: () => serveNode(variant),
    connect: (port) => clientOf(variant, NodeHttp.makeCaller({ url: urlOf(port) }))
  })),
  {
    name: "http/parley-route",
    wire: "http",
    serve: () =>
      serveRoutes(Layer.provide(HttpRoute.layer(), Layer.effect(Router.Router, router({ name: "parley-route" })))),
    connect: (port) =>
      clientOf(
        { name: "parley-route" },
        Effect.flatMap(
          Layer.build(NodeHttpClient.layerUndici),
          (client) => Effect.provideContext(HttpCaller.make({ url: urlOf(port) }), client)
        )
      )
  }
]

export const http: ReadonlyArray<Subject> = [floor, ...parley, routeFloor, ...web, ...libraries, effectRpc]
