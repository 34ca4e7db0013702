/**
 * The W3C trace context (https://www.w3.org/TR/trace-context/) as members of a JSON object, and with it the W3C baggage
 * (https://www.w3.org/TR/baggage/) that came along.
 */
import type { TraceContext } from "@parley/protocol/Dialect"
import { JsonObject } from "@parley/protocol/shared"
import type * as Handshake from "@parley/transport/Handshake"
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as Tracer from "effect/Tracer"

/** Data that comes along with a trace. It stays with the span that came from outside, for the spans below it. */
interface Companions {
  /** The state that vendors keep. */
  readonly tracestate?: string
  /** The data of an application for everybody below. */
  readonly baggage?: string
}

const Companions = Context.Reference<Companions>("@parley/middleware/internal/TraceContext/Companions", {
  defaultValue: () => ({})
})

/**
 * Reads the span that a message names, if it is valid. `json` is the message, or its params, as the place says.
 *
 * @category spans
 * @since 0.1.0
 */
export const read = ({ path }: TraceContext, json: Schema.Json | undefined): Tracer.ExternalSpan | undefined => {
  const members = path.reduce<Schema.Json | undefined>(JsonObject.member, json)
  return spanIn((name) => JsonObject.member(members, name))
}

/**
 * Reads the span that the headers of a POST name, for a message that names none itself. `undefined` where the span that is
 * open here is of the same trace: then it is one of the host, which has read the headers already.
 *
 * @category spans
 * @since 0.1.0
 */
export const readHead = (
  head: Handshake.Head | undefined,
  ambient: Tracer.AnySpan | undefined
): Tracer.ExternalSpan | undefined => {
  // The head of a connection, such as that of a WebSocket, is older than the calls that come over it.
  const span = head?.method === "POST" ? spanIn(head.header) : undefined
  return span?.traceId === ambient?.traceId ? undefined : span
}

const spanIn = (member: (name: string) => unknown): Tracer.ExternalSpan | undefined => {
  const traceparent = member("traceparent")
  const parsed = typeof traceparent === "string" ? parse(traceparent) : undefined
  if (parsed === undefined) return undefined
  return Tracer.externalSpan({ ...parsed, annotations: Context.make(Companions, companionsIn(member)) })
}

/**
 * Writes the trace context of a span into `json`, which stays as it is where there is no place for one.
 *
 * @category spans
 * @since 0.1.0
 */
export const write = (
  { path }: TraceContext,
  json: Schema.JsonObject | undefined,
  span: Tracer.Span
): Schema.JsonObject | undefined => {
  // Spans that must not travel have other ids, or zeros.
  if (!traceIdPattern.test(span.traceId) || !spanIdPattern.test(span.spanId)) return json
  const traceparent = `00-${span.traceId}-${span.spanId}-${span.sampled ? "01" : "00"}`
  const { baggage, tracestate } = companionsOf(span)
  return JsonObject.insert(json ?? {}, path, {
    // The baggage that a caller has written itself is the one that it means.
    ...(baggage === undefined || hasBaggage(path, json) ? undefined : { baggage }),
    ...(tracestate === undefined ? undefined : { tracestate }),
    traceparent
  })
}

/** Sections 3.2.2.3 and 3.2.2.4: zeros alone are no id. */
const traceIdPattern = /^(?!0+$)[0-9a-f]{32}$/
const spanIdPattern = /^(?!0+$)[0-9a-f]{16}$/

/** Section 3.2.2: later versions may have more after the flags, and have the same before. */
const traceparentPattern = /^([0-9a-f]{2})-([^-]+)-([^-]+)-([0-9a-f]{2})(-.*)?$/

const parse = (
  traceparent: string
): { readonly traceId: string; readonly spanId: string; readonly sampled: boolean } | undefined => {
  const match = traceparentPattern.exec(traceparent)
  if (match === null) return undefined
  const [, version, traceId = "", spanId = "", flags = "", more] = match
  if (version === "ff" || (version === "00" && more !== undefined)) return undefined
  if (!traceIdPattern.test(traceId) || !spanIdPattern.test(spanId)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

const companionsIn = (member: (name: string) => unknown): Companions => {
  const tracestate = member("tracestate")
  const baggage = member("baggage")
  return {
    ...(typeof tracestate === "string" && isState(tracestate) ? { tracestate } : undefined),
    ...(typeof baggage === "string" && isBaggage(baggage) ? { baggage } : undefined)
  }
}

/** Section 3.3: printable, and at least 512 characters must be passed on. We pass on no more than these. */
const isState = (tracestate: string): boolean => /^[\x20-\x7e]{1,512}$/.test(tracestate)

/** Baggage, section 3.3.2: at least 8,192 characters must be passed on. We pass on no more than these. */
const isBaggage = (baggage: string): boolean => /^[\x20-\x7e]{1,8192}$/.test(baggage)

const hasBaggage = (path: ReadonlyArray<string>, json: Schema.Json | undefined): boolean =>
  JsonObject.member(path.reduce<Schema.Json | undefined>(JsonObject.member, json), "baggage") !== undefined

/** The data that came along with the trace of a span. */
const companionsOf = (span: Tracer.AnySpan): Companions => {
  for (let next: Tracer.AnySpan | undefined = span; next !== undefined; next = parentOf(next)) {
    if (next._tag === "ExternalSpan") return Context.get(next.annotations, Companions)
  }
  return {}
}

const parentOf = (span: Tracer.AnySpan): Tracer.AnySpan | undefined =>
  span._tag === "Span" ? Option.getOrUndefined(span.parent) : undefined
