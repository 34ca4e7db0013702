/**
 * Texts as the events of a `text/event-stream`, in both directions.
 *
 * Each text is the data of one event without a name. What else such a stream may
 * hold, comments, events of other names, ids and delays, is passed over.
 *
 * @since 0.1.0
 */
import * as Sse from "effect/encoding/Sse"

/** The type of a body that holds events. @category constants @since 0.1.0 */
export const contentType = "text/event-stream"

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
 * Finds the texts in the bytes of a stream.
 *
 * @category models
 * @since 0.1.0
 */
export interface Decoder {
  /** Gives the texts that are whole now, or why nothing more should be read, in words. */
  readonly push: (chunk: Uint8Array) => ReadonlyArray<string> | string
}

/**
 * A decoder that keeps at most `limit` characters of an event that is not whole, and one chunk.
 *
 * @category decoding
 * @since 0.1.0
 */
export const makeDecoder = (limit: number): Decoder => {
  const characters = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  let texts: Array<string> = []
  const parser = Sse.makeParser((event) => {
    if (event._tag === "Event" && event.event === "message") texts.push(event.data)
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
      const whole = texts
      texts = []
      return whole
    }
  }
}
