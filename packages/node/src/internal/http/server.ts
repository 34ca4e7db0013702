/**
 * An HTTP server for an endpoint, over `node:http` itself: Effect's server takes
 * several times as long for a request as a small handler.
 *
 * The endpoint admits, refuses and answers; this file moves bytes. Node watches the
 * times in which a head and a body must arrive.
 */
import * as HttpEndpoint from "@parley/http/HttpEndpoint"
import * as RequestRules from "@parley/http/RequestRules"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as http from "node:http"
import type { Socket } from "node:net"

/** The state that all requests of a server share. */
export interface Host {
  readonly endpoint: HttpEndpoint.HttpEndpoint
  readonly path: string
  readonly context: Context.Context<never>
  readonly fibers: Set<Fiber.Fiber<unknown>>
  /** Answers that last as long as their clients like. */
  readonly staying: Set<Answering>
  /** Requests that are not answered to their end. */
  open: number
  isClosing: boolean
  /** Called when no request is open any more. */
  onQuiet: () => void
}

/** @see close */
export const makeHost = (
  options: Pick<Host, "endpoint" | "path" | "context">
): Host => ({ ...options, fibers: new Set(), staying: new Set(), open: 0, isClosing: false, onQuiet: () => {} })

/** Takes a request of a server. */
export const take = (host: Host, request: http.IncomingMessage, response: http.ServerResponse) =>
  attempt(host, request, response, () => begin(host, request, response))

const begin = (host: Host, request: http.IncomingMessage, response: http.ServerResponse) => {
  host.open++
  response.on("close", () => {
    if (--host.open === 0) host.onQuiet()
  })
  // A connection that was told to end takes no more (RFC 9112, 9.6).
  if (ending.has(request.socket)) return void request.resume()
  if (host.isClosing) return refuse(host, request, response, RequestRules.shuttingDown)
  if (pathOf(request) !== host.path) return refuse(host, request, response, notFound)
  const head = new Head(request)
  const admission = host.endpoint.admit(head)
  if (admission instanceof RequestRules.Refusal) return refuse(host, request, response, admission)
  let isRefused = false
  let fiber: Fiber.Fiber<unknown> | undefined
  response.on("close", () => {
    if (fiber === undefined) return admission.release()
    // A handler that outlives its interruption keeps its place.
    fiber.addObserver(() => admission.release())
    fiber.interruptUnsafe()
  })
  request.on("data", (chunk: Buffer) =>
    attempt(host, request, response, () => {
      const refusal = isRefused ? undefined : admission.push(chunk)
      if (refusal === undefined) return
      isRefused = true
      refuse(host, request, response, refusal)
    }))
  request.on("end", () => {
    if (isRefused) return
    const answered = answer(new Answering(host, request, response, admission), head)
    if (answered.pollUnsafe() !== undefined) return
    fiber = answered
    // A fiber keeps its reply, which waits for the client as bytes.
    answered.addObserver(() => fiber = undefined)
  })
}

/** Connections that end after the answer that was written to them. */
const ending = new WeakSet<Socket>()

/** Answers 500 and logs when the endpoint throws: an exception in an event of Node would end the process. */
const attempt = (host: Host, request: http.IncomingMessage, response: http.ServerResponse, run: () => void) => {
  try {
    run()
  } catch (defect) {
    fail(host, request, response, Cause.die(defect))
  }
}

const fail = (
  host: Host,
  request: http.IncomingMessage,
  response: http.ServerResponse,
  cause: Cause.Cause<never>
) => {
  if (isOver(response)) return
  if (!Cause.hasInterruptsOnly(cause)) {
    Effect.runForkWith(host.context)(Effect.logError(`The answer to ${request.method} ${host.path} failed`, cause))
  }
  if (response.headersSent) response.destroy()
  else refuse(host, request, response, failed)
}

const notFound = new RequestRules.Refusal(404, "This server serves another path.")

class Head implements RequestRules.Head {
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

