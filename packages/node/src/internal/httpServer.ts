/**
 * An HTTP server for a `Router`, over `node:http` itself and for speed: Effect's
 * server takes several times as long for a request as a small handler.
 *
 * `PostRules` says what is taken and refused; this file moves bytes. The times in
 * which a head and a body must have come are Node's to watch.
 */
import * as EventStream from "@parley/http/EventStream"
import * as MediaType from "@parley/http/MediaType"
import * as PostRules from "@parley/http/PostRules"
import type { AnswerOptions } from "@parley/peer/Router"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as http from "node:http"
import type { Socket } from "node:net"

/** @see NodeHttp, which publishes it */
export type Answer = (
  text: string,
  options?: AnswerOptions
) => Effect.Effect<Option.Option<string> | PostRules.Refusal>

/** What all requests of a server share. */
export interface Host {
  readonly desk: PostRules.Desk
  readonly path: string
  readonly answer: Answer
  readonly context: Context.Context<never>
  readonly fibers: Set<Fiber.Fiber<unknown>>
  /** Requests that are not answered to their end. */
  open: number
  isClosing: boolean
  /** Called when none is open any more. */
  onQuiet: () => void
}

/** @see close */
export const makeHost = (
  options: Pick<Host, "desk" | "path" | "answer" | "context">
): Host => ({ ...options, fibers: new Set(), open: 0, isClosing: false, onQuiet: () => {} })

/** Takes a request of a server. */
export const take = (host: Host, request: http.IncomingMessage, response: http.ServerResponse) => {
  host.open++
  response.on("close", () => {
    if (--host.open === 0) host.onQuiet()
  })
  // A connection that was told to end takes no more (RFC 9112, 9.6).
  if (ending.has(request.socket)) return void request.resume()
  if (host.isClosing) return refuse(host, request, response, shuttingDown)
  if (pathOf(request) !== host.path) return refuse(host, request, response, notFound)
  const { headers } = request
  const visit = host.desk.admit({
    method: request.method ?? "",
    contentType: headers["content-type"],
    contentLength: headers["content-length"],
    contentEncoding: headers["content-encoding"],
    host: headers.host,
    origin: headers.origin,
    address: request.socket.remoteAddress
  })
  if (visit instanceof PostRules.Refusal) return refuse(host, request, response, visit)
  let isRefused = false
  let fiber: Fiber.Fiber<unknown> | undefined
  response.on("close", () => {
    if (fiber === undefined) return visit.leave()
    // What does not end by interruption keeps its place.
    fiber.addObserver(() => visit.leave())
    fiber.interruptUnsafe()
  })
  request.on("data", (chunk: Buffer) => {
    const refusal = isRefused ? undefined : visit.push(chunk)
    if (refusal === undefined) return
    isRefused = true
    refuse(host, request, response, refusal)
  })
  request.on("end", () => {
    if (!isRefused) fiber = answer(host, request, response, visit.text())
  })
}

/** Connections that end behind an answer which was written. */
const ending = new WeakSet<Socket>()

const notFound = new PostRules.Refusal(404, "There is nothing at this path.")
const shuttingDown = new PostRules.Refusal(503, "Shutting down.", { connection: "close", "retry-after": "1" })

const pathOf = ({ url = "" }: http.IncomingMessage): string => {
  const query = url.indexOf("?")
  return query === -1 ? url : url.slice(0, query)
}

/**
 * Says why. Of a body that is still to come nothing is kept, and the connection ends: at once it would be reset, and
 * who sends the body might never read why, so what comes for a moment is dropped.
 */
const refuse = (
  host: Host,
  request: http.IncomingMessage,
  response: http.ServerResponse,
  { headers, status, text }: PostRules.Refusal
) => {
  const isWhole = request.complete || hasNoBody(request)
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    ...(isWhole ? undefined : { connection: "close" }),
    ...headers
  })
  if (!isWhole) ending.add(request.socket)
  request.resume()
  if (isWhole || request.method === "HEAD") return void response.end(text)
  response.write(text)
  const end = () => void response.end()
  request.on("end", end)
  const pause = Effect.runForkWith(host.context)(Effect.sleep(linger))
  pause.addObserver(end)
  response.on("close", () => pause.interruptUnsafe())
}

/** Milliseconds in which the rest of a refused body is dropped before its connection ends. */
const linger = 1_000

const hasNoBody = ({ headers }: http.IncomingMessage) =>
  headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0

const answer = (
  host: Host,
  request: http.IncomingMessage,
  response: http.ServerResponse,
  text: string
): Fiber.Fiber<unknown> => {
  const options = MediaType.acceptsEvents(request.headers.accept)
    ? { send: (text: string) => send(host, response, text) }
    : undefined
  const fiber = Effect.runForkWith(host.context)(host.answer(text, options))
  if (fiber.pollUnsafe() === undefined) host.fibers.add(fiber)
  fiber.addObserver((exit) => {
    host.fibers.delete(fiber)
    if (Exit.isFailure(exit)) response.destroy()
    else if (!(exit.value instanceof PostRules.Refusal)) reply(host, response, Option.getOrUndefined(exit.value))
    else if (response.headersSent) response.destroy()
    else refuse(host, request, response, exit.value)
  })
  return fiber
}

const reply = (host: Host, response: http.ServerResponse, text: string | undefined) => {
  if (response.destroyed) return
  if (response.headersSent) {
    response.end(text === undefined ? undefined : EventStream.encode(text))
  } else if (text === undefined) {
    response.writeHead(204, host.isClosing ? closing : undefined).end()
  } else {
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
      ...(host.isClosing ? closing : undefined)
    }).end(text)
  }
  // One without a socket waits for the answers before it.
  if (response.socket === null || response.socket.writableLength > 0) watch(host, response)
}

const closing = { connection: "close" }

/** Gives a connection up when it makes no progress: Node.js destroys one whose time nobody else asks about. */
const watch = (host: Host, response: http.ServerResponse) => response.setTimeout(host.desk.limits.writeStall)

/** Writes an event, and waits while the client does not read. */
const send = (host: Host, response: http.ServerResponse, text: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (response.destroyed) return Effect.void
    if (!response.headersSent) {
      response.writeHead(200, { "content-type": EventStream.contentType, "cache-control": "no-cache" })
    }
    if (response.write(EventStream.encode(text))) return Effect.void
    watch(host, response)
    return Effect.callback((resume) => {
      const onDrain = () => {
        response.setTimeout(0)
        resume(Effect.void)
      }
      response.once("drain", onDrain)
      return Effect.sync(() => response.off("drain", onDrain))
    })
  })

/**
 * Ends a server in order: what is being asked and answered has so many milliseconds, and what does not end then is
 * interrupted. Connections on which nothing is asked do not count: some clients open them before they need them.
 */
export const close = (server: http.Server, host: Host): Effect.Effect<void> =>
  Effect.suspend(() => {
    host.isClosing = true
    const closed = Effect.callback<void>((resume) => {
      server.close(() => resume(Effect.void))
      host.onQuiet = () => server.closeAllConnections()
      if (host.open === 0) host.onQuiet()
    })
    const end = Effect.suspend(() => {
      const fibers = [...host.fibers]
      server.closeAllConnections()
      return Effect.timeoutOption(Fiber.interruptAll(fibers), grace)
    })
    return Effect.asVoid(Effect.andThen(Effect.timeoutOption(closed, host.desk.limits.drain), end))
  })

/** Milliseconds that handlers have to end when they are interrupted. */
const grace = 1_000
