/**
 * Servers that answer only over a wire. What belongs to a text is what comes before the answer of a second request, or a
 * moment after it where that was faster.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Rpc from "effect/rpc/Rpc"
import * as RpcGroup from "effect/rpc/RpcGroup"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import * as RpcServer from "effect/rpc/RpcServer"
import * as Schema from "effect/Schema"
import { PassThrough } from "node:stream"
import * as rpcWs from "rpc-websockets"
import * as rpc from "vscode-jsonrpc/node"
import { WebSocket } from "ws"
import { serveRoutes } from "../subjects/httpRouter.ts"
import type { Server } from "./Server.ts"
import { methods, Refusal } from "./specimen.ts"

const sentinel = `{"jsonrpc":"2.0","method":"get_data","id":"sentinel"}`
const isSentinel = (text: string): boolean => text.includes("\"sentinel\"")

/** Milliseconds that an answer may come after that of the second request. */
const grace = 200
/** Milliseconds after which a connection that answers nothing is given up. */
const patience = 1_000

interface Line {
  readonly send: (text: string) => void
  readonly onText: (listener: (text: string) => void) => void
  readonly close: () => void
}

const answerOver = ({ close, onText, send }: Line, text: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const end = (answer: string | undefined) => {
      clearTimeout(timer)
      close()
      resolve(answer)
    }
    let timer = setTimeout(() => end(undefined), patience)
    onText((received) => {
      if (!isSentinel(received)) return end(received)
      clearTimeout(timer)
      timer = setTimeout(() => end(undefined), grace)
    })
    send(text)
    send(sentinel)
  })

export const vscodeJsonRpc = async (): Promise<Server> => ({
  ask: (text) => {
    const [there, back] = [new PassThrough(), new PassThrough()]
    const connection = rpc.createMessageConnection(
      new rpc.StreamMessageReader(there),
      new rpc.StreamMessageWriter(back)
    )
    connection.onError(() => {})
    // One handler for all methods: only it is given the params as they came.
    connection.onRequest((name, params) => {
      const method = Object.hasOwn(methods, name) ? methods[name] : undefined
      if (method === undefined) return new rpc.ResponseError(rpc.ErrorCodes.MethodNotFound, "Method not found")
      try {
        return method(params)
      } catch (error) {
        return error instanceof Refusal
          ? new rpc.ResponseError(error.code, error.message, error.data)
          : Promise.reject(error)
      }
    })
    connection.listen()
    const framed = (text: string) => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
    return answerOver({
      send: (text) => void there.write(framed(text)),
      onText: (listener) => {
        const client = new rpc.StreamMessageReader(back)
        client.listen((message) => listener(JSON.stringify(message)))
      },
      close: () => connection.dispose()
    }, text)
  },
  close: () => {}
})

export const rpcWebSockets = async (): Promise<Server> => {
  const server = new rpcWs.Server({ port: 0, host: "127.0.0.1" })
  for (const [name, method] of Object.entries(methods)) {
    server.register(name, (params) => {
      try {
        return method(params)
      } catch (error) {
        throw error instanceof Refusal ? { code: error.code, message: error.message, data: error.data } : error
      }
    })
  }
  await new Promise<void>((resolve) => server.on("listening", () => resolve()))
  const address = server.wss.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    ask: async (text) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false })
      await new Promise<void>((resolve) => socket.on("open", () => resolve()))
      return answerOver({
        send: (text) => socket.send(text),
        onText: (listener) => void socket.on("message", (data) => listener(String(data))),
        close: () => socket.terminate()
      }, text)
    },
    close: () => server.close()
  }
}

const Failure = Schema.Struct({ code: Schema.Int, message: Schema.String, data: Schema.Unknown })
const group = RpcGroup.make(
  ...Object.keys(methods).map((name) =>
    Rpc.make(name, { payload: Schema.Unknown, success: Schema.Unknown, error: Failure })
  )
)

const handlers = group.toLayer(Object.fromEntries(
  Object.entries(methods).map(([name, method]) => [name, (params: unknown) =>
    Effect.suspend(() => {
      try {
        return Effect.succeed(method(params))
      } catch (error) {
        if (!(error instanceof Refusal)) return Effect.die(error)
        return Effect.fail({ code: error.code, message: error.message, data: error.data ?? null })
      }
    })]
  )
))

export const effectRpc = async (): Promise<Server> => {
  const port = await serveRoutes(
    RpcServer.layerHttp({ group, path: "/rpc", protocol: "http", disableTracing: true }).pipe(
      Layer.provide(handlers),
      Layer.provide(RpcSerialization.layerJsonRpc({ controlMessages: false }))
    )
  )
  return {
    ask: async (text) => {
      const response = await fetch(`http://127.0.0.1:${port}/rpc`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: text,
        signal: AbortSignal.timeout(patience)
      })
      const answer = await response.text()
      return answer === "" ? undefined : answer
    },
    close: () => {}
  }
}
