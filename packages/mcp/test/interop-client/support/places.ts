/** Where our client finds a server that nobody here wrote, and what it hears there. */
import type { McpConnectError } from "@parley/mcp/client/McpClientError"
import * as McpClientTransport from "@parley/mcp/client/McpClientTransport"
import * as McpClient from "@parley/mcp/McpClient"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as McpStdioClient from "@parley/mcp/McpStdioClient"
import * as NodeChildProcess from "@parley/node/NodeChildProcess"
import * as NodeHttp from "@parley/node/NodeHttp"
import type { Transport } from "@parley/transport/Transport"
import { Context, Effect, Layer, Logger, Queue, References, type Scope } from "effect"
import { fileURLToPath } from "node:url"
import { compileCacheEnv } from "../../../../../tools/compileCache.ts"

export interface Logged {
  readonly level: string
  readonly message: unknown
  readonly logger: unknown
  readonly server: unknown
}

/** A client that is connected, and what came to our log from its server. */
export class Reached extends Context.Service<Reached, {
  readonly client: McpClient.McpClient
  readonly logs: Queue.Dequeue<Logged>
}>()("@parley/mcp/test/interop-client/Reached") {}

/** What the handlers of each client answer. The person declines what is called dull. */
export const handlers = {
  elicit: ({ message }: { readonly message: string }) =>
    Effect.succeed(
      message.includes("dull")
        ? { action: "decline" as const }
        : { action: "accept" as const, content: { name: "Ada" } }
    ),
  sample: ({ messages }: { readonly messages: ReadonlyArray<unknown> }) =>
    Effect.succeed({
      role: "assistant" as const,
      model: "ours-1",
      content: { type: "text" as const, text: `heard ${messages.length}` }
    }),
  roots: Effect.succeed([{ uri: "file:///work", name: "work" }])
}

export const options = { name: "parley", version: "1", handlers }

type Client = McpClient.McpClient

export type Options = Partial<McpClient.ClientOptions>

/** Runs a program and speaks with it over stdio. */
export const stdio = (
  script: string,
  args: ReadonlyArray<string> = [],
  more: Partial<NodeChildProcess.ChildProcessOptions> = {}
) =>
  NodeChildProcess.makeTransport({
    command: process.execPath,
    // Some of these servers do not end when their input does, and no test is about that time.
    endGrace: "500 millis",
    args: [script, ...args],
    env: compileCacheEnv,
    ...more
  })

/** A script beside this one. */
export const script = (name: string) => fileURLToPath(new URL(name, import.meta.url))

export const over = (transport: Transport, more: Options = {}) =>
  McpClient.make(McpClientTransport.fromTransport(transport), { ...options, ...more })

export const overStdio = (script: string, more: Options = {}, args: ReadonlyArray<string> = []) =>
  McpStdioClient.make({ ...options, ...more, start: stdio(script, args) })

export const overHttp = (url: string, more: Partial<McpHttpClient.McpHttpClientOptions> = {}) =>
  Effect.flatMap(NodeHttp.makeFetcher(), (fetcher) => McpHttpClient.make(fetcher, { ...options, url, ...more }))

/** A client for a file of tests. */
export const of = <E = McpConnectError>(
  client: Effect.Effect<Client, E, Scope.Scope>
): Layer.Layer<Reached, E> =>
  Layer.effect(
    Reached,
    Effect.gen(function*() {
      const logs = yield* Queue.unbounded<Logged>()
      const logger = Logger.make(({ fiber, logLevel, message }) => {
        const annotations = fiber.getRef(References.CurrentLogAnnotations)
        Queue.offerUnsafe(logs, {
          level: logLevel,
          message,
          logger: annotations["mcp.logger"],
          server: annotations["mcp.server"]
        })
      })
      const connected = yield* Effect.provide(client, [
        Logger.layer([logger]),
        Layer.succeed(References.MinimumLogLevel, "Debug")
      ])
      return { client: connected, logs }
    })
  )
