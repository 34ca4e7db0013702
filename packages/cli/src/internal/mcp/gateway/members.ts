/**
 * The servers of a configuration, as a gateway takes them.
 */
import type { HttpFetcher } from "@parley/http/shared/client"
import type * as McpGateway from "@parley/mcp-gateway/McpGateway"
import type * as Policy from "@parley/mcp-gateway/Policy"
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
    const { budget, connections, connectionsPerPrincipal, label, prefix, scopes, shared, timeout, tools, uris } = server
    const limit = typeof timeout === "string" ? yield* duration.fromFlag(timeout) : undefined
    members[name] = {
      connect: (options) =>
        connect(fetcher, name, server, limit === undefined ? options : { ...options, timeout: limit }),
      connections,
      connectionsPerPrincipal,
      shared,
      prefix,
      tools,
      uris,
      label,
      scopes,
      budget: budget && budgetOf(budget),
      pins: approved === undefined ? undefined : pins.of(approved, name)
    }
  }
  return members
})

/** The bounds with the times of their texts, which were read with the file. */
const budgetOf = ({ breaker, deadline, rate, ratePerPrincipal, ...bounds }: Config.Budget): Policy.Budget => ({
  ...bounds,
  rate: rate && { ...rate, window: duration.fromTextUnsafe(rate.window) },
  ratePerPrincipal: ratePerPrincipal &&
    { ...ratePerPrincipal, window: duration.fromTextUnsafe(ratePerPrincipal.window) },
  deadline: deadline === undefined ? undefined : duration.fromTextUnsafe(deadline),
  breaker: breaker && { ...breaker, cooldown: duration.fromTextUnsafe(breaker.cooldown) }
})

const connect = (
  fetcher: HttpFetcher.HttpFetcher,
  name: string,
  server: Config.Server,
  options: McpClient.ClientOptions
) => {
  if ("url" in server) {
    const { credentials, headers = {}, url } = server
    const hasOwn = Object.keys(headers).some((header) => header.toLowerCase() === "authorization")
    return McpHttpClient.make(fetcher, {
      ...options,
      url,
      headers,
      auth: credentials === "none" || hasOwn ? undefined : tokens.authorization()
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
