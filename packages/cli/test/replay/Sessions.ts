/** What clients of three libraries do with `@modelcontextprotocol/server-everything`, whoever serves it. */
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as McpStdioClient from "@parley/mcp/McpStdioClient"
import * as NodeChildProcess from "@parley/node/NodeChildProcess"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect, type Scope } from "effect"
import { compileCacheEnv } from "../../../../tools/compileCache.ts"
import * as transcript from "../../../mcp-gateway/test/support/transcript.ts"
import type { Connected } from "../../../mcp/test/interop/support/foreign.ts"
import * as officialV1 from "../../../mcp/test/interop/support/officialV1.ts"
import * as officialV2 from "../../../mcp/test/interop/support/officialV2.ts"
import type * as places from "../../../mcp/test/interop/support/places.ts"

export interface Client {
  readonly name: string
  /** Does what it does with a server that it starts. */
  readonly stdio: (args: ReadonlyArray<string>) => Effect.Effect<unknown, unknown>
  readonly http: (url: string) => Effect.Effect<unknown, unknown>
}

const args: { readonly [tool: string]: object } = {
  echo: { message: "hi" },
  "get-annotated-message": { messageType: "error", includeImage: true },
  "get-resource-links": { count: 3 },
  "get-resource-reference": { resourceType: "Text", resourceId: 2 },
  "get-structured-content": { location: "Chicago" },
  "get-sum": { a: 1, b: 2 },
  "gzip-file-as-resource": { name: "a.gz", data: "data:text/plain,hello", outputType: "resourceLink" },
  "trigger-long-running-operation": { duration: 0.2, steps: 4 },
  "trigger-sampling-request": { prompt: "well?", maxTokens: 5 }
}

/** Tools whose answers go on after them, or are those of a task. */
const left = /research|toggle|async/

const used = (connected: Connected) =>
  Effect.gen(function*() {
    const tools = yield* connected.all("tools")
    for (const tool of tools) {
      const { name } = tool as { readonly name: string }
      if (!left.test(name)) yield* Effect.exit(connected.callTool(name, args[name], { onProgress: () => {} }))
    }
    yield* connected.all("resources")
    yield* connected.all("resourceTemplates")
    yield* connected.all("prompts")
    yield* Effect.exit(connected.readResource("demo://resource/dynamic/text/1"))
    yield* Effect.exit(connected.readResource("demo://resource/none"))
    yield* Effect.exit(connected.getPrompt("args-prompt", { city: "Paris" }))
    yield* Effect.exit(connected.complete({
      ref: { type: "ref/prompt", name: "completable-prompt" },
      argument: { name: "department", value: "E" }
    }))
    yield* connected.ping
  })

const command = (args: ReadonlyArray<string>): places.Command =>
  ({
    command: process.execPath,
    args: [...args],
    env: compileCacheEnv,
    stderr: "ignore"
  }) as const

const scoped = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Effect.scoped(effect)

export const clients: ReadonlyArray<Client> = [
  {
    name: "the official SDK, version 1",
    stdio: (args) =>
      scoped(Effect.flatMap(Effect.flatMap(officialV1.stdioOf(command(args)), officialV1.connect), used)),
    http: (url) => scoped(Effect.flatMap(officialV1.connect(officialV1.http(url)), used))
  },
  {
    name: "the official SDK, version 2",
    stdio: (args) =>
      scoped(
        Effect.flatMap(officialV2.stdioOf(command(args)), (transport) =>
          Effect.flatMap(officialV2.connect(transport, "legacy"), used))
      ),
    http: (url) => scoped(Effect.flatMap(officialV2.connect(officialV2.http(url), "legacy"), used))
  },
  {
    name: "McpClient",
    stdio: (args) =>
      scoped(Effect.flatMap(
        McpStdioClient.make({
          name: "client",
          version: "1",
          handlers: transcript.handlers,
          start: NodeChildProcess.makeTransport({ ...command(args), onStderr: () => Effect.void })
        }),
        transcript.of
      )),
    http: (url) =>
      scoped(Effect.flatMap(
        Effect.flatMap(NodeHttp.makeFetcher(), (fetcher) =>
          McpHttpClient.make(fetcher, {
            name: "client",
            version: "1",
            handlers: transcript.handlers,
            url
          })),
        transcript.of
      ))
  }
]
