/** Spans in the hands of a test. */
import { type Effect, Option, type Tracer } from "effect"
import * as tracers from "../../../../middleware/test/tracers.ts"

export type Span = Tracer.NativeSpan

export interface Spans {
  readonly all: ReadonlyArray<Span>
  /** The only span of a kind and a name. */
  readonly one: (kind: Tracer.SpanKind, name: string) => Span
}

/** Runs an effect with a tracer that keeps its spans. */
export const traced = <A, E, R>(run: (spans: Spans) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  tracers.traced((all) => {
    const one: Spans["one"] = (kind, name) => {
      const [found, ...more] = all.filter((span) => span.kind === kind && span.name === name)
      if (found === undefined || more.length > 0) {
        throw new Error(`not one ${kind} ${name} in: ${all.map(({ kind, name }) => `${kind} ${name}`).join(", ")}`)
      }
      return found
    }
    return run({ all, one })
  })

export const attributesOf = (span: Span) => Object.fromEntries(span.attributes)

export const parentOf = (span: Span): string | undefined => Option.getOrUndefined(span.parent)?.spanId

export const isFailed = ({ status }: Span): boolean => status._tag === "Ended" && status.exit._tag === "Failure"
