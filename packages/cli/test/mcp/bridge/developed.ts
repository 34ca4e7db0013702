/** `parley mcp dev` and `parley mcp connect` before the small server, and clients of either. */
import type { McpToolError } from "@parley/mcp/client/McpClientError"
import * as McpClientTransport from "@parley/mcp/client/McpClientTransport"
import type * as McpClient from "@parley/mcp/McpClient"
import * as Client from "@parley/mcp/McpClient"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as NodeChildProcess from "@parley/node/NodeChildProcess"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect, Queue, type Scope } from "effect"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { compileCacheEnv } from "../../../../../tools/compileCache.ts"
import type * as Endpoint from "../../../src/internal/Endpoint.ts"
import type { Wire } from "../../../src/internal/wire/Wire.ts"
import * as Parley from "../../Parley.ts"

export type Era = "legacy" | "silent" | "fragile" | "modern" | "changing"

export const script = new URL("server.ts", import.meta.url).pathname

/** The folder of a server, which is also the home of the command. */
export interface Folder {
  readonly path: string
  /** Writes the names of the tools, which starts the server again. */
  readonly tools: (...names: ReadonlyArray<string>) => Effect.Effect<void>
  /** The keys of the calls that have begun, in their order. */
  readonly calls: () => ReadonlyArray<string>
}

export const folder: Effect.Effect<Folder, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-bridge-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  ),
  (path) => {
    const write = (names: ReadonlyArray<string>) => writeFileSync(join(path, "tools.json"), JSON.stringify(names))
    writeFileSync(join(path, "calls.txt"), "")
    write(["now", "wait", "ask", "die"])
    return {
      path,
      tools: (...names) => Effect.sync(() => write(names)),
      calls: () => readFileSync(join(path, "calls.txt"), "utf8").split("\n").filter((line) => line !== "")
    }
  }
)

/** The words of the server. */
export const server = (era: Era, { path }: Folder): ReadonlyArray<string> => [process.execPath, script, era, path]

/** The wire to the server of a command. */
export const wireOf = (
  [command = "", ...args]: ReadonlyArray<string>
): Wire & { readonly endpoint: Endpoint.Command } => ({
  endpoint: { _tag: "Command", command, args },
  name: "far",
  framing: "line",
  dialect: "jsonRpc",
  headers: {},
  ca: undefined,
  variables: { inherit: "all" }
})

export interface Bridged {
  /** Waits for a line of stderr that has a text, and gives it. */
  readonly said: (text: string) => Effect.Effect<string>
  readonly connect: (
    options?: Partial<McpClient.ClientOptions>
  ) => Effect.Effect<McpClient.McpClient, never, Scope.Scope>
}

/** The command over stdio; each client would start another one, so there is one. */
export const overStdio = (
  args: ReadonlyArray<string>,
  { path }: Folder
): Effect.Effect<Bridged, never, Scope.Scope> =>
  Effect.gen(function*() {
    const lines = yield* Queue.unbounded<string>()
    let rest = ""
    const start = NodeChildProcess.makeTransport({
      command: process.execPath,
      args: [Parley.bin, ...args],
      env: { ...compileCacheEnv, XDG_STATE_HOME: path },
      onStderr: (text) =>
        Effect.sync(() => {
          const parts = (rest + text).split("\n")
          rest = parts.pop() ?? ""
          Queue.offerAllUnsafe(lines, parts)
        })
    })
    return {
      said: saidIn(Queue.take(lines)),
      connect: (options) =>
        Effect.orDie(Effect.flatMap(start, (transport) =>
          Client.make(McpClientTransport.fromTransport(transport), {
            name: "test",
            version: "1",
            cacheSize: 0,
            ...options
          })))
    }
  })

/** The command over HTTP. */
export const overHttp = (
  [verb = "", ...args]: ReadonlyArray<string>,
  { path }: Folder
): Effect.Effect<Bridged & { readonly url: string }, never, Scope.Scope> =>
  Effect.gen(function*() {
    const running = yield* Parley.start(
      ["mcp", verb, "--listen", "http://127.0.0.1:0/mcp", ...args],
      ["/usr/bin/env", `XDG_STATE_HOME=${path}`, process.execPath]
    )
    const url = (yield* running.line).replace(/^listening /, "")
    const fetcher = yield* Effect.orDie(NodeHttp.makeFetcher())
    return {
      url,
      said: saidIn(running.errorLine),
      connect: (options) =>
        Effect.orDie(McpHttpClient.make(fetcher, { name: "test", version: "1", url, cacheSize: 0, ...options }))
    }
  })

/** The server of the command itself, over HTTP. */
export const everything = Parley.start(["mcp", "serve", "--http", "127.0.0.1:0"])

/** The address that a command prints when it listens. */
export const urlOf = ({ line }: Parley.Running) => Effect.map(line, (line) => line.replace(/^listening /, ""))

/** A client of a URL. */
export const at = (url: string, options?: Partial<McpClient.ClientOptions>) =>
  Effect.orDie(
    Effect.flatMap(NodeHttp.makeFetcher(), (fetcher) =>
      McpHttpClient.make(fetcher, { name: "test", version: "1", url, cacheSize: 0, ...options }))
  )

/** The URL of a server that wants a login. */
export const guarded: Effect.Effect<string, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.callback<http.Server>((resume) => {
      const server = http.createServer((request, response) => {
        const origin = `http://${request.headers.host}`
        const documents: { readonly [path: string]: object } = {
          "/.well-known/oauth-protected-resource/mcp": { resource: `${origin}/mcp`, authorization_servers: [origin] },
          "/.well-known/oauth-authorization-server": {
            issuer: origin,
            authorization_endpoint: `${origin}/authorize`,
            token_endpoint: `${origin}/token`,
            registration_endpoint: `${origin}/register`,
            response_types_supported: ["code"],
            code_challenge_methods_supported: ["S256"]
          }
        }
        const document = documents[request.url ?? ""]
        const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`
        if (document === undefined) response.writeHead(401, { "www-authenticate": challenge }).end()
        else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(document))
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => void server.close())
  ),
  // It listens at a port.
  (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
)

/** `parley mcp dev`, which watches the file of the tools. */
export const started = (wire: "stdio" | "http", era: Era, folder: Folder) => {
  const args = ["--watch", `${folder.path}/tools.json`, "--", ...server(era, folder)]
  return wire === "stdio"
    ? overStdio(["mcp", "dev", ...args], folder)
    : overHttp(["dev", ...args], folder)
}

/** The message of the error as it was sent. */
export const textOf = (error: McpToolError): string => error._tag === "ProtocolError" ? error.text : error.message

const saidIn = (line: Effect.Effect<string>) => {
  const said = (text: string): Effect.Effect<string> =>
    Effect.flatMap(line, (line) => line.includes(text) ? Effect.succeed(line) : said(text))
  return said
}
