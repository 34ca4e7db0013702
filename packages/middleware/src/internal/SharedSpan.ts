/**
 * The parts of `Tracing`, for protocols whose spans have conventions of their own.
 *
 * `around` makes the span, `readContext` and `writeContext` take the trace context from the caller's to the handler's,
 * and `endingOf` names how a call ended. Names and attributes are the protocol's.
 *
 * ```ts run
 * import { Tracing } from "@parley/middleware"
 * import { Exit } from "effect"
 *
 * const place = { in: "params", path: ["_meta"] } as const
 * const params = { _meta: { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" } }
 *
 * console.log(Tracing.readContext(place, params)?.spanId) // => b7ad6b7169203331
 * console.log(Tracing.endingOf(Exit.die("a bug")).type) // => defect
 * ```
 *
 * @since 0.1.0
 */
export { type Ending, fromExit as endingOf } from "./CallOutcome.ts"
export { around, type Description } from "./CallSpan.ts"
export { read as readContext, write as writeContext } from "./TraceContext.ts"
