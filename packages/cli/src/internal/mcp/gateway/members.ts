/**
 * The servers of a configuration, as a gateway takes them.
 */
import type { HttpFetcher } from "@parley/http/shared/client"
import type * as McpGateway from "@parley/mcp-gateway/McpGateway"
import type * as Pins from "@parley/mcp-gateway/Pins"
import type * as Policy from "@parley/mcp-gateway/Policy"
import * as TaskClient from "@parley/mcp-tasks/TaskClient"
import type * as McpClient from "@parley/mcp/McpClient"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import type * as McpStdioClient from "@parley/mcp/McpStdioClient"
import * as NodeChildProcess from "@parley/node/NodeChildProcess"
import * as NodeHttp from "@parley/node/NodeHttp"
import type { ClientAuthorization } from "@parley/oauth/ClientAuthorization"
import type { TransportError } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as duration from "../../arguments/duration.ts"
import { printableLine, written } from "../../terminal/output.ts"
import * as tokens from "../account/tokens.ts"
import * as reach from "../reach.ts"
import type * as Config from "./Config.ts"
import * as pins from "./pins.ts"
import { StderrLines } from "./StderrLines.ts"

/**
 * Gives the members of a configuration, with the approved definitions of each, if there are any. One whose entry has not
 * changed since the last time is the same member.
 */
export const make: Effect.Effect<
  (config: Config.Config, approved: pins.Approved | undefined) => { readonly [name: string]: McpGateway.Member },
  TransportError,
  Scope.Scope
> = Effect.gen(function*() {
  // One for all: what was sent to one server is never sent to another.
  const fetcher = yield* NodeHttp.makeFetcher()
  let known = new Map<string, { readonly key: string; readonly member: McpGateway.Member }>()
  return ({ servers }, approved) => {
    known = new Map(
      Object.entries(servers).map(([name, server]) => {
        const own = approved === undefined ? undefined : pins.of(approved, name)
        const key = JSON.stringify([server, own])
        const before = known.get(name)
        return [name, before?.key === key ? before : { key, member: memberOf(fetcher, name, server, own) }]
      })
    )
    return Object.fromEntries(Array.from(known, ([name, { member }]) => [name, member]))
  }
})

const memberOf = (
  fetcher: HttpFetcher.HttpFetcher,
  name: string,
  server: Config.Server,
  own: Pins.Pins | undefined
): McpGateway.Member => {
  const { budget, connections, connectionsPerPrincipal, label, prefix, scopes, shared, timeout, tools, uris } = server
  const limit = typeof timeout === "string" ? duration.fromTextUnsafe(timeout) : undefined
  return {
    credentials: "url" in server ? server.credentials : undefined,
    connect: (options, authorization) =>
      connect(fetcher, name, server, {
        ...options,
        // A server of 2025-11-25 may have tools that are called as tasks only.
        extensions: [...options.extensions ?? [], TaskClient.use()],
        ...(limit !== undefined && { timeout: limit })
      }, authorization),
    connections,
    connectionsPerPrincipal,
    shared,
    prefix,
    tools,
    uris,
    label,
    scopes,
    budget: budget && budgetOf(budget),
    pins: own
  }
}

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
  options: McpClient.ClientOptions,
  ofUser?: ClientAuthorization
) => {
  if ("url" in server) {
    const { credentials, headers = {}, url } = server
    const hasOwn = Object.keys(headers).some((header) => header.toLowerCase() === "authorization")
    return McpHttpClient.make(fetcher, {
      ...options,
      url,
      headers,
      auth: ofUser ?? (credentials === "none" || hasOwn ? undefined : tokens.authorization())
    })
  }
  const { args, command, cwd, env } = server
  const started: McpStdioClient.McpStdioClientOptions = {
    ...options,
    start: Effect.suspend(() => {
      // Each process has lines of its own. The finalizer runs after the process has ended.
      const lines = new StderrLines((line) => void process.stderr.write(`[${name}] ${printableLine(line)}\n`))
      // A server that writes faster than ours is read is held back.
      const onStderr = (text: string) => Effect.andThen(Effect.sync(() => lines.add(text)), written(process.stderr))
      return Effect.andThen(
        Effect.addFinalizer(() => Effect.sync(() => lines.end())),
        NodeChildProcess.makeTransport({ command, args, cwd, env, onStderr })
      )
    })
  }
  return reach.ofCommand({ command, args: args ?? [] }, started, cwd)
}
