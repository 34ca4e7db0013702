/**
 * One span per call, and the W3C trace context from the caller's to the handler's.
 *
 * Spans are named by their method and have the attributes of OpenTelemetry's
 * semantic conventions for JSON-RPC: `rpc.system.name`, `rpc.method`,
 * `jsonrpc.protocol.version`, `jsonrpc.request.id` on the serving side, and for
 * failures `error.type` and `rpc.response.status_code`.
 *
 * A tracer listens when one is provided, as every exporter does. Without one,
 * calls pass untouched. Effect's default tracer exports no spans; provide
 * `Tracer.nativeTracer` to have them all the same.
 *
 * ```ts run
 * import { Tracing } from "@parley/middleware"
 * import { Router } from "@parley/peer"
 * import { Dialect } from "@parley/protocol"
 * import { Effect, Option, Tracer } from "effect"
 *
 * const traced = Tracing.handler(Dialect.jsonRpc)
 *
 * const program = Effect.gen(function*() {
 *   const router = yield* Router.make()
 *   yield* router.add("trace", traced(() => Effect.orDie(Effect.map(Effect.currentSpan, ({ traceId }) => traceId))))
 *   const reply = yield* router.answer(
 *     `{"jsonrpc":"2.0","id":1,"method":"trace","traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}`
 *   )
 *   console.log(Option.getOrThrow(reply)) // => {"jsonrpc":"2.0","id":1,"result":"0af7651916cd43dd8448eb211c80319c"}
 * })
 *
 * await Effect.runPromise(Effect.scoped(program).pipe(Effect.withTracer(Tracer.nativeTracer)))
 * ```
 *
 * @since 0.1.0
 */
import type { Caller, CallOptions, Member } from "@parley/peer/Caller"
import type { Call, Middleware } from "@parley/peer/Handler"
import type { Dialect, TraceContext as Place } from "@parley/protocol/Dialect"
import type * as Message from "@parley/protocol/Message"
import { JsonObject as Members, RequestId } from "@parley/protocol/shared"
import type * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import type * as Tracer from "effect/Tracer"
import * as Ending from "./internal/CallOutcome.ts"
import * as CallSpan from "./internal/CallSpan.ts"
import * as TraceContext from "./internal/TraceContext.ts"

export { type Ending, fromExit as endingOf } from "./internal/CallOutcome.ts"
export { around, type Description } from "./internal/CallSpan.ts"
export { read as readContext, write as writeContext } from "./internal/TraceContext.ts"

/**
 * Where the trace context stands in a message: a dialect, or this member of one. Where it is `undefined`, nothing
 * travels, and the parent of a span is one of its own side: the headers of an HTTP request are not read either. Where
 * they are to be trusted, and the messages of your dialect have no place, give the place of `Dialect.jsonRpc`.
 *
 * @category models
 * @since 0.1.0
 */
export type TracingOptions = Pick<Dialect, "traceContext">

/**
 * A span of kind `server` for each call that a handler serves, a child of the caller's span where the message names one.
 * Else it is a child of the span that the `traceparent` of its HTTP request names. Without a `traceContext` it is neither.
 *
 * @category serving
 * @since 0.1.0
 */
export const handler = ({ traceContext }: TracingOptions): Middleware => (handler) => (call) =>
  spanned(
    "server",
    call.method,
    (span) => {
      const id = span && idOf(call.id)
      if (id !== undefined) span?.attribute("jsonrpc.request.id", id)
      return handler(call)
    },
    (outside) => traceContext === undefined ? undefined : parentOf(traceContext, call) ?? outside
  )

/**
 * A span of kind `client` for each request and notification, which travels with it. A batch has one span, named
 * `batch`, the parent of what its members become on the other side.
 *
 * Params by position have no place for a trace context, and neither has a notification where the context stands
 * beside `method`, unless it is a member of a batch.
 *
 * @category calling
 * @since 0.1.0
 */
export const caller = ({ traceContext }: TracingOptions) => (inner: Caller): Caller => {
  const place = placing(traceContext)
  return {
    ...inner,
    request: (method, params, options) =>
      spanned(
        "client",
        method,
        (span) => inner.request(method, place.params(params, span), place.options(options, span))
      ),
    notify: (method, params) => spanned("client", method, (span) => inner.notify(method, place.params(params, span))),
    batch: (members, options) =>
      spanned("client", undefined, (span) => inner.batch(place.members(members, span), options))
  }
}

const system = { "rpc.system.name": "jsonrpc", "jsonrpc.protocol.version": "2.0" }

/** Runs a call in a span of the conventions for JSON-RPC. A batch has no method. */
const spanned = <A, E, R>(
  kind: Tracer.SpanKind,
  method: string | undefined,
  run: (span: Tracer.Span | undefined) => Effect.Effect<A, E, R>,
  parentOf?: (outside: Tracer.AnySpan | undefined) => Tracer.AnySpan | undefined
): Effect.Effect<A, E, R> =>
  CallSpan.around(
    (_, outside) => ({
      name: method ?? "batch",
      kind,
      parent: parentOf?.(outside),
      attributes: method === undefined ? system : { ...system, "rpc.method": method }
    }),
    run,
    mark
  )

const mark = (span: Tracer.Span, exit: Exit.Exit<unknown, unknown>): undefined => {
  const { error, type } = Ending.fromExit(exit)
  if (type !== undefined) span.attribute("error.type", type)
  if (error !== undefined) span.attribute("rpc.response.status_code", String(error.code))
}

/** Null is an id, and the conventions have no word for it. */
const idOf = (id: RequestId.RequestId | undefined): string | undefined => {
  if (id === undefined || id === null) return undefined
  return typeof id === "string" ? id : RequestId.toText(id)
}

const parentOf = (place: Place, { extra, params }: Call): Tracer.AnySpan | undefined =>
  TraceContext.read(place, place.in === "message" ? extra : params)

/** How the parts of a call take a trace context. Without a span they stay as they are. */
const placing = (place: Place | undefined) => {
  const inExtra = (extra: Schema.JsonObject | undefined, span: Tracer.Span) =>
    place?.in === "message" ? TraceContext.write(place, extra, span) : extra
  const params = (params: Message.Params | undefined, span: Tracer.Span | undefined): Message.Params | undefined =>
    span !== undefined && place?.in === "params" && (params === undefined || Members.isObject(params))
      ? TraceContext.write(place, params, span)
      : params
  return {
    params,
    options: (options: CallOptions | undefined, span: Tracer.Span | undefined): CallOptions | undefined =>
      span !== undefined && place?.in === "message" ? { ...options, extra: inExtra(options?.extra, span) } : options,
    members: (members: ReadonlyArray<Member>, span: Tracer.Span | undefined): ReadonlyArray<Member> =>
      span === undefined ? members : members.map((member) => ({
        ...member,
        params: params(member.params, span),
        extra: inExtra(member.extra, span)
      }))
  }
}
