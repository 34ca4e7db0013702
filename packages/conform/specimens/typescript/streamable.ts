/** Streamable HTTP: sessions for the legacy revision, checked headers for the modern one. */
import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { errorOf, is, isObject, type Json, options } from "./options.ts"
import { batched, legacy, modern, type Send, Session, versionOf } from "./Session.ts"

type Receive = (source: string, session: Session, send: Send) => Promise<void>

const most = 8 * 1024 * 1024
const sessions = new Map<string, Session>()
const shared = new Session()
let count = 0

const newId = (): string =>
  is("session-predictable") ? String(++count) : is("session-with-spaces") ? `session ${randomUUID()}` : randomUUID()

const isLocal = (host: string | undefined): boolean => /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i.test(host ?? "")

const isAllowed = ({ headers: { host, origin } }: IncomingMessage): boolean =>
  is("origin-accepted") || (isLocal(host) && (origin === undefined || isLocal(origin.replace(/^https?:\/\//, ""))))

const end = (
  response: ServerResponse,
  status: number,
  error?: readonly [code: number, message: string, data?: Json]
) => {
  if (error === undefined) return response.writeHead(status).end()
  const type = is("content-type-wrong") ? "text/plain" : "application/json"
  return response.writeHead(status, { "content-type": type }).end(
    JSON.stringify({ jsonrpc: "2.0", ...errorOf(...error) })
  )
}

const bodyOf = async (request: IncomingMessage): Promise<string | undefined> => {
  const chunks: Array<Buffer> = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    // The rest is read, too: a client that still writes does not read the answer.
    if (size <= most) chunks.push(chunk)
  }
  return size > most ? undefined : Buffer.concat(chunks).toString("utf8")
}

/** Writes events. Those of a session have ids, and are kept. */
const eventsOf = (response: ServerResponse, session: Session | undefined) => {
  const stream = session === undefined ? 0 : ++session.streams
  let count = 0
  return (message: Json | Array<Json>) => {
    const id = is("event-ids-repeated") ? `${++count}` : `${stream}-${++count}`
    const event = `event: message\ndata: ${JSON.stringify(message)}\n\n`
    const text = session === undefined ? event : `id: ${id}\n${event}`
    session?.keep({ stream, id, text })
    response.write(text)
  }
}

/** Sends again what came behind an event on its stream. */
const resume = (response: ServerResponse, { events }: Session, last: string): void => {
  const at = events.findIndex(({ id }) => id === last)
  if (at === -1) return void end(response, 400, [-32600, "There is no such event"])
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" })
  for (const { stream, text } of events.slice(at + 1)) {
    if (stream === events[at]?.stream || is("replay-of-all-streams")) response.write(text)
  }
  response.end()
}

/** One event stream as soon as something comes ahead of the response; else the response alone, as JSON. */
const writerOf = (response: ServerResponse, isModern: boolean, session?: Session) => {
  const waiting: Array<Json | Array<Json>> = []
  const write = eventsOf(response, session)
  const stream = (message: Json | Array<Json>) => {
    if (!response.headersSent) {
      const type = is("content-type-wrong") ? "text/plain" : "text/event-stream"
      response.writeHead(200, { "content-type": type, "cache-control": "no-store", "x-accel-buffering": "no" })
    }
    write(message)
  }
  return {
    send: (message: Json | Array<Json>) => {
      const isTold = isObject(message) && message["method"] !== undefined
      if (!response.headersSent && !isTold) return void waiting.push(message)
      waiting.splice(0).forEach(stream)
      stream(message)
    },
    end: (isRequest: boolean) => {
      if (response.headersSent) return response.end()
      const [first, second] = waiting
      if (first === undefined) {
        return isRequest ? response.writeHead(200, { "content-type": "text/event-stream" }).end() : end(response, 202)
      }
      if (second !== undefined) {
        waiting.forEach(stream)
        return response.end()
      }
      const type = is("content-type-wrong") ? "text/plain" : "application/json"
      return response.writeHead(statusOf(first, isModern), { "content-type": type }).end(JSON.stringify(first))
    }
  }
}

const statusOf = (message: Json | Array<Json>, isModern: boolean): number => {
  const error = isObject(message) ? message["error"] : undefined
  const code = isObject(error) ? error["code"] : undefined
  if (code === -32700 || code === -32600 || code === -32022) return 400
  if (!isModern) return 200
  return code === -32601 ? 404 : code === -32602 ? 400 : 200
}

/** The value of a header that may be written in Base64. */
const plain = (value: unknown): string => {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(String(value)) ?? []
  return encoded === undefined || is("name-header-undecoded")
    ? String(value)
    : Buffer.from(encoded, "base64").toString("utf8")
}

/** Says which header of a modern request does not fit its body. */
const mismatch = ({ headers }: IncomingMessage, message: unknown): string | undefined => {
  const { method, params } = isObject(message) ? message : {}
  const { name, uri } = isObject(params) ? params : {}
  if (headers["mcp-protocol-version"] !== versionOf(params)) return "MCP-Protocol-Version"
  if (headers["mcp-method"] !== method) return "Mcp-Method"
  const named = method === "tools/call" ? name : method === "resources/read" ? uri : undefined
  return named !== undefined && plain(headers["mcp-name"]) !== named ? "Mcp-Name" : undefined
}

const post = async (request: IncomingMessage, response: ServerResponse, receive: Receive): Promise<unknown> => {
  const { "content-type": type = "", accept = "*/*", "mcp-protocol-version": version, "mcp-session-id": id } =
    request.headers
  if (!/^application\/json\b/i.test(type)) return end(response, 415, [-32600, "The body is no application/json"])
  if (!/\*\/\*|application\/(?:json|\*)/i.test(accept)) return end(response, 406, [-32600, "JSON is not accepted"])
  const source = await bodyOf(request)
  if (source === undefined) return end(response, 413, [-32600, "The body is too large"])
  const message = parsed(source)
  const params = isObject(message) ? message["params"] : undefined
  const method = isObject(message) ? message["method"] : undefined
  const isRequest = isObject(message) && Object.hasOwn(message, "id") && method !== undefined
  const isModern = versionOf(params) !== undefined || (version !== undefined && version >= modern)
  if (isModern) {
    const writer = writerOf(response, true)
    // A notification has no headers to check: this revision does not define them.
    if (isRequest && versionOf(params) === undefined) {
      return end(response, 400, [-32602, "_meta has no protocolVersion"])
    }
    const wrong = isRequest && !is("header-mismatch-accepted") ? mismatch(request, message) : undefined
    if (wrong !== undefined) return end(response, 400, [-32020, `Header mismatch: ${wrong}`])
    const session = new Session()
    response.on("close", () => session.running.forEach((controller) => controller.abort()))
    await receive(source, session, writer.send)
    return writer.end(isRequest)
  }
  if (method === "initialize") {
    const session = new Session()
    const writer = writerOf(response, false)
    await receive(source, session, writer.send)
    if (session.isInitialized) {
      const id = newId()
      sessions.set(id, session)
      response.setHeader("mcp-session-id", id)
    }
    return writer.end(isRequest)
  }
  const isKnown = version === legacy || (options.batches && version === batched)
  if (version !== undefined && !isKnown && !is("version-header-ignored")) {
    return end(response, 400, [-32022, "Unsupported protocol version", {
      supported: [modern, legacy],
      requested: version
    }])
  }
  const session = sessionOf(id)
  if (typeof session === "number") return end(response, session, [-32600, "There is no such session"])
  const writer = writerOf(response, false, session)
  await receive(source, session, writer.send)
  return writer.end(isRequest)
}

const parsed = (source: string): unknown => {
  try {
    return JSON.parse(source)
  } catch {
    return undefined
  }
}

/** The session of an id, or the status of the answer where there is none. */
const sessionOf = (id: string | Array<string> | undefined): Session | number => {
  const found = sessions.get(String(id))
  if (found !== undefined) return found
  shared.isInitialized = true
  if (id === undefined) return is("session-missing-accepted") ? shared : 400
  return is("session-unknown-accepted") ? shared : 404
}

const handle = async (request: IncomingMessage, response: ServerResponse, receive: Receive): Promise<unknown> => {
  if (request.url !== "/mcp") return end(response, 404)
  if (!isAllowed(request)) return end(response, 403, [-32600, "The origin or the host is foreign"])
  if (request.method === "POST") return post(request, response, receive)
  if (request.method === "DELETE") {
    const id = request.headers["mcp-session-id"]
    const session = sessionOf(id)
    if (typeof session === "number") return end(response, session)
    if (!is("session-terminated-answers")) sessions.delete(String(id))
    return end(response, 204)
  }
  if (is("get-answered") && request.method === "GET") {
    return response.writeHead(200, { "content-type": "text/plain" }).end("The server runs")
  }
  const last = request.headers["last-event-id"]
  const session = sessions.get(String(request.headers["mcp-session-id"]))
  const isResumed = request.method === "GET" && last !== undefined && !is("event-ids-repeated")
  if (isResumed && session !== undefined) return resume(response, session, String(last))
  return response.writeHead(405, { allow: "POST, DELETE" }).end()
}

/** Listens on a free port, and prints the address. */
export const listen = (receive: Receive): void => {
  const server = createServer((request, response) =>
    void handle(request, response, receive).catch(() => response.destroy())
  )
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo
    process.stdout.write(`http://127.0.0.1:${port}/mcp\n`)
  })
}
