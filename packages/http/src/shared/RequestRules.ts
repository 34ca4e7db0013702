/**
 * The rules by which a server admits a request, as values: a POST of JSON, and
 * the other methods that its protocol has.
 *
 * The host owns the wire. It shows the head of a request to a `RequestGate`, then
 * gives the bytes of the body to the `Admission`. All requests of a host share one
 * gate, which bounds them together. Between the two it asks `authorize`, where the
 * gate has it. A refused request is answered with a status and a sentence for people;
 * the endpoint answers the others.
 *
 * An admitted request counts among `Limits.connections` requests. A stream that
 * lasts as long as its client likes counts among as many streams instead, so that
 * streams do not keep requests out.
 *
 * ```ts run
 * import { RequestRules } from "@parley/http/shared"
 *
 * const gate = RequestRules.make({ limits: { frame: 1024 } })
 * const headers: Record<string, string> = { host: "localhost", "content-type": "application/json" }
 * const head = { method: "POST", url: "/rpc", address: "127.0.0.1", header: (name: string) => headers[name] }
 *
 * const admission = gate.admit(head)
 * if (!(admission instanceof RequestRules.Refusal)) {
 *   admission.push(new TextEncoder().encode("[]"))
 *   console.log(admission.text()) // => []
 *   admission.release()
 * }
 * const refusal = gate.admit({ ...head, method: "GET" })
 * console.log(refusal instanceof RequestRules.Refusal && refusal.status) // => 405
 * ```
 *
 * @since 0.1.0
 */
import * as Limits from "@parley/protocol/Limits"
import { BadFrame, Bytes } from "@parley/protocol/shared"
import * as Handshake from "@parley/transport/Handshake"
import { Budget } from "@parley/transport/shared"
import * as Effect from "effect/Effect"
import * as ClientAddress from "../internal/ClientAddress.ts"
import * as Access from "./access/Access.ts"
import * as Authorization from "./access/Authorization.ts"
import * as RefusalLog from "./access/RefusalLog.ts"
import * as Cors from "./Cors.ts"
import * as MediaType from "./MediaType.ts"

/**
 * The options of a host.
 *
 * @category models
 * @since 0.1.0
 */
export interface RequestRulesOptions {
  /**
   * Which hosts and origins may call. The defaults of `Access` for loopback apply when the caller's address is loopback
   * or unknown, the others otherwise.
   */
  readonly access?: Access.AccessOptions | undefined
  /**
   * Says who sends a request, or refuses it, before its body is read. Handlers find who it is as `Handshake.Current`,
   * and by `Authentication.principal`. By default every client is served, and has the principal that the host gives with
   * the request, if any.
   */
  readonly authorize?: Handshake.Authorize | undefined
  /** The pages of other origins that may call and read the answers. None by default. */
  readonly cors?: Cors.CorsOptions | undefined
  /**
   * `handshake` bounds `authorize`, `frame` a body, `partialFrame` the time in which it must arrive, `connections` the
   * requests at once and also the streams at once, `budget` the weight of all bodies, of the calls in them, and of
   * unread answers: of all where the host says how many bytes these have, else of those beyond 64 KiB. Where it is
   * spent, the heaviest body that has not arrived, or the heaviest unread answer, gives way; over `HttpRoute` first an
   * answer whose client has read nothing for five seconds.
   */
  readonly limits?: Partial<Limits.Limits> | undefined
  /** The methods that are allowed: POST alone by default. POST, PUT and PATCH carry JSON; the others have no body. */
  readonly methods?: ReadonlyArray<string> | undefined
  /**
   * The proxies that tell where requests come from, for the log and for limits per client. The rules of `access` ask
   * for the address of the connection all the same. By default no proxy is believed.
   */
  readonly proxies?: ClientAddress.Proxies | undefined
}

/** The head of a request, which comes before its body is read. @category models @since 0.1.0 */
export type Head = Handshake.Head

/**
 * A request is refused with this status, text and headers.
 *
 * @category models
 * @since 0.1.0
 */
export class Refusal {
  /** The status of the answer. */
  readonly status: number
  /** A sentence for people, to be sent as `text/plain`. */
  readonly text: string
  /** Headers beside those of the text. */
  readonly headers: Readonly<Record<string, string>>
  /** The reason for our log, if it is to be logged. */
  readonly reason: string | undefined

  constructor(status: number, text: string, headers: Readonly<Record<string, string>> = {}, reason?: string) {
    this.status = status
    this.text = text
    this.headers = headers
    this.reason = reason
  }
}

/**
 * The headers of the answer with a refusal.
 *
 * @category refusals
 * @since 0.1.0
 */