  /** An arrow function, because it may be taken off its object. */
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
 * Answers with a refusal. If the body has not arrived, the rest of it is dropped and the connection ends. It does not
 * end at once, because that would reset it, and the client might never read the refusal.
 */
const refuse = (
  host: Host,
  request: http.IncomingMessage,
  response: http.ServerResponse,
  { headers, status, text }: RequestRules.Refusal
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

/** Milliseconds in which the rest of a refused body is dropped before the connection ends. */
const linger = 1_000

const hasNoBody = ({ headers }: http.IncomingMessage) =>
  headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0

const answer = (answering: Answering, head: Head): Fiber.Fiber<unknown> => {
  const { host, request, response, admission } = answering
  const context = Context.add(host.context, HttpEndpoint.CurrentHead, head)
  const fiber = Effect.runForkWith(context)(
    Effect.suspend(() => {
      const text = admission.text()
      return typeof text === "string" ? host.endpoint.answer(head, text, answering) : Effect.succeed(text)
    })
  )
  if (fiber.pollUnsafe() === undefined) {
    answering.fiber = fiber
    host.fibers.add(fiber)
  }
  fiber.addObserver((exit) => {
    host.fibers.delete(fiber)
    attempt(host, request, response, () => {
      if (Exit.isFailure(exit)) fail(host, request, response, exit.cause)
      else if (exit.value instanceof RequestRules.Refusal) answering.refuse(exit.value)
      else reply(answering, exit.value)
    })
  })
  return fiber
}

/** Whether nothing can be written any more: the client has disconnected, or the server has ended the answer. */
const isOver = (response: http.ServerResponse): boolean => response.destroyed || response.writableEnded

const reply = ({ admission, host, request, response }: Answering, reply: HttpEndpoint.Reply) => {
  const { headers, status } = reply
  if (isOver(response)) return
  // Node.js would keep a text as well as its bytes until the client has read it.
  const body = reply.body !== undefined && reply.body.length > large ? Buffer.from(reply.body) : reply.body
  if (response.headersSent) {
    response.end(body)
  } else {
    response.writeHead(status, {
      ...headers,
      ...(status === 204 ? undefined : { "content-length": body === undefined ? 0 : Buffer.byteLength(body) }),
      ...(host.isClosing ? closing : undefined)
    }).end(body)
  }
  // An answer without a socket waits for the answers before it on the same connection.
  if (response.socket === null || response.socket.writableLength > 0) {
    admission.hold(response.writableLength, () => request.socket.destroy())
    watch(host, response)
  }
}

/** Characters from which on a second write costs less than a text that is kept. */
const large = 65_536

/** The answer to one request. */
class Answering implements HttpEndpoint.Responder {
  readonly host: Host
  readonly request: http.IncomingMessage
  readonly response: http.ServerResponse
  readonly admission: RequestRules.Admission
  fiber: Fiber.Fiber<unknown> | undefined
  /** The writers that wait until the client has read. */
  #waiting: Set<() => void> | undefined

  constructor(
    host: Host,
    request: http.IncomingMessage,
    response: http.ServerResponse,
    admission: RequestRules.Admission
  ) {
    this.host = host
    this.request = request
    this.response = response
    this.admission = admission
  }

  start(status: number, headers: HttpEndpoint.Headers): Effect.Effect<void> {
    return Effect.sync(() => {
      const { response } = this
      if (isOver(response)) return
      response.writeHead(status, headers)
      // The head leaves together with what is written in this turn.
      queueMicrotask(() => isOver(response) || response.flushHeaders())
    })
  }

  write(text: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { response } = this
      if (isOver(response) || response.write(text)) return Effect.void
      const waiting = this.#waiting ??= this.#watch()
      return Effect.callback((resume) => {
        // The writer may be another fiber than the one that is interrupted.
        const goOn = () => resume(Effect.void)
        waiting.add(goOn)
        return Effect.sync(() => waiting.delete(goOn))
      })
    })
  }

  /** Waits, once for all writers, until the client has read or disconnected. */
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

  get budget() {
    return this.admission.budget
  }

  toStream(): RequestRules.Refusal | undefined {
    if (this.host.isClosing) return RequestRules.shuttingDown
    const refusal = this.admission.toStream()
    if (refusal !== undefined) return refusal
    this.host.staying.add(this)
    this.response.on("close", () => this.host.staying.delete(this))
    return undefined
  }

  /** Ends a stream in order, because the server shuts down. */
  endStream() {
    if (isOver(this.response)) return
    if (this.response.headersSent) this.response.end()
    else this.refuse(RequestRules.shuttingDown)
    this.fiber?.interruptUnsafe()
  }

  refuse(refusal: RequestRules.Refusal) {
    const { host, request, response } = this
    if (isOver(response)) return
    if (response.headersSent) response.destroy()
    else refuse(host, request, response, refusal)
  }
}

const failed = new RequestRules.Refusal(500, "The server failed to answer.")

const closing = { connection: "close" }

/** Node.js destroys the connection when it makes no progress for this time. */
const watch = (host: Host, response: http.ServerResponse) => response.setTimeout(host.endpoint.limits.writeStall)

/**
 * Shuts a server down in order: requests have `Limits.drain` milliseconds, then they are interrupted. Streams may send
 * something last. Connections without a request are not waited for, because some clients open them in advance.
 */
export const close = (server: http.Server, host: Host): Effect.Effect<void> =>
  Effect.suspend(() => {
    host.isClosing = true
    return Effect.andThen(Effect.timeoutOption(host.endpoint.closing ?? Effect.void, grace), closeHost(server, host))
  })

const closeHost = (server: http.Server, host: Host): Effect.Effect<void> =>
  Effect.suspend(() => {
    for (const answering of [...host.staying]) answering.endStream()
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

/** Milliseconds for the `closing` of an endpoint, and for handlers to end when they are interrupted. */
const grace = 1_000
