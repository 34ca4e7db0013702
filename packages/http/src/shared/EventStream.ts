/**
 * Events of a `text/event-stream`, in both directions.
 *
 * `encode` and `makeDecoder` carry each text as the data of one event, and ignore
 * everything else in a stream. Protocols that resume a stream use the functions
 * that also read and write names, ids and delays.
 *
 * ```ts run
 * import { EventStream } from "@parley/http/shared"
 *
 * const decoder = EventStream.makeDecoder(1024)
 * const bytes = new TextEncoder().encode(EventStream.encode(`{"progress":50}`))
 *
 * console.log(decoder.push(bytes.subarray(0, 10)), decoder.held() > 0) // => [] true
 * console.log(decoder.push(bytes.subarray(10))) // => [ '{"progress":50}' ]
 * ```
 *
 * @since 0.1.0
 */
import { EventParser, type Handler } from "../internal/EventParser.ts"

/** The type of a body that holds events. @category constants @since 0.1.0 */
export const contentType = "text/event-stream"

/**
 * The headers of a stream. They keep caches and proxies from storing or buffering it, and frameworks from compressing it,
 * which holds events back.
 *
 * @category constants
 * @since 0.1.0
 */
export const headers: Readonly<Record<string, string>> = {
  "content-type": contentType,
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no"
}

/** A comment, which readers ignore. It keeps a silent connection open. @category constants @since 0.1.0 */
export const keepAlive = ": keep-alive\n\n"

/**
 * The event of a text. JSON that `JSON.stringify` wrote has no line breaks; a text that has some is split into several
 * lines of data, which a reader joins again with line feeds.
 *
 * @category encoding
 * @since 0.1.0
 */
export const encode = (text: string): string =>
  lineBreak.test(text)
    ? `${text.split(lineBreak).map((line) => `data: ${line}\n`).join("")}\n`
    : `data: ${text}\n\n`

const lineBreak = /\r\n|\n|\r/

/**
 * The fields of an event beside its data. Line breaks and NUL are removed from names and ids.
 *
 * @category models
 * @since 0.1.0
 */
export interface Fields {
  /** The text of the event. */
  readonly data: string
  /** The position after this event, from which a reader may resume. */
  readonly id?: string | undefined
  /** The name of the event. The default is `message`. */
  readonly event?: string | undefined
  /** Milliseconds that a reader should wait before it connects again. */
  readonly retry?: number | undefined
}

/**
 * An event with its fields.
 *
 * @category encoding
 * @since 0.1.0
 */
export const encodeFields = ({ data, event, id, retry }: Fields): string =>
  field("event", event) + field("id", id) + field("retry", retry === undefined ? undefined : String(Math.ceil(retry))) +
  encode(data)

const field = (name: string, value: string | undefined): string =>
  value === undefined ? "" : `${name}: ${value.replace(/[\r\n\0]/g, "")}\n`

/**
 * An event that was read. Its id is that of the last event that had one.
 *
 * @category models
 * @since 0.1.0
 */
export interface Event {
  readonly _tag: "Event"
  /** The text of the event. */
  readonly data: string
  /** `message` when it has no name. */
  readonly event: string
  /** The position after this event, from which a reader may resume. */
  readonly id: string | undefined
}

/**
 * The time to wait before connecting again, as the other side asks.
 *
 * @category models
 * @since 0.1.0
 */
export interface Retry {
  readonly _tag: "Retry"
  /** The time in milliseconds. */
  readonly milliseconds: number
}

/**
 * Finds texts, or events, in the bytes of a stream.
 *
 * @category models
 * @since 0.1.0
 */
export interface Decoder<A = string> {
  /** Gives those that are complete now, or a sentence that says why nothing more should be read. */
  readonly push: (chunk: Uint8Array) => ReadonlyArray<A> | string
  /** How many bytes are kept of what is not complete. */
  readonly held: () => number
}

/**
 * A decoder that keeps at most `limit` bytes of an unfinished event.
 *
 * @category decoding
 * @since 0.1.0
 */
export const makeDecoder = (limit: number): Decoder =>
  decoderOf(limit, (found) => ({
    onEvent: (data, event) => {
      if (event === "message") found(data)
    },
    onRetry: () => {}
  }))

/**
 * As `makeDecoder`, for events with their fields and for `retry`. An event without data is not given; its id belongs to
 * the next one.
 *
 * @category decoding
 * @since 0.1.0
 */
export const makeEventDecoder = (limit: number): Decoder<Event | Retry> =>
  decoderOf(limit, (found) => ({
    onEvent: (data, event, id) => found({ _tag: "Event", id, event, data }),
    onRetry: (milliseconds) => found({ _tag: "Retry", milliseconds })
  }))

const decoderOf = <A>(limit: number, handlerOf: (found: (value: A) => void) => Handler): Decoder<A> => {
  let found: Array<A> = []
  const parser = new EventParser(limit, handlerOf((value) => found.push(value)))
  return {
    push: (chunk) => {
      const problem = parser.push(chunk)
      if (problem !== undefined) return problem
      const whole = found
      found = []
      return whole
    },
    held: () => parser.size
  }
}