export const headersOf = ({ headers }: Pick<Refusal, "headers">): Readonly<Record<string, string>> => ({
  "content-type": "text/plain; charset=utf-8",
  ...headers
})

const foreign: Readonly<Record<Access.AccessRefusal, string>> = {
  Host: "This server does not answer to that host name.",
  Origin: "Pages of that origin may not call this server."
}
const noBody = new Refusal(400, "A request of this method must have no body.")
const noJson = new Refusal(415, "The content type must be application/json.")
const noUtf8 = new Refusal(415, "The charset must be UTF-8.")
const encoded = new Refusal(415, "The body must not be compressed.")
const coded = new Refusal(501, "The only transfer coding that this server knows is chunked.")
const tooLarge = new Refusal(413, "The body is too large.")

/** There is no room for another request. @category refusals @since 0.1.0 */
export const tooMany: Refusal = new Refusal(
  503,
  "The server has too many requests; try again later.",
  { "retry-after": "1" },
  "as much is under way as `limits.connections` and `limits.budget` allow"
)

/** The server is shutting down. @category refusals @since 0.1.0 */
export const shuttingDown: Refusal = new Refusal(503, "Shutting down.", { connection: "close", "retry-after": "1" })

/** The body broke off. @category refusals @since 0.1.0 */
export const broken: Refusal = new Refusal(400, "The body is incomplete.", { connection: "close" })

/** The body did not arrive in time. @category refusals @since 0.1.0 */
export const tooSlow: Refusal = new Refusal(408, "The body took too long to arrive.", { connection: "close" })

/**
 * One admitted request: the bytes of its body, and its place among the requests at once.
 *
 * @category models
 * @since 0.1.0
 */
export interface Admission {
  /** Takes bytes of the body. After a refusal the host should read nothing more. */
  readonly push: (chunk: Uint8Array) => Refusal | undefined
  /**
   * The text of the body, to be asked for once it has arrived. Invalid UTF-8 gives a text that is invalid JSON, so that
   * the answer is -32700. A refusal, if others were given the room of the body meanwhile.
   */
  readonly text: () => string | Refusal
  /** The budget that all requests share, for what the answer of this one holds. */
  readonly budget: Budget.Budget
  /**
   * Counts this as a stream from now on, no longer as a request, and releases the body. Gives a refusal, and changes
   * nothing, when there are too many streams.
   */
  readonly toStream: () => Refusal | undefined
  /**
   * Counts so many bytes of the answer, which the client has not read yet, against the budget until `release`. Where
   * that spends it, the heaviest of all such answers is ended, by the function that its host gave with it.
   */
  readonly hold: (bytes: number, end: () => void) => void
  /** Gives the place back. The host calls it however the request ends; only the first call does something. */
  readonly release: () => void
}

/**
 * Admits or refuses the requests of one host.
 *
 * @category models
 * @since 0.1.0
 */
export interface RequestGate {
  /** The bounds of the host. */
  readonly limits: Limits.Limits
  /** Decides on the head of a request. An admission must be released. */
  readonly admit: (head: Head) => Admission | Refusal
  /** Says who sends an admitted request, before its body is read. Without it, requests have no principal. */
  readonly authorize?: ((head: Head) => Effect.Effect<Handshake.Handshake, Refusal>) | undefined
  /** The headers by which pages of other origins may call. The host answers preflights before it asks the gate. */
  readonly cors?: Cors.Cors | undefined
  /** Writes a refusal that has a `reason` into our log. */
  readonly report?: ((head: Head, refusal: Refusal) => Effect.Effect<void>) | undefined
}

/**
 * The gate of one host.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: RequestRulesOptions = {}): RequestGate => {
  const limits = Limits.make(options.limits)
  const access = Access.gate(options.access ?? {})
  const methods = options.methods ?? ["POST"]
  const notAllowed = new Refusal(405, `The allowed methods are ${methods.join(", ")}.`, { allow: methods.join(", ") })
  const load: Load = { requests: 0, streams: 0 }
  const budget = Budget.make(limits.budget)
  const cors = options.cors === undefined ? undefined : Cors.make(options.cors, methods)
  const { authorize } = options
  const clientOf = ClientAddress.clientAddress(options.proxies)
  const log = RefusalLog.make("a request")

  const refusalOf = (head: Head): Refusal | undefined => {
    if (!methods.includes(head.method)) return notAllowed
    const refused = access(head)
    if (refused === "Host" || (refused === "Origin" && cors?.admits(head.header("origin") ?? "") !== true)) {
      return new Refusal(403, foreign[refused], {}, RefusalLog.accessReason(refused, head))
    }
    const body = holding.has(head.method) ? refusalOfBody(head, limits.frame) : undefined
    return body ?? (load.requests >= limits.connections ? tooMany : undefined)
  }

  return {
    limits,
    admit: (head) => refusalOf(head) ?? new Body(limits, load, budget, head),
    cors,
    authorize: authorize === undefined ? undefined : (head) =>
      Effect.mapError(
        Authorization.run(authorize, head, limits.handshake),
        ({ headers, reason, status, text }) => new Refusal(status, text, headers, reason)
      ),
    report: (head, { reason, status }) =>
      reason === undefined ? Effect.void : log({ address: clientOf(head).address, url: head.url }, status, reason)
  }
}

/** The methods whose requests have a body. */
const holding: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"])

