/** The lines of a recording, in both directions. */
import * as Transport from "@parley/transport/Transport"
import * as DateTime from "effect/DateTime"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { At, InExchange, Recorded } from "./Recorded.ts"

/** The line of something that has happened, without a line break. */
export const toLine = (one: Recorded): string => {
  if (one._tag === "Begun") return JSON.stringify({ recording: one.version, time: timeOf(one) })
  const head = {
    time: timeOf(one),
    connection: one.connection,
    ...("exchange" in one && one.exchange !== undefined && { exchange: one.exchange })
  }
  const sent = { ...head, direction: "sent" }
  const received = { ...head, direction: "received" }
  switch (one._tag) {
    case "Opened": {
      const { endpoint, framing, wire } = one
      return JSON.stringify({ ...head, opened: { wire, framing, endpoint } })
    }
    case "Sent":
      return JSON.stringify({ ...sent, text: one.text })
    case "Received":
      return JSON.stringify({ ...received, ...(one.event !== undefined && { event: one.event }), text: one.text })
    case "Bad": {
      const { _tag, ...bad } = one.frame
      return JSON.stringify({ ...received, bad, ...(one.base64 !== undefined && { base64: one.base64 }) })
    }
    case "Unsent":
      return JSON.stringify({ ...sent, unsent: { count: one.count, reason: reasonOf(one.error) } })
    case "Ended":
      return JSON.stringify({ ...received, ended: reasonOf(one.error) })
    case "Closed":
      return JSON.stringify({ ...sent, closed: true })
    case "HttpRequest": {
      const { headers, method, path } = one
      return JSON.stringify({ ...sent, http: { method, path, headers } })
    }
    case "HttpResponse": {
      const { headers, status } = one
      return JSON.stringify({ ...received, http: { status, headers } })
    }
    case "HttpEnd":
      return JSON.stringify({ ...received, http: { isWhole: one.isWhole } })
    case "HttpEvent": {
      const { data, id, name } = one
      return JSON.stringify({ ...received, http: { event: name, id, data } })
    }
  }
}

/** What a line says. */
export const fromLine = (line: string): Result.Result<Recorded, Schema.SchemaError> =>
  Result.map(decode(line), (read): Recorded => {
    const time = DateTime.toEpochMillis(read.time)
    if ("recording" in read) return { _tag: "Begun", version: read.recording, time }
    const at: At = { time, connection: read.connection }
    if ("opened" in read) return { ...at, _tag: "Opened", ...read.opened }
    if ("closed" in read) return { ...at, _tag: "Closed" }
    if ("http" in read) return httpOf(read.http, { ...at, exchange: read.exchange })
    const within: InExchange = read.exchange === undefined ? {} : { exchange: read.exchange }
    const head = { ...at, ...within }
    if ("text" in read) {
      if (read.direction === "sent") return { ...head, _tag: "Sent", text: read.text }
      return { ...head, _tag: "Received", ...(read.event !== undefined && { event: read.event }), text: read.text }
    }
    if ("bad" in read) {
      const { base64 } = read
      return {
        ...head,
        _tag: "Bad",
        frame: { _tag: "BadFrame", ...read.bad },
        ...(base64 !== undefined && { base64 })
      }
    }
    if ("ended" in read) return { ...head, _tag: "Ended", error: Transport.transportError(read.ended) }
    const { count, reason } = read.unsent
    return { ...head, _tag: "Unsent", count, error: Transport.transportError(reason) }
  })

type Http = typeof Http.Type

const httpOf = (http: Http, head: At & { readonly exchange: number }): Recorded => {
  if ("method" in http) return { ...head, _tag: "HttpRequest", ...http }
  if ("status" in http) return { ...head, _tag: "HttpResponse", ...http }
  if ("isWhole" in http) return { ...head, _tag: "HttpEnd", ...http }
  const { event, ...rest } = http
  return { ...head, _tag: "HttpEvent", name: event, ...rest }
}

const timeOf = ({ time }: { readonly time: number }): string => DateTime.formatIso(DateTime.makeUnsafe(time))

const time = Schema.DateTimeUtcFromString

const Headers = Schema.Record(Schema.String, Schema.String)

const Http = Schema.Union([
  Schema.Struct({ method: Schema.String, path: Schema.String, headers: Headers }),
  Schema.Struct({ status: Schema.Int, headers: Headers }),
  Schema.Struct({ isWhole: Schema.Boolean }),
  Schema.Struct({ event: Schema.String, id: Schema.optionalKey(Schema.String), data: Schema.String })
])

const members = { time, connection: Schema.Int }

const within = { ...members, exchange: Schema.optionalKey(Schema.Int) }

const received = Schema.Literal("received")
const sent = Schema.Literal("sent")

/** Members that are not known are ignored: a later version may have more of them. */
const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Union([
  Schema.Struct({ ...within, direction: sent, text: Schema.String }),
  Schema.Struct({ ...within, direction: received, text: Schema.String, event: Schema.optionalKey(Schema.String) }),
  Schema.Struct({
    ...within,
    direction: received,
    bad: Schema.Struct({
      reason: Schema.Literals(["TooLarge", "InvalidUtf8", "NotText", "OtherFraming"]),
      excerpt: Schema.String,
      kind: Schema.optionalKey(Schema.Literals(["request", "notification", "response"])),
      firstKind: Schema.optionalKey(Schema.Literals(["request", "notification", "response"])),
      id: Schema.optionalKey(Schema.String)
    }),
    base64: Schema.optionalKey(Schema.String)
  }),
  Schema.Struct({
    ...within,
    direction: sent,
    unsent: Schema.Struct({ count: Schema.Int, reason: Transport.TransportReason })
  }),
  Schema.Struct({ ...within, direction: received, ended: Transport.TransportReason }),
  Schema.Struct({ ...members, direction: sent, closed: Schema.Literal(true) }),
  Schema.Struct({ ...members, exchange: Schema.Int, http: Http }),
  Schema.Struct({
    ...members,
    opened: Schema.Struct({
      wire: Schema.optionalKey(Schema.String),
      framing: Schema.optionalKey(Schema.String),
      endpoint: Schema.optionalKey(Schema.String)
    })
  }),
  Schema.Struct({ recording: Schema.Int, time })
])))

const encodeReason = Schema.encodeResult(Transport.TransportReason)

/** A cause may be any value. If it cannot be encoded, the message of the error stands for it. */
const reasonOf = ({ message, reason }: Transport.TransportError) =>
  Result.getOrElse(encodeReason(reason), () => ({ _tag: "Lost", cause: { message } }))
