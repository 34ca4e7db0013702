/**
 * One span around one call, where a tracer listens. The conventions of a protocol decide its name and its attributes.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"

/** The name and attributes that a span has from its beginning. @internal */
export interface Description extends Pick<Tracer.SpanOptionsNoTrace, "attributes" | "kind" | "links"> {
  readonly name: string
  /** The span of the other side. Without it, the parent is the span that is open here. */
  readonly parent?: Tracer.AnySpan | undefined
}

/** Adds to a span how its call ended. Where the span shall end otherwise than its call, it gives that exit. @internal */
export type Mark = (span: Tracer.Span, exit: Exit.Exit<unknown, unknown>) => Exit.Exit<unknown, unknown> | undefined

/** The cache holds a tracer only where one has been provided. */
const listens = ({ cache }: Fiber.Fiber<unknown, unknown>): boolean => cache.tracer !== undefined && cache.tracerEnabled

/**
 * Runs a call in a span where a tracer listens, and else without one: `Effect.withSpan`, without the stack traces that
 * are half of its cost.
 *
 * @internal
 */
export const around = <A, E, R>(
  describe: (ambient: Tracer.AnySpan | undefined) => Description,
  run: (span: Tracer.Span | undefined) => Effect.Effect<A, E, R>,
  mark: Mark
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    if (!listens(fiber)) return run(undefined)
    const { name, ...options } = describe(fiber.cache.span)
    return Effect.useSpan(name, options, (span) =>
      Effect.provideService(
        // The span's own end comes after, and changes nothing from then on.
        Effect.onExitPrimitive(Effect.suspend(() => run(span)), (exit) => {
          const shown = mark(span, exit)
          if (shown !== undefined) span.end(nowIn(fiber), shown)
          return undefined
        }),
        Tracer.ParentSpan,
        span
      ))
  })

/** Nanoseconds, as Effect ends its spans. */
const nowIn = (fiber: Fiber.Fiber<unknown, unknown>): bigint =>
  fiber.getRef(References.TracerTimingEnabled) ? fiber.getRef(Clock.Clock).currentTimeNanosUnsafe() : 0n
