/**
 * The exchange of Effect's `HttpClient`: a text is the body of a POST, and the
 * texts that come back are the body of its answer, or its events.
 *
 * It knows no calls: `HttpCaller` makes calls over it, and a proxy can pass texts
 * through it unchanged.
 *
 * ```ts run
 * import { HttpExchange } from "@parley/http/shared/client"
 * import { Effect } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const program = Effect.gen(function*() {
 *   const { post } = yield* HttpExchange.make({ url: "https://api.example.org/rpc" })
 *   const print = (text: string) => Effect.sync(() => console.log(text))
 *   console.log(yield* post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, print))
 * })
 *
 * await Effect.runPromise(program.pipe(
 *   Effect.provide(FetchHttpClient.layer),
 *   // Stands for the network.
 *   Effect.provideService(FetchHttpClient.Fetch, async () => Response.json({ jsonrpc: "2.0", id: 1, result: "pong" }))
 * ))
 * // => {"jsonrpc":"2.0","id":1,"result":"pong"}
 * // => answer
 * ```
 *
 * @since 0.1.0
 */
import { Disconnected, HttpStatusError } from "@parley/peer/Caller"
import type { Exchange } from "@parley/peer/shared"
import * as Limits from "@parley/protocol/Limits"
import { Budget } from "@parley/transport/shared"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import { HttpClient } from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Result from "effect/Result"
import type { AnySpan } from "effect/Tracer"
import { placeOf } from "../../internal/place.ts"
import * as MediaType from "../MediaType.ts"
import * as AnswerReader from "./AnswerReader.ts"
import * as HttpFetcher from "./HttpFetcher.ts"

/**
 * Where the texts are posted to, and how.
 *
 * @category models
 * @since 0.1.0
 */
export interface HttpExchangeOptions {
  /** The URL of the server, with its path. */
  readonly url: string | URL
  /** Headers of every POST, beside those that say what is sent and accepted. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** `frame` bounds an answer, and each event of a stream, `budget` all answers that are read at the same time. */
  readonly limits?: Partial<Limits.Limits> | undefined
  /** Sees the head of every answer, before its body is read: for cookies, quotas or `retry-after`. */
  readonly onResponse?: OnResponse | undefined
  /**
   * Whether the body of an answer must have a type of JSON (the default), or may have any, or none. A stream of events
   * always has its own type.
   */
  readonly mediaTypes?: "json" | "any" | undefined
}

/**
 * The head of an answer.
 *
 * @category models
 * @since 0.1.0
 */
export interface ResponseHead {
  /** The status, such as 200. */
  readonly status: number
  /** A header by its name in lower case, `undefined` when it is missing. */
  readonly header: (name: string) => string | undefined
  /** The values of its `set-cookie` headers. */
  readonly cookies: ReadonlyArray<string>
}

/** Takes the head of an answer. The body is read when the effect has ended. @category models @since 0.1.0 */
export type OnResponse = (head: ResponseHead) => Effect.Effect<void>

/**
 * Headers of the POSTs made inside, beside those of every one; for one call,
 * `Effect.provideService(call, HttpExchange.Headers, { authorization })`.
 *
 * @category services
 * @since 0.1.0
 */
export const Headers: Context.Reference<Readonly<Record<string, string>>> = Context.Reference<
  Readonly<Record<string, string>>
>("@parley/http/HttpExchange/Headers", { defaultValue: () => none })

const none: Readonly<Record<string, string>> = {}

/**
 * Sees the heads of the answers to the POSTs made inside, behind what sees those of every one; for one call,
 * `Effect.provideService(call, HttpExchange.ResponseListener, (head) => …)`.
 *
 * @category services
 * @since 0.1.0
 */
export const ResponseListener: Context.Reference<OnResponse | undefined> = Context.Reference<OnResponse | undefined>(
  "@parley/http/HttpExchange/ResponseListener",
  { defaultValue: () => undefined }
)

/**
 * The listener for the head of the answer to one POST: that of the options, then that of the context. For hosts.
 *
 * @category accessors
 * @since 0.1.0
 */
export const listenerOf = (
  { onResponse }: Pick<HttpExchangeOptions, "onResponse">,
  context: Context.Context<never>
): OnResponse | undefined => {
  const own = Context.get(context, ResponseListener)
  if (own === undefined || onResponse === undefined) return own ?? onResponse
  return (head) => Effect.andThen(onResponse(head), Effect.suspend(() => own(head)))
}

/**
 * The headers of one POST beside those of all: those of the context, and the `traceparent` of the call where a tracer
 * listens. For hosts.
 *
 * @category accessors
 * @since 0.1.0
 */
export const headersWithin = (fiber: Fiber.Fiber<unknown, unknown>): Readonly<Record<string, string>> => {
  const { cache: { span, tracer } } = fiber
  const own = fiber.getRef(Headers)
  if (span === undefined || tracer === undefined || !isTravelling(span)) return own
  return { traceparent: `00-${span.traceId}-${span.spanId}-${span.sampled ? "01" : "00"}`, ...own }
}

/** Trace Context, 3.2.2: spans that must not travel have other ids, or zeros. */
const isTravelling = ({ spanId, traceId }: AnySpan): boolean =>
  /^(?!0+$)[0-9a-f]{32}$/.test(traceId) && /^(?!0+$)[0-9a-f]{16}$/.test(spanId)

