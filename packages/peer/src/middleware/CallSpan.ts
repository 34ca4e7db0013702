/**
 * The parts of `Tracing`, for protocols whose spans have conventions of their own.
 *
 * `around` makes the span, `readContext` and `writeContext` take the trace context from the caller's to the handler's,
 * and `endingOf` names how a call ended. Names and attributes are the protocol's.
 *
 * ```ts run
 * import { CallSpan } from "@parley/peer"
 * import { Exit } from "effect"
 *
 * const place = { in: "params", path: ["_meta"] } as const
 * const params = { _meta: { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" } }
 *
 * console.log(CallSpan.readContext(place, params)?.spanId) // => b7ad6b7169203331
 * console.log(CallSpan.endingOf(Exit.die("a bug")).type) // => defect
 * ```
 *
 * @since 0.1.0
 */
import type { TraceContext as Place } from "@parley/protocol/Dialect"
import type * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import type * as Tracer from "effect/Tracer"
import type { RemoteError } from "../CallerError.ts"
import type { ErrorResponse } from "../ErrorResponse.ts"
import * as CallOutcome from "../internal/observe/CallOutcome.ts"
import * as CallSpan from "../internal/observe/CallSpan.ts"
import * as TraceContext from "../internal/observe/TraceContext.ts"

/**
 * The name, kind, attributes, links and parent that a span has from its beginning.
 *
 * @category models
 * @since 0.1.0
 */
export interface Description extends Pick<Tracer.SpanOptionsNoTrace, "attributes" | "kind" | "links"> {
  /** The name of the span. */
  readonly name: string
  /** The span of the other side. Without it, the parent is the span that is open here. */
  readonly parent?: Tracer.AnySpan | undefined
}

/**
 * How a call ended.
 *
 * @category models
 * @since 0.1.0
 */
export interface Ending {
  /** The kind of the end. */
  readonly outcome: "success" | "failure" | "defect" | "interrupted"
  /**
   * Which failure it is, in a word: the code of its error object, the tag of another error, `defect` or `interrupted`.
   * `undefined` for a success.
   */
  readonly type: string | undefined
  /** The error object, where there is one. */
  readonly error: RemoteError | ErrorResponse | undefined
}

/**
 * Runs a call in a span where a tracer listens. Without one, `run` gets no span and nothing is described.
 *
 * `describe` gets the span that is open here, and `mark` adds to the span how the call ended. A span ends as its call
 * does, or with the exit that `mark` gives: a result may say that it is an error.
 *
 * @category spans
 * @since 0.1.0
 */
export const around: <A, E, R>(
  describe: (ambient: Tracer.AnySpan | undefined) => Description,
  run: (span: Tracer.Span | undefined) => Effect.Effect<A, E, R>,
  mark: (span: Tracer.Span, exit: Exit.Exit<unknown, unknown>) => Exit.Exit<unknown, unknown> | undefined
) => Effect.Effect<A, E, R> = CallSpan.around

/**
 * Reads the span that a message names, if it is valid. `json` is the message, or its params, as the place says.
 *
 * @category spans
 * @since 0.1.0
 */
export const readContext: (place: Place, json: Schema.Json | undefined) => Tracer.ExternalSpan | undefined =
  TraceContext.read

/**
 * Writes the trace context of a span into `json`, which stays as it is where there is no place for one.
 *
 * @category spans
 * @since 0.1.0
 */
export const writeContext: (
  place: Place,
  json: Schema.JsonObject | undefined,
  span: Tracer.Span
) => Schema.JsonObject | undefined = TraceContext.write

/** Names how a call ended. @category spans @since 0.1.0 */
export const endingOf: (exit: Exit.Exit<unknown, unknown>) => Ending = CallOutcome.fromExit
