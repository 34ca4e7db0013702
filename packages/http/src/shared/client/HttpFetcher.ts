/**
 * Sends an HTTP request, gives the head of the answer, and reads the body as it
 * arrives: the port below callers whose protocol needs more of HTTP than POSTs.
 *
 * `make` builds on Effect's `HttpClient`; `NodeHttp.makeFetcher` of `@parley/node`
 * builds on undici itself.
 *
 * ```ts run
 * import { HttpFetcher } from "@parley/http/shared/client"
 * import { Effect } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const program = Effect.gen(function*() {
 *   const { fetch } = yield* HttpFetcher.make()
 *   const response = yield* fetch({ method: "GET", url: "https://api.example.org/health" })
 *   console.log(response.status, yield* HttpFetcher.text(response, 1024)) // => 200 well
 * })
 *
 * await Effect.runPromise(Effect.scoped(program).pipe(
 *   Effect.provide(FetchHttpClient.layer),
 *   // Stands for the network.
 *   Effect.provideService(FetchHttpClient.Fetch, async () => new Response("well"))
 * ))
 * ```
 *
 * @since 0.1.0
 */
import { Disconnected, type DisconnectReason } from "@parley/peer/Caller"
import { Exchange } from "@parley/peer/shared"
import * as Limits from "@parley/protocol/Limits"
import { Bytes } from "@parley/protocol/shared"
import { Budget } from "@parley/transport/shared"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Cookies from "effect/http/Cookies"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientError } from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import type * as HttpMethod from "effect/http/HttpMethod"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as BufferedBody from "../../internal/BufferedBody.ts"
import { roomOf } from "../../internal/Reserve.ts"
import { isUnsent } from "../../internal/unsent.ts"
import { overrun, WebBody } from "../../internal/WebBody.ts"
import * as EventStream from "../EventStream.ts"

/**
 * A request. Names of headers are in lower case.
 *
 * @category models
 * @since 0.1.0
 */
export interface Request {
  /** The method, in upper case. */
  readonly method: string
  /** The whole URL. */
  readonly url: string | URL
  /** The headers of the request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The text of the body. The headers name its type. */
  readonly body?: string | undefined
  /**
   * `public` refuses to connect where the host is at an address that the internet does not lead to, whatever its name
   * is. `NodeHttp.makeFetcher` resolves a name once and connects to the address that it has checked. A fetcher over
   * `fetch` knows no addresses, and connects all the same.
   */
  readonly addresses?: "public" | undefined
}

/**
 * Headers with their names in lower case, as a `Request` has them.
 *
 * @category constructors
 * @since 0.1.0
 */
export const lowerCased = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/**
 * Takes a value that was read. If it gives an effect, reading waits until the effect has ended, and stops if it fails.
 *
 * @category models
 * @since 0.1.0
 */
export type Take<A, E = never> = (value: A) => Effect.Effect<void, E> | undefined

/**
 * An answer whose head has arrived.
 *
 * @category models
 * @since 0.1.0
 */
export interface Response {
  /** The status, such as 200. */
  readonly status: number
  /** A header by its name in lower case, `undefined` when it is missing. */
  readonly header: (name: string) => string | undefined
  /** The names of the headers that describe what `read` gives, in lower case. Fetchers of your own may leave it out. */
  readonly names?: (() => ReadonlyArray<string>) | undefined
  /** The values of its `set-cookie` headers, which cannot be joined. */
  readonly cookies?: ReadonlyArray<string> | undefined
  /** Gives each piece of the body as it arrives, and ends with the body. At most once, in the Scope of the response. */
  readonly read: <E = never>(take: Take<Uint8Array, E>) => Effect.Effect<void, Disconnected | E>
  /** The budget of the answers of a fetcher that are read at the same time, if it has one. */
  readonly budget?: Budget.Budget | undefined
  /**
   * The share of a budget that this answer takes, where its client keeps bytes that are not read. Then it is read as it
   * comes, and ends with `Overrun` where the share is evicted.
   */
  readonly share?: Budget.Share | undefined
}

/**
 * Sends requests.
 *
 * @category models
 * @since 0.1.0
 */
export interface HttpFetcher {
  /**
   * Sends a request, and gives the answer when its head has arrived, whatever the status. It follows no redirects and
   * has no timeout. Closing the Scope aborts an answer that was not read to its end. Fails with `Disconnected`: `Open`
   * with `sent: false` when the server cannot be reached, `Lost` when the connection breaks later.
   */
  readonly fetch: (request: Request) => Effect.Effect<Response, Disconnected, Scope.Scope>
}

/**
 * Reads a body as a text of at most so many bytes.
 *
 * @category reading
 * @since 0.1.0
 */
