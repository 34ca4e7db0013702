/**
 * A client's transport over HTTP: the calls over the exchange, the session they are in,
 * and the stream for what the server says by itself.
 *
 * ```
 *   fresh ── initialize is answered ─────────────────────→ streamable: POSTs, and a standing GET
 *     └───── it is refused, and a GET names an endpoint ─→ older: POSTs there, all answers by that GET
 *   either ── settle(undefined), or the session expired ─→ fresh
 * ```
 *
 * Requests of the modern era leave it as it is: each stands alone.
 */
import type { HttpFetcher } from "@parley/http/shared/client"
import type { AuthorizationError } from "@parley/oauth/AuthorizationError"
import * as ClientAuthorization from "@parley/oauth/ClientAuthorization"
import { Digest } from "@parley/oauth/shared"
import type * as Caller from "@parley/peer/Caller"
import { Exchange } from "@parley/peer/shared"
import * as Limits from "@parley/protocol/Limits"
import { Excerpt } from "@parley/protocol/shared"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Redacted from "effect/Redacted"
import type * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as CallClock from "../../../client/CallClock.ts"
import { SessionExpired } from "../../../client/McpClientError.ts"
import type * as McpClientTransport from "../../../client/McpClientTransport.ts"
import * as Network from "../../../wire/Network.ts"
import * as HttpLine from "./HttpLine.ts"
import * as Outgoing from "./Outgoing.ts"
import { headersOf } from "./Outgoing.ts"
import * as Posts from "./Posts.ts"
import * as ResumableStream from "./ResumableStream.ts"
import * as SseFallback from "./SseFallback.ts"

export interface Options {
  readonly fetcher: HttpFetcher.HttpFetcher
  readonly url: URL
  readonly auth: ClientAuthorization.ClientAuthorization | undefined
  readonly headers: Effect.Effect<HttpLine.Headers> | undefined
  readonly reconnect: Schedule.Schedule<unknown>
  readonly concurrency: number
}

