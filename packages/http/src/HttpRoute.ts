/**
 * Endpoints as HTTP handlers, for Effect's `HttpRouter` and for hosts that take a
 * Web `Request` and give a `Response`. A `Router` is served by the rules of
 * `HttpEndpoint.jsonRpc`.
 *
 * Effect's server waits for its handlers before it interrupts them, so a shutdown
 * takes all of its `gracefulShutdownTimeout` while a stream is open.
 *
 * @since 0.1.0
 */
import { Router } from "@parley/peer/Router"
import * as Handshake from "@parley/transport/host/Handshake"
import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as HttpEndpoint from "./HttpEndpoint.ts"
import * as RequestRules from "./RequestRules.ts"

/**
 * The options of a route.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options extends RequestRules.Options {
  /** The path of the route in its `HttpRouter`. `/` by default. */
  readonly path?: HttpRouter.PathInput | undefined
}

/**
 * The handler of requests to an endpoint. A client that disconnects interrupts its answers.
 *
 * @category constructors
 * @since 0.1.0
 */
export const handlerOf = (
  endpoint: HttpEndpoint.HttpEndpoint
): Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | Scope.Scope
> =>
  // Some hosts make what they call uninterruptible.
  Effect.interruptible(Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => serve(endpoint, request)))

/**
 * The handler of requests to the `Router` in the context. All requests share the bounds of one handler, so make it once.
 * A client that disconnects interrupts the handlers of its calls.
 *
 * @category constructors
 * @since 0.1.0
 */
export const handler = (
  options: RequestRules.Options = {}
): Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | Router | Scope.Scope
> => {
  const gate = RequestRules.make(options)
  return Effect.flatMap(Router, ({ answer }) => handlerOf(HttpEndpoint.jsonRpc(answer, gate)))
}

/**
 * Adds an endpoint to the `HttpRouter` in the context, at a path. Where the router's middleware does CORS, leave out
 * `cors`. A new layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerOf = (
  path: HttpRouter.PathInput,
  endpoint: HttpEndpoint.HttpEndpoint
): Layer.Layer<never, never, HttpRouter.HttpRouter> =>
  Layer.effectDiscard(Effect.flatMap(HttpRouter.HttpRouter, (http) => http.add("*", path, handlerOf(endpoint))))

/**
 * Adds the `Router` to the `HttpRouter` in the context, as `layerOf` does.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options = {}): Layer.Layer<never, never, HttpRouter.HttpRouter | Router> =>
  Layer.unwrap(
    Effect.map(
      Router,
      ({ answer }) => layerOf(options.path ?? "/", HttpEndpoint.jsonRpc(answer, RequestRules.make(options)))
    )
  )

/**
 * A handler of Web requests, for Hono, Next, Deno, Bun and others. The `AbortSignal` of a request interrupts its
 * answer. Addresses are unknown here, so the rules of loopback apply unless `access` says otherwise.
 *
 * @category constructors
 * @since 0.1.0
 */
export const webHandlerOf = (endpoint: HttpEndpoint.HttpEndpoint): (request: Request) => Promise<Response> =>
  HttpEffect.toWebHandler(handlerOf(endpoint))

/**
 * A handler of Web requests to a router, as `webHandlerOf` makes it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const toWebHandler = (
  router: Router,
  options: RequestRules.Options = {}
): (request: Request) => Promise<Response> =>
  webHandlerOf(HttpEndpoint.jsonRpc(router.answer, RequestRules.make(options)))

const serve = (
  endpoint: HttpEndpoint.HttpEndpoint,
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, Scope.Scope> => {
  const head = headOf(request)
  const { cors } = endpoint
  if (cors === undefined) return admit(endpoint, request, head)
  const preflight = cors.preflight(head)
  if (preflight !== undefined) return Effect.succeed(HttpServerResponse.empty({ status: 204, headers: preflight }))
  return Effect.map(admit(endpoint, request, head), HttpServerResponse.setHeaders(cors.headersOf(head)))
}

const admit = (
  endpoint: HttpEndpoint.HttpEndpoint,
  request: HttpServerRequest.HttpServerRequest,
  head: RequestRules.Head
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, Scope.Scope> => {
  const admission = endpoint.admit(head)
  if (admission instanceof RequestRules.Refusal) return reported(endpoint, head, admission)
  return Effect.gen(function*() {
    const scope = yield* Effect.scope
    yield* Scope.addFinalizer(scope, Effect.sync(() => admission.release()))
    const identified = endpoint.authorize === undefined
      ? Result.succeed(Handshake.anonymous(head))
      : yield* Effect.result(endpoint.authorize(head))
    if (Result.isFailure(identified)) return yield* reported(endpoint, head, identified.failure)
    const refusal = yield* body(endpoint, request, admission)
    return refusal === undefined ? yield* answer(endpoint, identified.success, admission, scope) : refuse(refusal)
  })
}

const reported = (endpoint: HttpEndpoint.HttpEndpoint, head: RequestRules.Head, refusal: RequestRules.Refusal) =>
  Effect.as(endpoint.report?.(head, refusal) ?? Effect.void, refuse(refusal))

const headOf = (
  { headers, method, peerAddress, source, url }: HttpServerRequest.HttpServerRequest
): RequestRules.Head => ({
  method,
  url,
  header: (name) => headers[name] ?? (name === "host" ? hostOf(source) : undefined),
  address: Option.getOrUndefined(peerAddress)
})

/** Servers for Web requests put the host into the URL alone. */
const hostOf = (source: object): string | undefined => source instanceof Request ? new URL(source.url).host : undefined