export const text = (response: Response, limit: number): Effect.Effect<string, Exchange.BadAnswer | Disconnected> =>
  Effect.suspend(() => {
    const contentLength = response.header("content-length")
    const tooLarge = () => bad(`the answer is larger than the limit of ${limit} bytes`)
    if (Number(contentLength) > limit) return tooLarge()
    const bytes = new Bytes.Bytes(Number(contentLength))
    const read = bounded(response, limit, () => bytes.size, (chunk) => {
      bytes.add(chunk)
      return bytes.size > limit ? tooLarge() : undefined
    })
    return Effect.flatMap(read, () => {
      const text = bytes.text()
      return text === undefined ? bad("the answer is not UTF-8") : Effect.succeed(text)
    })
  })

/**
 * Reads a body as events, each of at most so many bytes, until it ends.
 *
 * @category reading
 * @since 0.1.0
 */
export const events = <E = never>(
  response: Response,
  limit: number,
  take: Take<EventStream.Event | EventStream.Retry, E>
): Effect.Effect<void, Exchange.BadAnswer | Disconnected | E> =>
  Effect.suspend(() => {
    const decoder = EventStream.makeEventDecoder(limit)
    return bounded<Exchange.BadAnswer | E>(response, limit, decoder.held, (chunk) => {
      const events = decoder.push(chunk)
      return typeof events === "string" ? bad(events) : each(events, take)
    })
  })

/** Reads a body of which so many bytes are held at a time, and no faster than the budget has room for them. */
const bounded = <E>(
  response: Response,
  limit: number,
  held: () => number,
  take: Take<Uint8Array, E>
): Effect.Effect<void, Disconnected | E> => {
  const room = roomOf(response, limit, Number(response.header("content-length")))
  if (room === undefined) return response.read(take)
  const wait = () => room.wait(held())
  const read = response.read<E>((chunk) => then(take(chunk), wait))
  return Effect.ensuring(read, Effect.sync(() => room.leave()))
}

const bad = (rule: string): Effect.Effect<never, Exchange.BadAnswer> => Effect.fail(new Exchange.BadAnswer({ rule }))

/** One effect, if there is one, and what must be waited for behind it. */
const then = <E>(
  effect: Effect.Effect<void, E> | undefined,
  next: () => Effect.Effect<void> | undefined
): Effect.Effect<void, E> | undefined =>
  effect === undefined ? next() : Effect.flatMap(effect, () => next() ?? Effect.void)

const each = <A, E>(values: ReadonlyArray<A>, take: Take<A, E>): Effect.Effect<void, E> | undefined =>
  values.length === 0
    ? undefined
    : Effect.forEach(values, (value) => take(value) ?? Effect.void, { discard: true })

/**
 * A fetcher over the `HttpClient` in the context. Such a client keeps what is not read, so the answers are read as they
 * come. Where they hold more than the limit `budget`, the heaviest of them ends with `Overrun`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  options: { readonly limits?: Partial<Limits.Limits> | undefined } = {}
): Effect.Effect<HttpFetcher, never, HttpClient.HttpClient> =>
  Effect.map(HttpClient.HttpClient, (client) => {
    const budget = Budget.make(Limits.make(options.limits).budget)
    return {
      fetch: (request) =>
        Effect.suspend(() => {
          const fetching = new Fetching(budget)
          return Effect.andThen(
            Effect.addFinalizer(() => Effect.sync(() => fetching.leave())),
            fetching.send(client, requestOf(request))
          )
        })
    }
  })

/**
 * A request of Effect's client, and its answer. It needs no Scope, which takes longer than the rest of it: who has sent it
 * calls `leave`, however the answer ends.
 *
 * @category models
 * @since 0.1.0
 */
export class Fetching {
  readonly #share: Budget.Share
  #response: HttpClientResponse.HttpClientResponse | undefined = undefined
  #isWhole = false

  constructor(budget: Budget.Budget) {
    this.#share = budget.share()
  }

