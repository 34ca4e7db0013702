/**
 * The exchange of Effect's `HttpClient`: a text is the body of a POST, and the
 * texts that come back are the body of its answer, or its events.
 *
 * It knows nothing of calls: `HttpCaller` makes them over it, and a proxy may
 * pass texts through it as they are.
 *
 * @since 0.1.0
 */
import { Disconnected, type DisconnectReason } from "@parley/peer/CallerError"
import type { Ending, Exchange, ExchangeError } from "@parley/peer/Exchange"
import * as Limits from "@parley/protocol/Limits"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientError } from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as AnswerReader from "./AnswerReader.ts"
import * as EventStream from "./EventStream.ts"

/**
 * Where, and how.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly url: string | URL
  /** Headers of every POST, beside those that say what is sent and accepted. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** `frame` bounds an answer, and each event of a stream. */
  readonly limits?: Partial<Limits.Limits> | undefined
}

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

/** What every POST says it accepts. @category constants @since 0.1.0 */
export const accept = `application/json, ${EventStream.contentType}`

/**
 * Posts over the `HttpClient` from here.
 *
 * Redirects are not followed: a 3xx is an `HttpStatusError`, as any status that is no success. Who could not be reached
 * is `Disconnected` with `Open` and nothing was sent; what breaks off later is `Lost`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: Options): Effect.Effect<Exchange, never, HttpClient.HttpClient> =>
  Effect.map(HttpClient.HttpClient, (client) => {
    const { frame } = Limits.make(options.limits)
    const scoped = HttpClient.withScope(client)
    const request = HttpClientRequest.post(options.url, { headers: { accept, ...options.headers } })
    return {
      post: (text, take) =>
        Effect.withFiber((fiber) => {
          const body = HttpBody.text(text, "application/json")
          const headers = fiber.getRef(Headers)
          const posted = scoped.execute(
            HttpClientRequest.setBody(headers === none ? request : HttpClientRequest.setHeaders(request, headers), body)
          )
          const init = Context.getOrUndefined(fiber.context, FetchHttpClient.RequestInit)
          return posted.pipe(
            Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual", ...init }),
            Effect.mapError((error) => disconnected(error, isUnsent(error))),
            Effect.flatMap((response) => read(response, frame, take)),
            abortedUnlessWhole,
            Effect.flatMap(Effect.fromResult)
          )
        })
    }
  })

type Take = Parameters<Exchange["post"]>[1]

/**
 * Closes the Scope, which aborts the request, where an answer was not read to its end. One that was leaves its
 * connection to the next: some clients would end it.
 */
const abortedUnlessWhole = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const scope = Scope.makeUnsafe()
    return Effect.onExit(
      Scope.provide(effect, scope),
      (exit) => Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit)
    )
  })

/** Reads an answer to its end, and gives how that was. Fails before. */
const read = (
  response: HttpClientResponse,
  frame: number,
  take: Take
): Effect.Effect<Result.Result<Ending, ExchangeError>, ExchangeError> => {
  const { headers, status } = response
  const opened = AnswerReader.make({
    status,
    contentType: headers["content-type"],
    contentLength: headers["content-length"]
  }, frame)
  if (Result.isFailure(opened)) return Effect.fail(opened.failure)
  const reader = opened.success
  const push = (chunk: Uint8Array) => {
    const texts = reader.push(chunk)
    return Result.isFailure(texts) ? Effect.fail(texts.failure) : handOn(texts.success, take)
  }
  return Stream.runForEach(response.stream, push).pipe(
    Effect.catchTag("HttpClientError", (error) =>
      // Some clients take a body that is absent for one that failed.
      error.reason._tag === "EmptyBodyError" ? Effect.void : Effect.fail(disconnected(error, false))),
    Effect.flatMap(() => {
      const { ending, text } = reader.end()
      return Effect.as(handOn(text === undefined ? [] : [text], take), ending)
    })
  )
}

const handOn = (texts: ReadonlyArray<string>, take: Take): Effect.Effect<void> =>
  texts.length === 0 ? Effect.void : Effect.forEach(texts, (text) => take(text) ?? Effect.void, { discard: true })

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
