/**
 * The rules by which a server takes a request, as values: a POST of JSON, and
 * what else its protocol has methods for.
 *
 * Hosts own the wire: they give the head of a request, then its bytes. One `Desk`
 * is shared by all requests of a host, so that it can bound them together. A
 * request is refused by its status, with a sentence for people; an endpoint says
 * how the others are answered.
 *
 * What runs holds a place among the requests at once. An answer that goes on for
 * as long as its client likes would hold one for ever, so it changes that for one
 * among the streams at once, of which there are as many.
 *
 * @since 0.1.0
 */
import * as Limits from "@parley/protocol/Limits"
import * as Access from "@parley/transport/Access"
import { Bytes } from "./internal/Bytes.ts"
import * as MediaType from "./MediaType.ts"

/**
 * What a host may be given.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /**
   * Which hosts and origins may call. The defaults of `Access` for loopback hold where the caller's address is loopback
   * or not known, and the others elsewhere.
   */
  readonly access?: Access.Options | undefined
  /**
   * `frame` bounds a body, `partialFrame` how long it may take to come, `connections` the requests at once and, beside
   * them, the streams that `stay`, `budget` the bytes of all bodies that wait for their answer.
   */
  readonly limits?: Partial<Limits.Limits> | undefined
  /** The methods that are taken: POST alone by default. POST, PUT and PATCH hold JSON; the others have no body. */
  readonly methods?: ReadonlyArray<string> | undefined
}

/**
 * What is known of a request before its body is read.
 *
 * @category models
 * @since 0.1.0
 */
export interface Head {
  readonly method: string
  /** The path and the query, as they came. */
  readonly url: string
  /** A header by its name in lower case, `undefined` where there is none. One that came more than once is joined. */
  readonly header: (name: string) => string | undefined
  /** The address of who calls, where it is known. */
  readonly address: string | undefined
}

/**
 * Why a request is refused.
 *
 * @category models
 * @since 0.1.0
 */
export class Refusal {
  readonly status: number
  /** A sentence for people, to be sent as `text/plain`. */
  readonly text: string
  /** Headers beside those of the text. */
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, text: string, headers: Readonly<Record<string, string>> = {}) {
    this.status = status
    this.text = text
    this.headers = headers
  }
}

const foreignHost = new Refusal(403, "This server is not called by that name.")
const foreignOrigin = new Refusal(403, "Pages from there may not call this server.")
const noBody = new Refusal(400, "A request of this method has no body.")
const noJson = new Refusal(415, "A message is application/json.")
const noUtf8 = new Refusal(415, "A message is UTF-8.")
const encoded = new Refusal(415, "A message is not compressed.")
const tooLarge = new Refusal(413, "The message is too large.")
const tooMany = new Refusal(503, "Too much is going on; try again.", { "retry-after": "1" })

/** The server takes no more. @category refusals @since 0.1.0 */
export const shuttingDown: Refusal = new Refusal(503, "Shutting down.", { connection: "close", "retry-after": "1" })

/** The body broke off. @category refusals @since 0.1.0 */
export const broken: Refusal = new Refusal(400, "The message is not complete.", { connection: "close" })

/** The body did not come in time. @category refusals @since 0.1.0 */
export const tooSlow: Refusal = new Refusal(408, "The message took too long.", { connection: "close" })

/**
 * The bytes of one request, and its place among those at once.
 *
 * @category models
 * @since 0.1.0
 */
export interface Visit {
  /** Takes bytes of the body. Where it refuses nothing more should be read. */
  readonly push: (chunk: Uint8Array) => Refusal | undefined
  /** The text of the body. Where that is no UTF-8, one that is no JSON either, so that it is answered with -32700. */
  readonly text: () => string
  /**
   * Changes the place for one among the streams at once, and gives back what the body held. Refuses where there are too
   * many; then the place is as it was.
   */
  readonly stay: () => Refusal | undefined
  /** Gives the place back; once, however the request ends. */
  readonly leave: () => void
}

/**
 * What all requests of one host share.
 *
 * @category models
 * @since 0.1.0
 */
export interface Desk {
  readonly limits: Limits.Limits
  /** Looks at the head of a request. What is not refused has to `leave`. */
  readonly admit: (head: Head) => Visit | Refusal
}

/**
 * The desk of a host.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: Options = {}): Desk => {
  const limits = Limits.make(options.limits)
  const access = options.access ?? {}
  const nearby = Access.make(access, true)
  const anywhere = Access.make(access, false)
  const methods = options.methods ?? ["POST"]
  const notAllowed = new Refusal(405, `This takes ${methods.join(", ")}.`, { allow: methods.join(", ") })
  const load: Load = { visits: 0, streams: 0, bytes: 0 }

  const refusalOf = (head: Head): Refusal | undefined => {
    if (!methods.includes(head.method)) return notAllowed
    const isNearby = head.address === undefined || Access.isLoopback(head.address)
    const named = { host: head.header("host"), origin: head.header("origin") }
    const refused = (isNearby ? nearby : anywhere)(named)
    if (refused !== undefined) return refused === "Host" ? foreignHost : foreignOrigin
    const body = holding.has(head.method) ? refusalOfBody(head, limits.frame) : undefined
    return body ?? (load.visits >= limits.connections || load.bytes >= limits.budget ? tooMany : undefined)
  }

  return {
    limits,
    admit: (head) => refusalOf(head) ?? new Body(limits, load, holding.has(head.method))
  }
}

/** The methods whose requests hold something. */
const holding: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"])

const refusalOfBody = (head: Head, frame: number): Refusal | undefined => {
  const contentType = head.header("content-type") ?? ""
  const contentLength = head.header("content-length")
  if (!MediaType.isJson(contentType)) return noJson
  if (!MediaType.isUtf8(contentType)) return noUtf8
  if ((head.header("content-encoding") ?? "identity") !== "identity") return encoded
  return contentLength !== undefined && Number(contentLength) > frame ? tooLarge : undefined
}

interface Load {
  visits: number
  streams: number
  bytes: number
}

class Body implements Visit {
  readonly #limits: Limits.Limits
  readonly #load: Load
  readonly #hasBody: boolean
  readonly #bytes = new Bytes()
  #place: "visits" | "streams" | undefined = "visits"

  constructor(limits: Limits.Limits, load: Load, hasBody: boolean) {
    this.#limits = limits
    this.#load = load
    this.#hasBody = hasBody
    load.visits++
  }

  push(chunk: Uint8Array): Refusal | undefined {
    if (!this.#hasBody) return chunk.length === 0 ? undefined : noBody
    if (this.#bytes.size + chunk.length > this.#limits.frame) return tooLarge
    if (this.#load.bytes >= this.#limits.budget) return tooMany
    this.#load.bytes += chunk.length
    this.#bytes.add(chunk)
    return undefined
  }

  text(): string {
    return this.#bytes.text() ?? noText
  }

  stay(): Refusal | undefined {
    if (this.#place !== "visits") return undefined
    if (this.#load.streams >= this.#limits.connections) return tooMany
    this.leave()
    this.#place = "streams"
    this.#load.streams++
    return undefined
  }

  leave() {
    if (this.#place === undefined) return
    if (this.#place === "visits") this.#load.bytes -= this.#bytes.size
    this.#load[this.#place]--
    this.#place = undefined
  }
}

/** A replacement character is no JSON. */
const noText = "\uFFFD"
