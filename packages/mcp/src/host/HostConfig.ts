/**
 * The servers that the configuration of a host names, in the format that the hosts share: an object `mcpServers`, with a
 * command or a URL for each server.
 *
 * ```ts
 * import { HostConfig, ModelTools } from "@parley/mcp"
 * import { NodeChildProcess, NodeHttp } from "@parley/node"
 * import { Effect } from "effect"
 *
 * export const program = Effect.gen(function*() {
 *   const servers = yield* HostConfig.servers(
 *     {
 *       mcpServers: {
 *         files: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "/srv"] },
 *         search: { url: "https://example.org/mcp", headers: { authorization: "Bearer ${SEARCH_TOKEN}" } }
 *       }
 *     },
 *     { start: NodeChildProcess.makeTransport, fetcher: yield* NodeHttp.makeFetcher(), variables: process.env }
 *   )
 *   const { clients, failures } = yield* HostConfig.connect(servers, { name: "me", version: "1.0.0" })
 *   for (const [name, error] of Object.entries(failures)) yield* Effect.logWarning(`no ${name}`, error)
 *   return yield* ModelTools.make(clients)
 * })
 * ```
 *
 * @since 0.1.0
 */
import type { HttpFetcher } from "@parley/http/shared/client"
import type { ClientAuthorization } from "@parley/oauth/ClientAuthorization"
import { Excerpt } from "@parley/protocol/shared"
import type { Transport, TransportError } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as Scope from "effect/Scope"
import type { ClientOptions } from "../client/ClientOptions.ts"
import type { McpConnectError } from "../client/McpClientError.ts"
import { isObject, segmentOf } from "../internal/Json.ts"
import type { McpClient } from "../McpClient.ts"
import * as McpHttpClient from "../McpHttpClient.ts"
import * as McpStdioClient from "../McpStdioClient.ts"

const named = Schema.Record(Schema.String, Schema.String)

/**
 * A server that is started, and spoken to over its stdin and stdout.
 *
 * @category models
 * @since 0.1.0
 */
export const CommandServer = Schema.Struct({
  command: Schema.String,
  args: Schema.optionalKey(Schema.Array(Schema.String)),
  env: Schema.optionalKey(named),
  cwd: Schema.optionalKey(Schema.String)
})

/** @category models @since 0.1.0 */
export type CommandServer = typeof CommandServer.Type

/**
 * A server at a URL of `http:` or `https:`, over Streamable HTTP or the older transport with Server-Sent Events.
 *
 * @category models
 * @since 0.1.0
 */
export const UrlServer = Schema.Struct({
  url: Schema.String,
  headers: Schema.optionalKey(named)
})

/** @category models @since 0.1.0 */
export type UrlServer = typeof UrlServer.Type

/** One entry of `mcpServers`. @category models @since 0.1.0 */
export type HostServer = CommandServer | UrlServer

/**
 * A configuration that cannot be used: each issue has the path of the member that it is about.
 *
 * @category errors
 * @since 0.1.0
 */
export class HostConfigError extends Schema.TaggedError<HostConfigError>()("HostConfigError", {
  issues: Schema.Array(Schema.Struct({ path: Schema.Array(Schema.String), message: Schema.String }))
}) {
  override get message(): string {
    return `the configuration of servers cannot be used: ${
      this.issues.map(({ message, path }) => `${Excerpt.line(path.join("."))}: ${Excerpt.line(message)}`).join("; ")
    }`
  }
}

/**
 * The means to reach servers.
 *
 * @category models
 * @since 0.1.0
 */
export interface HostOptions {
  /** Starts a command: `NodeChildProcess.makeTransport` of `@parley/node`. Without it, a server with a command is an issue. */
  readonly start?:
    | ((command: CommandServer, name: string) => Effect.Effect<Transport, TransportError, Scope.Scope>)
    | undefined
  /** Requests to servers at URLs: `NodeHttp.makeFetcher` of `@parley/node`. Without it, a server with a URL is an issue. */
  readonly fetcher?: HttpFetcher.HttpFetcher | undefined
  /** How to sign in to a server at a URL whose headers have no `authorization`. By default there is no way. */
  readonly auth?: ((name: string, server: UrlServer) => ClientAuthorization | undefined) | undefined
  /**
   * The values for `${NAME}`, `${env:NAME}` and `${NAME:-otherwise}` in commands, arguments, variables, folders, URLs and
   * headers. A name without a value is an issue, and so is `${input:NAME}`, for which only a host asks. By default, such texts
   * stay as they are.
   */
  readonly variables?: { readonly [name: string]: string | undefined } | undefined
}

