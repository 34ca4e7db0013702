/**
 * `McpServer` and `McpClient` of `effect/ai`.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import * as McpClient from "effect/ai/McpClient"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import * as McpTest from "effect/ai/McpTest"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ChildProcess from "effect/process/ChildProcess"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type { Client, Command } from "../Subject.ts"
import { serveRoutes } from "../subjects/httpRouter.ts"
import * as echo from "./echo.ts"

/** A layer for each tool, so that their names need not be known to the types. */
const toolsOf = (tools: number): Layer.Layer<never, never, McpServer.McpServer> =>
  Layer.mergeAll(...[first, ...echo.namesOf(tools).slice(1).map(toolOf)])

const toolOf = (name: string) => {
  const tool = Tool.make(name, {
    description: echo.description,
    parameters: Schema.Struct({ text: Schema.String }),
    success: Schema.String
  })
  const toolkit = Toolkit.make(tool)
  const handlers = toolkit.toLayer({ [name]: ({ text }: { readonly text: string }) => Effect.succeed(text) })
  return McpServer.toolkit(toolkit).pipe(Layer.provide(handlers))
}

const first = toolOf("echo")

type Call = Effect.Effect<unknown, unknown>

const clientIn = async <E>(connected: Effect.Effect<Call, E, Scope.Scope>): Promise<Client> => {
  const scope = Scope.makeUnsafe()
  const call = await Effect.runPromise(Scope.provide(connected, scope))
  return {
    call: () => Effect.runPromise(call),
    callEffect: () => call,
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

/** Its client for tests, which is the only one in memory. */
export const openPair = (): Promise<Client> =>
  clientIn(Effect.map(
    McpTest.makeClient(toolsOf(1), { protocols: [McpProtocol.v2026_07_28] }),
    ({ callTool }) => Effect.suspend(() => callTool({ name: "echo", arguments: { text: echo.text } }))
  ))

/** A call of the tool that the server lists. */
const callOver = <E, R>(transport: Effect.Effect<McpClient.Transport, E, R>) =>
  Effect.gen(function*() {
    const client = yield* Effect.provideServiceEffect(McpClient.make(echo.identity), McpClient.Transport, transport)
    const [tool] = yield* client.listTools()
    if (tool === undefined) return yield* Effect.die(new Error("no tool"))
    return Effect.suspend(() => client.callTool({ tool, arguments: { text: echo.text } }))
  })

export const connectStdio = ({ args, command }: Command): Promise<Client> =>
  clientIn(Effect.flatMap(Layer.build(NodeServices.layer), (services) =>
    Effect.provideContext(
      callOver(McpClient.stdio({ command: ChildProcess.make(command, args), protocol: McpProtocol.v2026_07_28 })),
      services
    )))

export const connectHttp = (port: number): Promise<Client> =>
  clientIn(Effect.flatMap(Layer.build(NodeHttpClient.layerUndici), (services) =>
    Effect.provideContext(
      callOver(McpClient.http({ url: `http://127.0.0.1:${port}/mcp`, protocol: McpProtocol.v2026_07_28 })),
      services
    )))

const protocols = [McpProtocol.v2026_07_28, McpProtocol.v2025_11_25] as const

export const serveStdio = (): void => {
  Effect.runFork(Layer.launch(
    McpServer.layerStdio({ ...echo.identity, protocols, registrations: toolsOf(1) }).pipe(
      Layer.provide(NodeStdio.layer)
    )
  ))
}

export const serveHttp = (tools: number): Promise<number> =>
  serveRoutes(McpServer.layerHttp({ ...echo.identity, protocols, path: "/mcp", registrations: toolsOf(tools) }))
