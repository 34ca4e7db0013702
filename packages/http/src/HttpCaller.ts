/**
 * Calls over HTTP: each call, notification and batch is a POST of its own.
 *
 * When a call is interrupted or times out, its POST is aborted, which the server
 * sees. A bad status fails only that call. When the answer is a stream of events,
 * progress and partial results reach their call before its response, and
 * notifications reach the listeners.
 *
 * ```ts run
 * import { HttpCaller, HttpRoute } from "@parley/http"
 * import { Router } from "@parley/peer"
 * import { Effect } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const program = Effect.gen(function*() {
 *   const router = yield* Router.make()
 *   yield* router.add("ping", () => Effect.succeed("pong"))
 *   const serve = HttpRoute.toWebHandler(router)
 *
 *   const call = Effect.flatMap(HttpCaller.make({ url: "http://localhost/rpc" }), (caller) => caller.request("ping"))
 *   // Stands for the network.
 *   const pong = Effect.provideService(call, FetchHttpClient.Fetch, (url, init) => serve(new Request(url, init)))
 *   console.log(yield* pong) // => pong
 * })
 *
 * await Effect.runPromise(Effect.scoped(program).pipe(Effect.provide(FetchHttpClient.layer)))
 * ```
 *
 * @since 0.1.0
 */
import { Caller } from "@parley/peer/Caller"
import { Exchange } from "@parley/peer/shared"
import * as Effect from "effect/Effect"
import type { HttpClient } from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as HttpExchange from "./shared/client/HttpExchange.ts"
import type * as HttpFetcher from "./shared/client/HttpFetcher.ts"

/**
 * Where the calls go, and how.
 *
 * @category models
 * @since 0.1.0
 */
export interface HttpCallerOptions extends HttpExchange.HttpExchangeOptions, Exchange.CallerOptions {}

/** The head of an answer: its status, its headers and its cookies. @category models @since 0.1.0 */
export type ResponseHead = HttpExchange.ResponseHead

/** Takes the head of an answer. The body is read when the effect has ended. @category models @since 0.1.0 */
export type OnResponse = HttpExchange.OnResponse

/**
 * Calls over the `HttpClient` in the context, until the Scope closes.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: HttpCallerOptions): Effect.Effect<Caller, never, HttpClient | Scope.Scope> =>
  Effect.flatMap(HttpExchange.make(options), (exchange) => Exchange.makeCaller(exchange, options))

/**
 * The caller of a program that calls one server. A new layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: HttpCallerOptions): Layer.Layer<Caller, never, HttpClient> =>
  Layer.effect(Caller, make(options))

/**
 * As `layer`, over a fetcher that is opened with it, such as one of `@parley/oauth` that sends tokens.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerOver = <E, R>(
  fetcher: Effect.Effect<HttpFetcher.HttpFetcher, E, R>,
  options: HttpCallerOptions
): Layer.Layer<Caller, E, Exclude<R, Scope.Scope>> =>
  Layer.effect(
    Caller,
    Effect.flatMap(fetcher, (fetcher) => Exchange.makeCaller(HttpExchange.fromFetcher(fetcher, options), options))
  )

/**
 * Headers of the calls made inside, beside those of every call.
 *
 * @category services
 * @since 0.1.0
 */
export const Headers: typeof HttpExchange.Headers = HttpExchange.Headers

/**
 * Sees the heads of the answers to the calls made inside.
 *
 * @category services
 * @since 0.1.0
 */
export const ResponseListener: typeof HttpExchange.ResponseListener = HttpExchange.ResponseListener
