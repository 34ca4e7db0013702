/**
 * An HTTP server for an endpoint, over `node:http` itself and for speed: Effect's
 * server takes several times as long for a request as a small handler.
 *
 * The endpoint says what is taken, refused and answered; this file moves bytes.
 * The times in which a head and a body must have come are Node's to watch.
 */
import * as HttpEndpoint from "@parley/http/HttpEndpoint"
import * as PostRules from "@parley/http/PostRules"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as http from "node:http"
import type { Socket } from "node:net"

/** What all requests of a server share. */
export interface Host {
  readonly endpoint: HttpEndpoint.HttpEndpoint
  readonly path: string
  readonly context: Context.Context<never>
  readonly fibers: Set<Fiber.Fiber<unknown>>
  /** Answers that go on for as long as their clients like. */
  readonly staying: Set<Answering>
  /** Requests that are not answered to their end. */
  open: number
  isClosing: boolean
  /** Called when none is open any more. */
  onQuiet: () => void
}

/** @see close */
export const makeHost = (
  options: Pick<Host, "endpoint" | "path" | "context">
): Host => ({ ...options, fibers: new Set(), staying: new Set(), open: 0, isClosing: false, onQuiet: () => {} })

/** Takes a request of a server. */
export const take = (host: Host, request: http.IncomingMessage, response: http.ServerResponse) => {
  host.open++
  response.on("close", () => {
    if (--host.open === 0) host.onQuiet()
  })
  // A connection that was told to end takes no more (RFC 9112, 9.6).
  if (ending.has(request.socket)) return void request.resume()
  if (host.isClosing) return refuse(host, request, response, PostRules.shuttingDown)
  if (pathOf(request) !== host.path) return refuse(host, request, response, notFound)
  const head = new Head(request)
  const visit = host.endpoint.admit(head)
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
    if (!isRefused) fiber = answer(new Answering(host, request, response, visit), head)
  })
}

/** Connections that end behind an answer which was written. */
const ending = new WeakSet<Socket>()

const notFound = new PostRules.Refusal(404, "There is nothing at this path.")

class Head implements PostRules.Head {
  readonly #request: http.IncomingMessage

  constructor(request: http.IncomingMessage) {
    this.#request = request
  }

  get method() {
    return this.#request.method ?? ""
  }

  get url() {
    return this.#request.url ?? ""
  }

  get address() {
    return this.#request.socket.remoteAddress
  }

  /** It may be taken off its head. */
  readonly header = (name: string): string | undefined => {
    const value = this.#request.headers[name]
    return typeof value === "object" ? value.join(", ") : value
  }
}

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

const answer = (answering: Answering, head: Head): Fiber.Fiber<unknown> => {
  const { host, response, visit } = answering
  const context = Context.add(host.context, HttpEndpoint.CurrentHead, head)
  const fiber = Effect.runForkWith(context)(host.endpoint.answer(head, visit.text(), answering))
  if (fiber.pollUnsafe() === undefined) {
    answering.fiber = fiber
    host.fibers.add(fiber)
  }
  fiber.addObserver((exit) => {
    host.fibers.delete(fiber)
    if (Exit.isFailure(exit)) answering.fail(exit.cause)
    else if (exit.value instanceof PostRules.Refusal) answering.refuse(exit.value)
    else reply(host, response, exit.value)
  })
  return fiber
}

/** Nothing can be written any more: the client has gone, or the server has ended it. */
const isOver = (response: http.ServerResponse): boolean => response.destroyed || response.writableEnded

const reply = (host: Host, response: http.ServerResponse, { body, headers, status }: HttpEndpoint.Reply) => {
  if (isOver(response)) return
  if (response.headersSent) {
    response.end(body)
  } else {
    response.writeHead(status, {
      ...headers,
      ...(status === 204 ? undefined : { "content-length": body === undefined ? 0 : Buffer.byteLength(body) }),
      ...(host.isClosing ? closing : undefined)
    }).end(body)
  }
  // One without a socket waits for the answers before it.
  if (response.socket === null || response.socket.writableLength > 0) watch(host, response)
}

