/**
 * Sends an HTTP request, gives the head of the answer, and reads the body as it
 * arrives: the port below callers whose protocol needs more of HTTP than POSTs.
 *
 * `make` builds on Effect's `HttpClient`; `NodeHttp.makeFetcher` of `@parley/node`
 * builds on undici itself.
 *
 * @since 0.1.0
 */
import { Disconnected, type DisconnectReason } from "@parley/peer/CallerError"
import { BadAnswer } from "@parley/peer/Exchange"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Cookies from "effect/http/Cookies"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientError } from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import type * as HttpMethod from "effect/http/HttpMethod"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as EventStream from "./EventStream.ts"
import { Bytes } from "./internal/Bytes.ts"

/**
 * A request. Names of headers are in lower case.
 *
 * @category models
 * @since 0.1.0
 */
export interface Request {
  readonly method: string
  readonly url: string | URL
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The headers name its type. */
  readonly body?: string | undefined
}

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
  readonly status: number
  /** A header by its name in lower case, `undefined` when it is missing. */
  readonly header: (name: string) => string | undefined
  /** The values of its `set-cookie` headers, which cannot be joined. */
  readonly cookies?: ReadonlyArray<string> | undefined
  /** Gives each piece of the body as it arrives, and ends with the body. At most once, in the Scope of the response. */
  readonly read: <E = never>(take: Take<Uint8Array, E>) => Effect.Effect<void, Disconnected | E>
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
export const text = (response: Response, limit: number): Effect.Effect<string, BadAnswer | Disconnected> =>
  Effect.suspend(() => {
    const contentLength = response.header("content-length")
    const tooLarge = () => bad(`the answer is larger than the limit of ${limit} bytes`)
    if (Number(contentLength) > limit) return tooLarge()
    const bytes = new Bytes(contentLength)
    const read = response.read((chunk) => {
      bytes.add(chunk)
      return bytes.size > limit ? tooLarge() : undefined
    })
    return Effect.flatMap(read, () => {
      const text = bytes.text()
      return text === undefined ? bad("the answer is not UTF-8") : Effect.succeed(text)
    })
  })

/**
 * Reads a body as events, each of at most so many characters, until it ends.
 *
 * @category reading
 * @since 0.1.0
 */
export const events = <E = never>(
  response: Response,
  limit: number,
  take: Take<EventStream.Event | EventStream.Retry, E>
): Effect.Effect<void, BadAnswer | Disconnected | E> =>
  Effect.suspend(() => {
    const decoder = EventStream.makeEventDecoder(limit)
    return response.read<BadAnswer | E>((chunk) => {
      const events = decoder.push(chunk)
      return typeof events === "string" ? bad(events) : each(events, take)
    })
  })

const bad = (rule: string): Effect.Effect<never, BadAnswer> => Effect.fail(new BadAnswer({ rule }))

const each = <A, E>(values: ReadonlyArray<A>, take: Take<A, E>): Effect.Effect<void, E> | undefined =>
  values.length === 0
    ? undefined
    : Effect.forEach(values, (value) => take(value) ?? Effect.void, { discard: true })

/**
 * Over the `HttpClient` from here.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: Effect.Effect<HttpFetcher, never, HttpClient.HttpClient> = Effect.map(
  HttpClient.HttpClient,
  (client) => {
    const scoped = HttpClient.withScope(client)
    return {
      fetch: (request) =>
        Effect.withFiber((fiber) => {
          const init = Context.getOrUndefined(fiber.context, FetchHttpClient.RequestInit)
          return abortedUnlessWhole((onWhole) =>
            scoped.execute(requestOf(request)).pipe(
              Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual", ...init }),
              Effect.mapError((error) => disconnected(error, isUnsent(error))),
              Effect.map((response) => responseOf(response, onWhole))
            )
          )
        })
    }
  }
)

/**
 * Runs a request of Effect's client in a Scope of its own. Closing that Scope aborts the request, and some clients then
 * end the connection, so it is closed only where the answer was not read to its end.
 */
const abortedUnlessWhole = <A, E>(
  execute: (onWhole: () => void) => Effect.Effect<A, E, Scope.Scope>
): Effect.Effect<A, E, Scope.Scope> =>
  Effect.suspend(() => {
    const scope = Scope.makeUnsafe()
    let isWhole = false
    return Effect.andThen(
      Effect.addFinalizer((exit) => isWhole ? Effect.void : Scope.close(scope, exit)),
      Scope.provide(
        execute(() => {
          isWhole = true
        }),
        scope
      )
    )
  })

const requestOf = ({ body, headers = {}, method, url }: Request): HttpClientRequest.HttpClientRequest => {
  // A method that Effect's types do not know is sent all the same.
  const request = HttpClientRequest.make(method as HttpMethod.HttpMethod)(url, { headers })
  return body === undefined
    ? request
    : HttpClientRequest.setBody(request, HttpBody.text(body, headers["content-type"] ?? "text/plain"))
}

const responseOf = ({ cookies, headers, status, stream }: HttpClientResponse, onWhole: () => void): Response => ({
  status,
  header: (name) => headers[name],
  get cookies() {
    return Cookies.toSetCookieHeaders(cookies)
  },
  read: (take) =>
    Effect.tap(
      Stream.runForEach(
        Stream.catchTag(stream, "HttpClientError", (error) =>
          // Some clients take a body that is absent for one that failed.
          error.reason._tag === "EmptyBodyError" ? Stream.empty : Stream.fail(disconnected(error, false))),
        (chunk) => take(chunk) ?? Effect.void
      ),
      () => Effect.sync(onWhole)
    )
})

const disconnected = (error: HttpClientError, isUnsent: boolean): Disconnected => {
  const reason: DisconnectReason = { _tag: isUnsent ? "Open" : "Lost", cause: error }
  return new Disconnected({ reason, sent: !isUnsent })
}

/** Whether a request cannot have reached the server: clients tell that by the codes of their causes. */
const isUnsent = ({ reason }: HttpClientError): boolean =>
  reason._tag === "InvalidUrlError" || reason._tag === "EncodeError" ||
  (reason._tag === "TransportError" && isUnconnected(reason.cause, 4))

const isUnconnected = (cause: unknown, depth: number): boolean => {
  if (typeof cause !== "object" || cause === null || depth === 0) return false
  if ("code" in cause && typeof cause.code === "string" && unconnected.test(cause.code)) return true
  if ("errors" in cause && Array.isArray(cause.errors) && cause.errors.length > 0) {
    return cause.errors.every((error) => isUnconnected(error, depth - 1))
  }
  return "cause" in cause && isUnconnected(cause.cause, depth - 1)
}

/** No name, no way, nobody there, or a certificate that was not accepted. */
const unconnected =
  /^(ENOTFOUND|EAI_\w+|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ENOENT|EACCES|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+|ERR_TLS_\w+|ERR_SSL_\w+)$/