/**
 * A server of a configuration. It can stand behind a gateway: a record of them is what `McpGateway.make` takes as `servers`.
 *
 * @category models
 * @since 0.1.0
 */
export interface ConfiguredServer {
  /** The entry, with its variables filled in. */
  readonly server: HostServer
  /** Makes a client of the server, which ends with the Scope. */
  readonly connect: (
    options: ClientOptions,
    authorization?: ClientAuthorization
  ) => Effect.Effect<McpClient, McpConnectError, Scope.Scope>
}

/**
 * Reads a configuration: an object with `mcpServers`, `servers` (VS Code) or `context_servers` (Zed), or the servers themselves.
 * The URL of a server may be its `serverUrl` (Windsurf). A server with `disabled: true` is left out, and members that only a
 * host knows are left alone. Fails where an entry has neither a command nor a URL, or both.
 *
 * @category constructors
 * @since 0.1.0
 */
export const servers = (
  config: unknown,
  options: HostOptions
): Effect.Effect<{ readonly [name: string]: ConfiguredServer }, HostConfigError> =>
  Effect.suspend(() => {
    const issues: Array<Issue> = []
    const found = Object.entries(entriesOf(config, issues)).flatMap(([name, entry]) => {
      if (isObject(entry) && entry["disabled"] === true) return []
      const server = serverOf(name, entry, options, issues)
      return server === undefined ? [] : [[name, { server, connect: connecting(name, server, options) }] as const]
    })
    return issues.length > 0
      ? Effect.fail(new HostConfigError({ issues }))
      : Effect.succeed(Object.fromEntries<ConfiguredServer>(found))
  })

interface Issue {
  readonly path: ReadonlyArray<string>
  readonly message: string
}

type Members = { readonly [name: string]: unknown }

const membersOf = (value: unknown): Members | undefined => isObject(value) ? value : undefined

const entriesOf = (config: unknown, issues: Array<Issue>): Members => {
  const whole = membersOf(config)
  const entries = membersOf(whole?.["mcpServers"] ?? whole?.["servers"] ?? whole?.["context_servers"] ?? whole)
  if (entries === undefined) {
    issues.push({ path: ["mcpServers"], message: "Expected an object with a member for each server" })
  }
  return entries ?? {}
}

const serverOf = (
  name: string,
  entry: unknown,
  { fetcher, start, variables }: HostOptions,
  issues: Array<Issue>
): HostServer | undefined => {
  const { serverUrl, ...others } = membersOf(entry) ?? {}
  const members: Members = serverUrl === undefined ? others : { url: serverUrl, ...others }
  const isCommand = Object.hasOwn(members, "command")
  if (isCommand === Object.hasOwn(members, "url")) {
    issues.push({ path: [name], message: "Expected either a command or a url" })
    return undefined
  }
  if (isCommand && start === undefined) {
    issues.push({ path: [name, "command"], message: "Commands cannot be started here" })
  }
  if (!isCommand && fetcher === undefined) {
    issues.push({ path: [name, "url"], message: "URLs cannot be requested here" })
  }
  const filled = variables === undefined ? members : fill(members, [name], variables, issues)
  const decoded: Result.Result<HostServer, Schema.SchemaError> = isCommand ? decodeCommand(filled) : decodeUrl(filled)
  if (Result.isSuccess(decoded)) {
    const server = decoded.success
    if ("url" in server && !/^https?:/i.test(server.url)) {
      issues.push({ path: [name, "url"], message: "Expected a URL of http or https" })
    }
    return server
  }
  for (const { message, path = [] } of format(decoded.failure.issue).issues) {
    const at = path.map((segment) => String(segmentOf(segment)))
    issues.push({ path: [name, ...at], message })
  }
  return undefined
}

const decodeCommand = Schema.decodeUnknownResult(CommandServer, { errors: "all" })
const decodeUrl = Schema.decodeUnknownResult(UrlServer, { errors: "all" })

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** The members of an entry that may name variables. */
const filling: ReadonlySet<string> = new Set(["command", "args", "env", "cwd", "url", "headers"])

