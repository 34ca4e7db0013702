/** A server behind a handler of Web requests, and a client that writes what a test wants and sees all that comes. */
import type { Responder } from "@parley/http/HttpEndpoint"
import { EventStream } from "@parley/http/shared"
import * as McpHttp from "@parley/mcp/McpHttp"
import type * as McpServer from "@parley/mcp/McpServer"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import * as MeshNode from "@parley/mesh/MeshNode"
import * as Handshake from "@parley/transport/Handshake"
import { Context, Effect, type Schema, type Scope } from "effect"
import type { Json, Said } from "../../server/support/line.ts"
import { sample } from "./sample.ts"

export type { Json, Said }

/** An event with all that it has; a comment has its text. */
export interface Seen {
  readonly id: string | undefined
  readonly data: string | undefined
  readonly retry: string | undefined
  readonly comment: string | undefined
}

export interface Reading {
  /** The next event, or `undefined` at the end. */
  readonly next: Effect.Effect<Seen | undefined>
  /** The next message, behind whatever comes without one. */
  readonly message: Effect.Effect<Said>
  /** All events until the end. */
  readonly rest: Effect.Effect<ReadonlyArray<Seen>>
  /** The id of the last event. */
  readonly lastId: () => string | undefined
}

export interface Answer {
  readonly status: number
  readonly header: (name: string) => string | null
  readonly text: Effect.Effect<string>
  readonly json: Effect.Effect<Said>
  readonly read: Reading
  /** Goes away. */
  readonly abort: () => void
}

export type Headers = { readonly [name: string]: string | undefined }

export interface Client {
  readonly send: (method: string, headers?: Headers, body?: string) => Effect.Effect<Answer>
  /** Posts a message, or whatever is given. */
  readonly post: (message: Schema.Json, headers?: Headers) => Effect.Effect<Answer>
}

/** The means of a host on which nobody streams. */
export const silent: Responder = {
  start: () => Effect.die(new Error("a stream")),
  write: () => Effect.die(new Error("a stream")),
  toStream: () => undefined
}

/** Everybody is who they say they are. */
export const byAuthorization: Handshake.Authorize = Handshake.declare(({ header }) => {
  const name = header("authorization")
  return Effect.succeed(name === undefined ? Context.empty() : Context.make(Handshake.Name, name))
})

export const both = "application/json, text/event-stream"

const seen = (block: string): Seen => {
  const fields = new Map<string, string>()
  for (const line of block.split("\n")) {
    const at = line.indexOf(":")
    fields.set(line.slice(0, at), line.slice(at + 1).trimStart())
  }
  return { id: fields.get("id"), data: fields.get("data"), retry: fields.get("retry"), comment: fields.get("") }
}

const reading = (response: Response): Reading => {
  let reader: ReadableStreamDefaultReader<string> | undefined
  let text = ""
  let lastId: string | undefined
  const next: Effect.Effect<Seen | undefined> = Effect.suspend(() => {
    const end = text.indexOf("\n\n")
    if (end !== -1) {
      const event = seen(text.slice(0, end))
      text = text.slice(end + 2)
      lastId = event.id ?? lastId
      return Effect.succeed(event)
    }
    reader ??= response.body?.pipeThrough(new TextDecoderStream()).getReader()
    const current = reader
    return current === undefined ? Effect.succeed(undefined) : Effect.flatMap(
      Effect.promise(() => current.read()),
      ({ done, value }) => {
        text += value ?? ""
        return done ? Effect.succeed(undefined) : next
      }
    )
  })
  const message: Effect.Effect<Said> = Effect.flatMap(next, (event) => {
    if (event === undefined) return Effect.die(new Error("the stream has ended"))
    return event.data === undefined || event.data === "" ? message : Effect.succeed<Said>(JSON.parse(event.data))
  })
  const rest = Effect.gen(function*() {
    const all: Array<Seen> = []
    for (let event = yield* next; event !== undefined; event = yield* next) all.push(event)
    return all
  })
  return { next, message, rest, lastId: () => lastId }
}

/** A client of whatever takes requests. */
export const over = (url: string, handle: (request: Request) => Promise<Response>): Client => {
  const send: Client["send"] = (method, headers = {}, body) =>
    Effect.map(
      Effect.promise(async (gone) => {
        const abort = new AbortController()
        gone.addEventListener("abort", () => abort.abort())
        const defined = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined)
        const request = new Request(url, {
          method,
          headers: defined,
          signal: abort.signal,
          ...(body === undefined ? {} : { body })
        })
        return { abort: () => abort.abort(), response: await handle(request) }
      }),
      ({ abort, response }): Answer => ({
        status: response.status,
        header: (name) => response.headers.get(name),
        text: Effect.promise(() => response.text()),
        json: Effect.promise(async () => JSON.parse(await response.text())),
        read: reading(response),
        abort
      })
    )
  return {
    send,
    post: (message, headers) =>
      send(
        "POST",
        { "content-type": "application/json", accept: both, ...headers },
        typeof message === "string" ? message : JSON.stringify(message)
      )
  }
}