  /** Sends a request, and gives the answer when its head has arrived. An interruption aborts it. */
  send(
    client: HttpClient.HttpClient,
    request: HttpClientRequest.HttpClientRequest
  ): Effect.Effect<Response, Disconnected> {
    return Effect.mapBoth(
      Effect.withFiber((fiber) => Effect.provideContext(client.execute(request), servicesOf(fiber))),
      {
        onFailure: (error) => disconnected(error, isUnsent(error)),
        onSuccess: (response) => {
          this.#response = response
          return new Answer(response, this.#share, () => {
            this.#isWhole = true
          })
        }
      }
    )
  }

  /** Aborts an answer that was not read to its end. */
  leave(): void {
    this.#share.close()
    if (this.#isWhole || this.#response === undefined) return
    // The client of Effect aborts a request for that.
    Effect.runFork(this.#response.arrayBuffer).interruptUnsafe()
  }
}

/**
 * A class, because V8 keeps what the getter of an object literal refers to, and what a function refers to that is made
 * for each answer, until its next whole collection: that costs more than the rest of an answer.
 */
class Answer implements Response {
  readonly status: number
  readonly header: Response["header"]
  readonly share: Budget.Share
  readonly #response: HttpClientResponse.HttpClientResponse
  readonly #read: Response["read"]
  readonly #onWhole: () => void

  constructor(response: HttpClientResponse.HttpClientResponse, share: Budget.Share, onWhole: () => void) {
    const { headers, status } = response
    this.status = status
    this.header = (name) => headers[name]
    this.share = share
    this.#response = response
    this.#read = readerOf(response, headers, share)
    this.#onWhole = onWhole
  }

  /** Such a client has decoded the body already. */
  readonly names = (): ReadonlyArray<string> =>
    Object.keys(this.#response.headers).filter((name) => name !== "content-encoding" && name !== "content-length")

  get cookies(): ReadonlyArray<string> {
    return Cookies.toSetCookieHeaders(this.#response.cookies)
  }

  read<E = never>(take: Take<Uint8Array, E>): Effect.Effect<void, Disconnected | E> {
    return Effect.map(this.#read(take), this.#onWhole)
  }
}

/** Redirects are not followed, and no spans are made where no tracer listens: they cost as much as the rest of a request. */
const servicesOf = ({ cache, context }: Fiber.Fiber<unknown, unknown>): Context.Context<never> => {
  const init = Context.getOrUndefined(context, FetchHttpClient.RequestInit)
  if (init === undefined) return cache.tracer === undefined ? untraced : unfollowed
  const services = Context.make(FetchHttpClient.RequestInit, { redirect: "manual", ...init })
  return cache.tracer === undefined ? Context.merge(untraced, services) : services
}

const unfollowed: Context.Context<never> = Context.make(FetchHttpClient.RequestInit, { redirect: "manual" })

const untraced = Context.add(unfollowed, HttpClient.TracerDisabledWhen, () => true)

const requestOf = ({ body, headers = {}, method, url }: Request): HttpClientRequest.HttpClientRequest => {
  // A method that Effect's types do not know is sent all the same.
  const request = HttpClientRequest.make(method as HttpMethod.HttpMethod)(String(url), { headers })
  return body === undefined ? request : withBody(request, body)
}

/**
 * A request with a text of the type that its headers name.
 *
 * @category constructors
 * @since 0.1.0
 */
export const withBody = (
  request: HttpClientRequest.HttpClientRequest,
  text: string
): HttpClientRequest.HttpClientRequest =>
  HttpClientRequest.setBody(request, HttpBody.text(text, request.headers["content-type"] ?? "text/plain"))

/**
 * Gives a body to its taker, without a `Stream` where that is possible: a stream takes longer than the rest of most
 * calls. A response that has a stream of its own keeps it.
 */
const readerOf = (
  response: HttpClientResponse.HttpClientResponse,
  headers: HttpClientResponse.HttpClientResponse["headers"],
  share: Budget.Share
): Response["read"] => {
  const { body } = Object.hasOwn(response, "stream")
    ? none
    : Option.getOrElse(HttpClientResponse.toWeb(response), () => none)
  if (body === null) return () => Effect.void
  if (body !== undefined) {
    const web = new WebBody(body, share)
    share.onEvict(web.evict)
    return (take) => web.read(take)
  }
  if (BufferedBody.isAnnounced(headers["content-length"]) && headers["content-encoding"] === undefined) {
    return (take) => readWhole(response, take)
  }
  const evicted = Deferred.makeUnsafe<never, Disconnected>()
  share.onEvict(() => Deferred.doneUnsafe(evicted, Effect.fail(overrun())))
  return (take) => Effect.raceFirst(readStream(response, take), Deferred.await(evicted))
}

const none: { readonly body: undefined } = { body: undefined }

const readWhole = <E>(
  { arrayBuffer }: HttpClientResponse.HttpClientResponse,
  take: Take<Uint8Array, E>
): Effect.Effect<void, Disconnected | E> =>
  Effect.matchEffect(arrayBuffer, {
    onFailure: (error) => Effect.fail(disconnected(error, false)),
    onSuccess: (body) => body.byteLength === 0 ? Effect.void : take(new Uint8Array(body)) ?? Effect.void
  })

const readStream = <E>(
  { stream }: HttpClientResponse.HttpClientResponse,
  take: Take<Uint8Array, E>
): Effect.Effect<void, Disconnected | E> =>
  Stream.runForEach(
    Stream.catchTag(stream, "HttpClientError", (error) =>
      // Some clients take a body that is absent for one that failed.
      error.reason._tag === "EmptyBodyError" ? Stream.empty : Stream.fail(disconnected(error, false))),
    (chunk) => take(chunk) ?? Effect.void
  )

const disconnected = (error: HttpClientError, isUnsent: boolean): Disconnected => {
  const reason: DisconnectReason = { _tag: isUnsent ? "Open" : "Lost", cause: error }
  return new Disconnected({ reason, sent: !isUnsent })
}
