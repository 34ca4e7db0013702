/**
 * The rules by which a server takes a POST and answers it, as values.
 *
 * Hosts own the wire: they give the head of a request, then its bytes, and write
 * what comes back. One `Desk` is shared by all requests of a host, so that it can
 * bound them together.
 *
 * A request is refused by its status, with a sentence for people. Whatever gets
 * through is answered by JSON-RPC with status 200, errors included, or with 204
 * where there is nothing to answer.
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
   * `frame` bounds a body, `partialFrame` how long it may take to come, `connections` the requests at once, `budget`
   * the bytes of all bodies that wait for their answer.
   */
  readonly limits?: Partial<Limits.Limits> | undefined
}

/**
 * What is looked at before the body is read: values of headers, `undefined` where there are none.
 *
 * @category models
 * @since 0.1.0
 */
export interface Head extends Access.Headers {
  readonly method: string
  readonly contentType: string | undefined
  readonly contentLength: string | undefined
  readonly contentEncoding: string | undefined
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

const notPost = new Refusal(405, "A message is sent by POST.", { allow: "POST" })
const foreignHost = new Refusal(403, "This server is not called by that name.")
const foreignOrigin = new Refusal(403, "Pages from there may not call this server.")
const noJson = new Refusal(415, "A message is application/json.")
const noUtf8 = new Refusal(415, "A message is UTF-8.")
const encoded = new Refusal(415, "A message is not compressed.")
const tooLarge = new Refusal(413, "The message is too large.")
const tooMany = new Refusal(503, "Too much is going on; try again.", { "retry-after": "1" })

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
  const load: Load = { visits: 0, bytes: 0 }

  const refusalOf = (head: Head): Refusal | undefined => {
    if (head.method !== "POST") return notPost
    const isNearby = head.address === undefined || Access.isLoopback(head.address)
    const refused = (isNearby ? nearby : anywhere)(head)
    if (refused !== undefined) return refused === "Host" ? foreignHost : foreignOrigin
    const { contentEncoding = "identity", contentLength, contentType = "" } = head
    if (!MediaType.isJson(contentType)) return noJson
    if (!MediaType.isUtf8(contentType)) return noUtf8
    if (contentEncoding !== "identity") return encoded
    if (contentLength !== undefined && Number(contentLength) > limits.frame) return tooLarge
    return load.visits >= limits.connections || load.bytes >= limits.budget ? tooMany : undefined
  }

  return {
    limits,
    admit: (head) => refusalOf(head) ?? new Body(limits, load)
  }
}

interface Load {
  visits: number
  bytes: number
}

class Body implements Visit {
  readonly #limits: Limits.Limits
  readonly #load: Load
  readonly #bytes = new Bytes()
  #isHere = true

  constructor(limits: Limits.Limits, load: Load) {
    this.#limits = limits
    this.#load = load
    load.visits++
  }

  push(chunk: Uint8Array): Refusal | undefined {
    if (this.#bytes.size + chunk.length > this.#limits.frame) return tooLarge
    if (this.#load.bytes >= this.#limits.budget) return tooMany
    this.#load.bytes += chunk.length
    this.#bytes.add(chunk)
    return undefined
  }

  text(): string {
    return this.#bytes.text() ?? noText
  }

  leave() {
    if (!this.#isHere) return
    this.#isHere = false
    this.#load.visits--
    this.#load.bytes -= this.#bytes.size
  }
}

/** A replacement character is no JSON. */
const noText = "\uFFFD"
