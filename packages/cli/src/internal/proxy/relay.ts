/**
 * Passes requests of HTTP on to an endpoint over HTTP, and its answers back, as they are: methods, paths, headers, bodies
 * and statuses, streams as they come. It knows no protocol above HTTP.
 *
 * Only headers that belong to a connection (RFC 9110, 7.6.1) and the `host` stay behind. The rules of our own servers hold
 * for the clients: which hosts and origins may call, how large a body may be, and that it is JSON.
 */
import * as HttpEndpoint from "@parley/http/HttpEndpoint"
import { EventStream, MediaType, RequestRules } from "@parley/http/shared"
import type { HttpFetcher } from "@parley/http/shared/client"
import { describe, type Disconnected } from "@parley/peer/Caller"
import * as Handshake from "@parley/transport/Handshake"
import { Budget } from "@parley/transport/shared"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Asked, type Rules } from "./Asked.ts"
import * as failures from "./failures.ts"

/** The two sides of a relay. */
export interface Options {
  readonly fetcher: HttpFetcher.HttpFetcher
  readonly url: string
  /** The path where clients reach the URL. What is below the one is below the other. */
  readonly path: string
  /** Headers of every request, in place of those of clients. */
  readonly headers: Readonly<Record<string, string>>
  readonly rules: Rules
  /** Receives the reason why a request could not be passed on. */
  readonly complain: (sentence: string) => Effect.Effect<void>
  /** Runs when an answer asks for a login. */
  readonly onChallenge: Effect.Effect<void>
}

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

/** The endpoint for the clients. */
export const endpoint = (options: Options): HttpEndpoint.HttpEndpoint => ({
  ...HttpEndpoint.gate({ methods }),
  answer: (head, text, responder) =>
    Effect.scoped(relayed(options, head, text, responder)).pipe(
      // What a watcher keeps of the answer counts with the request.
      Effect.provideService(Budget.Budget, responder.budget)
    )
})

const relayed = Effect.fnUntraced(function*(
  options: Options,
  head: RequestRules.Head,
  text: string,
  responder: HttpEndpoint.Responder
) {
  const url = targetOf(options, head)
  if (url === undefined) return elsewhere
  const { method } = head
  const fetched = yield* Effect.result(
    options.fetcher.fetch({
      method,
      url,
      headers: { ...headersOf(head.names?.() ?? [], head.header, ofRequests), ...options.headers },
      body: RequestRules.hasBody(method) ? text : undefined
    })
  )
  if (Result.isFailure(fetched)) {
    yield* options.complain(failures.sentenceOf(fetched.failure))
    return failed(text, fetched.failure, options.rules)
  }
  const response = fetched.success
  const { cookies, header, names = () => [], status } = response
  if (status === 401 && header("www-authenticate") !== undefined) yield* options.onChallenge
  const isStream = method === "GET" && MediaType.essenceOf(header("content-type") ?? "") === EventStream.contentType
  const refusal = isStream ? responder.toStream() : undefined
  if (refusal !== undefined) return refusal
  yield* responder.start(status, headersOf(names(), header, ofAnswers), cookies)
  return yield* Effect.matchEffect(response.read((bytes) => responder.write(bytes)), {
    onFailure: (error) => Effect.as(options.complain(failures.sentenceOf(error)), broken),
    onSuccess: () => Effect.succeed<HttpEndpoint.Reply>({ status, headers: {}, body: undefined })
  })
})

const elsewhere = new RequestRules.Refusal(404, "The path leads out of the endpoint.")

/** After a stream was started, a refusal cuts it off: its client must not take it for complete. */
const broken = new RequestRules.Refusal(502, "The connection to the endpoint was lost.")

/** Requests get an error of JSON-RPC. */
const failed = (text: string, error: Disconnected, rules: Rules): RequestRules.Refusal => {
  const { message } = failures.ofExchange(error)
  const rest = text === "" ? undefined : new Asked(text, rules).rest(failures.ofExchange(error))
  return rest === undefined
    ? new RequestRules.Refusal(502, `${message}: ${describe(error.reason)}.`)
    : new RequestRules.Refusal(502, rest, { "content-type": "application/json" })
}

/** The URL that a request is for, or nothing where dots in its path lead beside the endpoint. */
const targetOf = ({ path, url }: Options, head: RequestRules.Head): URL | undefined => {
  const there = new URL(url)
  const asked = Handshake.pathOf(head)
  const { url: asking } = head
  const query = asking.includes("?") ? asking.slice(asking.indexOf("?") + 1) : ""
  const above = there.pathname.replace(/\/$/, "")
  const target = new URL(there)
  if (asked !== path) {
    const whole = `${there.origin}${above}${asked.slice(path.replace(/\/$/, "").length)}`
    if (!URL.canParse(whole)) return undefined
    const { pathname } = new URL(whole)
    if (!pathname.startsWith(`${above}/`)) return undefined
    target.pathname = pathname
  }
  if (query !== "") target.search = target.search === "" ? query : `${target.search}&${query}`
  return target
}

/** Headers of a connection, whatever its `Connection` header names. */
const ofConnections = [
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
]

/** The length of a request is that of the text that is sent, and our server has asked for the body already. */
const ofRequests: ReadonlySet<string> = new Set([...ofConnections, "host", "content-length", "expect"])

/** Cookies travel apart. */
const ofAnswers: ReadonlySet<string> = new Set([...ofConnections, "set-cookie"])

/** The headers that go on. */
const headersOf = (
  names: ReadonlyArray<string>,
  header: (name: string) => string | undefined,
  without: ReadonlySet<string>
): Readonly<Record<string, string>> => {
  const named = new Set((header("connection") ?? "").toLowerCase().split(",").map((name) => name.trim()))
  return Object.fromEntries(names.flatMap((name) => {
    const value = header(name)
    return value === undefined || without.has(name) || named.has(name) ? [] : [[name, value]]
  }))
}
