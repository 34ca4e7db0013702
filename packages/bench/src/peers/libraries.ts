/**
 * The libraries beside us, each used as its own documentation does.
 */
import jayson from "jayson"
import BrowserClient from "jayson/lib/client/browser/index.js"
import { JSONRPCClient, JSONRPCServer } from "json-rpc-2.0"
import { PassThrough } from "node:stream"
import * as rpc from "vscode-jsonrpc/node"
import { lines, q } from "../floor/floor.ts"
import { overSockets, serve, start } from "../floor/wires.ts"
import type { Client, Payload, Subject } from "../Subject.ts"

const ignore = () => {}

export const jsonRpcServer = (): JSONRPCServer => {
  const server = new JSONRPCServer()
  server.addMethod("echo", (params) => params)
  return server
}

export const vscodeServe = (connection: rpc.MessageConnection): rpc.MessageConnection => {
  connection.onRequest("echo", (params) => params)
  connection.listen()
  return connection
}

export const vscodeClient = (connection: rpc.MessageConnection, close: () => unknown): Client => {
  connection.onError(ignore)
  connection.listen()
  return { call: (params) => connection.sendRequest("echo", params), close }
}

export const echo = (params: unknown, callback: (error: null, result: unknown) => void) => callback(null, params)

/** A call of a client with callbacks. */
export const promised = (client: Pick<jayson.Client, "request">) => (params: Payload): Promise<unknown> =>
  new Promise((resolve, reject) => {
    client.request("echo", params, (cause: unknown, error: unknown, result: unknown) => {
      const failure = cause ?? error
      if (failure) reject(failure)
      else resolve(result)
    })
  })

export const libraries: ReadonlyArray<Subject> = [
  {
    name: "mem/json-rpc-2.0",
    wire: "mem",
    open: () => {
      const server = jsonRpcServer()
      const toClient = q((text) => client.receive(JSON.parse(text)))
      const toServer = q((text) => {
        void server.receiveJSON(text).then((reply) => reply && toClient(JSON.stringify(reply)))
      })
      const client = new JSONRPCClient((request) => {
        toServer(JSON.stringify(request))
        return Promise.resolve()
      })
      return { call: async (params) => client.request("echo", params), close: ignore }
    }
  },
  {
    name: "mem/jayson",
    wire: "mem",
    open: () => {
      const server = new jayson.Server({ echo })
      const client = new BrowserClient(
        (text, callback) =>
          queueMicrotask(() =>
            server.call(text, (error, reply) => queueMicrotask(() => callback(null, JSON.stringify(error ?? reply))))
          ),
        {}
      )
      return { call: promised(client), close: ignore }
    }
  },
  {
    name: "mem/vscode-jsonrpc",
    wire: "mem",
    open: () => {
      const there = new PassThrough()
      const back = new PassThrough()
      const pair = (read: PassThrough, write: PassThrough) =>
        rpc.createMessageConnection(new rpc.StreamMessageReader(read), new rpc.StreamMessageWriter(write))
      vscodeServe(pair(there, back))
      return vscodeClient(pair(back, there), ignore)
    }
  },
  ...overSockets("vscode-jsonrpc", (s) => {
    const connection = vscodeServe(
      rpc.createMessageConnection(new rpc.SocketMessageReader(s), new rpc.SocketMessageWriter(s))
    )
    connection.onError(ignore)
  }, (s) => {
    const connection = rpc.createMessageConnection(new rpc.SocketMessageReader(s), new rpc.SocketMessageWriter(s))
    return vscodeClient(connection, () => {
      connection.dispose()
      s.destroy()
    })
  }),
  ...overSockets("json-rpc-2.0", (s) => {
    const server = jsonRpcServer()
    s.setEncoding("utf8")
    s.on("data", lines((l) => void server.receiveJSON(l).then((r) => r && s.write(JSON.stringify(r) + "\n"))))
  }, (s) => {
    s.setEncoding("utf8")
    const client = new JSONRPCClient((request) => {
      s.write(JSON.stringify(request) + "\n")
      return Promise.resolve()
    })
    s.on("data", lines((l) => client.receive(JSON.parse(l))))
    return { call: async (params) => client.request("echo", params), close: () => s.destroy() }
  }),
  {
    name: "tcp/jayson",
    wire: "tcp",
    // A connection per call: more than these run out of ports.
    most: 64,
    serve: () => serve(new jayson.Server({ echo }).tcp()),
    connect: (port) => ({ call: promised(jayson.Client.tcp({ port, host: "127.0.0.1" })), close: ignore })
  },
  {
    name: "stdio/vscode-jsonrpc",
    wire: "stdio",
    serve: () => {
      vscodeServe(rpc.createMessageConnection(
        new rpc.StreamMessageReader(process.stdin),
        new rpc.StreamMessageWriter(process.stdout)
      ))
    },
    connect: (command) => {
      const child = start(command)
      const connection = rpc.createMessageConnection(
        new rpc.StreamMessageReader(child.stdout),
        new rpc.StreamMessageWriter(child.stdin)
      )
      return vscodeClient(connection, () => {
        connection.dispose()
        child.kill()
      })
    }
  },
  {
    name: "stdio/json-rpc-2.0",
    wire: "stdio",
    serve: () => {
      const server = jsonRpcServer()
      process.stdin.setEncoding("utf8")
      process.stdin.on(
        "data",
        lines((l) => void server.receiveJSON(l).then((r) => r && process.stdout.write(JSON.stringify(r) + "\n")))
      )
    },
    connect: (command) => {
      const child = start(command)
      child.stdout.setEncoding("utf8")
      const client = new JSONRPCClient((request) => {
        child.stdin.write(JSON.stringify(request) + "\n")
        return Promise.resolve()
      })
      child.stdout.on("data", lines((l) => client.receive(JSON.parse(l))))
      return { call: async (params) => client.request("echo", params), close: () => child.kill() }
    }
  }
]
