/**
 * An endpoint inside a server of `node:http` that belongs to the program: Express,
 * Fastify, Koa and others.
 *
 * The host owns its server and the connections: how large a head may be, how long a
 * head and a body may take, and how many connections there are. Code of the host may
 * have handled a request before: it may have read the body, set an encoding, paused
 * it, stripped the path that it routes by, or answered.
 */
import type * as HttpEndpoint from "@parley/http/HttpEndpoint"
import { Served } from "@parley/http/shared"
import { Excerpt } from "@parley/protocol/shared"
import * as Handshake from "@parley/transport/Handshake"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as http from "node:http"
import type { Socket } from "node:net"
import { Head } from "./head.ts"
import { NodeServing } from "./NodeServing.ts"
import { hasNoBody, isEnding } from "./refusal.ts"
import { RunningEndpoint } from "./server.ts"

/**
 * Takes the requests of a server of your own, for an endpoint.
 *
 * @category models
 * @since 0.1.0
 */
export interface RequestListener {
  /**
   * Answers a request. Where the host has read the body, `rawBody` of the request or else its `body` counts. Further
   * arguments, such as the `next` of Express, are ignored. Throws where the answer has begun already.
   */
  (request: http.IncomingMessage, response: http.ServerResponse): void
  /** Answers a request of which the host knows more: who sends it, or its body. */
  readonly handle: (
    request: http.IncomingMessage,
    response: http.ServerResponse,
    context: HttpEndpoint.HostContext
  ) => void
  /** The paths of the `wellKnown` endpoints, which the listener answers, too. The host sends them here. */
  readonly wellKnown: ReadonlyArray<string>
  /** Whether its Scope closes or has closed, so that requests are refused: for the host's answer to health checks. */
  readonly isClosing: () => boolean
}

/** A listener until the Scope closes, which ends its answers in order. Then it refuses. */
export const make = (
  endpoint: HttpEndpoint.HttpEndpoint
): Effect.Effect<RequestListener, never, Scope.Scope> =>
  Effect.gen(function*() {
    const context = yield* Effect.context<never>()
    const main = new RunningEndpoint(endpoint, context)
    const others = new Map<string, RunningEndpoint>()
    for (const [path, other] of endpoint.wellKnown ?? []) {
      others.set(Served.routeOf(path), new RunningEndpoint(other, context))
    }
    const all = [main, ...others.values()]
    const departures = new Departures(() => all.forEach(({ served }) => served.flush()))
    yield* Effect.addFinalizer(() =>
      Effect.forEach(all, (one) => one.close(Effect.succeed), { concurrency: "unbounded", discard: true })
    )
    const handle: RequestListener["handle"] = (request, response, hostContext) => {
      // The client may have left while the host worked, and then nothing more is heard of it.
      if (response.destroyed || response.writableEnded) return
      if (response.headersSent) throw new Error(begun(request))
      if (isEnding(request)) return void request.resume()
      departures.watch(request.socket)
      const head = new HostedHead(request)
      const at = others.get(Served.routeOf(Handshake.pathOf(head))) ?? main
      const serving = new HostedServing(at.served, request, response, context, head, hostContext.body)
      at.begin(serving, response, undefined, hostContext.principal)
    }
    return Object.assign(
      (request: http.IncomingMessage, response: http.ServerResponse) => handle(request, response, {}),
      { handle, wellKnown: [...endpoint.wellKnown?.keys() ?? []], isClosing: () => main.served.isClosing }
    )
  })

/** The members that frameworks and their parsers leave at a request. */
interface HostedRequest extends http.IncomingMessage {
  /** The target before a router has taken its own part away. */
  readonly originalUrl?: unknown
  readonly rawBody?: unknown
  readonly body?: unknown
}

class HostedServing extends NodeServing {
  readonly #request: HostedRequest
  readonly #given: unknown

  constructor(
    served: Served.Served,
    request: http.IncomingMessage,
    response: http.ServerResponse,
    context: Context.Context<never>,
    head: Head,
    given: unknown
  ) {
    super(served, request, response, context, head)
    this.#request = request
    this.#given = given
  }

  protected override read(): void {
    const request = this.#request
    const isRead = request.readableDidRead || request.readableEnded
    const left = isRead ? leftOf(request) : undefined
    const body = this.#given === undefined ? left : this.#given
    if (body !== undefined) return this.takeRead(body)
    if (isRead && hasNoBody(request)) return this.arrived()
    if (isRead) throw new Error(lost)
    // A server of the host has asked for the body by itself, where the client waits for that.
    request.on(
      "data",
      (chunk: Buffer | string) =>
        this.take(typeof chunk === "string" ? Buffer.from(chunk, request.readableEncoding ?? undefined) : chunk)
    )
    request.on("end", () => this.arrived())
    request.resume()
  }
}

/** The body as code of the host has read it. It may be `null`, which is JSON. */
const leftOf = ({ body, rawBody }: HostedRequest): unknown => rawBody === undefined ? body : rawBody

const begun = ({ method, url = "" }: http.IncomingMessage): string => {
  const target = Excerpt.line(`${method} ${Handshake.pathOf({ url })}`)
  return `the answer to ${target} had begun before the endpoint got the request: let one handler answer it`
}

const lost =
  "the host has read the body of the request, and left it neither as `rawBody` nor as `body` of the request: " +
  "give it as `body` to `handle`, or put the endpoint before what reads it"

/** A head as it was sent, however the server of the host was made. */
class HostedHead extends Head {
  readonly #request: HostedRequest

  constructor(request: http.IncomingMessage) {
    super(request)
    this.#request = request
  }

  override get url() {
    const { originalUrl, url } = this.#request
    return typeof originalUrl === "string" ? originalUrl : url ?? ""
  }

  /** Node.js hides the second of two headers with the same name, which may contradict the first. */
  override readonly header = (name: string): string | undefined => {
    const { headers, headersDistinct } = this.#request
    const all = headersDistinct?.[name]
    if (all !== undefined && all.length > 1) return all.join(name === "cookie" ? "; " : ", ")
    const value = headers[name]
    return typeof value === "object" ? value.join(", ") : value
  }
}

/** Hears of clients that end their side of a connection: Node.js then ends ours, and what waits has to leave before. */
class Departures {
  readonly #flush: () => void
  readonly #watched = new WeakSet<Socket>()

  constructor(flush: () => void) {
    this.#flush = flush
  }

  watch(socket: Socket): void {
    if (this.#watched.has(socket)) return
    this.#watched.add(socket)
    socket.prependListener("end", this.#flush)
  }
}
