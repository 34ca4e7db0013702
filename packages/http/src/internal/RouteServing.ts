/**
 * A request of Effect's server. Its own fiber waits for the response alone.
 */
import * as ByteSize from "effect/ByteSize"
import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import { MaxBodySize } from "effect/http/HttpIncomingMessage"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type * as HttpEndpoint from "../HttpEndpoint.ts"
import type * as RequestRules from "../shared/RequestRules.ts"
import * as BufferedBody from "./BufferedBody.ts"
import { hostOf, type Push, type Served, Serving } from "./Serving.ts"

type Respond = (response: Effect.Effect<HttpServerResponse.HttpServerResponse>) => void

/** @internal */
export class RouteServing extends Serving<HttpServerRequest | Scope.Scope> {
  readonly #request: HttpServerRequest
  readonly #respond: Respond

  constructor(served: Served, context: Context.Context<HttpServerRequest | Scope.Scope>, respond: Respond) {
    const request = Context.get(context, HttpServerRequest)
    super(served, headOf(request), context)
    this.#request = request
    this.#respond = respond
  }

  protected override read(push: Push): Effect.Effect<RequestRules.Refusal | undefined, unknown> {
    const { arrayBuffer, headers, source, stream } = this.#request
    if (isBodiless(source)) return Effect.undefined
    if (!BufferedBody.isAnnounced(headers["content-length"])) return pushEach(stream, push)
    const body = Effect.provideService(arrayBuffer, MaxBodySize, maxBodySize)
    // An interruption destroys the connection on some hosts. A client that still sends may then not learn why.
    return Effect.uninterruptible(Effect.map(body, (bytes) => push(new Uint8Array(bytes))))
  }

  protected override reply({ body, headers, status }: HttpEndpoint.Reply): void {
    this.#respond(Effect.succeed(
      body === undefined
        ? HttpServerResponse.empty({ status, headers })
        : HttpServerResponse.text(body, { status, headers })
    ))
  }

  protected override stream(
    status: number,
    headers: HttpEndpoint.Headers,
    body: Stream.Stream<Uint8Array>,
    interrupt: Effect.Effect<void>
  ): Effect.Effect<void> {
    const response = HttpServerResponse.stream(body, { status, headers })
    // The Scope of the request closes when the client disconnects.
    const scope = Context.get(this.context, Scope.Scope)
    return Effect.map(Scope.addFinalizer(scope, interrupt), () => this.#respond(Effect.succeed(response)))
  }

  protected override fail(cause: Cause.Cause<never>, headers: HttpEndpoint.Headers): void {
    // The server of Effect makes the response of a failure.
    HttpEffect.appendPreResponseHandlerUnsafe(
      this.context,
      (_, response) => Effect.succeed(HttpServerResponse.setHeaders(response, headers))
    )
    this.#respond(Effect.failCause(cause))
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

/** Reads a body piece by piece. */
const pushEach = <E>(
  stream: Stream.Stream<Uint8Array, E>,
  push: Push
): Effect.Effect<RequestRules.Refusal | undefined, E> => {
  let refusal: RequestRules.Refusal | undefined
  return Effect.map(
    Stream.runForEachWhile(stream, (chunk) =>
      Effect.sync(() => {
        refusal = push(chunk)
        return refusal === undefined
      })),
    () => refusal
  )
}
