/**
 * Events of a `text/event-stream`, in both directions.
 *
 * `encode` and `makeDecoder` carry each text as the data of one event, and ignore
 * everything else in a stream. Protocols that resume a stream use the functions
 * that also read and write names, ids and delays.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Sse from "effect/encoding/Sse"

/** The type of a body that holds events. @category constants @since 0.1.0 */
export const contentType = "text/event-stream"

/** The headers of a stream. They keep caches and proxies from storing or buffering it. @category constants @since 0.1.0 */
export const headers: Readonly<Record<string, string>> = {
  "content-type": contentType,
  "cache-control": "no-cache",
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
  readonly data: string
  /** `message` when it has no name. */
  readonly event: string
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
}

/**
 * A decoder that keeps at most `limit` characters of an unfinished event, and one chunk.
 *
 * @category decoding
 * @since 0.1.0
 */
export const makeDecoder = (limit: number): Decoder =>
  decoderOf(limit, (event) => event._tag === "Event" && event.event === "message" ? event.data : undefined)

/**
 * As `makeDecoder`, for events with their fields and for `retry`. An event without data is not given; its id belongs to
 * the next one.
 *
 * @category decoding
 * @since 0.1.0
 */
export const makeEventDecoder = (limit: number): Decoder<Event | Retry> =>
  decoderOf(
    limit,
    (event) => event._tag === "Event" ? event : { _tag: "Retry", milliseconds: Duration.toMillis(event.duration) }
  )

const decoderOf = <A>(limit: number, select: (event: Sse.AnyEvent) => A | undefined): Decoder<A> => {
  const characters = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  let found: Array<A> = []
  const parser = Sse.makeParser((event) => {
    const selected = select(event)
    if (selected !== undefined) found.push(selected)
  }, { maxEventSize: limit })
  return {
    push: (chunk) => {
      let text: string
      try {
        text = characters.decode(chunk, { stream: true })
      } catch {
        return "the event stream is no UTF-8"
      }
      if (parser.feed(text) !== undefined) return `an event is larger than ${limit}`
      const whole = found
      found = []
      return whole
    }
  }
}
