/**
 * A request of Effect's server. Its own fiber waits for the response alone.
 */
import * as ByteSize from "effect/ByteSize"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Cookies from "effect/http/Cookies"
import { MaxBodySize } from "effect/http/HttpIncomingMessage"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type * as HttpEndpoint from "../../HttpEndpoint.ts"
import type * as RequestRules from "../../shared/RequestRules.ts"
import type { Served } from "../../shared/server/Served.ts"
import * as BufferedBody from "../BufferedBody.ts"
import { hostOf, PieceServing } from "./PieceServing.ts"

/** @internal */
export class RouteServing extends PieceServing {
  readonly #request: HttpServerRequest
  readonly #scope: Scope.Scope
  readonly #respond: (response: HttpServerResponse.HttpServerResponse) => void
  #reading: Fiber.Fiber<unknown, unknown> | undefined

  constructor(
    served: Served,
    context: Context.Context<HttpServerRequest | Scope.Scope>,
    respond: (response: HttpServerResponse.HttpServerResponse) => void
  ) {
    const request = Context.get(context, HttpServerRequest)
    super(served, headOf(request), context)
    this.#request = request
    this.#scope = Context.get(context, Scope.Scope)
    this.#respond = respond
  }

  protected override bring(): void {
    // Its getters make what they give: a stream that nobody reads takes longer than most of a request.
    const request = this.#request
    if (isBodiless(request.source)) return this.arrived()
    if (BufferedBody.isAnnounced(this.head.header("content-length"))) {
      // It is not interrupted: that destroys the connection on some hosts, and a client that sends may not learn why.
      const whole = Effect.runForkWith(Context.add(this.context, MaxBodySize, maxBodySize))(request.arrayBuffer)
      whole.addObserver((exit) => {
        if (Exit.isFailure(exit)) this.broken()
        else if (this.take(new Uint8Array(exit.value))) this.arrived()
      })
      return
    }
    const pieces = Stream.runForEachWhile(request.stream, (piece) => Effect.sync(() => this.take(piece)))
    this.#reading = Effect.runForkWith(this.context)(pieces)
    this.#reading.addObserver((exit) => Exit.isFailure(exit) ? this.broken() : this.arrived())
  }

  protected override stop(): void {
    this.#reading?.interruptUnsafe()
  }

  protected override whole({ body, headers, status }: HttpEndpoint.Reply): void {
    const options = { status, headers }
    this.#respond(body === undefined ? HttpServerResponse.empty(options) : HttpServerResponse.text(body, options))
  }

  protected override stream(
    status: number,
    headers: HttpEndpoint.Headers,
    cookies: ReadonlyArray<string>,
    body: Stream.Stream<Uint8Array>,
    left: Effect.Effect<void>
  ): Effect.Effect<void> {
    const response = HttpServerResponse.stream(body, {
      status,
      headers,
      cookies: cookies.length === 0 ? undefined : Cookies.fromSetCookie(cookies)
    })
    // The Scope of the request closes when the client disconnects.
    return Effect.map(Scope.addFinalizer(this.#scope, left), () => this.#respond(response))
  }
}

const headOf = ({ headers, method, peerAddress, source, url }: HttpServerRequest): RequestRules.Head => ({
  method,
  url,
  header: (name) => headers[name] ?? (name === "host" && source instanceof Request ? hostOf(source) : undefined),
  names: () => Object.keys(headers),
  address: Option.getOrUndefined(peerAddress)
})

/** The length of a Web `Request` may be a lie, and the bound of middleware is not that of the route. */
const maxBodySize = ByteSize.fromInputUnsafe(BufferedBody.most)

/** A Web `Request` without a body has no stream. */
const isBodiless = (source: object): boolean => source instanceof Request && source.body === null
