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
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as HttpEndpoint from "./HttpEndpoint.ts"
import { refused, Served, Serving } from "./internal/Serving.ts"
import * as RequestRules from "./RequestRules.ts"

/**
 * The options of a route.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options extends HttpEndpoint.JsonRpcOptions {
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
> => {
  const served = new Served(endpoint)
  // Some hosts make what they call uninterruptible.
  return Effect.interruptible(
    Effect.contextWith((context: Context.Context<HttpServerRequest.HttpServerRequest | Scope.Scope>) =>
      serve(served, context)
    )
  )
}

/**
 * The handler of requests to the `Router` in the context. All requests share the bounds of one handler, so make it once.
 * A client that disconnects interrupts the handlers of its calls.
 *
 * @category constructors
 * @since 0.1.0
 */
export const handler = (
  options: HttpEndpoint.JsonRpcOptions = {}
): Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | Router | Scope.Scope
> => {
  const gate = RequestRules.make(options)
  return Effect.flatMap(Router, ({ answer }) => handlerOf(HttpEndpoint.jsonRpc(answer, gate, options.dialect)))
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
      ({ answer }) => layerOf(options.path ?? "/", HttpEndpoint.jsonRpcWith(answer, options))
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
  options: HttpEndpoint.JsonRpcOptions = {}
): (request: Request) => Promise<Response> => webHandlerOf(HttpEndpoint.jsonRpcWith(router.answer, options))

const serve = (
  served: Served,
  context: Context.Context<HttpServerRequest.HttpServerRequest | Scope.Scope>
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const request = Context.get(context, HttpServerRequest.HttpServerRequest)
  const head = headOf(request)
  const { cors } = served.endpoint
  if (cors === undefined) return admit(served, request, head, context)
  const preflight = cors.preflight(head)
  if (preflight !== undefined) return Effect.succeed(HttpServerResponse.empty({ status: 204, headers: preflight }))
  return Effect.map(admit(served, request, head, context), HttpServerResponse.setHeaders(cors.headersOf(head)))
}

const admit = (
  served: Served,
  request: HttpServerRequest.HttpServerRequest,
  head: RequestRules.Head,
  context: Context.Context<Scope.Scope>
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const { admit, authorize, report } = served.endpoint
  const refuse = (refusal: RequestRules.Refusal) => Effect.as(report?.(head, refusal) ?? Effect.void, refused(refusal))
  const admission = admit(head)
  if (admission instanceof RequestRules.Refusal) return refuse(admission)
  const serve = (handshake: Handshake.Handshake) =>
    Effect.callback<HttpServerResponse.HttpServerResponse>((resume) => {
      const serving = new Serving(served, handshake, admission, context, resume)
      serving.begin(request)
      return serving.interrupt
    })
  if (authorize === undefined) return serve(Handshake.anonymous(head))
  return Effect.onError(
    Effect.matchEffect(authorize(head), {
      onFailure: (refusal) => {
        admission.release()
        return refuse(refusal)
      },
      onSuccess: serve
    }),
    () => Effect.sync(() => admission.release())
  )
}

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
