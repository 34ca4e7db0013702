/**
 * The exchange over undici's connection pool itself: the extra work of Effect's
 * `HttpClient` for each request takes longer than the rest of a call.
 *
 * It knows no calls: `NodeHttp.makeCaller` makes calls over it, and a proxy passes
 * texts through it unchanged.
 *
 * @since 0.1.0
 */
import { AnswerReader, HttpExchange, HttpFetcher } from "@parley/http/shared/client"
import { Exchange } from "@parley/peer/shared"
import * as Limits from "@parley/protocol/Limits"
import { Budget } from "@parley/transport/shared"
import type * as Transport from "@parley/transport/Transport"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type * as Undici from "undici"
import { Pool } from "undici"
import { isUndici, make as makeFetcher } from "../internal/http/overFetch.ts"
import { many, one, open, Reading } from "../internal/http/undici.ts"
import { openError } from "../internal/nodeServer.ts"
import type { Tls } from "../internal/TlsOptions.ts"

/**
 * The options of an exchange, as `NodeHttp.makeCaller` explains them.
 *
 * @category models
 * @since 0.1.0
 */
export interface NodeExchangeOptions extends HttpExchange.HttpExchangeOptions {
  readonly tls?: Tls | undefined
  readonly connections?: number | undefined
}

/**
 * Posts over connections that are kept until the Scope closes. Fails with `Open` when the URL or the certificates cannot
 * be read.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function*(
  options: NodeExchangeOptions
): Effect.fn.Return<Exchange.Exchange, Transport.TransportError, Scope.Scope> {
  const limits = Limits.make(options.limits)
  // The error of the platform would contain the URL, and with it a password.
  const url = URL.canParse(options.url)
    ? new URL(options.url)
    : yield* Effect.fail(openError(new TypeError("the URL is invalid: give one as in https://example.org/rpc")))
  const path = url.pathname + url.search
  const credentials = yield* opening(() => credentialsOf(url))
  const everyones = { ...credentials, ...HttpFetcher.lowerCased(options.headers ?? {}) }
  if (!isUndici) {
    const fetcher = yield* makeFetcher(options)
    return HttpExchange.fromFetcher(fetcher, { ...options, url: url.origin + path, headers: everyones })
  }
  const connections = yield* open(options, (settings) => opening(() => new Pool(url.origin, settings)))
  const shared = flat(everyones)
  const rules: Rules = {
    frame: limits.frame,
    reading: { mediaTypes: options.mediaTypes, budget: Budget.make(limits.budget) },
    toUrl: HttpExchange.withUrl(url)
  }
  return {
    post: (text, take) =>
      Effect.withFiber((fiber) => {
        const own = HttpExchange.headersWithin(fiber)
        return Effect.callback((resume) => {
          const onResponse = HttpExchange.listenerOf(options, fiber.context)
          const post = new Post(rules, take, onResponse, fiber.context, resume)
          const headers = Object.keys(own).length === 0
            ? shared
            : flat({ ...everyones, ...HttpFetcher.lowerCased(own) })
          connections[fiber.getRef(Exchange.Share)].dispatch({ path, method: "POST", headers, body: text }, post)
          return post.abort
        })
      })
  }
})

const opening = <A>(make: () => A): Effect.Effect<A, Transport.TransportError> =>
  Effect.try({ try: make, catch: openError })

type Headers = Readonly<Record<string, string>>

/** Headers as undici takes them. Names are in lower case. */
const flat = (headers: Headers): Array<string> =>
  Object.entries({ "content-type": "application/json", accept: HttpExchange.accept, ...headers }).flat()

/**
 * The user and password of a URL as a header: undici ignores them. Partial: throws where they are not encoded as a URL has
 * it.
 *
 * @category conversions
 * @since 0.1.0
 */
export const credentialsOf = ({ password, username }: URL): Headers =>
  username === "" && password === ""
    ? {}
    : {
      authorization: `Basic ${
        Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64")
      }`
    }

/** The options that all posts share. */
interface Rules {
  readonly frame: number
  readonly reading: Parameters<typeof AnswerReader.make>[2]
  /** Names the URL in an error. */
  readonly toUrl: (error: Exchange.ExchangeError) => Exchange.ExchangeError
}

/** One POST, as the handler that undici calls. */
class Post extends Reading<string | HttpExchange.ResponseHead, Exchange.ExchangeError, Exchange.Ending> {
  readonly #rules: Rules
  readonly #hears: boolean
  #reader: AnswerReader.AnswerReader | undefined

  constructor(
    rules: Rules,
    take: Take,
    onResponse: HttpExchange.OnResponse | undefined,
    context: Context.Context<never>,
    resume: Resume
  ) {
    super()
    this.#rules = rules
    this.#hears = onResponse !== undefined
    this.handTo((value) => typeof value === "string" ? take(value) : onResponse?.(value), context, resume)
  }

  override lose(cause: unknown) {
    this.end(Effect.mapError(this.lost(cause), this.#rules.toUrl))
  }

  onResponseStart(
    _: Undici.Dispatcher.DispatchController,
    status: number,
    headers: Undici.Dispatcher.ResponseData["headers"]
  ) {
    if (status < 200) return
    if (this.#hears) {
      this.push([{ status, header: (name) => one(headers[name]), cookies: many(headers["set-cookie"]) }])
    }
    const reader = AnswerReader.make(
      {
        status,
        contentType: one(headers["content-type"]),
        contentLength: one(headers["content-length"]),
        contentEncoding: one(headers["content-encoding"]),
        header: (name) => one(headers[name])
      },
      this.#rules.frame,
      this.#rules.reading
    )
    if (Result.isSuccess(reader)) this.#reader = reader.success
    else this.stop(this.#rules.toUrl(reader.failure))
  }

  onResponseData(_: Undici.Dispatcher.DispatchController, chunk: Buffer) {
    if (this.#reader === undefined || this.isEnded) return
    const texts = this.#reader.push(chunk)
    if (Result.isFailure(texts)) this.stop(this.#rules.toUrl(texts.failure))
    else {
      if (texts.success.length > 0) this.push(texts.success)
      this.pauseFor(this.#reader.room())
    }
  }

  protected override onOver() {
    this.#reader?.close()
  }

  protected override close() {
    if (this.#reader === undefined || this.isEnded) return
    const { ending, text } = this.#reader.end()
    const isWhole = Result.isSuccess(ending)
    this.end(isWhole ? Effect.succeed(ending.success) : Effect.fail(this.#rules.toUrl(ending.failure)), text)
  }
}

type Take = Parameters<Exchange.Exchange["post"]>[1]

type Resume = (effect: Effect.Effect<Exchange.Ending, Exchange.ExchangeError>) => void
