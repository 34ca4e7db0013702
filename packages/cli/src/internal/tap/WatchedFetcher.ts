/**
 * A fetcher whose traffic is seen: each text of JSON-RPC that is posted, each that comes back as JSON or as an event, and
 * what happens beside messages, such as a stream of events that is opened, a session that is deleted, or a status.
 *
 * What is seen goes on when it was shown, and unchanged. A text of which too much would have to be kept until its end goes
 * on unseen.
 */
import { EventStream, MediaType } from "@parley/http/shared"
import { HttpFetcher } from "@parley/http/shared/client"
import type { Disconnected } from "@parley/peer/Caller"
import * as Batch from "@parley/protocol/Batch"
import type { Dialect } from "@parley/protocol/Dialect"
import { Bytes, RequestId } from "@parley/protocol/shared"
import { Budget } from "@parley/transport/shared"
import { transportError } from "@parley/transport/Transport"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Endpoint from "../Endpoint.ts"
import type { Sessions } from "./Sessions.ts"
import type { Passed, Seen } from "./Story.ts"

export interface Options {
  /** What is posted there is a message, whatever it looks like. */
  readonly url: string
  readonly dialect?: Dialect | undefined
  /** Bytes of one text that are kept until it is whole. */
  readonly limit: number
  /** The numbers of the connections, which several fetchers may share. */
  readonly sessions: Sessions
  readonly see: (seen: Seen) => Effect.Effect<void>
}

type See = (passed: Passed) => Effect.Effect<void>

/** The same fetcher, watched. */
export const make = (fetcher: HttpFetcher.HttpFetcher, options: Options): HttpFetcher.HttpFetcher => {
  const { sessions } = options
  const here = withoutQuery(new URL(options.url).href)
  return {
    fetch: Effect.fnUntraced(function*(request) {
      const clock = yield* Clock.Clock
      const budget = yield* Budget.Budget
      const { body, headers = {} } = request
      const url = String(request.url)
      const connection = sessions.numberOf(headers[session], url)
      const exchange = sessions.exchange()
      const see: See = (passed) => {
        const at = { time: clock.currentTimeMillisUnsafe(), connection }
        return options.see(passed._tag === "Http" ? { ...at, ...passed } : { ...at, ...passed, exchange })
      }
      const isHere = withoutQuery(url) === here
      const isMessage = body !== undefined && (isHere || isOfJsonRpc(body, headers, options.dialect))
      const isRecorded = isHere || isMessage
      if (isRecorded) yield* see({ _tag: "HttpRequest", ...headOf(request, url) })
      if (isMessage) yield* see({ _tag: "Sent", text: body })
      // A body that is compressed cannot be seen.
      const plain = { ...request, headers: { ...headers, "accept-encoding": "identity" } }
      const response = yield* Effect.tapError(
        fetcher.fetch(plain),
        (error) => see(endOf(error))
      )
      const begun = response.header(session)
      if (begun !== undefined) sessions.remember(begun, connection)
      if (isRecorded) {
        yield* see({ _tag: "HttpResponse", status: response.status, headers: recordedOf(response.header) })
      }
      const note = noteOf(request, response, isRecorded)
      if (note !== undefined) yield* see({ _tag: "Http", text: note, status: response.status })
      const type = response.header("content-type") ?? ""
      const share = (response.budget ?? budget)?.share()
      const seenToItsEnd = (read: HttpFetcher.Response["read"]) =>
        watched(response, share, isRecorded ? withEnd(read, see) : read)
      const copy = new Copy(options.limit, share)
      if (MediaType.essenceOf(type) === EventStream.contentType) {
        return seenToItsEnd(
          (take) =>
            events(
              response,
              copy,
              take,
              see,
              isMessage ? waitingOf(body, options.dialect) : [],
              (place) => sessions.remember(new URL(place, url).href, connection)
            )
        )
      }
      if (MediaType.isJson(type) && (isHere || isMessage)) {
        return seenToItsEnd((take) => whole(response, copy, take, see))
      }
      return seenToItsEnd((take) => response.read(take))
    })
  }
}

const session = "mcp-session-id"

/**
 * The headers that are recorded: what a text is, what its reader takes, and how the protocol goes on. None of them gives
 * anybody access, but for that of a session, which the number of the connection stands for.
 */
const recorded = [
  "accept",
  "allow",
  "content-type",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  session,
  "retry-after",
  "www-authenticate"
]