/** As many nodes as one server has behind an edge that sends each request to another. */
let count = 1

/** Has the tests that are loaded from now on run on so many nodes of one mesh. */
export const onNodes = (nodes: number) => {
  count = nodes
}

/** A client of a server in this process. */
export const open = Effect.fnUntraced(function*(
  options: McpHttp.McpHttpOptions = {},
  server?: McpServer.McpServer
): Effect.fn.Return<Client, never, Scope.Scope> {
  const served = server ?? (yield* sample).server
  return count > 1 ? alternating(yield* nodes(served, options, count)) : yield* alone(options, served)
})

/** A client of a server in this process, which is one node whatever `onNodes` says: what one process may hold counts. */
export const alone = (
  options: McpHttp.McpHttpOptions,
  server: McpServer.McpServer
): Effect.Effect<Client, never, Scope.Scope> =>
  Effect.map(McpHttp.makeWebHandler(server, options), (handle) => over("http://localhost/mcp", handle))

/** The nodes of a mesh that serve one server, a client of each. They share a journal, and whatever else the options have. */
export const nodes = Effect.fnUntraced(function*(
  server: McpServer.McpServer,
  options: McpHttp.McpHttpOptions,
  count: number
): Effect.fn.Return<ReadonlyArray<Client>, never, Scope.Scope> {
  const engine = yield* MemoryNodes.makeEngine
  const journal = options.journal ?? (yield* MemoryNodes.makeJournal())
  return yield* Effect.forEach(Array.from({ length: count }, (_, n) => n), (n) =>
    Effect.gen(function*() {
      const mesh = yield* Effect.orDie(MeshNode.make(engine, { name: `${n}` }))
      // It is one server: what it tells its clients reaches those of all nodes as it is.
      const own = { ...server, share: () => Effect.void }
      return over("http://localhost/mcp", yield* McpHttp.makeWebHandler(own, { ...options, mesh, journal }))
    }))
})

/** A client whose requests go to one after the other. */
export const alternating = (clients: ReadonlyArray<Client>): Client => {
  let turn = 0
  const next = () => clients[turn++ % clients.length] ?? clients[0]!
  return { send: (...request) => next().send(...request), post: (...request) => next().post(...request) }
}

let ids = 100

export const request = (method: string, params?: Json, id: number = ++ids) => ({
  jsonrpc: "2.0",
  id,
  method,
  ...(params === undefined ? {} : { params })
})

export const call = (name: string, args: Json = {}, more: Json = {}) =>
  request("tools/call", { name, arguments: args, ...more })

export const handshake = (protocolVersion: string, capabilities: Json = {}) =>
  request("initialize", { protocolVersion, capabilities, clientInfo: { name: "test", version: "1" } })

/** A legacy client with a session. */
export interface Visitor {
  readonly id: string
  readonly headers: Headers
  readonly post: Client["post"]
  /** The stream of what belongs to no request, or the rest of another. */
  readonly get: (lastEventId?: string) => Effect.Effect<Answer>
  readonly remove: Effect.Effect<Answer>
}

export const visit = Effect.fnUntraced(function*(
  client: Client,
  revision = "2025-11-25",
  capabilities: Json = {},
  more: Headers = {}
): Effect.fn.Return<Visitor> {
  const answer = yield* client.post(handshake(revision, capabilities), more)
  const id = answer.header("mcp-session-id")
  if (id === null) return yield* Effect.die(new Error(`no session: ${yield* answer.text}`))
  yield* answer.text
  const headers = { "mcp-session-id": id, "mcp-protocol-version": revision, ...more }
  const post: Client["post"] = (message, own) => client.post(message, { ...headers, ...own })
  yield* post({ jsonrpc: "2.0", method: "notifications/initialized" })
  return {
    id,
    headers,
    post,
    get: (lastEventId) =>
      client.send("GET", { ...headers, accept: EventStream.contentType, "last-event-id": lastEventId }),
    remove: client.send("DELETE", headers)
  }
})

/** What every modern request says of itself. */
export const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {}
}

/** Posts a modern request with the headers that belong to it. */
export const modern = (client: Client, method: string, params: Json = {}, headers: Headers = {}) => {
  const name = params["name"] ?? params["uri"]
  return client.post(request(method, { _meta: meta, ...params }), {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": name } : {}),
    ...headers
  })
}

/** How somebody who comes back learns that events are gone: the error that ends their call, or the status of a refusal. */
export const goneOf = (answer: Effect.Effect<Answer>): Effect.Effect<number | undefined> =>
  Effect.flatMap(
    answer,
    ({ read, status }) => status === 200 ? Effect.map(read.message, ({ error }) => error?.code) : Effect.succeed(status)
  )

/** The text of a result of a tool. */
export const textOf = ({ error, result }: Said): unknown => {
  const [block] = (result?.["content"] ?? []) as ReadonlyArray<{ readonly text?: string }>
  return block?.text ?? error
}
