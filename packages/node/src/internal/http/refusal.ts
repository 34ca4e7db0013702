/**
 * Refusals on the wire: of requests, and of upgrades, whose connection HTTP has let
 * go of already.
 */
import { RequestRules, type Serving } from "@parley/http/shared"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as http from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"

/** Connections that end after the answer that was written to them. */
const ending = new WeakSet<Socket>()

/** Whether the connection was told to end: it takes no more (RFC 9112, 9.6). */
export const isEnding = ({ socket }: http.IncomingMessage): boolean => ending.has(socket)

/**
 * Answers with a refusal. If the body has not arrived, the rest of it is dropped and the connection ends. It does not
 * end at once, because that would reset it, and the client might never read the refusal.
 */
export const refuse = (
  context: Context.Context<never>,
  request: http.IncomingMessage,
  response: http.ServerResponse,
  refusal: Serving.Refused
): void => {
  const { status, text } = refusal
  const isWhole = request.complete || hasNoBody(request)
  response.writeHead(status, {
    "content-length": Buffer.byteLength(text),
    ...(isWhole ? undefined : { connection: "close" }),
    ...RequestRules.headersOf(refusal)
  })
  if (!isWhole) ending.add(request.socket)
  request.resume()
  // The parser gives up a body without an end in this turn. What has left before still arrives.
  if (isWhole || isEndless(request) || request.method === "HEAD") return void response.end(text)
  response.write(text)
  const end = () => void response.end()
  request.on("end", end)
  const pause = Effect.runForkWith(context)(Effect.sleep(linger))
  pause.addObserver(end)
  response.on("close", () => pause.interruptUnsafe())
}

/** Milliseconds in which the rest of a refused body is dropped before the connection ends. */
const linger = 1_000

/** Whether the head of a request says that it has no body. */
export const hasNoBody = ({ headers }: http.IncomingMessage) =>
  headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0

/** Whether nobody can tell where the body ends, because its last transfer coding is not chunked (RFC 9112, 6.3). */
const isEndless = ({ headers }: http.IncomingMessage) =>
  headers["transfer-encoding"] !== undefined && !headers["transfer-encoding"].toLowerCase().endsWith("chunked")

/** Answers an upgrade with a refusal. The connection ends with it. */
export const refuseUpgrade = (tcp: Duplex, refusal: Serving.Refused): void => {
  const { headers, status, text } = refusal
  tcp.on("error", () => tcp.destroy())
  tcp.on("finish", () => tcp.destroy())
  const lines = Object.entries({
    "content-length": String(Buffer.byteLength(text)),
    ...RequestRules.headersOf(refusal),
    connection: "close"
  })
  // A challenge may hold what the client has sent.
  const isSound = lines.every(([, value]) => !/[^\t -~]/.test(value))
  const sound = isSound ? lines : lines.filter(([name]) => !Object.hasOwn(headers, name))
  const head = sound.map(([name, value]) => `${name}: ${value}\r\n`).join("")
  tcp.end(`HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? ""}\r\n${head}\r\n${text}`)
}
