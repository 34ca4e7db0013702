/**
 * Spans and durations of MCP's requests and notifications: those that we send, of kind `client`, and those that we
 * serve, of kind `server`. Either side of MCP does both.
 *
 * A span exists where a tracer listens, and a duration is recorded where its connection wants that. The trace context
 * travels in `_meta`, whatever carries the message.
 */
import * as Tracing from "@parley/middleware/Tracing"
import { type Caller, type CallOptions, RemoteError } from "@parley/peer/Caller"
import type { Call } from "@parley/peer/Handler"
import { RequestId } from "@parley/protocol/shared"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import type * as Tracer from "effect/Tracer"
import * as McpDialect from "../../wire/McpDialect.ts"
import * as Revision from "../../wire/Revision.ts"
import { isObject } from "../Json.ts"
import * as Of from "./attributes.ts"
import { operations } from "./Durations.ts"

/** Sends a message: `run` is given its params with the trace context, and its options. @internal */
export const send = <O extends Pick<CallOptions, "onId">, A, E, R>(
  place: Of.Place,
  method: string,
  params: Schema.JsonObject | undefined,
  options: O | undefined,
  run: (params: Schema.JsonObject | undefined, options: O | undefined) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  around(operationOf("client", place, method, params, () => true), (span) =>
    span === undefined
      ? run(params, options)
      : run(Tracing.writeContext(McpDialect.traceContext, params, span), telling(options, span)))

/** The options of a call whose span is told the id of its request. */
const telling = <O extends Pick<CallOptions, "onId">>(options: O | undefined, span: Tracer.Span): O => {
  const onId = (id: string | number) => {
    span.attribute("jsonrpc.request.id", String(id))
    options?.onId?.(id)
  }
  // The other options stay as they are.
  return { ...options, onId } as O
}

/** A caller whose requests are operations. Its notifications stay as they are: they belong to an operation that runs. @internal */
export const caller = (place: Of.Place, inner: Caller): Caller => ({
  ...inner,
  request: (method, params, options) =>
    params === undefined || isObject(params)
      ? send(place, method, params, options, (params, options) => inner.request(method, params, options))
      : inner.request(method, params, options)
})

/**
 * Serves a message. `isOffered` says whether we have what it is about: names that a peer makes up are in no name of a
 * span and in no metric.
 *
 * @internal
 */
export const serve = <A, E, R>(
  place: Of.Place,
  { id, method, params }: Pick<Call, "id" | "method" | "params">,
  isOffered: (subject: Of.Subject) => boolean,
  run: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  around(operationOf("server", place, method, params, isOffered), (span) => {
    if (id !== undefined && id !== null) span?.attribute("jsonrpc.request.id", textOf(id))
    return run
  })

const textOf = (id: RequestId.RequestId): string => typeof id === "string" ? id : RequestId.toText(id)

interface Operation {
  readonly kind: "client" | "server"
  readonly place: Of.Place
  readonly method: string
  readonly params: Schema.Json | undefined
  readonly subject: Of.Subject | undefined
  /** The tool or prompt, of which there are few enough to name spans and metrics by. */
  readonly target: Of.Subject | undefined
}

const operationOf = (
  kind: Operation["kind"],
  place: Of.Place,
  method: string,
  params: Schema.Json | undefined,
  isOffered: (subject: Of.Subject) => boolean
): Operation => {
  const subject = Of.subjectOf(method, params)
  const hasTarget = subject !== undefined && subject.attribute !== "mcp.resource.uri" && isOffered(subject)
  return { kind, place, method, params, subject, target: hasTarget ? subject : undefined }
}

const around = <A, E, R>(
  operation: Operation,
  run: (span: Tracer.Span | undefined) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  const spanned = Tracing.around(
    (ambient, outside) => describe(operation, ambient, outside),
    run,
    (span, exit) => mark(operation, span, exit)
  )
  return operation.place.isTimed ? timed(operation, spanned) : spanned
}

const describe = (
  { kind, method, params, place, subject, target }: Operation,
  ambient: Tracer.AnySpan | undefined,
  outside: Tracer.AnySpan | undefined
): Tracing.Description => {
  const named = kind === "server" ? Tracing.readContext(McpDialect.traceContext, params) : undefined
  const parent = kind === "server" ? named ?? outside : undefined
  return {
    name: target === undefined ? method : `${method} ${target.name}`,
    kind,
    parent,
    // The span of what carries the message, such as that of an HTTP request, is no parent of the message.
    links: named === undefined || ambient === undefined ? undefined : [{ span: ambient, attributes: {} }],
    attributes: {
      ...Of.ofMethod(method, place.network),
      ...Of.ofSubject(subject)
    }
  }
}

/** The session and the revision are known at the end, where the message has brought them. */
const mark = (operation: Operation, span: Tracer.Span, exit: Exit.Exit<unknown, unknown>) => {
  const { kind, method, place } = operation
  const revision = revisionOf(operation, exit)
  const session = place.session()
  if (revision !== undefined) span.attribute("mcp.protocol.version", revision)
  if (session !== undefined) span.attribute("mcp.session.id", session)
  for (const [name, value] of Object.entries(Of.ofEnding(kind, method, exit))) span.attribute(name, value)
  return shownOf(method, exit)
}

/** How a span ends where its call ends otherwise: its status is described by the message of the answer alone. */
const shownOf = (method: string, exit: Exit.Exit<unknown, unknown>): Exit.Exit<never, string> | undefined => {
  if (Exit.isSuccess(exit)) return Of.isToolError(method, exit.value) ? toolFailed : undefined
  const { error } = Tracing.endingOf(exit)
  return error instanceof RemoteError ? Exit.fail(error.text) : undefined
}

/** The span does not quote the tool: its words may be long, and private. */
const toolFailed = Exit.fail("the result of the tool has isError")

const timed = <A, E, R>(operation: Operation, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const clock = fiber.getRef(Clock.Clock)
    const start = clock.monotonicTimeNanosUnsafe()
    return Effect.onExitPrimitive(effect, (exit) => {
      const { kind, method, place, target } = operation
      const attributes = {
        ...Of.ofMethod(method, place.network),
        ...Of.ofSubject(target),
        ...Of.ofRevision(revisionOf(operation, exit)),
        ...Of.ofEnding(kind, method, exit)
      }
      operations[kind].record(attributes, Number(clock.monotonicTimeNanosUnsafe() - start), fiber.context)
      return undefined
    })
  })

/** The revision of a message; that of a handshake is what it has agreed on. */
const revisionOf = (
  { method, params, place }: Operation,
  exit: Exit.Exit<unknown, unknown>
): Revision.Revision | undefined => {
  if (method !== "initialize") return place.revision()
  const agreed = Exit.isSuccess(exit) && isObject(exit.value) ? exit.value : params
  const version = isObject(agreed) ? agreed["protocolVersion"] : undefined
  return Revision.isKnown(version) ? version : undefined
}