/** Reads the body. When it breaks off, nobody waits for the answer any more. */
const body = (
  { limits }: HttpEndpoint.HttpEndpoint,
  request: HttpServerRequest.HttpServerRequest,
  admission: RequestRules.Admission
): Effect.Effect<RequestRules.Refusal | undefined> =>
  Stream.runForEach(isBodiless(request.source) ? Stream.empty : request.stream, (chunk) => {
    const refusal = admission.push(chunk)
    return refusal === undefined ? Effect.void : Effect.fail(refusal)
  }).pipe(
    Effect.as(undefined),
    Effect.timeoutOrElse({ duration: limits.partialFrame, orElse: () => Effect.fail(RequestRules.tooSlow) }),
    Effect.catch((error) =>
      error instanceof RequestRules.Refusal ? Effect.succeed(error) : Effect.succeed(RequestRules.broken)
    )
  )

/** A Web `Request` without a body has no stream. */
const isBodiless = (source: object): boolean => source instanceof Request && source.body === null

const refuse = ({ headers, status, text }: RequestRules.Refusal) => HttpServerResponse.text(text, { status, headers })

const replyOf = ({ body, headers, status }: HttpEndpoint.Reply) =>
  body === undefined
    ? HttpServerResponse.empty({ status, headers: status === 204 ? headers : { ...headers, "content-length": "0" } })
    : HttpServerResponse.text(body, { status, headers })

type Respond = (response: Effect.Effect<HttpServerResponse.HttpServerResponse>) => void

/** Answers with a reply, or with a stream from its start. */
const answer = (
  endpoint: HttpEndpoint.HttpEndpoint,
  handshake: Handshake.Handshake,
  admission: RequestRules.Admission,
  scope: Scope.Scope
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.contextWith((context: Context.Context<never>) =>
    Effect.callback((resume) => {
      const answering = new Answering(admission, scope, resume)
      const answered = Effect.flatMap(
        Effect.suspend(() => endpoint.answer(handshake.head, admission.text(), answering)),
        (reply) => answering.end(reply)
      )
      const fiber = Effect.runForkWith(Context.add(context, Handshake.Current, handshake))(answered)
      answering.fiber = fiber
      fiber.addObserver((exit) => {
        // Not left to the Scope: some hosts close it only when the client has read everything.
        admission.release()
        if (Exit.isFailure(exit)) answering.breakOff(exit.cause)
      })
      return Fiber.interrupt(fiber)
    })
  )

/** One answer. The queue of a stream is made when the stream is started. */
class Answering implements HttpEndpoint.Responder {
  fiber: Fiber.Fiber<unknown> | undefined
  readonly #admission: RequestRules.Admission
  readonly #scope: Scope.Scope
  readonly #respond: Respond
  #pieces: Queue.Queue<string, Cause.Done> | undefined

  constructor(admission: RequestRules.Admission, scope: Scope.Scope, respond: Respond) {
    this.#admission = admission
    this.#scope = scope
    this.#respond = respond
  }

  start(status: number, headers: HttpEndpoint.Headers): Effect.Effect<void> {
    return Effect.flatMap(Queue.bounded<string, Cause.Done>(1), (pieces) => {
      this.#pieces = pieces
      // Some hosts send the head with the first piece.
      Queue.offerUnsafe(pieces, "")
      const response = HttpServerResponse.stream(Stream.encodeText(Stream.fromQueue(pieces)), { status, headers })
      // The Scope of the request closes when the client disconnects. The writer may be another fiber than the answer.
      const stop = Effect.suspend(() =>
        Effect.andThen(Queue.shutdown(pieces), this.fiber === undefined ? Effect.void : Fiber.interrupt(this.fiber))
      )
      return Effect.map(Scope.addFinalizer(this.#scope, stop), () => this.#respond(Effect.succeed(response)))
    })
  }

  write(text: string): Effect.Effect<void> {
    return Effect.suspend(() => this.#pieces === undefined ? Effect.void : Queue.offer(this.#pieces, text))
  }

  toStream() {
    return this.#admission.toStream()
  }

  end(reply: HttpEndpoint.Reply | RequestRules.Refusal): Effect.Effect<void> {
    const pieces = this.#pieces
    if (pieces === undefined) {
      return Effect.sync(() =>
        this.#respond(Effect.succeed(reply instanceof RequestRules.Refusal ? refuse(reply) : replyOf(reply)))
      )
    }
    if (reply instanceof RequestRules.Refusal) return Effect.die(new Error(`the stream broke off: ${reply.text}`))
    const last = reply.body === undefined ? Effect.void : Queue.offer(pieces, reply.body)
    return Effect.andThen(last, Queue.end(pieces))
  }

  breakOff(cause: Cause.Cause<never>) {
    if (this.#pieces === undefined) this.#respond(Effect.failCause(cause))
    else Queue.failCauseUnsafe(this.#pieces, cause)
  }
}
