/** A link without the client that would use it. */
import type { HttpFetcher } from "@parley/http/shared/client"
import * as CallClock from "@parley/mcp/client/CallClock"
import type * as McpClientTransport from "@parley/mcp/client/McpClientTransport"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as McpDialect from "@parley/mcp/wire/McpDialect"
import type { Revision } from "@parley/mcp/wire/Revision"
import * as RevisionCodec from "@parley/mcp/wire/RevisionCodec"
import * as NodeHttp from "@parley/node/NodeHttp"
import * as Router from "@parley/peer/Router"
import { Cause, Effect, Exit, Queue, Schedule, type Scope } from "effect"

export interface Opened extends McpClientTransport.McpClientTransport {
  /** One for each time that the link found its session over. */
  readonly expired: Queue.Dequeue<void>
}

export type Options =
  & Omit<McpHttpClient.HttpOptions, "url">
  & Partial<Pick<McpClientTransport.Host, "limits" | "timeout">>
  & {
    readonly handlers?: Router.Handlers
    /** That of `NodeHttp` by default. */
    readonly fetcher?: Effect.Effect<HttpFetcher.HttpFetcher, unknown, Scope.Scope>
  }

export const open = (url: string, options: Options = {}): Effect.Effect<Opened, never, Scope.Scope> =>
  Effect.gen(function*() {
    const fetcher = yield* options.fetcher ?? NodeHttp.makeFetcher()
    const router = yield* Router.make()
    yield* router.addAll(options.handlers ?? {})
    const expired = yield* Queue.unbounded<void>()
    let codec: RevisionCodec.RevisionCodec | undefined
    const transport = yield* McpHttpClient.open(fetcher, { ...options, url })({
      router,
      dialect: McpDialect.make(() => codec),
      limits: options.limits,
      timeout: options.timeout ?? "10 seconds",
      clock: yield* CallClock.make,
      onSessionExpired: () => Queue.offerUnsafe(expired, undefined)
    })
    const settle = (agreed: RevisionCodec.RevisionCodec | undefined) => {
      codec = agreed
      return transport.settle(agreed)
    }
    return { ...transport, settle, expired }
  }).pipe(Effect.orDie)

/** The handshake of the legacy era. */
export const shakeHands = Effect.fnUntraced(function*(
  transport: McpClientTransport.McpClientTransport,
  revision: Revision = "2025-11-25",
  capabilities = {}
) {
  const params = { protocolVersion: revision, capabilities, clientInfo: { name: "test", version: "1" } }
  const agreed = yield* transport.request("initialize", params)
  yield* transport.settle(RevisionCodec.of(revision))
  yield* transport.notify("notifications/initialized")
  return agreed
})

export const shaken = (url: string, options: Options = {}): Effect.Effect<Opened, unknown, Scope.Scope> =>
  Effect.tap(open(url, options), (transport) => shakeHands(transport))

/** The params of a request of the modern era. */
export const modern = (params = {}) => ({
  ...params,
  _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {}
  }
})

/** How a call ended, in words. */
export const inWords = <A, E>(exit: Exit.Exit<A, E>): string => {
  if (Exit.isSuccess(exit)) return JSON.stringify(exit.value)
  const error: unknown = exit.cause.reasons.find(Cause.isFailReason)?.error
  return error instanceof Error ? `${error.name}: ${error.message}` : String(Cause.squash(exit.cause))
}

export const outcome = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<string, never, R> =>
  Effect.map(Effect.exit(effect), inWords)

export const wireOf = RevisionCodec.of

/** Opens a stream again without a wait. */
export const atOnce = Schedule.spaced(0)
