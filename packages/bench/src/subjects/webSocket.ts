/**
 * Over a WebSocket: the floor, the libraries, Effect RPC and Parley. All stand on the same release of `ws`, without
 * compression.
 */
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as NodeWebSocket from "@parley/node/NodeWebSocket"
import * as Layer from "effect/Layer"
import * as RpcClient from "effect/rpc/RpcClient"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import * as RpcServer from "effect/rpc/RpcServer"
import jayson from "jayson"
import { JSONRPCClient } from "json-rpc-2.0"
import { createServer } from "node:http"
import * as rpcWebSockets from "rpc-websockets"
import { WebSocket, WebSocketServer } from "ws"
import { floorClient, floorServer } from "../floor/floor.ts"
import { serve } from "../floor/wires.ts"
import { clientOf, group, handlers, options } from "../peers/effectRpc.ts"
import { echo, jsonRpcServer, promised } from "../peers/libraries.ts"
import { full, peerOf, portOf, serve as serveListener } from "../peers/parley.ts"
import type { Subject } from "../Subject.ts"
import { serveRoutes } from "./httpRouter.ts"

/** What is moved at once is a mebibyte at most. */
const settings = { perMessageDeflate: false, maxPayload: 1 << 28 }

/** A server for WebSockets, not listening yet. */
const upgrades = (attach: (server: WebSocketServer) => void) => {
  const server = createServer()
  attach(new WebSocketServer({ server, ...settings }))
  return server
}

const connect = (port: number): Promise<WebSocket> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}`, settings)
    socket.on("open", () => resolve(socket))
    socket.on("error", reject)
  })

const floors: ReadonlyArray<Subject> = [
  {
    name: "ws/floor",
    wire: "ws",
    serve: () =>
      serve(upgrades((server) =>
        server.on("connection", (s) => {
          const h = floorServer((t) => s.send(t))
          s.on("message", (d) => h(d.toString()))
        })
      )),
    connect: async (port) => {
      const w = await connect(port)
      const c = floorClient((t) => w.send(t))
      w.on("message", (d) => c.recv(d.toString()))
      return { call: c.call, close: () => w.terminate() }
    }
  }
]

const libraries: ReadonlyArray<Subject> = [
  {
    name: "ws/rpc-websockets",
    wire: "ws",
    serve: () =>
      new Promise((resolve) => {
        const server = new rpcWebSockets.Server({ port: 0, host: "127.0.0.1", ...settings })
        server.register("echo", (params) => params)
        server.on("listening", () => {
          const address = server.wss.address()
          resolve(typeof address === "object" && address !== null ? address.port : 0)
        })
      }),
    connect: async (port) => {
      const client = new rpcWebSockets.Client(`ws://127.0.0.1:${port}`, {
        reconnect: false,
        max_reconnects: 0,
        ...settings
      })
      await new Promise<void>((resolve) => client.on("open", () => resolve()))
      return { call: (params) => client.call("echo", params), close: () => client.close() }
    }
  },
  {
    name: "ws/json-rpc-2.0",
    wire: "ws",
    serve: () => {
      const server = jsonRpcServer()
      return serve(
        upgrades((wss) =>
          wss.on(
            "connection",
            (s) =>
              s.on("message", (d) => void server.receiveJSON(d.toString()).then((r) => r && s.send(JSON.stringify(r))))
          )
        )
      )
    },
    connect: async (port) => {
      const w = await connect(port)
      const client = new JSONRPCClient((request) => {
        w.send(JSON.stringify(request))
        return Promise.resolve()
      })
      w.on("message", (d) => client.receive(JSON.parse(d.toString())))
      return { call: async (params) => client.request("echo", params), close: () => w.terminate() }
    }
  },
  {
    name: "ws/jayson",
    wire: "ws",
    // Its types are those of another release of `ws`.
    serve: () => serve(upgrades((wss) => new jayson.Server({ echo }).websocket({ wss: wss as never }))),
    connect: async (port) => {
      const ws = await connect(port)
      return { call: promised(jayson.Client.websocket({ ws })), close: () => ws.terminate() }
    }
  }
]

/** No control messages: as it talks to a plain peer. */
const serialization = RpcSerialization.layerJsonRpc({ controlMessages: false })

const effectRpc: Subject = {
  name: "ws/effect-rpc",
  wire: "ws",
  serve: () =>
    serveRoutes(
      RpcServer.layerHttp({ group, path: "/rpc", protocol: "websocket", ...options }).pipe(
        Layer.provide(handlers),
        Layer.provide(serialization)
      )
    ),
  connect: (port) =>
    clientOf(
      RpcClient.layerProtocolSocket().pipe(
        Layer.provide(NodeSocket.layerWebSocket(`ws://127.0.0.1:${port}/rpc`)),
        Layer.provide(serialization)
      )
    )
}

const parley = full.map((variant): Subject => ({
  name: `ws/${variant.name}`,
  wire: "ws",
  serve: () => serveListener(variant, NodeWebSocket.makeListener({ port: 0 })).then(portOf),
  connect: (port) => peerOf(variant, NodeWebSocket.makeTransport({ port }))
}))

export const webSocket: ReadonlyArray<Subject> = [...floors, ...parley, ...libraries, effectRpc]
