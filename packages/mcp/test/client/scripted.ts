/** A client, and a server that answers as the test says: over memory, with everything that the client wrote. */
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import * as Peer from "@parley/peer/Peer"
import * as Router from "@parley/peer/Router"
import type { Handlers } from "@parley/peer/Router"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Effect, type Scope } from "effect"
import type { Schema } from "effect"
import type { McpConnectError } from "../../src/client/McpClientError.ts"
import * as McpClientTransport from "../../src/client/McpClientTransport.ts"
import * as McpClient from "../../src/McpClient.ts"
import * as McpDialect from "../../src/wire/McpDialect.ts"

/** One message that the client wrote. */
export interface Written {
  readonly id?: number
  readonly method?: string
  readonly params?: Schema.JsonObject
  readonly result?: Schema.Json
  readonly error?: { readonly code: number; readonly message: string }
}

export interface Scripted extends Pick<Server, "drop"> {
  readonly client: McpClient.McpClient
  readonly server: Peer.Peer
  readonly written: ReadonlyArray<Written>
}

export interface Server {
  readonly server: Peer.Peer
  readonly written: ReadonlyArray<Written>
  /** Ends the connection from the server's side. */
  readonly drop: Effect.Effect<void>
  readonly connect: Effect.Effect<McpClient.McpClient, McpConnectError, Scope.Scope>
}

/** At the end of a test the clock stands still, so that nothing may be waited for. */
const impatient = { drain: 0 }

/** Lets everything happen that can happen without time. */
export const settle: Effect.Effect<void> = Effect.forEach(Array.from({ length: 60 }), () => Effect.yieldNow, {
  discard: true
})

/** A server, and a client that has yet to connect. */
export const server = (
  handlers: Handlers,
  options: Partial<McpClient.ClientOptions> = {},
  change: (open: McpClientTransport.Open) => McpClientTransport.Open = (open) => open
): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.gen(function*() {
    const [ours, theirs] = yield* MemoryTransport.makePair({ capacity: 64 * 1024 * 1024 })
    const written: Array<Written> = []
    const router = yield* Router.make()
    yield* Effect.orDie(router.addAll(handlers, { order: "concurrent" }))
    const receive = Effect.tap(theirs.receive, (texts) =>
      Effect.sync(() => {
        for (const text of texts) written.push(JSON.parse(String(text)))
      }))
    const peer = yield* Peer.make({ ...theirs, receive }, {
      router,
      dialect: McpDialect.make(() => undefined),
      limits: impatient
    })
    return {
      server: peer,
      written,
      drop: theirs.close,
      connect: McpClient.make(change(McpClientTransport.fromTransport(ours)), {
        name: "test",
        version: "1",
        limits: impatient,
        ...options
      })
    }
  })

/** A server, and a client that is connected to it. */
export const connect = (
  handlers: Handlers,
  options: Partial<McpClient.ClientOptions> = {},
  change?: (open: McpClientTransport.Open) => McpClientTransport.Open
): Effect.Effect<Scripted, never, Scope.Scope> =>
  Effect.gen(function*() {
    const made = yield* server(handlers, options, change)
    const client = yield* Effect.orDie(made.connect)
    // The last notification of a handshake may be on its way.
    yield* settle
    return { ...made, client }
  })

/** The methods that were written, in order; an answer stands as what it is. */
export const methods = (written: ReadonlyArray<Written>): ReadonlyArray<string> =>
  written.map(({ error, method }) => method ?? (error === undefined ? "result" : "error"))

/** What was written of one method. */
export const of = (written: ReadonlyArray<Written>, method: string): ReadonlyArray<Written> =>
  written.filter((message) => message.method === method)

export const everything: Schema.JsonObject = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {}
}

/** The answer of a server to `initialize`. */
export const initialized = (
  protocolVersion: string = "2025-11-25",
  capabilities: Schema.JsonObject = everything
): Schema.JsonObject => ({
  protocolVersion,
  capabilities,
  serverInfo: { name: "scripted", version: "2" },
  instructions: "be kind"
})

/** A server of the legacy era. */
export const legacy = (handlers: Handlers = {}, capabilities?: Schema.JsonObject): Handlers => ({
  initialize: (call) => {
    const { protocolVersion } = call.params as { readonly protocolVersion: string }
    return Effect.succeed(initialized(protocolVersion, capabilities))
  },
  "notifications/initialized": () => Effect.void,
  ...handlers
})

/** The answer of a server to `server/discover`. */
export const discovered = (
  capabilities: Schema.JsonObject = everything,
  supportedVersions: ReadonlyArray<string> = ["2026-07-28"]
): Schema.JsonObject => ({
  resultType: "complete",
  supportedVersions,
  capabilities,
  instructions: "be brief",
  ttlMs: 0,
  cacheScope: "public",
  _meta: { "io.modelcontextprotocol/serverInfo": { name: "scripted", version: "3" } }
})

/** A server of the modern era. */
export const modern = (handlers: Handlers = {}, capabilities?: Schema.JsonObject): Handlers => ({
  "server/discover": () => Effect.succeed(discovered(capabilities)),
  ...handlers
})

/** What answers the same each time. */
export const always = (result: Schema.Json) => () => Effect.succeed(result)

/** What refuses each time. */
export const refusing = (code: number, message: string, data?: Schema.Json) => () =>
  Effect.fail(ErrorResponse.make(code, message, data))