/** The `accept` header of every POST. @category constants @since 0.1.0 */
export const accept = MediaType.jsonOrEvents

/**
 * Posts over the `HttpClient` in the context.
 *
 * It follows no redirects: every status outside of 2xx is an `HttpStatusError`. A server that cannot be reached is
 * `Disconnected` with `Open` and `sent: false`; a connection that breaks later is `Lost`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: HttpExchangeOptions): Effect.Effect<Exchange.Exchange, never, HttpClient> =>
  Effect.map(HttpClient, (client) => {
    const budget = Budget.make(Limits.make(options.limits).budget)
    const request = HttpClientRequest.post(options.url, { headers: everyones(options) })
    return over(options, (text, own, use) =>
      Effect.suspend(() => {
        const fetching = new HttpFetcher.Fetching(budget)
        const posted = own === none ? request : HttpClientRequest.setHeaders(request, own)
        return Effect.onExitPrimitive(
          Effect.flatMap(fetching.send(client, HttpFetcher.withBody(posted, text)), use),
          () => {
            fetching.leave()
            return undefined
          }
        )
      }))
  })

/**
 * Posts over any fetcher.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fromFetcher = (fetcher: HttpFetcher.HttpFetcher, options: HttpExchangeOptions): Exchange.Exchange => {
  const all = everyones(options)
  return over(options, (body, own, use) => {
    const headers = own === none ? all : { ...all, ...HttpFetcher.lowerCased(own) }
    return Effect.scoped(Effect.flatMap(fetcher.fetch({ method: "POST", url: options.url, headers, body }), use))
  })
}

/** The headers of every POST. */
const everyones = ({ headers = none }: HttpExchangeOptions): Readonly<Record<string, string>> => ({
  "content-type": "application/json",
  accept,
  ...HttpFetcher.lowerCased(headers)
})

type Ended = Effect.Effect<Result.Result<Exchange.Ending, Exchange.ExchangeError>, Exchange.ExchangeError>

/** An exchange that sends each text, with headers of its own, and lets the answer be used. */
const over = (
  options: HttpExchangeOptions,
  send: (text: string, own: typeof none, use: (response: HttpFetcher.Response) => Ended) => Ended
): Exchange.Exchange => {
  const { frame } = Limits.make(options.limits)
  const toUrl = withUrl(options.url)
  return {
    post: (text, take) =>
      Effect.withFiber((fiber) => {
        const onResponse = listenerOf(options, fiber.context)
        const use = (response: HttpFetcher.Response) => {
          const reading = read(response, frame, take, options.mediaTypes)
          return onResponse === undefined ? reading : Effect.andThen(onResponse(headOf(response)), reading)
        }
        const ended = send(text, headersWithin(fiber), use)
        return Effect.mapError(Effect.flatMap(ended, Effect.fromResult), toUrl)
      })
  }
}

/**
 * Names the URL in the errors of an exchange, without what may be secret in it.
 *
 * @category errors
 * @since 0.1.0
 */
export const withUrl = (
  text: string | URL
): <E extends Exchange.ExchangeError>(error: E) => E | Disconnected | HttpStatusError => {
  const url = placeOf(text)
  return (error) => {
    if (url === undefined || error._tag === "BadAnswer") return error
    return error._tag === "Disconnected" ? new Disconnected({ ...error, url }) : new HttpStatusError({ ...error, url })
  }
}

const headOf = ({ cookies = [], header, status }: HttpFetcher.Response): ResponseHead => ({ status, header, cookies })

type Take = Parameters<Exchange.Exchange["post"]>[1]

/**
 * Reads the answer to a POST as texts, to its end, and gives how the exchange ended. Each text has at most so many
 * bytes. Fails when it cannot be read.
 *
 * @category reading
 * @since 0.1.0
 */
export const read = (
  response: HttpFetcher.Response,
  limit: number,
  take: Take,
  mediaTypes?: HttpExchangeOptions["mediaTypes"]
): Ended => {
  const opened = AnswerReader.make(
    {
      status: response.status,
      contentType: response.header("content-type"),
      contentLength: response.header("content-length"),
      header: response.header
    },
    limit,
    { mediaTypes, budget: response.budget, share: response.share }
  )
  if (Result.isFailure(opened)) return Effect.fail(opened.failure)
  const reader = opened.success
  const wait = Effect.suspend(() => reader.room() ?? Effect.void)
  const read = response.read((chunk) => {
    const texts = reader.push(chunk)
    if (Result.isFailure(texts)) return Effect.fail(texts.failure)
    return texts.success.length === 0 ? reader.room() : Effect.andThen(each(texts.success, take), wait)
  })
  const whole = Effect.flatMap(read, () => {
    const { ending, text } = reader.end()
    const taking = text === undefined ? undefined : take(text)
    return taking === undefined ? Effect.succeed(ending) : Effect.as(taking, ending)
  })
  return Effect.onExitPrimitive(whole, () => {
    reader.close()
    return undefined
  })
}

const each = (texts: ReadonlyArray<string>, take: Take): Effect.Effect<void> =>
  Effect.forEach(texts, (text) => take(text) ?? Effect.void, { discard: true })