/** The answer to one request. */
class Answering implements HttpEndpoint.Responder {
  readonly host: Host
  readonly request: http.IncomingMessage
  readonly response: http.ServerResponse
  readonly visit: PostRules.Visit
  fiber: Fiber.Fiber<unknown> | undefined
  /** Those who wait until the client has read. */
  #waiting: Set<() => void> | undefined

  constructor(host: Host, request: http.IncomingMessage, response: http.ServerResponse, visit: PostRules.Visit) {
    this.host = host
    this.request = request
    this.response = response
    this.visit = visit
  }

  start(status: number, headers: HttpEndpoint.Headers): Effect.Effect<void> {
    return Effect.sync(() => {
      const { response } = this
      if (isOver(response)) return
      response.writeHead(status, headers)
      // With what is written in this turn, if anything is.
      queueMicrotask(() => isOver(response) || response.flushHeaders())
    })
  }

  write(text: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { response } = this
      if (isOver(response) || response.write(text)) return Effect.void
      const waiting = this.#waiting ??= this.#watch()
      return Effect.callback((resume) => {
        // Who writes may be another than who is interrupted.
        const goOn = () => resume(Effect.void)
        waiting.add(goOn)
        return Effect.sync(() => waiting.delete(goOn))
      })
    })
  }

  /** Waits until the client has read, or has gone: once for all who write, and also when none of them waits any more. */
  #watch(): Set<() => void> {
    const { host, response } = this
    const waiting = new Set<() => void>()
    const end = () => {
      response.off("drain", onDrain)
      response.off("close", end)
      this.#waiting = undefined
      for (const goOn of waiting) goOn()
    }
    const onDrain = () => {
      response.setTimeout(0)
      end()
    }
    response.on("drain", onDrain)
    response.on("close", end)
    watch(host, response)
    return waiting
  }

  stay(): PostRules.Refusal | undefined {
    if (this.host.isClosing) return PostRules.shuttingDown
    const refusal = this.visit.stay()
    if (refusal !== undefined) return refusal
    this.host.staying.add(this)
    this.response.on("close", () => this.host.staying.delete(this))
    return undefined
  }

  /** Ends a stream in order, because the server ends. */
  leave() {
    if (isOver(this.response)) return
    if (this.response.headersSent) this.response.end()
    else this.refuse(PostRules.shuttingDown)
    this.fiber?.interruptUnsafe()
  }

  fail(cause: Cause.Cause<never>) {
    if (isOver(this.response)) return
    if (!Cause.hasInterruptsOnly(cause)) {
      Effect.runForkWith(this.host.context)(Effect.logError("An answer failed in a way it does not declare", cause))
    }
    this.refuse(failed)
  }

  refuse(refusal: PostRules.Refusal) {
    const { host, request, response } = this
    if (isOver(response)) return
    if (response.headersSent) response.destroy()
    else refuse(host, request, response, refusal)
  }
}

const failed = new PostRules.Refusal(500, "The answer failed.")

const closing = { connection: "close" }

/** Gives a connection up when it makes no progress: Node.js destroys one whose time nobody else asks about. */
const watch = (host: Host, response: http.ServerResponse) => response.setTimeout(host.endpoint.limits.writeStall)

/**
 * Ends a server in order: what is being asked and answered has so many milliseconds, and what does not end then is
 * interrupted. Answers that stay may have a last word. Connections on which nothing is asked do not count: some clients
 * open them before they need them.
 */
export const close = (server: http.Server, host: Host): Effect.Effect<void> =>
  Effect.suspend(() => {
    host.isClosing = true
    return Effect.andThen(Effect.timeoutOption(host.endpoint.closing ?? Effect.void, grace), closeHost(server, host))
  })

const closeHost = (server: http.Server, host: Host): Effect.Effect<void> =>
  Effect.suspend(() => {
    for (const answering of [...host.staying]) answering.leave()
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
    return Effect.asVoid(Effect.andThen(Effect.timeoutOption(closed, host.endpoint.limits.drain), end))
  })

/** Milliseconds for what an endpoint has to say at its end, and for handlers to end when they are interrupted. */
const grace = 1_000
