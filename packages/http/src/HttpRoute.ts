/**
 * Endpoints as HTTP handlers: for Effect's `HttpRouter`, and for whatever takes a
 * Web `Request` and gives a `Response`. A `Router` is such an endpoint, by the
 * rules of `HttpEndpoint.jsonRpc`.
 *
 * A server of Effect that ends does not tell its handlers before it has waited for
 * them, so that streams which `stay` take its `gracefulShutdownTimeout`.
 *
 * @since 0.1.0
 */
import { Router } from "@parley/peer/Router"
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
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as HttpEndpoint from "./HttpEndpoint.ts"
import * as PostRules from "./PostRules.ts"

/**
 * What a route may be given.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options extends PostRules.Options {
  /** The path of the route in its `HttpRouter`. `/` by default. */
  readonly path?: HttpRouter.PathInput | undefined
}

/**
 * The handler of requests to an endpoint. A client that goes away interrupts their answers.
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
 * The handler of requests to the `Router` from there. They share its bounds, so make it once. A client that goes away
 * interrupts the handlers of its calls.
 *
 * @category constructors
 * @since 0.1.0
 */
export const handler = (
  options: PostRules.Options = {}
): Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | Router | Scope.Scope
> => {
  const desk = PostRules.make(options)
  return Effect.flatMap(Router, ({ answer }) => handlerOf(HttpEndpoint.jsonRpc(answer, desk)))
}

/**
 * Adds an endpoint to the `HttpRouter` from here, at a path. CORS is the matter of its middleware. A new layer at each
 * call.
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
 * Adds the `Router` to the `HttpRouter` from here, as `layerOf` does.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options = {}): Layer.Layer<never, never, HttpRouter.HttpRouter | Router> =>
  Layer.unwrap(
    Effect.map(
      Router,
      ({ answer }) => layerOf(options.path ?? "/", HttpEndpoint.jsonRpc(answer, PostRules.make(options)))
    )
  )

/**
 * A handler of Web requests, for Hono, Next, Deno, Bun and others. The `AbortSignal` of a request interrupts its
 * answer. Addresses are not known here, so that the rules of loopback hold unless `access` says otherwise.
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
  router: Router["Service"],
  options: PostRules.Options = {}
): (request: Request) => Promise<Response> => webHandlerOf(HttpEndpoint.jsonRpc(router.answer, PostRules.make(options)))

const serve = (
  endpoint: HttpEndpoint.HttpEndpoint,
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, Scope.Scope> => {
  const head = headOf(request)
  const visit = endpoint.admit(head)
  if (visit instanceof PostRules.Refusal) return Effect.succeed(refuse(visit))
  return Effect.gen(function*() {
    const scope = yield* Effect.scope
    yield* Scope.addFinalizer(scope, Effect.sync(() => visit.leave()))
    const refusal = yield* body(endpoint, request, visit)
    return refusal === undefined ? yield* answer(endpoint, head, visit, scope) : refuse(refusal)
  })
}

const headOf = (
  { headers, method, peerAddress, source, url }: HttpServerRequest.HttpServerRequest
): PostRules.Head => ({
  method,
  url,
  header: (name) => headers[name] ?? (name === "host" ? hostOf(source) : undefined),
  address: Option.getOrUndefined(peerAddress)
})

/** Servers for Web requests put the host into the URL alone. */
const hostOf = (source: object): string | undefined => source instanceof Request ? new URL(source.url).host : undefined

/** Reads the body. One that breaks off has nobody who waits for an answer. */
const body = (
  { limits }: HttpEndpoint.HttpEndpoint,
  request: HttpServerRequest.HttpServerRequest,
  visit: PostRules.Visit
): Effect.Effect<PostRules.Refusal | undefined> =>
  Stream.runForEach(isBodiless(request.source) ? Stream.empty : request.stream, (chunk) => {
    const refusal = visit.push(chunk)
    return refusal === undefined ? Effect.void : Effect.fail(refusal)
  }).pipe(
    Effect.as(undefined),
    Effect.timeoutOrElse({ duration: limits.partialFrame, orElse: () => Effect.fail(PostRules.tooSlow) }),
    Effect.catch((error) =>
      error instanceof PostRules.Refusal ? Effect.succeed(error) : Effect.succeed(PostRules.broken)
    )
  )

