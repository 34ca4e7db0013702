/** A server over plain `node:http` that does what a test says, and remembers what came. */
import { Deferred, Effect, Queue, type Schema, type Scope } from "effect"
import type * as http from "node:http"
import { listening } from "../../support/official.ts"

/** A request that came, with its body read. */
export interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  /** The JSON of its body; an empty object where it has none. */
  readonly message:
    & { readonly id?: number; readonly method?: string; readonly params?: Schema.JsonObject }
    & Schema.JsonObject
}

export interface Answering {
  readonly seen: Seen
  readonly response: http.ServerResponse
}

export type Script = (answering: Answering) => void

export interface Scripted {
  readonly url: string
  readonly seen: ReadonlyArray<Seen>
  /** The next request that was not taken yet. */
  readonly next: Effect.Effect<Seen>
  /** The next that fits, those before it passed over. */
  readonly until: (fits: (seen: Seen) => boolean) => Effect.Effect<Seen>
}

export const serve = (script: Script, path = "/mcp"): Effect.Effect<Scripted, never, Scope.Scope> =>
  Effect.gen(function*() {
    const seen: Array<Seen> = []
    const queue = yield* Queue.unbounded<Seen>()
    const url = yield* listening((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const text = Buffer.concat(chunks).toString()
        const one: Seen = {
          method: request.method ?? "",
          path: request.url ?? "",
          headers: request.headers,
          message: text === "" ? {} : JSON.parse(text)
        }
        seen.push(one)
        Queue.offerUnsafe(queue, one)
        script({ seen: one, response })
      })
    }, path)
    const next = Queue.take(queue)
    const until = (fits: (seen: Seen) => boolean): Effect.Effect<Seen> =>
      Effect.flatMap(next, (one) => fits(one) ? Effect.succeed(one) : until(fits))
    return { url, seen, next, until }
  })

export const json = (response: http.ServerResponse, body: unknown, headers = {}, status = 200) => {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))
}

export const text = (response: http.ServerResponse, status: number, body = "", headers = {}) => {
  response.writeHead(status, { "content-type": "text/plain", ...headers }).end(body)
}

/** Starts a stream, whose head leaves at once. */
export const stream = (response: http.ServerResponse, headers = {}) => {
  response.writeHead(200, { "content-type": "text/event-stream", ...headers }).flushHeaders()
  return (
    event: { readonly id?: string; readonly event?: string; readonly retry?: number; readonly data?: unknown }
  ) => {
    const lines = Object.entries(event).filter(([name]) => name !== "data").map(([name, value]) =>
      `${name}: ${value}\n`
    )
    const data = typeof event.data === "string" ? event.data : JSON.stringify(event.data)
    response.write(`${lines.join("")}${event.data === undefined ? "" : `data: ${data}\n`}\n`)
  }
}

export const result = (id: number | undefined, value: Schema.Json = {}) => ({ jsonrpc: "2.0", id, result: value })

/** What a server of the legacy era does with everything but the methods that a test has an own script for. */
export const legacy = (scripts: Readonly<Record<string, Script>> = {}, session = "s1"): Script => {
  const headers = session === "" ? {} : { "mcp-session-id": session }
  return (answering) => {
    const { response, seen } = answering
    const own = scripts[seen.message.method ?? seen.method]
    if (own !== undefined) return own(answering)
    if (seen.method !== "POST") return text(response, 405)
    if (seen.message.id === undefined || seen.message.method === undefined) return response.writeHead(202).end()
    if (seen.message.method !== "initialize") return json(response, result(seen.message.id))
    const params = seen.message.params ?? {}
    const agreed = {
      protocolVersion: params["protocolVersion"] ?? "",
      capabilities: { tools: {} },
      serverInfo: { name: "scripted", version: "1" }
    }
    return json(response, result(seen.message.id, agreed), headers)
  }
}

/** A promise of a test, kept by what a script sees. */
export const signal = <A>() => {
  const deferred = Deferred.makeUnsafe<A>()
  return { wait: Deferred.await(deferred), set: (value: A) => Deferred.doneUnsafe(deferred, Effect.succeed(value)) }
}
