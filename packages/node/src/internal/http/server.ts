/**
 * An HTTP server for an endpoint, over `node:http` itself: Effect's server takes
 * several times as long for a request as a small handler.
 *
 * The endpoint admits, refuses and answers; this file moves bytes. Node watches the
 * times in which a head and a body must arrive.
 */
import type * as HttpEndpoint from "@parley/http/HttpEndpoint"
import { RequestRules } from "@parley/http/shared"
import { Excerpt } from "@parley/protocol/shared"
import * as Handshake from "@parley/transport/Handshake"
import { Roster } from "@parley/transport/shared"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type * as http from "node:http"
import { Answers, grace } from "./Answers.ts"
import { Head } from "./head.ts"
import type { Port } from "./Port.ts"
import { type Refusal, refuse } from "./refusal.ts"
import { Turn } from "./Turn.ts"

/** The state that all requests of a server share. */
export interface Host {
  readonly endpoint: HttpEndpoint.HttpEndpoint
  readonly path: string
  readonly context: Context.Context<never>
  /** Requests that are being authorized or answered by a fiber. */
  readonly working: Roster.Roster<Answering>
  /** Answers that last as long as their clients like. */
  readonly staying: Set<Answering>
  readonly answers: Answers
  readonly turn: Turn
  /** Who hears when it begins to shut down. */
  readonly hearing: Set<() => void>
  isClosing: boolean
}

/** Serves an endpoint at a path of a port until the Scope closes, which ends it in order. */
export const serve = (
  port: Port,
  path: string,
  endpoint: HttpEndpoint.HttpEndpoint
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function*() {
    const context = yield* Effect.context<never>()
    const host: Host = {
      endpoint,
      path,
      context,
      working: new Roster.Roster(),
      staying: new Set(),
      answers: new Answers(context),
      // Each that waits has the place of a connection.
      turn: new Turn(context, endpoint.limits.connections / 4),
      hearing: new Set(),
      isClosing: false
    }
    yield* port.requests(path, {
      // Requests and streams may be `connections` each. The rest is for idle connections, and to answer 503.
      connections: 3 * endpoint.limits.connections,
      answers: host.answers,
      turn: host.turn,
      take: (request, response, refusal) =>
        attempt(host, request, response, () => begin(host, request, response, refusal))
    })
    yield* Effect.addFinalizer(() => close(host, port))
  })

const begin = (
  host: Host,
  request: http.IncomingMessage,
  response: http.ServerResponse,
  refusal: Refusal | undefined
) => {
  host.answers.add(response)
  const { authorize, cors } = host.endpoint
  const head = new Head(request)
  if (cors !== undefined) {
    const preflight = cors.preflight(head)
    if (preflight !== undefined) return void response.writeHead(204, preflight).end()
    for (const [name, value] of Object.entries(cors.headersOf(head))) response.setHeader(name, value)
  }
  const unavailable = refusal ?? (host.isClosing ? RequestRules.shuttingDown : undefined)
  const isLate = unavailable === RequestRules.shuttingDown && host.endpoint.refusing !== undefined
  if (unavailable !== undefined && !isLate) return refuse(host.context, request, response, unavailable)
  const admission = host.endpoint.admit(head)
  if (admission instanceof RequestRules.Refusal) return deny(host, head, request, response, admission)
  const answering = new Answering(host, request, response, admission, isLate)
  response.on("close", () => answering.leave())
  if (authorize === undefined) return read(answering, Handshake.anonymous(head))
  const deciding = Effect.runForkWith(host.context)(Effect.result(authorize(head)))
  answering.work(deciding)
  deciding.addObserver((exit) => {
    answering.rest()
    attempt(host, request, response, () => {
      if (isOver(response) || response.headersSent) return
      if (Exit.isFailure(exit)) fail(host, request, response, exit.cause)
      else if (Result.isFailure(exit.value)) deny(host, head, request, response, exit.value.failure)
      else read(answering, exit.value.success)
    })
  })
}

/** Reads the body of an admitted request, and answers it. */
const read = (answering: Answering, handshake: Handshake.Handshake) => {
  const { admission, host, request, response } = answering
  if (expectsContinue(request)) response.writeContinue()
  request.on("data", (chunk: Buffer) =>
    attempt(host, request, response, () => {
      const refusal = response.headersSent ? undefined : admission.push(chunk)
      if (refusal !== undefined) refuse(host.context, request, response, refusal)
    }))
  request.on("end", () => {
    // It may have been refused meanwhile, because the server shuts down.
    if (!response.headersSent) answer(answering, handshake)
  })
}

/** Node.js leaves it to us where the body is asked for (RFC 9110, 10.1.1). */
const expectsContinue = ({ headers, httpVersion }: http.IncomingMessage) =>
  headers.expect !== undefined && httpVersion === "1.1" && /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect)

