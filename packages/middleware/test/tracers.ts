/** Spans in the hands of a test. */
import { Effect, Exit, Option, Tracer } from "effect"
import { callerOf } from "./callers.ts"

/** Runs an effect with a tracer that keeps its spans. */
export const traced = <A, E, R>(
  run: (spans: ReadonlyArray<Tracer.NativeSpan>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return Effect.withTracer(run(spans), tracer)
}

export const parentOf = (span: Tracer.AnySpan | undefined): Tracer.AnySpan | undefined =>
  span?._tag === "Span" ? Option.getOrUndefined(span.parent) : undefined

export const idsOf = (span: Tracer.AnySpan | undefined) => [span?.traceId, span?.spanId, span?.sampled]

/** A caller that keeps what it is given. */
export const keeping = () => {
  const seen: Array<ReadonlyArray<unknown>> = []
  const keep = (...parts: ReadonlyArray<unknown>) => {
    seen.push(parts)
    return Exit.succeed(null)
  }
  const inner = callerOf({
    request: keep,
    notify: (...parts) => Exit.asVoid(keep(...parts)),
    batch: (...parts) => Exit.map(keep(...parts), () => [])
  })
  return { inner, seen }
}
