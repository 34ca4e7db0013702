/**
 * The servers that the corpus is put to, each used as its documentation does.
 */
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import type { Call } from "@parley/peer/Handler"
import * as Router from "@parley/peer/Router"
import type { Handlers } from "@parley/peer/Router"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import jayson from "jayson/promise/index.js"
import { JSONRPCErrorException, JSONRPCServer } from "json-rpc-2.0"
import type { Server } from "./Server.ts"
import { methods, Refusal } from "./specimen.ts"
import { effectRpc, rpcWebSockets, vscodeJsonRpc } from "./wires.ts"

const handlers: Handlers = Object.fromEntries(
  Object.entries(methods).map(([name, method]) => [name, ({ params }: Call) =>
    Effect.suspend(() => {
      try {
        // It gives numbers, texts, and what it was given, which came as JSON.
        return Effect.succeed(method(params) as Schema.Json)
      } catch (error) {
        return error instanceof Refusal
          ? Effect.fail(ErrorResponse.make(error.code, error.message, error.data))
          : Effect.die(error)
      }
    })]
  )
)

const parley = async (): Promise<Server> => {
  const runtime = ManagedRuntime.make(Layer.merge(Router.layer(handlers), Logger.layer([])))
  const answer = (text: string) => Router.Router.use((router) => router.answer(text))
  return {
    ask: async (text) => Option.getOrUndefined(await runtime.runPromise(answer(text))),
    close: () => runtime.dispose()
  }
}

const jsonRpc2 = async (): Promise<Server> => {
  const server = new JSONRPCServer({ errorListener: () => {} })
  for (const [name, method] of Object.entries(methods)) {
    server.addMethod(name, (params) => {
      try {
        return method(params)
      } catch (error) {
        throw error instanceof Refusal ? new JSONRPCErrorException(error.message, error.code, error.data) : error
      }
    })
  }
  return {
    ask: async (text) => {
      const reply = await server.receiveJSON(text)
      return reply === null ? undefined : JSON.stringify(reply)
    },
    close: () => {}
  }
}

const jaysonServer = async (): Promise<Server> => {
  const wrapped = Object.entries(methods).map(([name, method]) => [
    name,
    // Its errors are plain objects.
    async (params: unknown) => {
      try {
        return method(params)
      } catch (error) {
        throw error instanceof Refusal ? { code: error.code, message: error.message, data: error.data } : error
      }
    }
  ])
  const server = new jayson.Server(Object.fromEntries(wrapped))
  return {
    // A call gives an error or a success; that of a batch of nothing but batches gives neither, ever.
    ask: (text) =>
      Promise.race([
        new Promise<string | undefined>((resolve) =>
          server.call(text, (error: unknown, success: unknown) => resolve(JSON.stringify(error ?? success)))
        ),
        new Promise<undefined>((resolve) => setTimeout(resolve, 1_000))
      ]),
    close: () => {}
  }
}

/** By the name of the library. */
export const servers: Readonly<Record<string, () => Promise<Server>>> = {
  "@parley/peer": parley,
  "json-rpc-2.0": jsonRpc2,
  jayson: jaysonServer,
  "vscode-jsonrpc": vscodeJsonRpc,
  "rpc-websockets": rpcWebSockets,
  "effect/rpc": effectRpc
}
