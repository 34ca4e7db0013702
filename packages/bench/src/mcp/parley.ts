/**
 * Ours in memory and over stdio: the server, the client, and one that is only a peer.
 */
import * as McpClient from "@parley/mcp/McpClient"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpStdioClient from "@parley/mcp/McpStdioClient"
import * as McpTool from "@parley/mcp/McpTool"
import * as NodeChildProcess from "@parley/node/NodeChildProcess"
import * as NodeStdio from "@parley/node/NodeStdio"
import * as Peer from "@parley/peer/Peer"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Transport } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type { Client, Command } from "../Subject.ts"
import * as echo from "./echo.ts"

export const makeServer = (tools: number) =>
  McpServer.make({
    ...echo.identity,
    features: echo.namesOf(tools).map((name) =>
      McpTool.make(
        name,
        { description: echo.description, params: { text: Schema.String } },
        ({ text }) => Effect.succeed(text)
      )
    )
  })

export const clientIn = async <E>(
  client: Effect.Effect<McpClient.McpClient, E, Scope.Scope>
): Promise<Client> => {
  const scope = Scope.makeUnsafe()
  const { callTool } = await Effect.runPromise(Scope.provide(client, scope))
  const call = Effect.suspend(() => callTool("echo", { text: echo.text }))
  return {
    call: () => Effect.runPromise(call),
    callEffect: () => call,
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

/** The other end of a pair in memory on which it serves. */
const joined = Effect.gen(function*() {
  const server = yield* makeServer(1)
  const [near, far] = yield* MemoryTransport.makePair()
  yield* McpServer.serve.pipe(
    Effect.provideService(Transport, far),
    Effect.provideService(McpServer.McpServer, server),
    Effect.forkScoped({ startImmediately: true })
  )
  return near
})

export const openPair = (revision: echo.Revision): Promise<Client> =>
  clientIn(
    Effect.provideServiceEffect(
      McpMemoryClient.make({ ...echo.identity, protocolVersion: revision }),
      McpServer.McpServer,
      makeServer(1)
    )
  )

/** A peer that says what a legacy client says. */
export const openRaw = async (): Promise<Client> => {
  const scope = Scope.makeUnsafe()
  const peer = await Effect.runPromise(Scope.provide(
    Effect.gen(function*() {
      const peer = yield* Peer.make(yield* joined)
      yield* peer.request("initialize", echo.initialize.params)
      yield* peer.notify("notifications/initialized")
      return peer
    }),
    scope
  ))
  const call = Effect.suspend(() => peer.request("tools/call", { name: "echo", arguments: { text: echo.text } }))
  return {
    call: () => Effect.runPromise(call),
    callEffect: () => call,
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

export const serveStdio = (): void => {
  Effect.runFork(Effect.scoped(Effect.gen(function*() {
    const server = yield* makeServer(1)
    const transport = yield* NodeStdio.makeTransport()
    return yield* McpServer.serve.pipe(
      Effect.provideService(Transport, transport),
      Effect.provideService(McpServer.McpServer, server)
    )
  })))
}

export const connectStdio = (command: Command, revision: echo.Revision): Promise<Client> =>
  clientIn(
    McpStdioClient.make({ ...echo.identity, protocolVersion: revision, start: NodeChildProcess.makeTransport(command) })
  )