const recordedOf = (header: (name: string) => string | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(recorded.flatMap((name) => {
    const value = header(name)
    return value === undefined ? [] : [[name, name === session ? "[session]" : value]]
  }))

const headOf = ({ headers = {}, method }: HttpFetcher.Request, url: string) => {
  const own = HttpFetcher.lowerCased(headers)
  return { method, path: new URL(url).pathname, headers: recordedOf((name) => own[name]) }
}

/** Shows the end of an answer, whoever has ended it. */
const withEnd = (read: HttpFetcher.Response["read"], see: See): HttpFetcher.Response["read"] => (take) =>
  Effect.onExit(read(take), (exit) => see({ _tag: "HttpEnd", isWhole: Exit.isSuccess(exit) }))

/** The URL without its query. */
const withoutQuery = (url: string): string => url.includes("?") ? url.slice(0, url.indexOf("?")) : url

const isOfJsonRpc = (
  body: string,
  headers: Readonly<Record<string, string>>,
  dialect: Dialect | undefined
): boolean => {
  if (!MediaType.isJson(headers["content-type"] ?? "")) return false
  const batch = Batch.decode(body, dialect)
  return Batch.isMembers(batch) || Result.isSuccess(batch)
}

/** The ids of the requests in a body, each of which its answer should have a response of. */
const waitingOf = (body: string, dialect: Dialect | undefined): ReadonlyArray<RequestId.RequestId> =>
  membersOf(body, dialect).flatMap((message) => message._tag === "Request" ? [message.id] : [])

/** The messages of a text. */
const membersOf = (text: string, dialect: Dialect | undefined) => {
  const batch = Batch.decode(text, dialect)
  return (Batch.isMembers(batch) ? batch : [batch]).flatMap((one) => Result.isSuccess(one) ? [one.success] : [])
}

/** The line for what is no message; none for the usual answer to a message. */
const noteOf = (
  { headers = {}, method, url }: HttpFetcher.Request,
  response: HttpFetcher.Response,
  isOfEndpoint: boolean
): string | undefined => {
  const { header, status } = response
  const what = isOfEndpoint ? method : `${method} ${Endpoint.withoutSecrets(String(url))}`
  const resumed = headers["last-event-id"]
  if (status >= 400) {
    const challenge = header("www-authenticate")
    return `${what}: ${status}${challenge === undefined ? "" : `, www-authenticate: ${challenge}`}`
  }
  if (status >= 300) return `${what}: ${status}, location: ${header("location") ?? "none"}`
  if (MediaType.essenceOf(header("content-type") ?? "") === EventStream.contentType && method === "GET") {
    return `${what}: ${status}, event stream ${resumed === undefined ? "opened" : `resumed after ${resumed}`}`
  }
  if (method === "POST" && isOfEndpoint) return undefined
  return `${what}: ${status}${method === "DELETE" && isOfEndpoint ? ", session ended" : ""}`
}

/** The response with another way to read it. */
const watched = (
  response: HttpFetcher.Response,
  share: Budget.Share | undefined,
  read: HttpFetcher.Response["read"]
): HttpFetcher.Response => ({
  status: response.status,
  header: response.header,
  names: response.names,
  cookies: response.cookies,
  budget: response.budget,
  share: response.share,
  read: (take) => Effect.ensuring(read(take), Effect.sync(() => share?.close()))
})

/** What is kept of a body until a text is whole, within the limit and the room of the budget. */
class Copy {
  readonly #limit: number
  readonly #share: Budget.Share | undefined
  #taken = 0

  constructor(limit: number, share: Budget.Share | undefined) {
    this.#limit = limit
    this.#share = share
  }

  get limit(): number {
    return this.#limit
  }

  /** Whether there is room for so many bytes. */
  keeps(bytes: number): boolean {
    const more = bytes - this.#taken
    if (bytes > this.#limit || (more > 0 && this.#share?.fits(more) === false)) return false
    this.#share?.take(more)
    this.#taken = bytes
    return true
  }
}

const tooLarge: Passed = {
  _tag: "Bad",
  frame: { _tag: "BadFrame", reason: "TooLarge", excerpt: "" }
}

/** The size of an answer that was too large to be shown, once it has ended. */
const sizeOf = (size: number, status: number): Passed => ({ _tag: "Http", text: `an answer of ${size} B`, status })

const notText = (bytes: Bytes.Bytes): Passed => ({
  _tag: "Bad",
  frame: { _tag: "BadFrame", reason: "InvalidUtf8", excerpt: "" },
  base64: Base64.encode(bytes.join())
})

/** Reads a body of JSON. Its last piece goes on when all of it was shown. */
const whole = <E>(
  response: HttpFetcher.Response,
  copy: Copy,
  take: HttpFetcher.Take<Uint8Array, E>,
  see: See
): Effect.Effect<void, Disconnected | E> =>
  Effect.suspend(() => {
    const bytes = new Bytes.Bytes()
    let isKept = true
    let size = 0
    let last: Uint8Array | undefined
    const read = response.read<E>((chunk) => {
      const before = last
      last = chunk
      size += chunk.length
      if (isKept) {
        isKept = copy.keeps(bytes.size + chunk.length)
        if (isKept) bytes.add(chunk)
        else bytes.clear()
      }
      return before === undefined ? undefined : take(before)
    })
    const shown = Effect.suspend(() => {
      if (!isKept) return Effect.andThen(see(tooLarge), see(sizeOf(size, response.status)))
      const text = bytes.text()
      if (text === undefined) return see(notText(bytes))
      return text === "" ? Effect.void : see({ _tag: "Received", text })
    })
    return seeingLoss(read, see).pipe(
      Effect.andThen(shown),
      Effect.andThen(Effect.suspend(() => last === undefined ? Effect.void : take(last) ?? Effect.void))
    )
  })

/** Reads a stream of events. What comes goes on when its events were shown. */
const events = <E>(
  response: HttpFetcher.Response,
  copy: Copy,
  take: HttpFetcher.Take<Uint8Array, E>,
  see: See,
  requests: ReadonlyArray<RequestId.RequestId>,
  onEndpoint: (place: string) => void
): Effect.Effect<void, Disconnected | E> =>
  Effect.suspend(() => {
    const decoder = EventStream.makeEventDecoder(copy.limit)
    let size = 0
    let lastId: string | undefined
    const waiting = new Map(requests.map((id) => [RequestId.keyOf(id), id]))
    let isKept = true
    const forget = (id: RequestId.RequestId | null | undefined) => {
      if (id !== null && id !== undefined) waiting.delete(RequestId.keyOf(id))
    }
    /** A stream that is cut within an event, or before a response, ends like any other for its reader. */
    const atEnd = Effect.suspend(() => {
      if (!isKept) return see(sizeOf(size, response.status))
      const rest = decoder.push(blankLine)
      const isCut = typeof rest !== "string" && rest.some((one) => one._tag !== "Retry" && one.data !== "")
      const cut = isCut ? "the event stream ended within an event" : undefined
      const missing = waiting.size === 0
        ? undefined
        : `the event stream ended without the response of ${[...waiting.values()].map(RequestId.toText).join(", ")}`
      const text = [cut, missing].filter((one) => one !== undefined).join("; ")
      return text === "" ? Effect.void : see({ _tag: "Http", text, status: response.status })
    })
    const shownOf = (chunk: Uint8Array): ReadonlyArray<Passed> => {
      if (!isKept) return []
      const found = decoder.push(chunk)
      if (typeof found === "string" || !copy.keeps(decoder.held())) {
        isKept = false
        return [tooLarge]
      }
      return found.flatMap((one): ReadonlyArray<Passed> => {
        if (one._tag === "Retry") return []
        // An event without an id has that of the one before it.
        const id = one.id === lastId ? undefined : one.id
        lastId = one.id
        if (one.data === "" || one.event !== "message") {
          const event: Passed = { _tag: "HttpEvent", name: one.event, data: one.data, ...(id !== undefined && { id }) }
          if (one.data === "") return [event]
          // The older transport of MCP says so where to post.
          if (one.event === "endpoint" && URL.canParse(one.data, "http://localhost")) onEndpoint(one.data)
          return [event, { _tag: "Http", text: `event ${one.event}: ${one.data}`, status: response.status }]
        }
        if (waiting.size > 0) {
          for (const message of membersOf(one.data, undefined)) {
            if (message._tag === "Success" || message._tag === "Failure") forget(message.id)
          }
        }
        return [{ _tag: "Received", text: one.data, ...(id !== undefined && { event: id }) }]
      })
    }
    return seeingLoss(
      response.read<E>((chunk) => {
        size += chunk.length
        const shown = shownOf(chunk)
        if (shown.length === 0) return take(chunk)
        return Effect.andThen(
          Effect.forEach(shown, see, { discard: true }),
          Effect.suspend(() => take(chunk) ?? Effect.void)
        )
      }),
      see
    ).pipe(Effect.andThen(atEnd))
  })

/** The end of an event. */
const blankLine = Uint8Array.of(0x0a, 0x0a)

const seeingLoss = <E>(read: Effect.Effect<void, Disconnected | E>, see: See): Effect.Effect<void, Disconnected | E> =>
  Effect.tapError(read, (error) => isDisconnected(error) ? see(endOf(error)) : Effect.void)

const endOf = (error: Disconnected): Passed => {
  const { reason } = error
  return {
    _tag: "Ended",
    error: transportError(reason._tag === "Open" || reason._tag === "Lost" ? reason : { _tag: "Lost", cause: error })
  }
}

const isDisconnected = (error: unknown): error is Disconnected =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "Disconnected"
