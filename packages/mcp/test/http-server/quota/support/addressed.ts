/** A server whose clients have the addresses that a test gives them, as if they had connected from there. */
import type { HttpEndpoint } from "@parley/http/HttpEndpoint"
import * as HttpRoute from "@parley/http/HttpRoute"
import type { RequestRules } from "@parley/http/shared"
import * as McpHttp from "@parley/mcp/McpHttp"
import type * as McpServer from "@parley/mcp/McpServer"
import * as Handshake from "@parley/transport/Handshake"
import { Effect, Logger, References, type Schema, type Scope } from "effect"
import { sample } from "../../support/sample.ts"
import * as web from "../../support/web.ts"

const name = "x-address"

/** The headers of a request from an address. */
export const at = (address: string, more: web.Headers = {}): web.Headers => ({ ...more, [name]: address })

const headOf = (head: RequestRules.Head): RequestRules.Head => ({
  method: head.method,
  url: head.url,
  header: head.header,
  address: head.header(name)
})

const addressed = (endpoint: HttpEndpoint): HttpEndpoint => {
  const { authorize } = endpoint
  return {
    ...endpoint,
    admit: (head) => endpoint.admit(headOf(head)),
    authorize: authorize === undefined ? undefined : (head) => authorize(headOf(head)),
    answer: (head, text, responder) => endpoint.answer(headOf(head), text, responder)
  }
}

export const open = Effect.fnUntraced(function*(
  options: McpHttp.McpHttpOptions = {},
  server?: McpServer.McpServer
): Effect.fn.Return<web.Client, never, Scope.Scope> {
  return clientOf(yield* McpHttp.endpoint(server ?? (yield* sample).server, options))
})

const clientOf = (endpoint: HttpEndpoint) => web.over("http://localhost/mcp", HttpRoute.webHandler(addressed(endpoint)))

/** A client that begins a session. */
export const visit = (client: web.Client, address: string, more: web.Headers = {}): Effect.Effect<web.Visitor> =>
  web.visit(client, "2025-11-25", {}, at(address, more))

/** The status that a client gets who begins a session. */
export const begin = (client: web.Client, headers: web.Headers): Effect.Effect<number> =>
  Effect.map(client.post(web.handshake("2025-11-25"), headers), ({ status }) => status)

/** How many of some statuses there are. */
export const tally = (statuses: ReadonlyArray<number>): Readonly<Record<number, number>> => {
  const counts: Record<number, number> = {}
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** Begins so many sessions, one after the other, and counts the statuses. */
export const flood = (client: web.Client, times: number, headersOf: (index: number) => web.Headers) =>
  Effect.map(
    Effect.forEach(Array.from({ length: times }, (_, index) => index), (index) => begin(client, headersOf(index))),
    tally
  )

/** A server that also takes texts without a host, which is quick, and the lines of its log. */
export const bare = Effect.fnUntraced(function*(options: McpHttp.McpHttpOptions = {}) {
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => void lines.push(String(message)))
  const watch = Effect.provideService(References.CurrentLoggers, new Set([logger]))
  const endpoint = yield* watch(McpHttp.endpoint((yield* sample).server, options))
  const post = (message: Schema.Json, address: string | undefined, headers: web.Headers = {}) => {
    const head = { method: "POST", url: "/mcp", address, header: (name: string) => headers[name] }
    const anybody = Effect.succeed(Handshake.anonymous(head))
    const answered = Effect.flatMap(endpoint.authorize?.(head) ?? anybody, (handshake) =>
      Effect.provideService(
        endpoint.answer(head, JSON.stringify(message), web.silent),
        Handshake.Current,
        handshake
      ))
    return watch(Effect.map(Effect.orDie(answered), ({ status }) => status))
  }
  return { client: clientOf(endpoint), lines, post }
})
