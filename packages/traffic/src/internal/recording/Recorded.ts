/**
 * What a recording says, one value for each of its lines. `Recorder` publishes these types; they stand here because it and
 * the lines share them.
 */
import type { Closed, Frame } from "../../Tap.ts"

/**
 * The first line of each program that has written to a file.
 *
 * @category models
 * @since 0.1.0
 */
export interface Begun {
  readonly _tag: "Begun"
  /** The version of the format: 1. A recording without this line is of version 0, and has frames alone. */
  readonly version: number
  /** Milliseconds since 1970. */
  readonly time: number
}

/** When and on which connection something has happened. @category models @since 0.1.0 */
export interface At {
  /** Milliseconds since 1970. */
  readonly time: number
  /** Counts from 1 behind each `Begun`. */
  readonly connection: number
}

/**
 * A connection, before its first frame.
 *
 * @category models
 * @since 0.1.0
 */
export interface Opened extends At, Side {
  readonly _tag: "Opened"
}

/** The other side of connections. @category models @since 0.1.0 */
export interface Side {
  /** Its wire, such as `stdio`, `tcp` or `http`. */
  readonly wire?: string | undefined
  /** Its place, without secrets. */
  readonly endpoint?: string | undefined
  /** How a stream of bytes separates its texts, such as `line` or `contentLength`. */
  readonly framing?: string | undefined
}

/** What belongs to one exchange over HTTP: a request and its answer. @category models @since 0.1.0 */
export interface Exchanged extends At {
  /** Counts from 1 behind each `Begun`. */
  readonly exchange: number
}

/**
 * The head of a request over HTTP, whose texts follow as `Sent`. Only some headers are recorded, by their names in lower
 * case; that of a session has a mark in place of its value.
 *
 * @category models
 * @since 0.1.0
 */
export interface HttpRequest extends Exchanged {
  readonly _tag: "HttpRequest"
  readonly method: string
  /** The path, without a query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * The head of an answer over HTTP, whose texts follow as `Received`.
 *
 * @category models
 * @since 0.1.0
 */
export interface HttpResponse extends Exchanged {
  readonly _tag: "HttpResponse"
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

/**
 * The end of an answer over HTTP.
 *
 * @category models
 * @since 0.1.0
 */
export interface HttpEnd extends Exchanged {
  readonly _tag: "HttpEnd"
  /** Whether the other side has ended it: it was cut off otherwise, or nobody has read on. */
  readonly isWhole: boolean
}

/**
 * An event of a stream that carries no message: it is empty, or has a name of its own.
 *
 * @category models
 * @since 0.1.0
 */
export interface HttpEvent extends Exchanged {
  readonly _tag: "HttpEvent"
  readonly data: string
  /** `message` where it is empty. */
  readonly name: string
  readonly id?: string | undefined
}

/** What a frame over HTTP has beside its text. @category models @since 0.1.0 */
export interface InExchange {
  /** The exchange that the text belongs to. */
  readonly exchange?: number | undefined
  /** The id of the event that has carried it. */
  readonly event?: string | undefined
  /** All bytes of a frame that was no UTF-8, as base64, where they are known. */
  readonly base64?: string | undefined
}

/** What an observer of a recording is given. @category models @since 0.1.0 */
export type Observed = (Frame & InExchange) | Closed | HttpRequest | HttpResponse | HttpEnd | HttpEvent

/** Whatever a line says. @category models @since 0.1.0 */
export type Recorded = Begun | Opened | Observed