const fill = (
  members: Members,
  path: ReadonlyArray<string>,
  variables: NonNullable<HostOptions["variables"]>,
  issues: Array<Issue>
): Members => {
  const filled = (value: unknown, path: ReadonlyArray<string>): unknown => {
    if (typeof value === "string") {
      const [, input] = /\$\{input:([^${}]{0,255})\}/.exec(value) ?? []
      if (input !== undefined) issues.push({ path, message: `the input ${input} is one that only a host asks for` })
      return substitute(value, (name, otherwise) => {
        const known = Object.hasOwn(variables, name) ? variables[name] : undefined
        if (known === undefined && otherwise === undefined) {
          issues.push({ path, message: `the variable ${name} is not set` })
        }
        return known
      })
    }
    if (Array.isArray(value)) return value.map((one, index) => filled(one, [...path, String(index)]))
    const inner = membersOf(value)
    return inner === undefined
      ? value
      : Object.fromEntries(Object.entries(inner).map(([key, one]) => [key, filled(one, [...path, key])]))
  }
  return Object.fromEntries(
    Object.entries(members).map(([key, value]) => [key, filling.has(key) ? filled(value, [...path, key]) : value])
  )
}

/**
 * A text whose `${NAME}`, `${env:NAME}` and `${NAME:-otherwise}` are replaced by the values of these variables. One without a
 * value stays as it is.
 *
 * @category conversions
 * @since 0.1.0
 */
export const substitute = (
  text: string,
  valueOf: (name: string, otherwise: string | undefined) => string | undefined
): string =>
  text.replace(
    /\$\{(?:env:)?([A-Za-z_]\w{0,255})(?::-([^${}]{0,255}))?\}/g,
    (whole, name: string, otherwise?: string) => valueOf(name, otherwise) ?? otherwise ?? whole
  )

const connecting =
  (name: string, server: HostServer, { auth, fetcher, start }: HostOptions): ConfiguredServer["connect"] =>
  (options, authorization) => {
    if ("command" in server) {
      // A configuration with a command that cannot be started has an issue.
      return start === undefined ? Effect.die(new Error("no `start`")) : McpStdioClient.make({
        ...options,
        start: Effect.suspend(() => start(server, name))
      })
    }
    const isAuthorized = Object.keys(server.headers ?? {}).some((header) => header.toLowerCase() === "authorization")
    return fetcher === undefined ? Effect.die(new Error("no `fetcher`")) : McpHttpClient.make(fetcher, {
      ...options,
      url: server.url,
      headers: server.headers ?? {},
      auth: authorization ?? (isAuthorized ? undefined : auth?.(name, server))
    })
  }

/**
 * The clients of the servers that could be reached, and why others could not.
 *
 * @category models
 * @since 0.1.0
 */
export interface Connected {
  readonly clients: { readonly [name: string]: McpClient }
  readonly failures: { readonly [name: string]: McpConnectError }
}

/** An effect that leaves nothing behind in the Scope when it fails, such as a process that answers wrongly. */
const whole = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Effect.Effect<A, E, Scope.Scope> =>
  Effect.flatMap(Effect.scope, (scope) => {
    const own = Scope.forkUnsafe(scope)
    return Effect.onExit(
      Scope.provide(effect, own),
      (exit) => Exit.isFailure(exit) ? Scope.close(own, exit) : Effect.void
    )
  })

/**
 * Makes a client of each server, all at once. One that cannot be reached keeps nobody from the others. The clients end with
 * the Scope.
 *
 * @category constructors
 * @since 0.1.0
 */
export const connect = (
  servers: { readonly [name: string]: Pick<ConfiguredServer, "connect"> },
  options: ClientOptions
): Effect.Effect<Connected, never, Scope.Scope> =>
  Effect.map(
    Effect.forEach(
      Object.entries(servers),
      ([name, { connect }]) => Effect.map(Effect.result(whole(connect(options))), (result) => [name, result] as const),
      { concurrency: "unbounded" }
    ),
    (all) => ({
      clients: Object.fromEntries(
        all.flatMap(([name, result]) => Result.isSuccess(result) ? [[name, result.success] as const] : [])
      ),
      failures: Object.fromEntries(
        all.flatMap(([name, result]) => Result.isFailure(result) ? [[name, result.failure] as const] : [])
      )
    })
  )