/** Opens the transport, until the Scope closes. Nothing is sent before the first message. */
export const open = Effect.fnUntraced(function*(
  { auth, concurrency, fetcher: plain, headers, reconnect, url }: Options,
  host: McpClientTransport.Host
): Effect.fn.Return<McpClientTransport.McpClientTransport, never, Scope.Scope> {
  const { drain, frame, handshake } = Limits.make(host.limits)
  const authorized = auth === undefined
    ? undefined
    : yield* ClientAuthorization.makeFetcher(plain, {
      ...auth,
      url,
      // A person may take minutes.
      whileGranting: (grant) => CallClock.stopDuring(host.clock, grant)
    })
  const fetcher = authorized ?? plain
  const line = HttpLine.make({ fetcher, frame, url, headers })

  // Finalizers run in reverse order: by then the calls and streams of the session have ended.
  yield* Effect.addFinalizer(() => leave(line, drain))

  const standing = yield* FiberHandle.make<void>()
  const posts = Posts.make({ line, concurrency, schedule: reconnect, onExpired: host.onSessionExpired })
  // There are no texts before the first post.
  let deliver: ResumableStream.Take = () => undefined
  const fallback = yield* SseFallback.make({
    line,
    handshake,
    posts,
    take: (text) => deliver(text),
    onEnd: host.onSessionExpired
  })
  const exchange: Exchange.Exchange = {
    post: (text, take) =>
      Effect.withFiber((fiber) => {
        const current = fiber.getRef(Outgoing.Current)
        const outgoing = current?.take()
        // In the modern era clients send no responses, and aborting a POST cancels its call.
        const isNeedless = current?.isModern === true || line.codec?.features.clientRequests === "results"
        if (outgoing === undefined && isNeedless) return Effect.succeed<Exchange.Ending>("answer")
        return fallback.post(text, outgoing, take)
      })
  }
  const { caller, take } = yield* Exchange.make(exchange, {
    dialect: host.dialect,
    limits: host.limits,
    timeout: host.timeout,
    router: host.router,
    cancel: "notify"
  })
  deliver = take

  const sent = <A, E extends Caller.CallError>(
    outgoing: Outgoing.Outgoing,
    effect: Effect.Effect<A, E>
  ): Effect.Effect<A, AuthorizationError | E | SessionExpired> =>
    effect.pipe(
      Effect.provideService(Outgoing.Current, outgoing),
      Effect.onExit(() => outgoing.end),
      Effect.mapError((error) => {
        if (outgoing.hasExpired) return new SessionExpired({ method: outgoing.method })
        return (error._tag === "Disconnected" ? ClientAuthorization.failureOf(error) : undefined) ?? error
      })
    )

  // Some servers say of a stream that they do not have what others say of a session that is over. A new session tells
  // which it is: it cannot be over already.
  let isDoubtful = false

  const isExpired = (error: Caller.HttpStatusError, place: ResumableStream.Place): boolean => {
    if (error.status !== 404 || line.session === undefined) return false
    const wasDoubtful = isDoubtful
    isDoubtful = !place.isKnown
    return place.isKnown || !wasDoubtful
  }

  /** The stream of messages that belong to no request of ours. A server may have no such stream. */
  const listen = Effect.suspend(() => {
    const place = ResumableStream.start()
    const warn = (what: string) =>
      Effect.logWarning(`the event stream of ${Excerpt.line(url.origin)} ${Excerpt.line(what)}`)

    const mend = (error: Exchange.BadAnswer | Caller.HttpStatusError) => {
      if (error._tag === "BadAnswer") {
        place.id = undefined
        return warn(`is opened behind what cannot be read: ${error.message}`)
      }
      // The server does not keep what is behind it any more, and the stream is there all the same.
      if (error.status === 400 && place.id !== undefined) {
        place.id = undefined
        return warn(`has a gap: ${error.message}`)
      }
      // Credentials may be there by the next attempt.
      return error.status === 401 || error.status === 403
        ? warn(`is refused: ${error.message}`)
        : Effect.fail(error)
    }

    const kept = ResumableStream.keep({ line, place, take: deliver, schedule: reconnect, isOver: () => false, mend })
    return Effect.catch(kept, (error) => {
      if (error._tag === "HttpStatusError" && isExpired(error, place)) return Effect.sync(host.onSessionExpired)
      return error._tag === "HttpStatusError" && error.status === 405
        ? Effect.void
        : warn(`is missing: ${error.message}`)
    })
  })

  const forget = Effect.suspend(() => {
    line.codec = undefined
    line.session = undefined
    return Effect.andThen(FiberHandle.clear(standing), fallback.close)
  })

  return {
    request: (method, params, options) =>
      Effect.suspend(() =>
        sent(
          new Outgoing.Outgoing(method, true, headersOf(method, params, options)),
          caller.request(method, params, options)
        )
      ),
    notify: (method, params) =>
      Effect.suspend(() => {
        const notified = sent(
          new Outgoing.Outgoing(method, false, headersOf(method, params)),
          caller.notify(method, params)
        )
        return method === "notifications/initialized"
          ? Effect.andThen(
            notified,
            fallback.isOlder() ? Effect.void : Effect.asVoid(FiberHandle.run(standing, listen))
          )
          : notified
      }),
    listen: caller.listen,
    settle: (codec) =>
      codec === undefined ? forget : Effect.sync(() => {
        line.codec = codec
      }),
    kind: "http",
    identity: headers === undefined && authorized === undefined
      ? undefined
      : identityOf(headers ?? Effect.succeed(HttpLine.none), () => authorized?.token()),
    network: { ...Network.http, address: url.hostname, port: portOf(url) },
    session: () => line.session,
    disconnected: Effect.never
  }
})

/** A digest of the headers of a client and of its token, but for headers that tell one request from another. */
const identityOf = (
  headers: Effect.Effect<HttpLine.Headers>,
  token: () => Redacted.Redacted | undefined
): Effect.Effect<string> =>
  Effect.flatMap(headers, (own) => {
    const told = Object.entries(own).filter(([name]) => !ofOneRequest.has(name.toLowerCase())).toSorted()
    const held = token()
    return Effect.promise(() => Digest.sha256(JSON.stringify([told, held === undefined ? null : Redacted.value(held)])))
  })

const ofOneRequest = new Set(["traceparent", "tracestate", "baggage", "x-request-id", "idempotency-key"])

const portOf = ({ port, protocol }: URL): number => port === "" ? (protocol === "https:" ? 443 : 80) : Number(port)

/** Ends the session. A server that does not let its clients do that says so with 405; nobody waits for others. */
const leave = (line: HttpLine.HttpLine, drain: number): Effect.Effect<void> =>
  Effect.suspend(() =>
    line.session === undefined
      ? Effect.void
      : line.fetch("DELETE", HttpLine.none).pipe(
        Effect.flatMap((response) => response.read(() => undefined)),
        Effect.scoped,
        Effect.timeoutOption(Duration.millis(drain)),
        Effect.ignore
      )
  )
