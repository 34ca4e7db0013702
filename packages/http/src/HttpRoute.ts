/**
 * A `Router` as an HTTP handler: for Effect's `HttpRouter`, and for whatever
 * takes a Web `Request` and gives a `Response`.
 *
 * What it takes and refuses is `PostRules`'. Where the client accepts events and a
 * handler sends something before its result, the answer becomes a stream: what it
 * sent, and the response as the last event. Until then it is plain JSON.
 *
 * @since 0.1.0
 */
import { Router } from "@parley/peer/Router"
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as EventStream from "./EventStream.ts"
import * as MediaType from "./MediaType.ts"
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
 * The handler of requests. They share its bounds, so make it once. A client that goes away interrupts the handlers of
 * its calls.
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
  const served = Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    (request) => Effect.flatMap(Router, (router) => serve(desk, request, router))
  )
  // Some hosts make what they call uninterruptible.
  return Effect.interruptible(served)
}

/**
 * Adds the route to the `HttpRouter` from here. CORS is the matter of its middleware. A new layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options = {}): Layer.Layer<never, never, HttpRouter.HttpRouter | Router> =>
  Layer.effectDiscard(
    Effect.flatMap(
      HttpRouter.HttpRouter,
      (http) =>
        Effect.flatMap(
          Router,
          (router) => http.add("*", options.path ?? "/", Effect.provideService(handler(options), Router, router))
        )
    )
  )

/**
 * A handler of Web requests, for Hono, Next, Deno, Bun and others. The `AbortSignal` of a request interrupts its
 * handlers. Addresses are not known here, so that the rules of loopback hold unless `access` says otherwise.
 *
 * @category constructors
 * @since 0.1.0
 */
export const toWebHandler = (
  router: Router["Service"],
  options: PostRules.Options = {}
): (request: Request) => Promise<Response> =>
  HttpEffect.toWebHandler(Effect.provideService(handler(options), Router, router))

const serve = (
  desk: PostRules.Desk,
  request: HttpServerRequest.HttpServerRequest,
  router: Router["Service"]
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, Scope.Scope> => {
  const { headers, method } = request
  const visit = desk.admit({
    method,
    contentType: headers["content-type"],
    contentLength: headers["content-length"],
    contentEncoding: headers["content-encoding"],
    host: headers["host"] ?? hostOf(request.source),
    origin: headers["origin"],
    address: Option.getOrUndefined(request.peerAddress)
  })
  if (visit instanceof PostRules.Refusal) return Effect.succeed(refuse(visit))
  return Effect.gen(function*() {
    const leave = Effect.sync(() => visit.leave())
    yield* Effect.addFinalizer(() => leave)
    const refusal = yield* body(desk, request, visit)
    if (refusal !== undefined) return refuse(refusal)
    const text = visit.text()
    // A host may close the Scope only when the client has read everything.
    return yield* MediaType.acceptsEvents(headers["accept"])
      ? answerOrStream(router, text, leave)
      : Effect.ensuring(Effect.map(router.answer(text), answer), leave)
  })
}

/** Servers for Web requests put the host into the URL alone. */
const hostOf = (source: object): string | undefined => source instanceof Request ? new URL(source.url).host : undefined

/** Reads the body. One that breaks off has nobody who waits for an answer. */
const body = (
  { limits }: PostRules.Desk,
  request: HttpServerRequest.HttpServerRequest,
  visit: PostRules.Visit
): Effect.Effect<PostRules.Refusal | undefined> =>
  Stream.runForEach(request.stream, (chunk) => {
    const refusal = visit.push(chunk)
    return refusal === undefined ? Effect.void : Effect.fail(refusal)
  }).pipe(
    Effect.as(undefined),
    Effect.timeoutOrElse({ duration: limits.partialFrame, orElse: () => Effect.fail(PostRules.tooSlow) }),
    Effect.catch((error) =>
      error instanceof PostRules.Refusal ? Effect.succeed(error) : Effect.succeed(PostRules.broken)
    )
  )

const refuse = ({ headers, status, text }: PostRules.Refusal) => HttpServerResponse.text(text, { status, headers })

const answer = (reply: Option.Option<string>) =>
  Option.isNone(reply)
    ? HttpServerResponse.empty({ status: 204 })
    : HttpServerResponse.text(reply.value, { contentType: "application/json" })

/** Answers as JSON, or as events from the first that a handler sends. */
const answerOrStream = (
  router: Router["Service"],
  text: string,
  leave: Effect.Effect<void>
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, Scope.Scope> =>
  Effect.gen(function*() {
    const events = yield* Queue.bounded<string, Cause.Done>(1)
    const response = yield* Deferred.make<HttpServerResponse.HttpServerResponse>()
    const stream = HttpServerResponse.stream(
      Stream.encodeText(Stream.fromQueue(events)),
      { contentType: EventStream.contentType, headers: { "cache-control": "no-cache" } }
    )
    const send = (text: string) =>
      Effect.andThen(Deferred.succeed(response, stream), Effect.asVoid(Queue.offer(events, EventStream.encode(text))))
    const end = Effect.fnUntraced(function*(reply: Option.Option<string>) {
      if (yield* Deferred.succeed(response, answer(reply))) return
      if (Option.isSome(reply)) yield* send(reply.value)
      yield* Queue.end(events)
    })
    // With the Scope of the request it ends when the client goes away.
    yield* router.answer(text, { send }).pipe(Effect.flatMap(end), Effect.ensuring(leave), Effect.forkScoped)
    return yield* Deferred.await(response)
  })
