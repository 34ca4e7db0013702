/**
 * Endpoints as HTTP handlers, for Effect's `HttpRouter` and for hosts that take a
 * Web `Request` and give a `Response`. A `Router` is served by the rules of
 * `HttpEndpoint.jsonRpc`.
 *
 * An answer beyond 64 KiB counts on `Limits.budget` until the host has taken all of
 * it, in pieces. Where the budget is spent, one whose client has read nothing for five
 * seconds breaks off first, and then the heaviest. An answer of which the host takes
 * nothing for `Limits.writeStall` breaks off as well. A host that takes more than its
 * client reads holds that uncounted.
 *
 * Effect's server waits for its handlers before it interrupts them, so a shutdown
 * takes all of its `gracefulShutdownTimeout` while a stream is open.
 *
 * ```ts run
 * import { HttpRoute } from "@parley/http"
 * import { Router } from "@parley/peer"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const router = yield* Router.make()
 *   yield* router.add("ping", () => Effect.succeed("pong"))
 *   const serve = HttpRoute.toWebHandler(router)
 *
 *   const request = new Request("http://localhost/rpc", {
 *     method: "POST",
 *     headers: { "content-type": "application/json" },
 *     body: `{"jsonrpc":"2.0","id":1,"method":"ping"}`
 *   })
 *   const response = yield* Effect.promise(() => serve(request))
 *   console.log(yield* Effect.promise(() => response.text())) // => {"jsonrpc":"2.0","id":1,"result":"pong"}
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import { Router } from "@parley/peer/Router"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as HttpEndpoint from "./HttpEndpoint.ts"
import { RouteServing } from "./internal/server/RouteServing.ts"
import { WebServing } from "./internal/server/WebServing.ts"
import { routeOf, Served } from "./shared/server/Served.ts"

/**
 * The options of a route.
 *
 * @category models
 * @since 0.1.0
 */
export interface HttpRouteOptions extends HttpEndpoint.JsonRpcEndpointOptions {
  /** The path of the route in its `HttpRouter`. `/` by default. */
  readonly path?: HttpRouter.PathInput | undefined
}

/**
 * The handler of requests to an endpoint. A client that disconnects interrupts its answers.
 *
 * @category constructors
 * @since 0.1.0
 */
export const handler = (
  endpoint: HttpEndpoint.HttpEndpoint
): Effect.Effect<
  HttpServerResponse,
  never,
  HttpServerRequest | Scope.Scope
> => {
  const served = new Served(endpoint)
  // Some hosts make what they call uninterruptible.
  return Effect.interruptible(
    Effect.contextWith((context: Context.Context<HttpServerRequest | Scope.Scope>) =>
      Effect.callback<HttpServerResponse>((resume) => {
        const serving = new RouteServing(served, context, (response) => resume(Effect.succeed(response)))
        serving.begin()
        return serving.left
      })
    )
  )
}

/**
 * Adds an endpoint to the `HttpRouter` in the context, at a path, and its `wellKnown` endpoints at their own paths.
 * Where the router's middleware does CORS, leave out `cors`. A new layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerEndpoint = (
  path: HttpRouter.PathInput,
  endpoint: HttpEndpoint.HttpEndpoint
): Layer.Layer<never, never, HttpRouter.HttpRouter> =>
  Layer.effectDiscard(Effect.flatMap(HttpRouter.HttpRouter, (http) =>
    Effect.forEach(
      // The paths of an endpoint are whole ones.
      [[path, endpoint], ...endpoint.wellKnown ?? []] as ReadonlyArray<
        [HttpRouter.PathInput, HttpEndpoint.HttpEndpoint]
      >,
      ([path, endpoint]) => http.add("*", path, handler(endpoint)),
      { discard: true }
    )))

/**
 * Adds the `Router` to the `HttpRouter` in the context, as `layerEndpoint` does.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: HttpRouteOptions = {}): Layer.Layer<never, never, HttpRouter.HttpRouter | Router> =>
  Layer.unwrap(
    Effect.map(
      Router,
      ({ answer }) => layerEndpoint(options.path ?? "/", HttpEndpoint.jsonRpcWith(answer, options))
    )
  )

/**
 * Answers Web requests.
 *
 * @category models
 * @since 0.1.0
 */
export interface WebHandler {
  /** Answers a request. Further arguments, which some hosts give, are ignored. */
  (request: Request): Promise<Response>
  /** Answers a request of which the host knows more: who sends it, or its body. */
  readonly handle: (request: Request, context: HttpEndpoint.HostContext) => Promise<Response>
  /** The paths of the `wellKnown` endpoints, which the handler answers, too. A host that routes by path sends them here. */
  readonly wellKnown: ReadonlyArray<string>
}

/**
 * A handler of Web requests, for Hono, Next, Deno, Bun and others. The `AbortSignal` of a request interrupts its
 * answer. Addresses are unknown here, so the rules of loopback apply unless `access` says otherwise.
 *
 * @category constructors
 * @since 0.1.0
 */
export const webHandler = (endpoint: HttpEndpoint.HttpEndpoint): WebHandler => {
  const served = new Served(endpoint)
  const others = new Map([...endpoint.wellKnown ?? []].map(([path, other]) => [routeOf(path), new Served(other)]))
  const at = ({ url }: Request) => others.size === 0 ? served : others.get(routeOf(new URL(url).pathname)) ?? served
  const handle: WebHandler["handle"] = (request, context) =>
    new Promise((resolve) => new WebServing(at(request), request, context, resolve).begin())
  return Object.assign((request: Request) => handle(request, {}), {
    handle,
    wellKnown: [...endpoint.wellKnown?.keys() ?? []]
  })
}

/**
 * A handler of Web requests to a router, as `webHandler` makes it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const toWebHandler = (
  router: Router,
  options: HttpEndpoint.JsonRpcEndpointOptions = {}
): WebHandler => webHandler(HttpEndpoint.jsonRpcWith(router.answer, options))
