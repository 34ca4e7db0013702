/**
 * The servers of a configuration, as a gateway takes them.
 */
import type { HttpFetcher } from "@parley/http/shared/client"
import type * as McpGateway from "@parley/mcp-gateway/McpGateway"
import * as TaskClient from "@parley/mcp-tasks/TaskClient"
import type * as McpClient from "@parley/mcp/McpClient"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as McpStdioClient from "@parley/mcp/McpStdioClient"
import * as NodeChildProcess from "@parley/node/NodeChildProcess"
import * as NodeHttp from "@parley/node/NodeHttp"
import type { TransportError } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as duration from "../../arguments/duration.ts"
import type { CommandError } from "../../terminal/CommandError.ts"
import { printableLine } from "../../terminal/output.ts"
import * as tokens from "../account/tokens.ts"
import type * as Config from "./Config.ts"
import * as pins from "./pins.ts"
import { StderrLines } from "./StderrLines.ts"

/** The members, with the approved definitions of each, if there are any. */
export const make = Effect.fnUntraced(function*(
  { servers }: Config.Config,
  approved: pins.Approved | undefined
): Effect.fn.Return<{ readonly [name: string]: McpGateway.Member }, CommandError | TransportError, Scope.Scope> {
  // One for all: what was sent to one server is never sent to another.
  const fetcher = yield* NodeHttp.makeFetcher()
  const members: Record<string, McpGateway.Member> = {}
  for (const [name, server] of Object.entries(servers)) {
    const { connections, connectionsPerPrincipal, prefix, shared, timeout, tools, uris } = server
    const limit = typeof timeout === "string" ? yield* duration.fromFlag(timeout) : undefined
    members[name] = {
      connect: (options) =>
        connect(fetcher, name, server, {
          ...options,
          // A server of 2025-11-25 may have tools that are called as tasks only.
          extensions: [...options.extensions ?? [], TaskClient.use()],
          ...(limit !== undefined && { timeout: limit })
        }),
      connections,
      connectionsPerPrincipal,
      shared,
      prefix,
      tools,
      uris,
      pins: approved === undefined ? undefined : pins.of(approved, name)
    }
  }
  return members
})

const connect = (
  fetcher: HttpFetcher.HttpFetcher,
  name: string,
  server: Config.Server,
  options: McpClient.ClientOptions
) => {
  if ("url" in server) {
    const { auth, headers = {}, url } = server
    const hasOwn = Object.keys(headers).some((header) => header.toLowerCase() === "authorization")
    return McpHttpClient.make(fetcher, {
      ...options,
      url,
      headers,
      auth: auth === false || hasOwn ? undefined : tokens.authorization()
    })
  }
  const { args, command, cwd, env } = server
  return McpStdioClient.make({
    ...options,
    start: Effect.suspend(() => {
      // Each process has lines of its own. The finalizer runs after the process has ended.
      const lines = new StderrLines((line) => void process.stderr.write(`[${name}] ${printableLine(line)}\n`))
      const onStderr = (text: string) => Effect.sync(() => lines.add(text))
      return Effect.andThen(
        Effect.addFinalizer(() => Effect.sync(() => lines.end())),
        NodeChildProcess.makeTransport({ command, args, cwd, env, onStderr })
      )
    })
  })
}