/** A Web `Request` without a body has no stream. */
const isBodiless = (source: object): boolean => source instanceof Request && source.body === null

const refuse = ({ headers, status, text }: PostRules.Refusal) => HttpServerResponse.text(text, { status, headers })

const replyOf = ({ body, headers, status }: HttpEndpoint.Reply) =>
  body === undefined
    ? HttpServerResponse.empty({ status, headers: status === 204 ? headers : { ...headers, "content-length": "0" } })
    : HttpServerResponse.text(body, { status, headers })

type Respond = (response: Effect.Effect<HttpServerResponse.HttpServerResponse>) => void

/** Answers with a reply, or with a stream from its start. */
const answer = (
  endpoint: HttpEndpoint.HttpEndpoint,
  head: PostRules.Head,
  visit: PostRules.Visit,
  scope: Scope.Scope
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.contextWith((context: Context.Context<never>) =>
    Effect.callback((resume) => {
      const answering = new Answering(visit, scope, resume)
      const answered = Effect.flatMap(endpoint.answer(head, visit.text(), answering), (reply) => answering.end(reply))
      const fiber = Effect.runForkWith(Context.add(context, HttpEndpoint.CurrentHead, head))(answered)
      answering.fiber = fiber
      fiber.addObserver((exit) => {
        // A host may close the Scope only when the client has read everything.
        visit.leave()
        if (Exit.isFailure(exit)) answering.breakOff(exit.cause)
      })
      return Fiber.interrupt(fiber)
    })
  )

/** What a stream needs is made when one is started. */
class Answering implements HttpEndpoint.Responder {
  fiber: Fiber.Fiber<unknown> | undefined
  readonly #visit: PostRules.Visit
  readonly #scope: Scope.Scope
  readonly #respond: Respond
  #pieces: Queue.Queue<string, Cause.Done> | undefined

  constructor(visit: PostRules.Visit, scope: Scope.Scope, respond: Respond) {
    this.#visit = visit
    this.#scope = scope
    this.#respond = respond
  }

  start(status: number, headers: HttpEndpoint.Headers): Effect.Effect<void> {
    return Effect.flatMap(Queue.bounded<string, Cause.Done>(1), (pieces) => {
      this.#pieces = pieces
      // Some hosts send the head with the first piece.
      Queue.offerUnsafe(pieces, "")
      const response = HttpServerResponse.stream(Stream.encodeText(Stream.fromQueue(pieces)), { status, headers })
      // With the Scope of the request it ends when the client goes away; who writes may be another than who answers.
      const stop = Effect.suspend(() =>
        Effect.andThen(Queue.shutdown(pieces), this.fiber === undefined ? Effect.void : Fiber.interrupt(this.fiber))
      )
      return Effect.map(Scope.addFinalizer(this.#scope, stop), () => this.#respond(Effect.succeed(response)))
    })
  }

  write(text: string): Effect.Effect<void> {
    return Effect.suspend(() => this.#pieces === undefined ? Effect.void : Queue.offer(this.#pieces, text))
  }

  stay() {
    return this.#visit.stay()
  }

  end(reply: HttpEndpoint.Reply | PostRules.Refusal): Effect.Effect<void> {
    const pieces = this.#pieces
    if (pieces === undefined) {
      return Effect.sync(() =>
        this.#respond(Effect.succeed(reply instanceof PostRules.Refusal ? refuse(reply) : replyOf(reply)))
      )
    }
    if (reply instanceof PostRules.Refusal) return Effect.die(new Error(`the stream broke off: ${reply.text}`))
    const last = reply.body === undefined ? Effect.void : Queue.offer(pieces, reply.body)
    return Effect.andThen(last, Queue.end(pieces))
  }

  breakOff(cause: Cause.Cause<never>) {
    if (this.#pieces === undefined) this.#respond(Effect.failCause(cause))
    else Queue.failCauseUnsafe(this.#pieces, cause)
  }
}