/** Whether the requests of a method have a body. @category reading @since 0.1.0 */
export const hasBody = (method: string): boolean => holding.has(method)

const refusalOfBody = (head: Head, frame: number): Refusal | undefined => {
  const contentType = head.header("content-type") ?? ""
  const contentLength = head.header("content-length")
  if (!MediaType.isJson(contentType)) return noJson
  if (!MediaType.isUtf8(contentType)) return noUtf8
  if ((head.header("content-encoding") ?? "identity") !== "identity") return encoded
  // Hosts take the last coding off, which is chunked. Another one below it would be read as JSON (RFC 9112, 6.1).
  if ((head.header("transfer-encoding") ?? "chunked").toLowerCase() !== "chunked") return coded
  return contentLength !== undefined && Number(contentLength) > frame ? tooLarge : undefined
}

interface Load {
  requests: number
  streams: number
}

class Body implements Admission {
  readonly budget: Budget.Budget
  readonly #limits: Limits.Limits
  readonly #load: Load
  readonly #hasBody: boolean
  /** The bytes that its head has announced, or `NaN`. */
  readonly #announced: number
  /** Absent once they are dropped, or given to those who answer. */
  #bytes: Bytes.Bytes | undefined
  /** Its share of the budget, once it takes something. */
  #share: Budget.Share | undefined
  #place: "requests" | "streams" | undefined = "requests"
  #stopEviction: (() => void) | undefined
  /** Why its bytes were dropped. */
  #refusal: Refusal | undefined

  constructor(limits: Limits.Limits, load: Load, budget: Budget.Budget, head: Head) {
    this.#limits = limits
    this.#load = load
    this.budget = budget
    this.#hasBody = holding.has(head.method)
    this.#announced = Number(head.header("content-length"))
    this.#bytes = new Bytes.Bytes(this.#announced)
    load.requests++
  }

  push(chunk: Uint8Array): Refusal | undefined {
    if (!this.#hasBody) return chunk.length === 0 ? undefined : noBody
    const bytes = this.#bytes
    if (bytes === undefined || this.#place === undefined) return this.#refusal
    if (bytes.size + chunk.length > this.#limits.frame) return tooLarge
    bytes.add(chunk)
    const share = this.#share ??= this.budget.share()
    // A body that has arrived is answered next, and gives way to nobody.
    if (bytes.size !== this.#announced) this.#stopEviction ??= share.onEvict(() => this.#drop())
    Budget.grow(share, chunk.length)
    return this.#refusal
  }

  hold(bytes: number, end: () => void) {
    if (this.#place === undefined) return
    const share = this.#share ??= this.budget.share()
    this.#stopEviction?.()
    this.#stopEviction = share.onEvict(end)
    Budget.grow(share, bytes)
  }

  text(): string | Refusal {
    if (this.#refusal !== undefined) return this.#refusal
    const bytes = this.#bytes
    const text = bytes === undefined ? taken : bytes.text() ?? unreadable(bytes)
    this.#bytes = undefined
    this.#stopEviction?.()
    return text
  }

  toStream(): Refusal | undefined {
    if (this.#place !== "requests") return undefined
    if (this.#load.streams >= this.#limits.connections) return tooMany
    this.release()
    this.#place = "streams"
    this.#load.streams++
    return undefined
  }

  release() {
    if (this.#place === undefined) return
    this.#share?.close()
    this.#share = undefined
    this.#load[this.#place]--
    this.#place = undefined
  }

  /** Others are given its room. */
  #drop() {
    this.#refusal = tooMany
    this.#bytes = undefined
    this.#share?.close()
    this.#share = undefined
  }
}

/** Stands for a body that was given away already. It is no JSON. */
const taken = "\uFFFD"

/** Stands for bytes that are not UTF-8, and is answered as they are. */
const unreadable = (bytes: Bytes.Bytes): string => BadFrame.toText(BadFrame.ofBytes("InvalidUtf8", bytes.join()))