const deny = (
  host: Host,
  head: Head,
  request: http.IncomingMessage,
  response: http.ServerResponse,
  refusal: RequestRules.Refusal
) => {
  const { report } = host.endpoint
  if (report !== undefined) Effect.runForkWith(host.context)(report(head, refusal))
  refuse(host.context, request, response, refusal)
}

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
    Effect.runForkWith(host.context)(
      Effect.logError(
        `The answer to ${Excerpt.line(request.method ?? "")} ${Excerpt.line(host.path)} failed`,
        Excerpt.cause(cause)
      )
    )
  }
  if (response.headersSent) response.destroy()
  else refuse(host.context, request, response, failed)
}

const answer = (answering: Answering, handshake: Handshake.Handshake) => {
  const { admission, host, isLate, request, response } = answering
  const { endpoint } = host
  const context = Context.add(host.context, Handshake.Current, handshake)
  const fiber = Effect.runForkWith(context)(
    Effect.suspend(() => {
      const text = admission.text()
      if (typeof text !== "string") return Effect.succeed(text)
      return (isLate ? endpoint.refusing?.(text) : undefined) ?? endpoint.answer(handshake.head, text, answering)
    })
  )
  if (fiber.pollUnsafe() === undefined) answering.work(fiber)
  fiber.addObserver((exit) => {
    answering.rest()
    const send = () =>
      attempt(host, request, response, () => {
        if (Exit.isFailure(exit)) fail(host, request, response, exit.cause)
        else if (exit.value instanceof RequestRules.Refusal) answering.refuse(exit.value)
        else reply(answering, exit.value)
      })
    // Streams are ended soon, and this may be the last that one says.
    if (host.isClosing) send()
    else host.turn.add(send)
  })
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
class Answering implements HttpEndpoint.Responder, Roster.Linked<Answering> {
  readonly host: Host
  readonly request: http.IncomingMessage
  readonly response: http.ServerResponse
  readonly admission: RequestRules.Admission
  /** Whether it came when the server had begun to shut down. */
  readonly isLate: boolean
  /** What authorizes or answers the request now. */
  fiber: Fiber.Fiber<unknown> | undefined = undefined
  earlier: Answering | undefined = undefined
  later: Answering | undefined = undefined
  /** The writers that wait until the client has read. */
  #waiting: Set<() => void> | undefined = undefined

  constructor(
    host: Host,
    request: http.IncomingMessage,
    response: http.ServerResponse,
    admission: RequestRules.Admission,
    isLate: boolean
  ) {
    this.host = host
    this.isLate = isLate
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

  readonly onDraining = (hear: () => void): () => void => {
    const { hearing, isClosing } = this.host
    if (isClosing) hear()
    else hearing.add(hear)
    return () => hearing.delete(hear)
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

  /** A fiber works for the request from now on. */
  work(fiber: Fiber.Fiber<unknown>) {
    this.fiber = fiber
    this.host.working.add(this)
  }

  /** The fiber has ended. It keeps its reply, which waits for the client as bytes, and is let go. */
  rest() {
    if (this.fiber === undefined) return
    this.fiber = undefined
    this.host.working.delete(this)
  }

  /** Gives the place of the request back, because it has ended or its client has left. */
  leave() {
    const { admission, fiber } = this
    if (fiber === undefined) return admission.release()
    // A handler that outlives its interruption keeps its place.
    fiber.addObserver(() => admission.release())
    fiber.interruptUnsafe()
  }

  refuse(refusal: RequestRules.Refusal) {
    const { host, request, response } = this
    if (isOver(response)) return
    if (response.headersSent) response.destroy()
    else refuse(host.context, request, response, refusal)
  }
}

const failed = new RequestRules.Refusal(500, "The server failed to answer.")

const closing = { connection: "close" }

/** Node.js destroys the connection when it makes no progress for this time. */
const watch = (host: Host, response: http.ServerResponse) => response.setTimeout(host.endpoint.limits.writeStall)

/**
 * Ends in order: requests have `Limits.drain` milliseconds, then they are interrupted, and answered that the server
 * shuts down. Streams may send something last.
 */
const close = (host: Host, port: Port): Effect.Effect<void> =>
  Effect.gen(function*() {
    const { closing, drained, limits } = host.endpoint
    host.isClosing = true
    host.turn.end()
    for (const hear of host.hearing) hear()
    yield* Effect.timeoutOption(closing ?? Effect.void, grace)
    for (const answering of [...host.staying]) answering.endStream()
    const within = yield* port.left(limits.drain)
    const others = drained === undefined ? Effect.void : Effect.timeoutOption(drained, within)
    yield* Effect.all([host.answers.drain(within), others], { concurrency: "unbounded", discard: true })
    yield* Effect.timeoutOption(Fiber.interruptAll(host.working.all().flatMap(({ fiber }) => fiber ?? [])), grace)
  })
