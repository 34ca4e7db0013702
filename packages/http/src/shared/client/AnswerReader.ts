/**
 * Reads the answer to a POST as texts: a body of JSON, a stream of events, or a
 * status without a text.
 *
 * Pure: the host gives the head, then the bytes, then the end. It keeps at most
 * `Limits.frame` bytes, and all that share a budget together at most the budget.
 *
 * ```ts run
 * import { AnswerReader } from "@parley/http/shared/client"
 * import { Result } from "effect"
 *
 * const head = { status: 200, contentType: "application/json", contentLength: undefined }
 * const reader = Result.getOrThrow(AnswerReader.make(head, 1024 * 1024))
 *
 * reader.push(new TextEncoder().encode(`{"jsonrpc":"2.0",`))
 * reader.push(new TextEncoder().encode(`"id":1,"result":3}`))
 * console.log(reader.end().text) // => {"jsonrpc":"2.0","id":1,"result":3}
 * reader.close()
 * ```
 *
 * @since 0.1.0
 */
import { HttpStatusError } from "@parley/peer/Caller"
import { Exchange } from "@parley/peer/shared"
import { Bytes, Excerpt } from "@parley/protocol/shared"
import type { Budget } from "@parley/transport/shared"
import type * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { placeOf } from "../../internal/place.ts"
import { type Room, roomOf } from "../../internal/Reserve.ts"
import * as EventStream from "../EventStream.ts"
import * as MediaType from "../MediaType.ts"

/**
 * The status of an answer and the headers that matter, `undefined` when they are missing.
 *
 * @category models
 * @since 0.1.0
 */
export interface AnswerHead {
  /** The status, such as 200. */
  readonly status: number
  /** The header `content-type`. */
  readonly contentType: string | undefined
  /** The header `content-length`. */
  readonly contentLength: string | undefined
  /** The encoding of the bytes that are given. Leave it out when they are decoded already. */
  readonly contentEncoding?: string | undefined
  /** A header by its name in lower case, for the error that a status becomes. */
  readonly header?: ((name: string) => string | undefined) | undefined
}

/**
 * The end of an answer: perhaps a last text, and how the exchange ended.
 *
 * @category models
 * @since 0.1.0
 */
export interface Last {
  /** The last text, if there is one. */
  readonly text: string | undefined
  /** How the exchange ended. */
  readonly ending: Result.Result<Exchange.Ending, Exchange.ExchangeError>
}

/**
 * Reads one answer.
 *
 * @category models
 * @since 0.1.0
 */
export interface AnswerReader {
  /** Takes bytes, and gives the texts that are complete now. After a failure the host should read nothing more. */
  readonly push: (chunk: Uint8Array) => Result.Result<ReadonlyArray<string>, Exchange.ExchangeError>
  /**
   * Waits until more should be read, because other answers hold the budget; `undefined` where it should be read at
   * once. To be asked after each `push`.
   */
  readonly room: () => Effect.Effect<void> | undefined
  /** There are no more bytes. */
  readonly end: () => Last
  /** Gives back what it holds. The host calls it however the answer ends. */
  readonly close: () => void
}

/**
 * A reader for an answer with this head. Fails when the body should not be read. A body that is no stream of events
 * must have a type of JSON, unless any will do. Of answers with the same budget no more are read at once than fit into
 * it. An answer with a share never waits: it takes what it holds, and who made the share ends it where it is evicted.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  head: AnswerHead,
  frame: number,
  options: {
    /** The types that a body may have: those of JSON by default. */
    readonly mediaTypes?: "json" | "any" | undefined
    /** The budget of all answers that are read at the same time. */
    readonly budget?: Budget.Budget | undefined
    /** The share of this answer, where its client keeps bytes that are not read. */
    readonly share?: Budget.Share | undefined
  } = {}
): Result.Result<AnswerReader, Exchange.BadAnswer> => {
  const { mediaTypes } = options
  const { contentEncoding, contentLength, contentType = "", status } = head
  const room = roomOf(options, frame, Number(contentLength))
  if (contentEncoding !== undefined && contentEncoding !== "identity") {
    return bad(`the answer has the content encoding ${Excerpt.line(contentEncoding)}, which was not asked for`)
  }
  const isJson = mediaTypes === "any" || MediaType.isJson(contentType)
  if (status < 200 || status > 299) return Result.succeed(new Refused(head, isJson, frame, room))
  if (MediaType.essenceOf(contentType) === EventStream.contentType) return Result.succeed(new Events(frame, room))
  if (contentLength !== undefined && Number(contentLength) > frame) return bad(tooLarge(frame))
  return Result.succeed(isJson ? new Json(head, frame, room) : new Other(contentType))
}

/** The answer holds no text. It begins with these bytes, where some of it was read. */
const bad = (rule: string, bytes?: Uint8Array): Result.Result<never, Exchange.BadAnswer> =>
  Result.fail(bytes === undefined ? new Exchange.BadAnswer({ rule }) : Exchange.BadAnswer.ofBytes(rule, bytes))

const tooLarge = (frame: number) => `the answer is larger than the limit \`frame\` of ${frame} bytes`

