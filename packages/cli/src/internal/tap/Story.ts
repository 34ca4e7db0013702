/**
 * One entry for each message of the frames, with the method of a response and its duration. It is pure except for its
 * memory, the requests without a response.
 */
import * as Batch from "@parley/protocol/Batch"
import * as Dialect from "@parley/protocol/Dialect"
import * as Limits from "@parley/protocol/Limits"
import { RequestId, Splice } from "@parley/protocol/shared"
import type { Observed } from "@parley/traffic/Recorder"
import type { Closed, Frame } from "@parley/traffic/Tap"
import * as Result from "effect/Result"

/** Something of HTTP that is no message: a line about it, and the status of the answer. */
export interface HttpNote {
  readonly _tag: "Http"
  readonly text: string
  readonly status: number
}

/** What a recording has, or a line about something of HTTP. */
export type Seen = Observed | (Pick<Frame, "time" | "connection"> & HttpNote)

/** What has passed over HTTP, without its time and place. */
export type Passed = Without<Exclude<Seen, Closed>>

/** Each member of a union without these. */
type Without<A> = A extends Seen ? Omit<A, "time" | "connection" | "exchange"> : never

/** One message, or something that is none. */
export interface Entry {
  /** Milliseconds since 1970. */
  readonly time: number
  readonly connection: number
  /** `sent` is to the endpoint. */
  readonly direction: "sent" | "received"
  readonly kind: "request" | "notification" | "result" | "error" | "invalid" | "http" | "end"
  /** Its place in a batch, from 0. */
  readonly member?: number
  /** For a response the method of its request, where that was seen. */
  readonly method?: string
  readonly id?: RequestId.RequestId
  /** Between a request and its response. */
  readonly milliseconds?: number
  readonly error?: { readonly code: number; readonly message: string }
  /** The status of an answer over HTTP, for what is no message. */
  readonly status?: number
  /** The problem of a text, or the cause of an end. */
  readonly problem?: string
  readonly bytes: number
  readonly text: string
}

/** How many requests are remembered, and how many characters of them. */
type Most = Pick<Limits.Limits, "waiting" | "windowBytes">

/** A request that waits for its response. */
interface Waiting {
  readonly method: string
  readonly time: number
}

export class Story {
  /** By connection, direction and id. Beyond the most, the oldest is forgotten. */
  readonly #waiting = new Map<string, Waiting>()
  readonly #most: Most
  /** Characters of their keys and methods. */
  #size = 0

  readonly #dialect: Dialect.Dialect

  constructor({ waiting, windowBytes }: Most = Limits.defaults, dialect: Dialect.Dialect = Dialect.jsonRpc) {
    this.#dialect = dialect
    this.#most = { waiting, windowBytes }
  }

  /** How many requests it remembers, and how many characters of them. */
  get remembered() {
    return { requests: this.#waiting.size, size: this.#size }
  }

  /** The entries of a frame. */
  tell(frame: Seen): ReadonlyArray<Entry> {
    const { connection, time } = frame
    switch (frame._tag) {
      case "Sent":
      case "Received":
        return this.#messages(
          { time, connection, direction: frame._tag === "Sent" ? "sent" : "received" },
          frame.text
        )
      case "Bad": {
        const { excerpt, reason } = frame.frame
        return [{ time, connection, direction: "received", kind: "invalid", problem: reason, bytes: 0, text: excerpt }]
      }
      case "Http": {
        const { status, text } = frame
        return [{ time, connection, direction: "received", kind: "http", status, bytes: 0, text }]
      }
      // Lines about HTTP say what of this people want to see.
      case "HttpRequest":
      case "HttpResponse":
      case "HttpEvent":
      case "HttpEnd":
      case "Closed":
        return []
      case "Unsent":
      case "Ended":
        return [{
          time,
          connection,
          direction: frame._tag === "Ended" ? "received" : "sent",
          kind: "end",
          problem: frame.error.message,
          bytes: 0,
          text: ""
        }]
    }
  }

  #messages(head: Pick<Entry, "time" | "connection" | "direction">, text: string): ReadonlyArray<Entry> {
    const batch = Batch.decode(text, this.#dialect)
    if (!Batch.isMembers(batch)) return [{ ...head, ...this.#facts(head, batch), ...sized(text) }]
    const parts = Splice.parts(text)
    return batch.map((decoded, member) => ({
      ...head,
      ...this.#facts(head, decoded),
      member,
      ...sized(parts[member] ?? "")
    }))
  }

  #facts(head: Pick<Entry, "time" | "connection" | "direction">, decoded: Batch.Decoded): Facts {
    if (Result.isFailure(decoded)) {
      const { _tag, rule } = decoded.failure
      return { kind: "invalid", problem: _tag === "ParseError" ? "no JSON" : rule }
    }
    const message = decoded.success
    switch (message._tag) {
      case "Notification":
        return { kind: "notification", method: message.method }
      case "Request":
        this.#remember(`${head.connection} ${head.direction} ${RequestId.keyOf(message.id)}`, {
          method: message.method,
          time: head.time
        })
        return { kind: "request", method: message.method, id: message.id }
      case "Success":
        return { kind: "result", id: message.id, ...this.#answered(head, message.id) }
      case "Failure": {
        const { code, message: words } = message.error
        return { kind: "error", id: message.id, error: { code, message: words }, ...this.#answered(head, message.id) }
      }
    }
  }

  #remember(key: string, waiting: Waiting) {
    this.#forget(key)
    this.#waiting.set(key, waiting)
    this.#size += key.length + waiting.method.length
    for (const oldest of this.#waiting.keys()) {
      if (this.#waiting.size <= this.#most.waiting && this.#size <= this.#most.windowBytes) return
      this.#forget(oldest)
    }
  }

  #forget(key: string): Waiting | undefined {
    const waiting = this.#waiting.get(key)
    if (waiting === undefined) return undefined
    this.#waiting.delete(key)
    this.#size -= key.length + waiting.method.length
    return waiting
  }

  #answered(
    { connection, direction, time }: Pick<Entry, "time" | "connection" | "direction">,
    id: RequestId.RequestId
  ) {
    const key = `${connection} ${direction === "sent" ? "received" : "sent"} ${RequestId.keyOf(id)}`
    const waiting = this.#forget(key)
    return waiting === undefined ? {} : { method: waiting.method, milliseconds: time - waiting.time }
  }
}

type Facts = Pick<Entry, "kind" | "method" | "id" | "milliseconds" | "error" | "problem">

const sized = (text: string) => ({ bytes: Buffer.byteLength(text), text })