const nothing: Result.Result<ReadonlyArray<string>> = Result.succeed([])

const answered: Last = { text: undefined, ending: Result.succeed("answer") }

const streamed: Last = { text: undefined, ending: Result.succeed("stream") }

/** The part that all readers have in common. */
abstract class Reader implements AnswerReader {
  readonly #room: Room | undefined

  constructor(room: Room | undefined) {
    this.#room = room
  }

  abstract push(chunk: Uint8Array): Result.Result<ReadonlyArray<string>, Exchange.ExchangeError>
  abstract end(): Last
  /** How many bytes it keeps. */
  protected abstract held(): number

  room(): Effect.Effect<void> | undefined {
    return this.#room?.wait(this.held())
  }

  close() {
    this.#room?.leave()
  }
}

/** A body that is one text, if there is more than blanks in it. */
class Json extends Reader {
  readonly #frame: number
  readonly #bytes: Bytes.Bytes

  constructor({ contentLength }: AnswerHead, frame: number, room: Room | undefined) {
    super(room)
    this.#frame = frame
    this.#bytes = new Bytes.Bytes(Number(contentLength))
  }

  push(chunk: Uint8Array) {
    this.#bytes.add(chunk)
    return this.#bytes.size > this.#frame ? bad(tooLarge(this.#frame), begin(this.#bytes)) : nothing
  }

  protected override held() {
    return this.#bytes.size
  }

  end(): Last {
    if (this.#bytes.size === 0) return answered
    const text = this.#bytes.text()
    if (text !== undefined && !/[^ \t\r\n]/.test(text)) return answered
    return { text, ending: text === undefined ? bad("the answer is not UTF-8", begin(this.#bytes)) : answered.ending }
  }
}

class Events extends Reader {
  readonly #decoder: EventStream.Decoder

  constructor(frame: number, room: Room | undefined) {
    super(room)
    this.#decoder = EventStream.makeDecoder(frame)
  }

  push(chunk: Uint8Array) {
    const texts = this.#decoder.push(chunk)
    return typeof texts === "string" ? bad(texts) : Result.succeed(texts)
  }

  protected override held() {
    return this.#decoder.held()
  }

  end() {
    return streamed
  }
}

/** A body of another type must be empty. */
class Other extends Reader {
  readonly #contentType: string

  constructor(contentType: string) {
    super(undefined)
    this.#contentType = contentType
  }

  push(chunk: Uint8Array) {
    if (chunk.length === 0) return nothing
    return bad(
      this.#contentType === ""
        ? "the answer has no content type"
        : `the content type of the answer is ${Excerpt.line(this.#contentType)}, not JSON`,
      chunk
    )
  }

  protected override held() {
    return 0
  }

  end() {
    return answered
  }
}

/** An answer with a status outside of 2xx. Some servers send the response of a failed call this way. */
class Refused extends Reader {
  readonly #status: number
  readonly #header: AnswerHead["header"]
  readonly #isJson: boolean
  readonly #frame: number
  readonly #bytes: Bytes.Bytes

  constructor({ contentLength, header, status }: AnswerHead, isJson: boolean, frame: number, room: Room | undefined) {
    super(room)
    this.#status = status
    this.#header = header
    this.#isJson = isJson
    this.#frame = frame
    this.#bytes = new Bytes.Bytes(Number(contentLength))
  }

  push(chunk: Uint8Array) {
    this.#bytes.add(chunk)
    return this.#bytes.size > (this.#isJson ? this.#frame : excerptBytes) ? this.#failure() : nothing
  }

  protected override held() {
    return this.#bytes.size
  }

  end(): Last {
    // Bytes that are no UTF-8 hold no response, whatever could be read in place of them.
    const text = this.#isJson && this.#bytes.size > 0 ? this.#bytes.text() : undefined
    return { text, ending: this.#failure() }
  }

  #failure(): Result.Result<never, HttpStatusError> {
    const excerpt = lenient.decode(begin(this.#bytes))
    return Result.fail(refusal(this.#status, excerpt, this.#header))
  }
}

/**
 * The error that a status outside of 2xx becomes: with the beginning of the body, and the headers that say what to do.
 *
 * @category constructors
 * @since 0.1.0
 */
export const refusal = (
  status: number,
  excerpt: string,
  header: (name: string) => string | undefined = () => undefined
): HttpStatusError => {
  const headers = Object.fromEntries(
    telling.flatMap((name) => {
      const value = header(name)
      return value === undefined ? [] : [[name, name === "location" ? withoutSecrets(value) : value]]
    })
  )
  return new HttpStatusError({ status, excerpt, ...(Object.keys(headers).length > 0 && { headers }) })
}

/** They say who may come, when to come back, and where to go instead. */
const telling = ["www-authenticate", "retry-after", "location"] as const

const withoutSecrets = (location: string): string => placeOf(location) ?? location.replace(/[?#].*/, "")

/** Bytes of a body that an error shows. */
const excerptBytes = 1_024

const begin = (bytes: Bytes.Bytes): Uint8Array => bytes.join(Math.min(bytes.size, excerptBytes))

const lenient = new TextDecoder()
